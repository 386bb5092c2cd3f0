"""A missing library is reported in one sentence with the command that installs it, without a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHARED = "libxcb.so.1: cannot open shared object file: No such file or directory"


def read_with(tmp_path: Path, module: str, source: str) -> subprocess.CompletedProcess[str]:
    """`pegpip read` where importing that module runs this source instead."""
    (tmp_path / f"{module}.py").write_text(source)
    paths = os.pathsep.join([str(tmp_path), *(path for path in sys.path if path)])
    code = "from companion.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "read", "--json", "no-picture.jpg"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (f"raise ImportError({SHARED!r}, name='cv2')", ("libxcb.so.1", "install opencv-python-headless")),
        ("raise ModuleNotFoundError(\"No module named 'cv2'\", name='cv2')", ("`cv2`", "peg-and-pip[vision]")),
        ("raise ImportError('libfoo.so.3: cannot open shared object file', name='foo')", ("libfoo.so.3", "apt-file")),
    ],
)
def test_pegpip_read_reports_a_missing_library_with_its_install_command(
    tmp_path: Path, source: str, says: tuple[str, ...]
) -> None:
    done = read_with(tmp_path, "cv2", source)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert all(word in done.stderr for word in says), done.stderr


def test_pegpip_read_shows_a_traceback_if_one_of_its_own_modules_is_missing(tmp_path: Path) -> None:
    done = read_with(tmp_path, "cv2", "import vision.nowhere")
    assert "Traceback" in done.stderr
