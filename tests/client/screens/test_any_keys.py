"""Any keys and any text, in any state: nothing raises, and no move is sent that was not offered."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.guest.events import Back, Lost
from dicegames_client.play.keys import offer_keys
from dicegames_client.play.picking import spelled_out
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import MakeMove
from support.hall import Hall
from support.sitting import Sitting, begin, catch_up, sit_down
from support.terminal import KEYS

SIZES = ((80, 24), (60, 20), (120, 40), (59, 19), (20, 5), (5, 24), (1, 1))
KEY = st.sampled_from([*KEYS, *"abcdefghijklmnopqrstuvwxyz0123456789/? .!", "é", "名", "\x7f", "another key"])
TEXT = st.sampled_from(
    [
        "",
        "hello",
        "/",
        "/roll",
        "/roll 5 2",
        "/bank",
        "/cash",
        "/ana cash",
        "/set rounds=2",
        "/quit",
        "/who",
        "/rules",
        "/odds",
    ]
)
STEP = st.one_of(
    st.tuples(st.just("press"), st.integers(0, 2), KEY),
    st.tuples(st.just("play"), st.integers(0, 12), st.just("")),
    st.tuples(st.just("play"), st.integers(0, 12), st.just("")),
    st.tuples(st.just("type"), st.integers(0, 2), st.one_of(TEXT, st.text(max_size=20))),
    st.tuples(st.just("hear"), st.integers(0, 2), st.just("")),
    st.tuples(st.just("wait"), st.integers(0, 20), st.just("")),
    st.tuples(st.just("size"), st.integers(0, len(SIZES) - 1), st.just("")),
    st.tuples(st.just("lose"), st.integers(0, 2), st.just("")),
)


@pytest.mark.parametrize("game", keys())
@given(steps=st.lists(STEP, max_size=60), started=st.booleans(), motion=st.booleans())
def test_any_keys_from_any_state(game: str, steps: list[tuple[str, int, str]], started: bool, motion: bool) -> None:
    asyncio.run(play(game, steps, started, motion))


async def play(game: str, steps: list[tuple[str, int, str]], started: bool, motion: bool) -> None:
    hall = Hall()
    table = await sit_down(hall, game, "ana", "bo", display=DisplayOptions(motion=motion))
    peer = await hall.peer()
    await peer.watch(table[0].store.room or "")
    people = [*table, Sitting(hall, peer, DisplayOptions(motion=motion), name="cy")]
    if started:
        await begin(table)
    size = SIZES[0]
    for step, number, what in steps:
        if step == "wait":
            hall.clock.advance(number / 4)
            await hall.settle()
        elif step == "size":
            size = SIZES[number]
        elif step == "play":
            await act(*next_key(people, number))
        else:
            await act(people[number], step, what)
        for somebody in people:
            lines = somebody.lines(*size)
            assert len(lines) == size[1]


def next_key(people: list[Sitting], number: int) -> tuple[Sitting, str, str]:
    """A key that moves the game forward, for the player that it waits for."""
    for who in people:
        seat = who.store.wanted()
        if seat is not None:
            offers = who.store.offers(seat)
            picks = [*"123456a"] if any(offer.choices for offer in offers.values()) else []
            able = [*offer_keys(spelled_out(offers)), *picks, "y"]
            return who, "press", able[number % len(able)]
    return people[number % 3], "press", "ym"[number % 2]


async def act(who: Sitting, step: str, what: str) -> None:
    offered = offered_now(who)
    sent = len(who.sent)
    if step == "press" and who.table.prompt is None and who.table.result is None:
        who.table.press(what, who.now)
    elif step == "type" and who.table.prompt is not None:
        who.table.submit(what, who.now)
    elif step == "lose":
        who.table.hear(Lost() if who.table.stage.lost_at is None else Back(), who.now)
    for request in who.sent[sent:]:
        if isinstance(request, MakeMove) and request.move.take in offered:
            choices = offered[request.move.take]
            assert choices is None or request.move.choice in choices
        elif isinstance(request, MakeMove):
            # a typed word that stands on the table for somebody else: the server says whose turn it is
            assert step == "type" and request.move.take in who.store.table["offers"]
    await who.deliver()
    catch_up(who)


def offered_now(who: Sitting) -> dict[str, set[str] | None]:
    found: dict[str, set[str] | None] = {}
    for seat in who.store.seats:
        for take, offer in who.store.offers(seat).items():
            found[take] = set(offer.choices) if offer.choices else None
    return found
