"""The pages say what the code does."""

import re
from pathlib import Path
from typing import get_args

from dicegames_protocol.games import keys, types_of
from dicegames_protocol.messages.server import CloseCode, ErrorCode
from dicegames_server.app.reference import markdown

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_the_protocol_page_is_the_protocol() -> None:
    page = (DOCS / "protocol.md").read_text(encoding="utf-8")
    start = page.index("## From the client")
    hint = (
        "after a change of the messages, put the output of `dicegames-server schema --markdown` into docs/protocol.md"
    )
    assert page[start:].strip() == markdown().strip(), hint


def test_all_codes_are_explained() -> None:
    page = (DOCS / "protocol.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", page.split("## From the client")[0], re.MULTILINE)
    assert listed == list(get_args(ErrorCode))
    codes = [int(code) for code in re.findall(r"^\| ([14]\d\d\d) \|", page, re.MULTILINE)]
    assert codes == [value for name, value in vars(CloseCode).items() if name.isupper()]


def test_every_game_has_a_page_that_names_all_its_options() -> None:
    for key in keys():
        page = (DOCS / "rules" / f"{key}.md").read_text(encoding="utf-8")
        types = types_of(key)
        assert types
        for field in types.options.model_fields:
            assert f"--{types.options.flag(field)}" in page, f"{key}: {field}"
        for preset in types.options.presets:
            assert f"`{preset}`" in page


def test_every_type_that_a_message_names_is_described() -> None:
    page = (DOCS / "protocol.md").read_text(encoding="utf-8").partition("## Events of a room")[0]
    named = set(re.findall(r"\| (?:list of |object of )?([A-Z]\w+) \|", page))
    described = set(re.findall(r"^### (\w+)$", page, re.MULTILINE))
    assert named <= described, named - described
