"""`make fuzz-web`: Schemathesis against `/api/openapi.json` of a served table: no 5xx, every answer as its schema says.

The calls are made as the owner's phone. Exit status: Schemathesis's own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

LEFT_OUT = ("/api/phones/remove", "/api/phones/leave", "/api/phones/role")
"""Paths that are not called: they would take the caller's own rights away, and all later calls would be refused."""
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def main(examples: int) -> int:
    """Try every operation of the API with up to `examples` generated requests; return Schemathesis's exit status."""
    from tests.web.pub import PIN, opened, served

    with (
        tempfile.TemporaryDirectory() as folder,
        opened(Path(folder), evening=True, review=True, voice=True) as pub,
        served(pub) as address,
    ):
        pub.start()
        token = pub.pairing.pair(PIN, "fuzz", "127.0.0.1")
        pub.make_owners()
        command = ["-m", "schemathesis.cli", "run", f"{address}/api/openapi.json", "--checks", CHECKS]
        command += ["--header", f"Cookie: pegpip={token}", "--max-examples", str(examples), "--workers", "2"]
        command += [word for path in LEFT_OUT for word in ("--exclude-path", path)]
        done = subprocess.run([sys.executable, *command], check=False, cwd=folder)
        assert pub.table.snapshot().game is not None, "the table plays on"
        return done.returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 400))
