"""Websockets by hand, for tests that do what no library does: the handshake, and frames as they go over the wire."""

TEXT = 1
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def frame(payload: bytes, opcode: int = TEXT, *, final: bool = True, reserved: int = 0) -> bytes:
    """A client's frame, masked with zeros so that masking costs nothing."""
    first = bytes([(0x80 if final else 0) | reserved << 4 | opcode])
    if len(payload) < 126:
        return first + bytes([0x80 | len(payload)]) + b"\0\0\0\0" + payload
    return first + b"\xfe" + len(payload).to_bytes(2, "big") + b"\0\0\0\0" + payload
