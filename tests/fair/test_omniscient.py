"""An operator who reads all of the server's memory can't predict the next roll while one honest client plays."""

from collections.abc import Callable

from dicegames_protocol.fairness.chain import USABLE, Chain, hashed
from dicegames_protocol.messages.client import ChainLink
from dicegames_server.games.base import Need
from dicegames_server.table.draw import drawn
from dicegames_server.table.state import State
from fair.operator import prediction
from support.dice import CountedDice
from support.pure_table import Owner, PureTable

ROLLS = 10_000
CHANCE = 1 / 36
"""That a guess of two dice is right."""
HONEST, OPERATORS = 0, 1
"""Seats: an honest client, and one of the operator."""


def hits(guess: Callable[[State, bytes], bytes]) -> int:
    """In how many of 10,000 rolls the operator is right. `guess` gives what it takes for the honest client's link."""
    right = rolls = 0
    game = 0
    while rolls < ROLLS:
        game += 1
        chains = {seat: Chain(bytes([seat, game % 256, game // 256]) * 10 + b"xx") for seat in (HONEST, OPERATORS)}
        at = PureTable("doubles", dice=CountedDice(), rounds=2, window=0)
        for seat, chain in chains.items():
            at.sit(f"p{seat}", commit=chain.tip.hex())
        state = at.start().state
        for number in range(1, USABLE + 1):
            links = {seat: chain.link(number) for seat, chain in chains.items()}
            shown_before = hashed(links[HONEST])  # the honest client's last link, or its tip
            told = prediction(state, {**links, HONEST: guess(state, shown_before)}, Need(2))
            rolled = drawn(state, Need(2), {seat: ChainLink(link=link.hex()) for seat, link in links.items()}, at.dice)
            right += told == rolled.faces
            state, rolls = rolled.state, rolls + 1
    return right


def test_all_of_the_servers_memory_predicts_no_better_than_chance() -> None:
    """The best that it has of the honest client is the link before. Four standard deviations are allowed."""
    expected, spread = ROLLS * CHANCE, (ROLLS * CHANCE * (1 - CHANCE)) ** 0.5
    for guess in (lambda state, last: last, lambda state, last: state.secret):
        assert abs(hits(guess) - expected) < 4 * spread


def test_with_the_honest_link_it_would_be_right_every_time() -> None:
    """The control: the prediction above is the right one, and only the link is missing in it."""
    owners = [Owner(HONEST, b"h"), Owner(OPERATORS, b"o")]
    at = PureTable("doubles", dice=CountedDice(), rounds=2, window=0)
    for owner in owners:
        at.sit(f"p{owner.seat}", commit=owner.tip)
    at.start()
    for turn in range(20):
        at.move(turn % 2, "roll")
        told = prediction(at.state, {owner.seat: bytes.fromhex(owner.next(at.state).link) for owner in owners}, Need(2))
        rolled = at.show(*owners)
        assert rolled and rolled.cause.drawn and rolled.cause.drawn.faces == told
        if not at.state.playing:
            break
