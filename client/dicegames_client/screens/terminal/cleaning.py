"""The gate to the full screen: no text from outside reaches the terminal uncleaned. (Printed text: printing.py.)"""

from functools import lru_cache

from dicegames_client.base.glyphs import to_ascii
from dicegames_protocol.text import strip


@lru_cache(maxsize=8192)
def cleaned(text: str, ascii_only: bool) -> str:
    """The text without anything that must not be written to a terminal."""
    if not (text.isascii() and text.isprintable()):
        text = strip(text)
    return to_ascii(text) if ascii_only else text
