"""Writes the calibration sheet as a PDF to print at 100 %."""

from __future__ import annotations

from vision.calibration.sheet import Dashes, Mark, Rectangle, Sheet

POINTS_PER_MM = 72 / 25.4
"""PDF points, 1/72 inch each, in a millimetre; another value prints the sheet in a wrong size."""
DASH_MM = "3 2"
"""Lengths of a dash and a gap, in millimetres, as PDF operands."""


def pdf(sheet: Sheet) -> bytes:
    """Return the bytes of a one-page PDF 1.4 of the sheet, in its true size. Helvetica is not embedded."""
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
    """Return the PDF operators that draw a rectangle, a dashed line or a text.

    The page's coordinates must have been set to millimetres with y downwards. Only the glyphs of a text are turned
    upright here.
    """
    if isinstance(mark, Rectangle):
        at = f"{mark.x_mm:g} {mark.y_mm:g} {mark.width_mm:g} {mark.height_mm:g}"
        return f"{0 if mark.black else 1} g {at} re f\n"
    if isinstance(mark, Dashes):
        (x1, y1), (x2, y2) = mark.from_mm, mark.to_mm
        return f"0.5 G 0.3 w [{DASH_MM}] 0 d {x1:g} {y1:g} m {x2:g} {y2:g} l S\n"
    text = mark.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"0 g BT /F {mark.size_mm:g} Tf 1 0 0 -1 {mark.x_mm:g} {mark.y_mm:g} Tm ({text}) Tj ET\n"
