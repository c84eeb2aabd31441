"""Encodes and decodes messages. All JSON code is here.

Incoming text is validated in full. Outgoing values were built by our own code and are only encoded. `encode` takes a
message or a plain dict of the same shape, so that an update can be encoded without building a model for it first.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from dicegames_protocol.base import JsonObject, build_all
from dicegames_protocol.messages.client import ClientMessage
from dicegames_protocol.messages.server import ServerMessage, Update

FRAME_BYTES = 8 * 1024
"""Most bytes of a message from a client, by default."""


_TYPE_FIRST = re.compile(r'\{"type":"(\w{1,32})"')
"""How our own server begins a message."""


@cache
def _from_clients() -> TypeAdapter[ClientMessage]:
    """Built when the first message is decoded: a client never has one, and starts faster without."""
    return TypeAdapter(ClientMessage)


def prepare() -> None:
    """Build what reads and writes messages. A server does it before the first one comes, since it takes a while."""
    build_all()
    _from_clients()


@cache
def _of_server() -> dict[str, Any]:
    """Type -> model. A client builds only those models that it meets."""
    union, *_ = get_args(ServerMessage)
    return {model.model_fields["type"].default: model for model in get_args(union)}


class BadMessage(ValueError):
    """Incoming text that is not a valid message.

    `sentence` says what is wrong, `id` is the id to answer with, if there was one, and `code` is the error code.
    """

    def __init__(self, sentence: str, id: str | None = None, code: str = "bad_message") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.id = id
        self.code = code


def encode(message: BaseModel | Mapping[str, Any]) -> bytes:
    return to_json(message, exclude_none=True)


def encode_ascii(message: Mapping[str, Any]) -> bytes:
    """The same as `encode`, in ASCII only. So a log is safe for every terminal, and its bytes never change."""
    encoded = encode(message)
    if encoded.isascii():
        return encoded
    return _NOT_ASCII.sub(_escape, encoded.decode()).encode("ascii")


def update_hash(update: bytes) -> str:
    """The hash of an update, as it was sent. The next update names it (`prev`)."""
    return hashlib.sha256(update).hexdigest()


def encode_ack(id: str, seq: int) -> bytes:
    """The same as encode(Ack(id, seq)), but faster: every move needs it.

    Most ids are only letters and digits, which need no escaping.
    """
    written = b'"%b"' % id.encode() if id.isalnum() else to_json(id)
    return b'{"type":"ack","id":%b,"seq":%d}' % (written, seq)


def encode_around(message: BaseModel | Mapping[str, Any], field: str, value: bytes) -> bytes:
    """Encode a message with one more field that is JSON already. So a snapshot is encoded once for all who join."""
    return b'%b,"%b":%b}' % (encode(message)[:-1], field.encode(), value)


def quote(text: bytes) -> bytes:
    """A text as a JSON string."""
    return to_json(text.decode())


def join_json(values: Iterable[bytes]) -> bytes:
    """A JSON list of values that are JSON already."""
    return b"[%b]" % b",".join(values)


def decode_client(text: str | bytes, limit: int = FRAME_BYTES) -> ClientMessage:
    """Decode a message from a client of at most `limit` bytes. Raises BadMessage with a sentence for the client."""
    if isinstance(text, bytes):
        raise BadMessage("Messages are JSON in text frames, not binary.")
    if 4 * len(text) > limit and len(text.encode("utf-8", "surrogatepass")) > limit:
        raise BadMessage(f"That message is too large: at most {limit} bytes.", code="too_large")
    try:
        return _from_clients().validate_json(text)
    except ValidationError as error:
        raise BadMessage(_sentence(error, tagged=True), _find_id(text)) from None


def versions_in(text: str | bytes) -> tuple[int, int] | None:
    """The protocol versions in a `hello` that can't be decoded, perhaps because it is of another version.

    None: it is no `hello`, or it does not say.
    """
    try:
        found = from_json(text)
        low, high = found["protocol"]
        hello = found["type"] == "hello"
    except (ValueError, TypeError, KeyError):
        return None
    numbers = all(type(number) is int and abs(number) < 10**6 for number in (low, high))
    return (low, high) if hello and numbers else None


def decode_server(text: str | bytes) -> ServerMessage:
    """Decode a message from the server. Raises BadMessage if this client does not know such a message."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    found = _TYPE_FIRST.match(text)
    model = _of_server().get(found[1] if found else _find_type(text))
    if model is None:
        raise BadMessage("That type of message is not known here.")
    try:
        message: ServerMessage = model.model_validate_json(text)  # which looks at the type once more
    except ValidationError as error:
        raise BadMessage(_sentence(error)) from None
    return message


def decode_update(text: str | bytes) -> Update:
    """Decode one update of a log. Raises BadMessage."""
    message = decode_server(text)
    if not isinstance(message, Update):
        raise BadMessage("This is not an update.")
    return message


def parse_object(text: str) -> JsonObject:
    """Parse one JSON object, for example from a script (`--json`). Raises BadMessage."""
    try:
        value = from_json(text)
    except ValueError as error:
        raise BadMessage(f"That is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise BadMessage("A message is a JSON object.")
    return value


def canonical(value: Any) -> bytes:
    """The canonical JSON of a value: sorted keys, no blanks, ASCII. Hashes are computed from this."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def as_ascii(line: bytes) -> str:
    """A line of a log in ASCII. A line that is ASCII stays as it is, to the last byte: its hash counts."""
    if all(0x20 <= byte < 0x7F for byte in line):
        return line.decode()
    return to_ascii_json(line)


def to_ascii_json(text: str | bytes) -> str:
    """The same JSON value in one line of ASCII, which is safe for a terminal. Raises BadMessage."""
    try:
        value = from_json(text)
    except ValueError:
        raise BadMessage("That is not JSON.") from None
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)


def pretty(value: Any) -> str:
    """JSON for people to read."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def state_hash(table: JsonObject) -> str:
    """Hash of a table, as 16 hex digits. Equal tables have equal hashes."""
    return hashlib.sha256(canonical(table)).hexdigest()[:16]


_NOT_ASCII = re.compile(r"[^\x00-\x7e]")


def _escape(found: "re.Match[str]") -> str:
    """A character as JSON writes it in ASCII: one or two groups of four hex digits."""
    units = found.group().encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _find_id(text: str) -> str | None:
    try:
        value = from_json(text)
    except (ValueError, TypeError):  # TypeError: a lone surrogate, which no frame has
        return None
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str) and 1 <= len(found) <= 64 else None


def _find_type(text: str) -> str:
    """The type of a message, wherever it stands. Empty: it has none. Raises BadMessage."""
    try:
        value = from_json(text)
    except (ValueError, TypeError):
        raise BadMessage("That is not JSON.") from None
    found = value.get("type") if isinstance(value, dict) else None
    if not isinstance(found, str):
        raise BadMessage("A message is a JSON object with a known 'type'.")
    return found


def _sentence(error: ValidationError, *, tagged: bool = False) -> str:
    """`tagged`: the message was one of a union, whose type stands before the path to the field."""
    first = error.errors(include_url=False, include_input=False)[0]
    kind = first["type"]
    path = ".".join(str(part) for part in first["loc"][tagged:])
    if kind == "json_invalid":
        return "That is not JSON."
    if kind == "union_tag_invalid":
        return "That type of message is not known here."
    if kind == "union_tag_not_found" or not path:
        return "A message is a JSON object with a known 'type'."
    if kind == "missing":
        return f"The field '{path}' is missing."
    if kind == "extra_forbidden":
        return "The message has a field that is not known here."
    return f"The field '{path}' is wrong: {first['msg'].lower()}."
