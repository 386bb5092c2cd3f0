"""Measure what takes minutes, keep each figure in docs/lab/results.json, and write docs/results.md: `make results`.

A figure of a longer command is put into results.json by hand, with its commit and date. `--write` only writes the page.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from tests.history.fair_sets import found_after

DOCS = Path(__file__).resolve().parents[1] / "docs"
DATA = DOCS / "lab" / "results.json"
PAGE = DOCS / "results.md"


def page(data: dict[str, Any]) -> str:
    """Return docs/results.md: an introduction, a table for each section, and its notes."""
    parts = [f"# Results\n\n{data['introduction']}"]
    for section in data["sections"]:
        columns = [*section["columns"], "command", "commit", "date"]
        rows = [[*row["cells"], f"`{row['command']}`", f"`{row['commit']}`", row["date"]] for row in section["rows"]]
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in (columns, ["---"] * len(columns), *rows))
        parts.append("\n\n".join([f"## {section['title']}", table, *section["notes"]]))
    return "\n\n".join(parts) + "\n"


def measured() -> dict[str, str]:
    """Run the quick commands and return the figure of each row that names it as its `quick`."""
    pegpip = [str(Path(sys.executable).with_name("pegpip")), "bench", "--json"]
    told = json.loads(subprocess.run(pegpip, check=True, capture_output=True, text=True).stdout)
    collected = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-o", "addopts="]
    tests = subprocess.run(collected, check=True, capture_output=True, text=True).stdout.splitlines()
    alarms = np.isfinite(found_after(np.full(6, 1 / 6), 5000, 12_000, 1, at_once=6)).mean()
    return {
        "settle": f"{told['settle_ms']:.1f} ms",
        "read_rig": f"{told['read_rig_ms']:.0f} ms (a plain blob counter: {told['baseline_ms']:.0f} ms)",
        "read_free": f"{told['read_free_ms']:.0f} ms",
        "memory": f"{told['rss_mb']:.0f} MB",
        "rules": f"{told['rules_lines_per_s']:,.0f}",
        "virtual": f"{told['virtual_exact']} of {told['virtual_throws']} exact, "
        f"{told['virtual_trusted']} trusted, {told['virtual_wrong_trusted']} wrong and trusted",
        "tests": f"{sum('::' in line for line in tests):,}",
        "alarms": f"{100 * alarms:.2f} % of 5,000",
    }


def main(only_write: bool) -> None:
    """Write the page; measure the quick rows before, unless `only_write`."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    if not only_write:
        figures = measured()
        commit = subprocess.run(["git", "rev-parse", "--short=7", "HEAD"], check=True, capture_output=True, text=True)
        load = f"load {os.getloadavg()[2]:.1f}"
        for row in (row for section in data["sections"] for row in section["rows"] if "quick" in row):
            row["cells"][-1] = figures[row["quick"]] + (f"; {load}" if row.get("timed") else "")
            row["commit"], row["date"] = commit.stdout.strip(), date.today().isoformat()
        DATA.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(data), encoding="utf-8")


if __name__ == "__main__":
    main("--write" in sys.argv[1:])
