"""DER, the form in which certificates are written: nested elements, each with a tag, a length and a content.

Servers send certificates before we know anything about them. So this reads strictly: every element has the one form
that DER allows, and whatever is odd raises ValueError, never anything else. Nothing here calls itself, and the work
grows with the number of bytes only.
"""

MOST_DER_BYTES = 64 * 1024
"""Longest value that is read, in bytes. Certificates have one or two thousand."""
_MOST_OID_BYTES = 63
_LONG_TAG = 0x1F

INTEGER, BIT_STRING, OBJECT_IDENTIFIER, UTF8_STRING = 0x02, 0x03, 0x06, 0x0C
PRINTABLE_STRING, UTC_TIME, GENERALIZED_TIME = 0x13, 0x17, 0x18
UNIVERSAL_STRING, BMP_STRING = 0x1C, 0x1E
SEQUENCE, SET = 0x30, 0x31
_AS_IT_IS = (UTF8_STRING, 0x12, 0x14, 0x16, 0x1A)
"""Texts that are read as UTF-8: besides UTF8String the numeric, teletex, IA5 and visible strings."""
_WIDE = {UNIVERSAL_STRING: "utf-32-be", BMP_STRING: "utf-16-be"}
_PRINTABLE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 '()+,-./:=?")


class DerElements:
    """Elements that stand one after the other, taken from the front."""

    def __init__(self, data: bytes) -> None:
        if len(data) > MOST_DER_BYTES:
            raise ValueError(f"longer than {MOST_DER_BYTES} bytes")
        self._data, self._at = data, 0

    @property
    def tag(self) -> int | None:
        """Tag of the next element. None: there is no other."""
        return self._data[self._at] if self._at < len(self._data) else None

    def take(self, tag: int) -> bytes:
        """The content of the next element, which must have this tag."""
        if self.tag != tag:
            raise ValueError(f"an element with tag {tag:#x} is expected at byte {self._at}")
        start, length = _content(self._data, self._at)
        self._at = start + length
        if self._at > len(self._data):
            raise ValueError("an element is longer than what it stands in")
        return self._data[start : self._at]

    def any(self) -> tuple[int, bytes]:
        """Tag and content of the next element, whatever it is."""
        tag = self.tag
        if tag is None or tag & _LONG_TAG == _LONG_TAG:
            raise ValueError(f"no element that is known at byte {self._at}")
        return tag, self.take(tag)

    def inside(self, tag: int) -> "DerElements":
        """The elements within the next one, which must have this tag."""
        return DerElements(self.take(tag))

    def end(self) -> None:
        """Check that there is nothing more."""
        if self.tag is not None:
            raise ValueError(f"nothing is expected at byte {self._at}")


def _content(data: bytes, at: int) -> tuple[int, int]:
    """Where the content of the element at `at` begins, and its length in bytes. Lengths have their shortest form."""
    head = data[at + 1 : at + 2]
    if not head:
        raise ValueError("an element ends before its length")
    if head[0] < 0x80:
        return at + 2, head[0]
    count = head[0] & 0x7F
    digits = data[at + 2 : at + 2 + count]
    if not 0 < count <= 3 or len(digits) < count:
        raise ValueError("a length that can't be")
    length = int.from_bytes(digits, "big")
    if length < 0x80 or digits[0] == 0:
        raise ValueError("a length that is longer than it has to be")
    return at + 2 + count, length


def read_oid(content: bytes) -> str:
    """An object identifier, such as 2.5.4.3."""
    if not content or len(content) > _MOST_OID_BYTES or content[-1] & 0x80:
        raise ValueError("not an object identifier")
    arcs: list[int] = []
    arc, begun = 0, False
    for byte in content:
        if byte == 0x80 and not begun:
            raise ValueError("a number that is longer than it has to be")
        arc, begun = arc << 7 | byte & 0x7F, bool(byte & 0x80)
        if not begun:
            arcs.append(arc)
            arc = 0
    first = min(arcs[0] // 40, 2)
    return ".".join(str(arc) for arc in (first, arcs[0] - 40 * first, *arcs[1:]))


def read_text(tag: int, content: bytes) -> str:
    """A text of any of the kinds that names are made of."""
    if tag in _WIDE:
        return content.decode(_WIDE[tag])
    if tag == PRINTABLE_STRING and not _PRINTABLE.issuperset(content):
        raise ValueError("a character that is not printable")
    if tag != PRINTABLE_STRING and tag not in _AS_IT_IS:
        raise ValueError(f"tag {tag:#x} is not that of a text")
    return content.decode("utf-8")
