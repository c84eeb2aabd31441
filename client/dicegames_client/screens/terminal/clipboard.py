"""The clipboard of the user's terminal, by the escape sequence OSC 52. It is only written, never read.

The terminal may be at the far end of ssh, and no program has to be there for it. Whether it does what it is asked for
is its own affair: some take it, some ask, some do nothing, and none of them says so.
"""

import base64

from prompt_toolkit.output import Output

from dicegames_client.base.address import HARMLESS

MOST_COPIED = 500
"""Most characters that are copied."""
NO_SEQUENCES = "Win32Output"
"""prompt_toolkit's class for old Windows consoles, which would show the sequence. It can't be imported elsewhere."""


def to_clipboard(output: Output, text: str) -> None:
    """Copy a join line. Anything else is not copied."""
    sequence = osc52(text)
    if sequence and type(output).__name__ != NO_SEQUENCES:
        output.write_raw(sequence)
        output.flush()


def osc52(text: str) -> str:
    """The sequence that puts a text on the clipboard. Empty where it is none that may be put there."""
    if len(text) > MOST_COPIED or not HARMLESS.fullmatch(text):
        return ""
    return f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07"
