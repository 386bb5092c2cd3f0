"""The types that the pages' scripts are checked against are the server's."""

from __future__ import annotations

from tests.web import page_types


def test_the_typescript_types_file_is_up_to_date_with_the_structs_and_page_templates() -> None:
    assert page_types.FILE.read_text(encoding="utf-8") == page_types.page_types(), "run `make page-types`"


def test_page_types_generator_writes_a_struct_as_a_typescript_interface() -> None:
    text = page_types.page_types()
    assert "export interface Thrown {\n  number: number;\n  player: string;\n  values: number[];" in text
    assert "  question: Question | null;" in text
    assert "  boxes_xywh: [number, number, number, number][];" in text
    assert '  "volume": HTMLElementTagNameMap["input"];' in text
