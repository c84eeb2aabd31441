"""The codec at its edges: sizes to the byte, every sentence, and what can't be read."""

import hashlib
import json

import pytest

from dicegames_protocol.codec import (
    FRAME_BYTES,
    BadMessage,
    canonical,
    decode_client,
    decode_server,
    decode_update,
    encode,
    encode_ack,
    encode_around,
    join_json,
    parse_object,
    pretty,
    state_hash,
)
from dicegames_protocol.messages.client import Chat, ListRooms
from dicegames_protocol.messages.server import Ack, Cause, Error, Update


def bad(text: str | bytes, limit: int = FRAME_BYTES) -> BadMessage:
    with pytest.raises(BadMessage) as found:
        decode_client(text, limit)
    return found.value


def chat(text: str) -> str:
    return json.dumps({"type": "chat", "id": "1", "text": text}, ensure_ascii=False)


@pytest.mark.parametrize("letter", ["x", "ü", "漢", "🎲"])
def test_a_message_may_be_exactly_as_large_as_the_limit(letter: str) -> None:
    text = chat(letter * 20)
    size = len(text.encode())
    assert decode_client(text, limit=size) == Chat(id="1", text=letter * 20)
    found = bad(text, limit=size - 1)
    assert (found.code, found.id) == ("too_large", None)
    assert found.sentence == f"That message is too large: at most {size - 1} bytes."


def test_letters_of_four_bytes_count_as_four() -> None:
    text = chat("🎲" * 500)
    assert 3 * len(text) < 1900 < len(text.encode())
    assert bad(text, limit=1900).code == "too_large"


def test_a_message_may_have_8_kib() -> None:
    assert FRAME_BYTES == 8192
    blanks = encode(ListRooms(id="1")).decode()
    full = blanks + " " * (8192 - len(blanks))
    assert decode_client(full) == ListRooms(id="1")
    assert bad(full + " ").code == "too_large"


def test_half_a_character_has_a_size() -> None:
    assert bad("\ud800" * 4000).code == "too_large"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b'{"type":"rooms","id":"1"}', "Messages are JSON in text frames, not binary."),
        ("nonsense", "That is not JSON."),
        ("7", "A message is a JSON object with a known 'type'."),
        ('{"id": "1"}', "A message is a JSON object with a known 'type'."),
        ('{"type": 7, "id": "1"}', "That type of message is not known here."),
        ('{"type": "move", "id": "1", "seq": 1, "move": {}}', "The field 'move.take' is missing."),
        (
            '{"type": "move", "id": "1", "seq": 1, "move": {"take": "a", "x": 1}}',
            "The message has a field that is not known here.",
        ),
        (
            '{"type": "move", "id": "1", "seq": -1, "move": {"take": "a"}}',
            "The field 'seq' is wrong: input should be greater than or equal to 0.",
        ),
        (
            '{"type": "move", "id": "1", "seq": 1, "move": {"take": "a", "faces": [1, "x"]}}',
            "The field 'move.faces.1' is wrong: input should be a valid integer, unable to parse string as an integer.",
        ),
    ],
)
def test_every_sentence(text: str | bytes, sentence: str) -> None:
    found = bad(text)
    assert (found.sentence, found.code, str(found)) == (sentence, "bad_message", sentence)


@pytest.mark.parametrize(
    ("id", "told"),
    [
        ("1", "1"),
        ("x" * 64, "x" * 64),
        ("x" * 65, None),
        ("", None),
        (7, None),
        (None, None),
    ],
)
def test_an_answer_goes_to_an_id_that_could_be_one(id: object, told: str | None) -> None:
    assert bad(json.dumps({"type": "cheat", "id": id})).id == told


@pytest.mark.parametrize("text", ["[1]", '"id"', "nonsense", "{}"])
def test_where_there_is_no_id_there_is_none(text: str) -> None:
    assert bad(text).id is None


def test_what_the_server_sends_is_checked_as_well() -> None:
    assert decode_server(b'{"type":"ack","id":"1","seq":3}') == Ack(id="1", seq=3)
    assert decode_server('{"type":"ack","id":"1","seq":3}') == Ack(id="1", seq=3)
    for text, sentence in (
        ("{", "That is not JSON."),
        ('{"type":"magic"}', "That type of message is not known here."),
        ('{"type":"ack","id":"1"}', "The field 'seq' is missing."),
    ):
        with pytest.raises(BadMessage) as found:
            decode_server(text)
        assert (found.value.sentence, found.value.id, found.value.code) == (sentence, None, "bad_message")


def test_a_line_of_a_log_is_an_update() -> None:
    update = Update(seq=1, cause=Cause(kind="open"), events=(), patch={})
    assert decode_update(encode(update)) == update
    with pytest.raises(BadMessage, match=r"^This is not an update\.$"):
        decode_update(encode(Ack(id="1", seq=1)))


@pytest.mark.parametrize("text", ["nonsense", "", "{"])
def test_what_is_not_json_says_so(text: str) -> None:
    with pytest.raises(BadMessage, match=r"^That is not JSON: .*\.$"):
        parse_object(text)


@pytest.mark.parametrize("text", ["[]", "7", "null", '"x"'])
def test_what_is_no_object_says_so(text: str) -> None:
    with pytest.raises(BadMessage, match=r"^A message is a JSON object\.$"):
        parse_object(text)


def test_an_object_is_read() -> None:
    assert parse_object('{"a": [1, null]}') == {"a": [1, None]}


@pytest.mark.parametrize("id", ["a1", "id-1", "ü", 'a"b', "a\\b", "a b", "²"])
@pytest.mark.parametrize("seq", [0, 1, 12345])
def test_an_ack_is_written_as_all_messages_are(id: str, seq: int) -> None:
    assert encode_ack(id, seq) == encode(Ack(id=id, seq=seq))


def test_pieces_that_are_json_already() -> None:
    assert encode(Error(code="stale", message="Too late.")) == b'{"type":"error","code":"stale","message":"Too late."}'
    assert encode_around({"a": 1}, "b", b"[2]") == b'{"a":1,"b":[2]}'
    assert encode_around(Ack(id="1", seq=2), "more", b"{}") == b'{"type":"ack","id":"1","seq":2,"more":{}}'
    assert join_json([]) == b"[]"
    assert join_json([b"1"]) == b"[1]"
    assert join_json([b"1", b'{"a":2}', b"3"]) == b'[1,{"a":2},3]'


def test_one_way_to_write_and_one_way_to_read() -> None:
    value = {"b": "ü", "a": [1, {"d": None, "c": True}]}
    assert canonical(value) == b'{"a":[1,{"c":true,"d":null}],"b":"\\u00fc"}'
    assert pretty(value) == '{\n  "b": "ü",\n  "a": [\n    1,\n    {\n      "d": null,\n      "c": true\n    }\n  ]\n}'
    assert state_hash({"b": 1, "a": "ü"}) == hashlib.sha256(b'{"a":"\\u00fc","b":1}').hexdigest()[:16]


def test_a_lone_surrogate_is_no_message() -> None:
    with pytest.raises(BadMessage):
        decode_client('{"type":"rooms","id":"\ud800"}')
