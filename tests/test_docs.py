"""The documentation: what it names exists, generated pages are up to date, and pages keep their form."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import shlex
from pathlib import Path

import click
import pytest

from companion.cli import pegpip
from tests import results

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "vision/models").glob("*.md"),
        *ROOT.glob("release/**/*.md"),
    ]
)
SOURCES = [
    *PAGES,
    *(
        path
        for room in ("companion", "vision", "hardware", "web", "tests", "release")
        for path in (ROOT / room).rglob("*")
    ),
    ROOT / "Makefile",
]
TEXTS = [path for path in SOURCES if path.suffix in {".md", ".py", ".js", ".css", ".html", ""} and path.is_file()]
README_LINES, README_WORDS = 120, 25
METHOD_LINES = 150


def prose(page: Path) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as a forge makes them."""
    heads = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_relative_link_in_the_docs_leads_to_a_file_and_a_heading(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", prose(page)):
        if re.match(r"\w+:", target):
            continue
        to = (page.parent / target).resolve() if target else page
        assert to.exists(), target
        assert not anchor or anchor in anchors(to), f"{target}#{anchor}"


PATHS = re.compile(r"\b(?:companion|vision|hardware|web|tests|docs|release|systemd|fixtures)/[\w./-]*\.[a-z]{2,6}\b")


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_file_that_a_docs_page_names_exists(page: Path) -> None:
    named = {re.sub(r"\.+$", "", name) for name in PATHS.findall(prose(page))}
    made = re.compile(r"NAME|GAME|/xx\.|release-key")
    assert {name for name in named if not made.search(name) and not (ROOT / name).exists()} == set()


def test_every_docs_page_and_heading_that_code_or_docs_cite_exists() -> None:
    for path in TEXTS:
        for page, head in re.findall(r"(docs/[\w/-]+\.md)(?:, \"([^\"\n]+)\")?", path.read_text(encoding="utf-8")):
            assert (ROOT / page).exists(), f"{relative(path)}: {page}"
            if head:
                text = (ROOT / page).read_text(encoding="utf-8")
                assert re.search(rf"^(#+ |\*\*){re.escape(head)}", text, re.MULTILINE), (
                    f"{relative(path)}: {page} {head}"
                )


def lines(page: Path) -> list[str]:
    """Return the command lines of a page, of its blocks and between backticks, without `sudo` and comments."""
    text = page.read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"^ *```\w*\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL))
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose(page))]
    parts = [part.strip() for line in (*spans, *blocks.splitlines()) for part in re.split(r" (?:&&|\|) |#", line)]
    return [re.sub(r"^sudo (?:-u pegpip )?", "", part) for part in parts]


def commands(program: str, least: int) -> list[str]:
    """Return the arguments of each command line of any page that starts a program; fail if they are fewer than `least`.

    So a pattern that no longer finds them is noticed.
    """
    start = re.compile(rf"(?:\S*/)?{re.escape(program)} (?=\S)")
    found = [line[begun.end() :] for page in PAGES for line in lines(page) if (begun := start.match(line))]
    assert len(found) >= least, program
    return found


def test_every_make_target_and_variable_that_a_docs_page_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for line in commands("make", 100):
        words = shlex.split(line)
        named = {word for word in words if re.fullmatch(r"[a-z][a-z-]+", word)}
        assert named <= targets, line
        for variable in re.findall(r"\b([A-Z]+)=", line):
            assert f"$({variable})" in makefile or f"$(or $({variable})," in makefile, line


def test_every_pegpip_command_and_option_that_a_docs_page_names_exists() -> None:
    for line in commands("pegpip", 150):
        words = shlex.split(line)
        if not re.fullmatch(r"[a-z]+", words[0]):
            continue  # an option of the program itself, or a file's name
        command: click.Command = pegpip
        context = click.Context(pegpip)
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            found = [command.get_command(context, name) for name in words.pop(0).split("|")]  # `leds design|wiring`
            assert None not in found, line
            command = found[0] or command
        with contextlib.suppress(click.BadOptionUsage):  # a sentence may name an option without its value
            command.make_parser(context).parse_args(words)


def test_every_install_sh_option_that_a_docs_page_gives_exists() -> None:
    installer = (ROOT / "companion/appliance/install.py").read_text(encoding="utf-8")
    known = set(re.findall(r'^ +"(--[a-z-]+)"|add_argument\("(--[a-z-]+)"', installer, re.MULTILINE))
    options = {option for pair in known for option in pair if option}
    assert {"--dry-run", "--uninstall"} <= options
    for line in commands("install.sh", 2):
        assert set(re.findall(r"--[a-z-]+", line)) <= options, line


