"""Merge patches: the cases of RFC 7396, and the property that everything relies on."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_protocol.base import Model
from dicegames_protocol.patch import apply, changes, diff, dump

scalars = st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2)
values = st.recursive(
    scalars | st.lists(scalars, max_size=3),
    lambda inner: st.dictionaries(st.text("xyz", min_size=1, max_size=1), inner, max_size=3),
    max_leaves=12,
)
objects = st.dictionaries(st.text("xyz", min_size=1, max_size=1), values, max_size=3)


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": 1}, {"a": 1}, {"e": 1, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_cases_of_the_rfc(target: Any, patch: Any, result: Any) -> None:
    assert apply(target, patch) == result


@given(objects, objects)
def test_a_difference_leads_there(before: dict[str, Any], after: dict[str, Any]) -> None:
    unchanged = dump(before)
    result = apply(before, diff(before, after))
    assert result == after
    assert dump(result) == dump(after)
    assert before == unchanged


@given(objects)
def test_nothing_changed_is_nothing_to_send(state: dict[str, Any]) -> None:
    assert diff(state, dict(state)) == {}


@given(objects, objects)
def test_changes_of_values_are_the_difference_of_their_json(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert changes(before, after) == diff(before, after)


def test_true_is_not_one() -> None:
    assert diff({"a": 1}, {"a": True}) == {"a": True}
    assert changes({"a": 1}, {"a": True}) == {"a": True}


class Seat(Model):
    score: int
    won: int | None = None


class State(Model):
    pot: int
    seats: dict[str, Seat]
    last: Seat | None = None


def test_unchanged_parts_are_never_looked_into() -> None:
    seats = {str(number): Seat(score=number) for number in range(1000)}
    before = State(pot=1, seats=seats)
    after = before.but(pot=2, seats={**seats, "7": Seat(score=8, won=1)}, last=seats["3"])
    assert changes(before, after) == {"pot": 2, "seats": {"7": {"score": 8, "won": 1}}, "last": {"score": 3}}
    assert changes(after, before) == {"pot": 1, "seats": {"7": {"score": 7, "won": None}}, "last": None}
