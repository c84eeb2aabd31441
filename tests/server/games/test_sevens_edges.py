"""Sevens at its edges: every event and offer of a game, ties for the start and for the end, and every word about it."""

from typing import Any

import pytest

from dicegames_protocol.games.sevens import Scored, SevensOptions, SevensState, Starts
from dicegames_protocol.table import Move
from dicegames_server.games.base import Need
from dicegames_server.games.match import Match
from dicegames_server.games.sevens import Sevens, pairs_of_seven

LOW, HIGH = (1,) * 6, (6,) * 6
NOTHING = (1, 6, 2, 5, 3, 4)


def rules(**options: Any) -> Sevens:
    return Sevens(SevensOptions.read(options))


class Played:
    """A game on seats 1, 4 and 6: numbers of seats are not their places in the order."""

    def __init__(self, *seats: int, starter: int | None = None, **options: Any) -> None:
        self.rules = rules(**options)
        self.match, events = Match.start(self.rules, seats or (1, 4, 6), starter, ())
        assert events == ()
        self.events: list[dict[str, Any]] = []

    @property
    def state(self) -> SevensState:
        assert isinstance(self.match.state, SevensState)
        return self.match.state

    def do(self, seat: int, take: str, *faces: int) -> "Played":
        typed = faces if self.rules.real_dice and faces else None
        act = self.match.check(seat, Move(take=take, faces=typed))
        assert self.match.needs(act) == (Need(len(faces)) if faces else None)
        self.match, events = self.match.play(act, faces)
        self.events = [event.model_dump(exclude_defaults=True) for event in events]
        return self

    def roll(self, *faces: int) -> "Played":
        assert self.state.turn is not None
        return self.do(self.state.turn, "roll", *faces)

    def keep(self) -> "Played":
        assert self.state.turn is not None
        return self.do(self.state.turn, "keep")

    def begun_by(self, seat: int) -> "Played":
        for other in self.state.seats:
            self.do(int(other), "roll", *(HIGH if int(other) == seat else LOW))
        return self

    def round(self, *sums: int) -> "Played":
        """Everyone in turn keeps what makes this sum, six equal dice of it, or nothing."""
        for points in sums:
            if points:
                self.roll(*[points // 6] * 6).keep()
            else:
                self.roll(*NOTHING)
        return self

    def status(self) -> list[str]:
        return [seat.status for seat in self.state.seats.values()]

    def totals(self) -> list[int]:
        return list(self.rules.scores(self.state).values())

    def offered(self) -> dict[str, dict[str, Any]]:
        return {take: offer.model_dump(exclude_defaults=True) for take, offer in self.match.offers.items()}


@pytest.mark.parametrize(
    ("faces", "pairs"),
    [
        ((1, 2, 4, 6, 3, 3), ((0, 3), (2, 4))),
        ((1, 6), ((0, 1),)),
        ((6, 1, 1), ((0, 1),)),
        ((1, 1, 6, 6), ((0, 2), (1, 3))),
        ((3, 3, 4), ((0, 2),)),
        ((2, 2, 3), ()),
        ((5, 4), ()),
        ((4,), ()),
        ((), ()),
        (NOTHING, ((0, 1), (2, 3), (4, 5))),
        ((6, 5, 4, 3, 2, 1), ((0, 5), (1, 4), (2, 3))),
    ],
)
def test_each_die_is_used_once_from_the_left(faces: tuple[int, ...], pairs: tuple[tuple[int, int], ...]) -> None:
    assert pairs_of_seven(faces) == pairs


@pytest.mark.parametrize(
    ("options", "summary", "told"),
    [
        ({}, "5 rounds", "The highest total after 5 rounds wins. Whoever ties for it plays whole extra rounds."),
        (
            {"rounds": 1},
            "1 round",
            "The highest total after 1 round wins. Whoever ties for it plays whole extra rounds.",
        ),
        (
            {"rounds": 2},
            "2 rounds",
            "The highest total after 2 rounds wins. Whoever ties for it plays whole extra rounds.",
        ),
        ({"rounds": 3, "dice": "entered"}, "3 rounds, real dice", None),
    ],
)
def test_options_in_words(options: dict[str, Any], summary: str, told: str | None) -> None:
    assert rules(**options).summary() == summary
    assert told is None or rules(**options).explain()[-1] == told


def test_how_it_is_explained() -> None:
    assert rules().explain()[2].startswith("Keep it, or roll everything that is left again; 3 rolls at most.")
    assert (Sevens.least, Sevens.most, rules().opening(None)) == (2, None, None)


def test_the_beginning() -> None:
    """The dice say who begins, in a rematch, too."""
    game = Played(rounds=2, starter=4)
    assert game.state.model_dump(exclude_none=True) == {
        "stage": "start",
        "heat": 1,
        "round": 0,
        "rounds": 2,
        "extra": False,
        "turn_no": 0,
        "roll": 0,
        "entered": False,
        "seats": {seat: {"status": "rolling", "total": 0} for seat in ("1", "4", "6")},
    }
    assert game.offered() == {"roll": {"label": "Roll for the start", "where": {"status": "rolling"}, "needed": True}}


def test_the_highest_sum_begins() -> None:
    game = Played().do(4, "roll", 6, 6, 6, 6, 5, 5)
    assert game.events == [{"seat": 4, "faces": (6, 6, 6, 6, 5, 5), "sum": 34}]
    assert (game.state.faces, game.status()) == ((6, 6, 6, 6, 5, 5), ["rolling", "done", "rolling"])
    assert game.rules.basis(game.state) == ("start", 1, 0)
    game.do(6, "roll", 6, 6, 6, 6, 6, 3).do(1, "roll", *LOW)
    assert game.events == [{"seat": 1, "faces": LOW, "sum": 6}, {"seat": 4}, {"round": 1}]
    assert (game.state.stage, game.state.starter, game.state.turn) == ("play", 4, 4)
    assert game.status() == ["waiting", "turn", "waiting"]
    assert (game.state.round, game.state.turn_no, game.state.roll, game.state.left) == (1, 1, 0, None)
    assert game.rules.basis(game.state) == ("play", 1, 0)


def test_the_tied_roll_again_and_again() -> None:
    game = Played().do(1, "roll", *HIGH).do(4, "roll", *LOW).do(6, "roll", *HIGH)
    assert game.events[1:] == [{"seats": (1, 6), "sum": 36}]
    assert (game.state.heat, game.status()) == (2, ["rolling", "waiting", "rolling"])
    assert game.rules.basis(game.state) == ("start", 2, 0)
    game.do(6, "roll", *LOW).do(1, "roll", *LOW)
    assert game.events[1:] == [{"seats": (1, 6), "sum": 6}]  # seat 4 has not rolled again, whatever it had
    assert (game.state.heat, game.status()) == (3, ["rolling", "waiting", "rolling"])
    game.do(6, "roll", 1, 1, 1, 1, 1, 2).do(1, "roll", *LOW)
    assert (game.state.turn, game.status()) == (6, ["waiting", "waiting", "turn"])


def test_a_turn_in_all_words() -> None:
    game = Played().begun_by(1)
    assert game.offered() == {"roll": {"label": "Roll 6 dice", "where": {"status": "turn"}, "needed": True}}
    game.roll(1, 2, 4, 6, 3, 3)
    rolled = {"seat": 1, "roll": 1, "faces": (1, 2, 4, 6, 3, 3), "pairs": ((0, 3), (2, 4)), "left": (2, 3), "worth": 5}
    assert game.events == [rolled]
    assert game.offered() == {
        "roll": {"label": "Roll 2 dice (2 rolls left)", "where": {"status": "turn"}, "needed": True},
        "keep": {"label": "Keep 5", "where": {"status": "turn"}, "needed": True},
    }
    assert game.rules.basis(game.state) == ("play", 1, 1)
    game.roll(1, 1)
    assert (game.state.faces, game.state.pairs, game.state.left) == ((1, 1), (), (1, 1))
    assert game.offered()["roll"]["label"] == "Roll 2 dice (1 roll left)"
    game.roll(6, 6)
    assert game.events[1:] == [{"seat": 1, "points": 12, "total": 12, "why": "third-roll"}]
    assert game.state.seats["1"].model_dump(exclude_none=True) == {"status": "done", "total": 12, "round": 12}
    assert (game.status(), game.state.turn, game.state.turn_no) == (["done", "turn", "waiting"], 4, 2)
    assert (game.state.roll, game.state.left, game.state.faces) == (0, None, (6, 6))


def test_one_die_is_a_die() -> None:
    """Pairs leave an even number of the six; the words are right all the same."""
    offers = rules().offers(Played().begun_by(1).state.but(left=(4,), roll=2))
    assert (offers["roll"].label, offers["keep"].label) == ("Roll 1 die (1 roll left)", "Keep 4")


@pytest.mark.parametrize("rolls", [[NOTHING], [(1, 2, 4, 6, 3, 3), (3, 4)], [(1, 2, 4, 6, 3, 3), (2, 2), (2, 5)]])
def test_no_dice_left_is_nothing(rolls: list[tuple[int, ...]]) -> None:
    game = Played().begun_by(6)
    for faces in rolls:
        game.roll(*faces)
    assert game.events[1] == {"seat": 6, "points": 0, "total": 0, "why": "nothing-left"}
    assert game.state.turn == 1


def test_what_is_kept_scores_and_nothing_accumulates_over_the_rolls() -> None:
    game = Played().begun_by(1).roll(6, 6, 6, 6, 6, 6).roll(5, 5, 5, 5, 5, 1).keep()
    assert game.events == [{"seat": 1, "points": 26, "total": 26, "why": "kept"}]
    assert game.totals() == [26, 0, 0]


def test_the_starter_begins_every_round_and_totals_grow() -> None:
    game = Played(rounds=2).begun_by(4).round(12, 6, 18)
    assert game.events[-1] == {"round": 2}
    assert (game.totals(), game.status(), game.state.turn) == ([18, 12, 6], ["waiting", "turn", "waiting"], 4)
    assert (game.state.round, game.state.extra, game.state.turn_no) == (2, False, 4)
    assert all(seat.round is None for seat in game.state.seats.values())
    game.round(6, 36, 6)
    assert (game.totals(), game.match.winners, game.match.offers) == ([24, 18, 42], (6,), {})
    assert (game.state.turn, game.status()) == (None, ["done", "done", "done"])


def test_only_tied_leaders_play_extra_rounds() -> None:
    game = Played(rounds=1).begun_by(4).round(6, 12, 12)  # seats 4, 6 and 1
    assert game.events[-1] == {"round": 2, "extra": True, "seats": (1, 6)}
    assert (game.status(), game.state.turn, game.state.extra) == (["waiting", "out", "turn"], 6, True)
    game.round(30, 30)
    assert game.events[-1] == {"round": 3, "extra": True, "seats": (1, 6)}
    game.round(6, 0)
    assert (game.match.winners, game.totals()) == ((6,), [42, 6, 48])


def test_extra_rounds_begin_with_the_first_of_the_tied_after_the_starter() -> None:
    game = Played(0, 2, 4, 6, 8, rounds=1).begun_by(2).round(6, 6, 6, 12, 12)  # seats 2, 4, 6, 8 and 0
    assert game.events[-1] == {"round": 2, "extra": True, "seats": (0, 8)}
    assert (game.state.turn, game.status()) == (8, ["waiting", "out", "out", "out", "turn"])


def test_typed_rolls_are_marked() -> None:
    game = Played(1, 2, dice="entered").do(1, "roll", *HIGH)
    assert game.events[0]["entered"] is True
    game.do(2, "roll", *LOW).roll(1, 2, 4, 6, 3, 3)
    assert game.events[0]["entered"] is game.state.entered is True
    assert Played(1, 2).begun_by(1).roll(1, 2, 4, 6, 3, 3).state.entered is False


def test_the_mild_move() -> None:
    game = Played().begun_by(1)
    assert game.rules.mild(game.state, 1) == Move(take="roll")
    assert game.rules.mild(game.roll(1, 2, 4, 6, 3, 3).state, 1) == Move(take="keep")


def test_a_turn_is_for_the_record_books() -> None:
    assert rules().notable(Scored(seat=4, points=30, total=90, why="kept")) == (4, "best turn", 30)
    assert rules().notable(Starts(seat=4)) is None