def test_docs_pages_start_only_executable_scripts_and_existing_python_modules() -> None:
    script = re.compile(r"(?:\./|(?=[\w-]+/))([\w/-]+\.(?:py|sh)) ")
    started = [found[1] for page in PAGES for line in lines(page) if (found := script.match(line))]
    assert len(started) >= 2
    assert [name for name in started if not os.access(ROOT / name, os.X_OK)] == []
    for line in commands("python", 5):
        if module := re.match(r"-m ((?:companion|vision|hardware|web|tests|release)[\w.]*)", line):
            assert importlib.util.find_spec(module[1]) is not None, line


def test_a_code_name_that_a_docs_page_places_in_a_file_is_in_that_file() -> None:
    named = list[tuple[str, Path]]()
    for page in PAGES:
        text = " ".join(prose(page).split())
        found = re.findall(r"`([\w.]+)`(?: \(`\w+`\))? (?:of|in) \[[^\]]+\]\(([^)#]+\.py)\)", text)
        for name, between in re.findall(r"`([\w.]+)`((?: \w+)*) there\b", text):  # in the module that was linked last
            before = re.findall(r"\]\(([^)#]+\.py)\)", text[: text.index(f"`{name}`{between} there")])
            found += [(name, target) for target in before[-1:]]
        named += [(name, page.parent / target) for name, target in found]
    assert len(named) >= 10
    for name, file in named:
        source = file.read_text(encoding="utf-8")
        assert all(re.search(rf"\b{part}\b", source) for part in name.split(".")), (name, file)


def test_the_readme_keeps_its_limits_on_lines_and_on_words_a_sentence() -> None:
    readme = ROOT / "README.md"
    assert readme.read_text(encoding="utf-8").count("\n") <= README_LINES
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", prose(readme))
    blocks = [cell for block in re.split(r"\n\s*\n|\n(?=[-|#] ?)", text) for cell in block.split("|")]
    sentences = [each for block in blocks for each in re.split(r"(?<=[.!?])[*\s]+", " ".join(block.split()))]
    long = [each for each in sentences if len(re.findall(r"[\w'&-]*\w[\w'&-]*", each)) > README_WORDS]
    assert long == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs/method").glob("*.md")), ids=relative)
def test_each_page_in_docs_method_has_at_most_the_allowed_number_of_lines(page: Path) -> None:
    assert page.read_text(encoding="utf-8").count("\n") <= METHOD_LINES


@pytest.mark.parametrize("page", sorted((ROOT / "docs/how-to").glob("*.md")), ids=relative)
def test_each_how_to_page_has_one_section_titled_proof_at_its_end_with_a_command(page: Path) -> None:
    end = page.read_text(encoding="utf-8").rpartition("## Proof")[2]
    assert re.search(
        r"^ *(\.venv/bin/)?(python -m )?(pytest|pegpip|make) \S|`(\.venv/bin/)?(pytest|pegpip|make) [^`]+`",
        end,
        re.MULTILINE,
    )
    assert "\n## " not in end
    assert page.read_text(encoding="utf-8").count("## Proof") == 1


INDEXES = {"README.md", "reader.md"}


@pytest.mark.parametrize("page", sorted((ROOT / "docs/lab").glob("*.md")), ids=relative)
def test_each_experiment_page_in_docs_lab_has_question_commit_and_result(page: Path) -> None:
    if page.name not in INDEXES:
        text = page.read_text(encoding="utf-8")
        assert re.search(r"\*\*Question\.\*\*", text)
        assert re.search(r"\*\*Recorded\s+at\*\*\s+`[0-9a-f]{7,}`", text)
        assert re.search(r"\*\*(?:Learned|Adopted|Finding|Rejected)|^\| idea", text, re.MULTILINE)


def test_every_experiment_page_in_docs_lab_is_linked_from_an_index_page() -> None:
    lab = ROOT / "docs/lab"
    listed = {name for index in INDEXES for name in re.findall(r"\]\((\w[\w-]*\.md)\)", (lab / index).read_text())}
    assert listed | INDEXES >= {page.name for page in lab.glob("*.md")}


def test_the_generated_results_page_of_the_docs_matches_its_data() -> None:
    assert results.PAGE.read_text(encoding="utf-8") == results.page(
        json.loads(results.DATA.read_text(encoding="utf-8"))
    )
