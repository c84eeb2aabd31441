"""Every game is played through the client: in line mode, on the screen, and by a spectator; with and without its view.

Nobody here knows a rule. What is typed and pressed comes from the offers alone, as a person reads them. The games of
tests/throwaway, which the product does not know, are played the same way.
"""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from dicegames_client.guest.store import Store
from dicegames_client.play.hints import MOST_HINTED
from dicegames_client.play.real_dice import MENDING, correctable_rolls
from dicegames_client.views import view_of
from dicegames_protocol import patch
from dicegames_protocol.games import keys
from dicegames_protocol.table import CORRECT, Offer
from support.hall import Hall
from support.sitting import Sitting
from support.throwaway import GAMES as THROWAWAY
from support.throwaway import throwaway_games
from support.typist import Typist
from support.views import without_view

OPTIONS: dict[str, dict[str, Any]] = {
    "doubles": {"rounds": 2},
    "sevens": {"rounds": 1},
    "farkle": {"target": 800},
    "double-or-nothing": {},
    "yacht": {"rounds": 3},
    "liars-dice": {},
    "sealed-bid": {},
}
REAL_DICE = ["doubles", "sevens", "farkle", "yacht"]
MOST_MOVES = 400


@pytest.fixture(autouse=True)
def more_games() -> Iterator[None]:
    with throwaway_games():
        yield


class Player:
    """A player who only reads offers: which one to take, and what to fill in."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def decide(self, store: Store, seat: int) -> tuple[str, Offer, str | None, str]:
        """The offer, its choice, and the faces of real dice as they are typed."""
        offers = {take: offer for take, offer in store.offers(seat).items() if take != CORRECT}
        take = self._rng.choice(sorted(offers))
        offer = offers[take]
        choice: str | None = None
        if offer.asks == "number":
            choice = str(self._rng.randint(offer.least or 0, offer.most or 0))
        elif offer.choices:
            choice = self._rng.choice(sorted(offer.choices))
        faces = ""
        if offer.enter is not None:
            count = offer.enter or (offer.choices or {})[choice or ""].rolls or 0
            faces = " ".join(str(self._rng.randint(1, offer.sides or 6)) for _ in range(count))
        return take, offer, choice, faces


async def move_in_lines(typist: Typist, player: Player, seat: int) -> None:
    take, offer, choice, faces = player.decide(typist.store, seat)
    words = [take]
    if offer.asks == "faces":
        await typist.type(f"keep {' '.join(choice or '')}")
    elif choice is not None:
        words.append(choice)
    said = await typist.type(" ".join([*words, faces]))
    assert "is not" not in said, said
    if "Type 'yes'" in said:
        await typist.type("yes")


async def move_on_the_screen(sitting: Sitting, player: Player, seat: int) -> None:
    take, offer, choice, faces = player.decide(sitting.store, seat)
    if take in MENDING:
        await mend_on_the_screen(sitting, take, choice or "", faces)
        return
    key = next(
        key for key, offered in sitting.table._playing.selection.keys(sitting.store) if offered in (take, choice)
    )
    if offer.asks == "faces":
        await sitting.press(*(choice or ""))
    await sitting.press(key)
    if sitting.table.prompt and offer.asks in ("name", "number"):
        assert await sitting.type(choice or ""), sitting.text()
    await sitting.press(*faces.replace(" ", ""))
    if sitting.table._confirmation:
        sitting.hall.clock.advance(1)
        await sitting.press("y")


async def mend_on_the_screen(sitting: Sitting, take: str, choice: str, faces: str) -> None:
    """Take the last roll back, or choose a roll, type its faces and accept what comes of it."""
    await sitting.press("u" if take == "undo" else "x")
    if take == "correct":
        mine = [roll.choice for roll in correctable_rolls(sitting.store)]
        if len(mine) > 1:
            await sitting.press(*["down"] * (len(mine) - 1 - mine.index(choice)), "enter")
        await sitting.press(*faces.replace(" ", ""))
    if sitting.table._playing.page:
        assert "then" in sitting.text() or "Nothing else changes" in sitting.text()
        sitting.hall.clock.advance(1)
        await sitting.press("y")


async def play(game: str, **options: object) -> tuple[Typist, Sitting, Sitting]:
    """A whole game. Returns the players and the spectator."""
    hall = Hall()
    peers = [await hall.peer() for _ in range(3)]
    room = (await peers[0].create(game, "ana", options={**OPTIONS.get(game, {}), **options})).room
    await peers[1].join(room, "bo")
    await peers[2].watch(room)
    ana, bo, cy = Typist(hall, peers[0]), Sitting(hall, peers[1]), Sitting(hall, peers[2])
    await hall.settle()
    await ana.type("ready")
    await bo.deliver()
    await bo.press("y")
    players = [Player(1), Player(2)]
    for _ in range(MOST_MOVES):
        await ana.catch_up()
        bo.catch_up()
        cy.catch_up()
        assert bo.text() and cy.text()  # whatever it is, it can be drawn
        hint = view_of(game).hint(bo.table._scene(bo.now))
        assert hint is None or len(hint.text) <= MOST_HINTED, hint
        if ana.store.phase == "over":
            break
        before = ana.store.seq
        if ana.store.wanted() is not None:
            await move_in_lines(ana, players[0], 0)
        elif bo.store.wanted() is not None:
            await move_on_the_screen(bo, players[1], 1)
        else:
            hall.clock.advance(10)  # the game's own timer
            await hall.settle()
        await ana.catch_up()
        assert ana.store.seq > before, f"nothing came of it:\n{ana.text[-500:]}\n{bo.text()}"
    assert ana.store.phase == "over", f"{MOST_MOVES} moves, and no end"
    for sitting in (bo, cy):
        sitting.catch_up()
        assert sitting.store.table == ana.store.table == patch.dump(hall.room(peers[0]).state.public())
    assert "The game is over." in ana.text
    await ana.leave()
    return ana, bo, cy


@pytest.mark.parametrize("game", [*keys(), *THROWAWAY])
async def test_with_its_own_view(game: str) -> None:
    await play(game)


@pytest.mark.parametrize("game", [*keys(), "yacht"])
async def test_without_its_view(game: str) -> None:
    with without_view(game):
        await play(game)


@pytest.mark.parametrize("more", [{}, {"dice": "entered"}])
async def test_with_decisions_in_secret(more: dict[str, object]) -> None:
    await play("doubles", sealed=True, **more)
    with without_view("doubles"):
        await play("doubles", sealed=True, **more)


@pytest.mark.parametrize("game", REAL_DICE)
async def test_with_real_dice(game: str) -> None:
    await play(game, dice="entered")
