"""Two shortcuts around the websockets library, for the most frequent frames in each direction.

The library builds a frame again for every recipient, and reads a frame through four generators. The shortcuts are
correct because nothing is compressed and nothing is sent in fragments. All other frames go through the library.
"""

from typing import Any

from websockets.protocol import Protocol, State
from websockets.streams import StreamReader

try:
    from websockets.speedups import apply_mask
except ImportError:  # where it could not be compiled
    from websockets.utils import apply_mask

BETWEEN = StreamReader.at_eof.__code__
"""Code object of the generator in which the library's parser waits between two frames."""


def framed(data: bytes) -> bytes:
    """A text frame from the server, which is not masked."""
    size = len(data)
    if size < 126:
        return b"\x81%c%b" % (size, data)
    if size < 65536:
        return b"\x81\x7e%b%b" % (size.to_bytes(2, "big"), data)
    return b"\x81\x7f%b%b" % (size.to_bytes(8, "big"), data)


def unframed(frame: bytes) -> bytes:
    """The data of a frame that `framed` has made."""
    size = frame[1]
    return frame[2 if size < 126 else 4 if size == 126 else 10 :]


def lone_frame(data: bytes) -> bytes | None:
    """The text of a single complete masked text frame of less than 126 bytes. None if `data` is anything else."""
    if len(data) < 6 or data[0] != 0x81 or data[1] != 0x80 | (len(data) - 6) or len(data) >= 6 + 126:
        return None
    return apply_mask(data[6:], data[2:6])


def between_frames(protocol: Protocol) -> bool:
    """Whether the library's parser is waiting for the first byte of a new message."""
    if protocol.state is not State.OPEN or protocol.current_size is not None:
        return False
    waits: Any = protocol.parser
    while (inner := getattr(waits, "gi_yieldfrom", None)) is not None:
        waits = inner
    return getattr(waits, "gi_code", None) is BETWEEN
