"""Text to message and back: the only place that knows JSON.

Incoming text is checked in full; outgoing values were built by us and are only written. `encode` takes a message or a
plain dict of the same shape, so that an update can be written once without building a model for it first.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.client import ClientMessage
from dicegames_protocol.messages.server import ServerMessage, Update

FRAME_BYTES = 8 * 1024

_client: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)
_server: TypeAdapter[ServerMessage] = TypeAdapter(ServerMessage)


class BadMessage(ValueError):
    """Incoming text that is not a message: a sentence, and the id to answer to if there was one."""

    def __init__(self, sentence: str, id: str | None = None, code: str = "bad_message") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.id = id
        self.code = code


def encode(message: BaseModel | Mapping[str, Any]) -> bytes:
    return to_json(message, exclude_none=True)


def encode_ack(id: str, seq: int) -> bytes:
    """encode(Ack(id, seq)), which every move needs. Most ids are letters and digits, and are written as they are."""
    written = b'"%b"' % id.encode() if id.isalnum() else to_json(id)
    return b'{"type":"ack","id":%b,"seq":%d}' % (written, seq)


def encode_around(message: BaseModel | Mapping[str, Any], field: str, value: bytes) -> bytes:
    """A message with one more field whose JSON is at hand already: a snapshot is written once for all who join."""
    return b'%b,"%b":%b}' % (encode(message)[:-1], field.encode(), value)


def join_json(values: Iterable[bytes]) -> bytes:
    """A JSON list of values whose JSON is at hand already."""
    return b"[%b]" % b",".join(values)


def decode_client(text: str | bytes, limit: int = FRAME_BYTES) -> ClientMessage:
    """What a client sent, or BadMessage with a sentence for it."""
    if isinstance(text, bytes):
        raise BadMessage("Messages are JSON in text frames, not binary.")
    if 4 * len(text) > limit and len(text.encode("utf-8", "surrogatepass")) > limit:
        raise BadMessage(f"That message is too large: at most {limit} bytes.", code="too_large")
    try:
        return _client.validate_json(text)
    except ValidationError as error:
        raise BadMessage(_sentence(error), _find_id(text)) from None


def decode_server(text: str | bytes) -> ServerMessage:
    """What the server sent, or BadMessage: then it speaks something that this client does not know."""
    try:
        return _server.validate_json(text)
    except ValidationError as error:
        raise BadMessage(_sentence(error)) from None


def decode_update(text: str | bytes) -> Update:
    """One line of a log, or BadMessage."""
    message = decode_server(text)
    if not isinstance(message, Update):
        raise BadMessage("This is not an update.")
    return message


def parse_object(text: str) -> JsonObject:
    """One JSON object from a person or a script (`--json`)."""
    try:
        value = from_json(text)
    except ValueError as error:
        raise BadMessage(f"That is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise BadMessage("A message is a JSON object.")
    return value


def canonical(value: Any) -> bytes:
    """The one way to write a JSON value: sorted keys, no blanks, ASCII. Hashes are taken of this."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def pretty(value: Any) -> str:
    """JSON for people to read."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def state_hash(table: JsonObject) -> str:
    """16 hex digits that two equal tables share."""
    return hashlib.sha256(canonical(table)).hexdigest()[:16]


def _find_id(text: str) -> str | None:
    try:
        value = from_json(text)
    except ValueError:
        return None
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str) and 1 <= len(found) <= 64 else None


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    kind = first["type"]
    path = ".".join(str(part) for part in first["loc"][1:])
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
