"""The characters that the screens are drawn with: Unicode where the terminal has it, plain ASCII otherwise."""

from dataclasses import dataclass

from dicegames_protocol.text import columns


@dataclass(frozen=True, slots=True)
class Glyphs:
    unicode: bool
    rule: str
    divider: str
    cross: str
    """Where the divider meets the rule above it. `foot` is where it meets the rule below it."""
    foot: str
    full: str
    empty: str
    pip: str
    dot: str
    ellipsis: str
    arrow: str
    times: str
    up: str
    down: str
    corners: tuple[str, str, str, str]
    side: tuple[str, str]
    """Edges of a die: top and bottom, then left and right."""


UNICODE = Glyphs(
    unicode=True,
    rule="─",
    divider="│",
    cross="┬",
    foot="┴",
    full="█",
    empty="░",
    pip="●",
    dot="·",
    ellipsis="…",
    arrow="→",
    times="×",
    up="▲",
    down="▼",
    corners=("╭", "╮", "╰", "╯"),
    side=("─", "│"),
)
ASCII = Glyphs(
    unicode=False,
    rule="-",
    divider="|",
    cross="+",
    foot="+",
    full="#",
    empty=".",
    pip="o",
    dot=".",
    ellipsis="~",
    arrow="->",
    times="x",
    up="^",
    down="v",
    corners=(".", ".", "'", "'"),
    side=("-", "|"),
)


def to_ascii(text: str) -> str:
    """The text for a terminal without Unicode.

    Every character that is not ASCII becomes as many question marks as it has columns.
    """
    if text.isascii():
        return text
    return "".join(char if char.isascii() else "?" * columns(char) for char in text)
