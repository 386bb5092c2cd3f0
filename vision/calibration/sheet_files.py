"""The calibration sheet as a file to print: SVG or PDF, one millimetre for one millimetre."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from xml.sax.saxutils import escape

from companion.errors import SetupError
from vision.calibration.sheet import Dashes, Mark, Rectangle, Sheet

POINTS_PER_MM = 72 / 25.4
"""PDF counts in points."""
DASH_MM = "3 2"
"""Drawn and left out."""


def write_sheet(sheet: Sheet, to: Path) -> None:
    """Write it as the name's ending says, whole or not at all.

    Raises:
        SetupError: Another ending than `.svg` or `.pdf`, or a place that can't be written.
    """
    writers = {".svg": svg, ".pdf": pdf}
    writer = writers.get(to.suffix.lower())
    if writer is None:
        raise SetupError([f"--sheet: {str(to)!r} must end in .svg or .pdf."])
    part = to.with_name(f"{to.name}.part")
    try:
        part.write_bytes(writer(sheet))
        os.replace(part, to)
    except OSError as refused:
        with contextlib.suppress(OSError):
            part.unlink()
        raise SetupError([f"--sheet: {str(to)!r} can't be written ({refused.strerror}): name another place."]) from None


def svg(sheet: Sheet) -> bytes:
    """SVG whose user unit is a millimetre."""
    width, height = sheet.size_mm
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm" '
        f'viewBox="0 0 {width:g} {height:g}" shape-rendering="crispEdges">\n'
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>\n'
    )
    return (head + "".join(_svg_mark(mark) for mark in sheet.marks) + "</svg>\n").encode()


def _svg_mark(mark: Mark) -> str:
    if isinstance(mark, Rectangle):
        fill = "#000" if mark.black else "#fff"
        at = f'x="{mark.x_mm:g}" y="{mark.y_mm:g}" width="{mark.width_mm:g}" height="{mark.height_mm:g}"'
        return f'<rect {at} fill="{fill}"/>\n'
    if isinstance(mark, Dashes):
        (x1, y1), (x2, y2) = mark.from_mm, mark.to_mm
        ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
        return f'<line {ends} stroke="#888" stroke-width="0.3" stroke-dasharray="{DASH_MM}"/>\n'
    place = f'x="{mark.x_mm:g}" y="{mark.y_mm:g}" font-size="{mark.size_mm:g}"'
    return f'<text {place} font-family="Helvetica, Arial, sans-serif">{escape(mark.text)}</text>\n'


def pdf(sheet: Sheet) -> bytes:
    """PDF 1.4 of one page, with a font that every reader brings along (ISO 32000-1, 9.6.2.2)."""
    width, height = (edge * POINTS_PER_MM for edge in sheet.size_mm)
    # From here on lengths are millimetres and y counts downwards, as on the sheet.
    to_points = f"{POINTS_PER_MM:.5f} 0 0 {-POINTS_PER_MM:.5f} 0 {height:.3f} cm\n"
    drawing = (to_points + "".join(_pdf_mark(mark) for mark in sheet.marks)).encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.3f} {height:.3f}] /Contents 4 0 R "
            f"/Resources << /Font << /F 5 0 R >> >> >>"
        ).encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    written, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(written))
    return written + head + table + tail


def _pdf_mark(mark: Mark) -> str:
    if isinstance(mark, Rectangle):
        at = f"{mark.x_mm:g} {mark.y_mm:g} {mark.width_mm:g} {mark.height_mm:g}"
        return f"{0 if mark.black else 1} g {at} re f\n"
    if isinstance(mark, Dashes):
        (x1, y1), (x2, y2) = mark.from_mm, mark.to_mm
        return f"0.5 G 0.3 w [{DASH_MM}] 0 d {x1:g} {y1:g} m {x2:g} {y2:g} l S\n"
    text = mark.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"0 g BT /F {mark.size_mm:g} Tf 1 0 0 -1 {mark.x_mm:g} {mark.y_mm:g} Tm ({text}) Tj ET\n"
