"""Frames by hand: the two shortcuts around the library, for what is by far the most frequent on each side.

The library makes a frame anew for every recipient, and reads one through four generators. Ours are right because
nothing is compressed and nothing is sent in fragments; whatever is not plain goes through the library.
"""

from typing import Any

from websockets.protocol import Protocol, State
from websockets.streams import StreamReader

try:
    from websockets.speedups import apply_mask
except ImportError:  # where it could not be compiled
    from websockets.utils import apply_mask

BETWEEN = StreamReader.at_eof.__code__
"""Where the library's parser waits between two frames."""


def framed(data: bytes) -> bytes:
    """A text frame of a server: it has no mask."""
    size = len(data)
    if size < 126:
        return b"\x81%c%b" % (size, data)
    if size < 65536:
        return b"\x81\x7e%b%b" % (size.to_bytes(2, "big"), data)
    return b"\x81\x7f%b%b" % (size.to_bytes(8, "big"), data)


def lone_frame(data: bytes) -> bytes | None:
    """The text in a single whole masked text frame of less than 126 bytes; None if it is anything else."""
    if len(data) < 6 or data[0] != 0x81 or data[1] != 0x80 | (len(data) - 6) or len(data) >= 6 + 126:
        return None
    return apply_mask(data[6:], data[2:6])


def between_frames(protocol: Protocol) -> bool:
    """Whether the library's parser waits for the first byte of a new message, and for nothing else."""
    if protocol.state is not State.OPEN or protocol.current_size is not None:
        return False
    waits: Any = protocol.parser
    while (inner := getattr(waits, "gi_yieldfrom", None)) is not None:
        waits = inner
    return getattr(waits, "gi_code", None) is BETWEEN
