"""Encoding and decoding. Every input becomes a message or an error sentence."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_protocol.base import LARGEST
from dicegames_protocol.codec import (
    BadMessage,
    canonical,
    decode_client,
    decode_server,
    encode,
    encode_ack,
    encode_around,
    state_hash,
)
from dicegames_protocol.messages.client import Chat, Join, MakeMove
from dicegames_protocol.messages.server import Ack, Error
from dicegames_protocol.table import Move


def test_a_message_survives_the_way_there() -> None:
    move = MakeMove(id="7", seq=3, move=Move(take="roll", faces=(5, 2)))
    assert decode_client(encode(move).decode()) == move


def test_what_is_not_there_is_left_out() -> None:
    assert json.loads(encode(Error(code="stale", message="Too late."))) == {
        "type": "error",
        "code": "stale",
        "message": "Too late.",
    }


def test_a_field_that_is_json_already_is_put_in_as_it_is() -> None:
    whole = encode_around({"type": "ack", "id": "1"}, "seq", b"5")
    assert decode_server(whole) == Ack(id="1", seq=5)


@pytest.mark.parametrize(
    ("text", "sentence", "id"),
    [
        ("", "That is not JSON.", None),
        ("{", "That is not JSON.", None),
        ("[]", "A message is a JSON object with a known 'type'.", None),
        ("null", "A message is a JSON object with a known 'type'.", None),
        ("{}", "A message is a JSON object with a known 'type'.", None),
        ('{"type": "cheat", "id": "4"}', "That type of message is not known here.", "4"),
        ('{"type": "join", "id": "4"}', "The field 'room' is missing.", "4"),
        ('{"type": "rooms", "id": "4", "x": 1}', "The message has a field that is not known here.", "4"),
        ('{"type": "rooms"}', "The field 'id' is missing.", None),
        ('{"type": "rooms", "id": ""}', "The field 'id' is wrong: string should have at least 1 character.", None),
        ('{"type": "move", "id": "4", "seq": -1, "move": {"take": "x"}}', None, "4"),
    ],
)
def test_nonsense_gets_a_sentence_and_its_id(text: str, sentence: str | None, id: str | None) -> None:
    with pytest.raises(BadMessage) as bad:
        decode_client(text)
    if sentence:
        assert bad.value.sentence == sentence
    assert bad.value.id == id


def test_size_and_kind_of_frame() -> None:
    with pytest.raises(BadMessage) as bad:
        decode_client(encode(Chat(id="1", text="x" * 1500)).decode(), limit=1024)
    assert bad.value.code == "too_large"
    with pytest.raises(BadMessage):
        decode_client(b"{}")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


@given(st.text(max_size=200))
def test_any_text_is_a_message_or_a_sentence(text: str) -> None:
    try:
        decode_client(text)
    except BadMessage as bad:
        assert bad.sentence.endswith(".")


@given(st.sampled_from(["hello", "join", "move", "create", "chat", "options"]), st.dictionaries(st.text(), json_values))
def test_any_json_is_a_message_or_a_sentence(kind: str, fields: dict[str, Any]) -> None:
    try:
        decode_client(json.dumps({**fields, "type": kind}))
    except BadMessage as bad:
        assert bad.sentence.endswith(".")


def test_deep_and_huge_json() -> None:
    for text in (
        "[" * 4000 + "]" * 4000,
        '{"type":"rooms","id":' + "9" * 4000 + "}",
        '{"a":' * 1000 + "1" + "}" * 1000,
    ):
        with pytest.raises(BadMessage):
            decode_client(text)


@given(st.text(min_size=1, max_size=64), st.integers(0, LARGEST))
def test_an_ack_is_written_as_all_messages_are(id: str, seq: int) -> None:
    assert encode_ack(id, seq) == encode(Ack(id=id, seq=seq))


def test_there_is_one_way_to_write_a_value() -> None:
    assert canonical({"b": 1, "a": [True, "ü"]}) == b'{"a":[true,"\\u00fc"],"b":1}'
    assert state_hash({"a": 1, "b": 2}) == state_hash({"b": 2, "a": 1})
    assert state_hash({"a": 1}) != state_hash({"a": True})


def test_names_are_cut_before_they_are_looked_at() -> None:
    with pytest.raises(BadMessage):
        decode_client(json.dumps({"type": "join", "id": "1", "room": "KQ7M", "name": "x" * 65}))
    assert isinstance(decode_client(json.dumps({"type": "join", "id": "1", "room": "KQ7M", "name": "x" * 64})), Join)
