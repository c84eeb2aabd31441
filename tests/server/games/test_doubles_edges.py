"""Doubles at its edges: who rolls when some are out, when exactly the window rolls, and every word about it."""

from typing import Any

import pytest

from dicegames_protocol.games.doubles import CashedOut, Decision, DoublesOptions, DoublesState, Held, LastRoll
from dicegames_protocol.table import Move
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import Act, Need
from dicegames_server.games.doubles import Doubles
from dicegames_server.games.match import TIMER_ACT, Match


def rules(**options: Any) -> Doubles:
    return Doubles(DoublesOptions.read(options))


class Played:
    """A game on seats 2, 5 and 7: numbers of seats are not their places in the order."""

    def __init__(self, *seats: int, starter: int | None = None, secret: int | None = None, **options: Any) -> None:
        self.rules = rules(**{"window": 0, **options})
        faces = (secret,) if secret else ()
        self.match, events = Match.start(self.rules, seats or (2, 5, 7), starter, faces)
        self.events: list[dict[str, Any]] = [event.model_dump(exclude_defaults=True) for event in events]

    @property
    def state(self) -> DoublesState:
        assert isinstance(self.match.state, DoublesState)
        return self.match.state

    def do(self, seat: int, take: str, *faces: int) -> "Played":
        typed = faces if self.rules.real_dice and faces else None
        return self._play(self.match.check(seat, Move(take=take, faces=typed)), *faces)

    def roll(self, *rolls: tuple[int, int]) -> "Played":
        for faces in rolls:
            self.do(self.state.roller, "roll", *faces)
        return self

    def time_up(self, *faces: int) -> "Played":
        return self._play(TIMER_ACT, *faces)

    def _play(self, act: Act, *faces: int) -> "Played":
        need = self.match.needs(act)
        assert (need.count if need else 0) == len(faces)
        self.match, events = self.match.play(act, faces)
        self.events = [event.model_dump(exclude_defaults=True) for event in events]
        return self

    def needs(self, seat: int, take: str) -> Need | None:
        return self.match.needs(self.match.check(seat, Move(take=take)))

    def scores(self) -> list[int]:
        return list(self.rules.scores(self.state).values())


SEVENS = [(6, 1), (5, 2), (4, 3)]


@pytest.mark.parametrize(
    ("options", "summary"),
    [
        ({}, "10 rounds"),
        ({"rounds": 1}, "1 round"),
        ({"rounds": 2}, "2 rounds"),
        ({"rounds": "8-12"}, "8 to 12 rounds"),
        ({"rounds": "1-2"}, "1 to 2 rounds"),
        ({"dice": "entered"}, "10 rounds, real dice"),
    ],
)
def test_options_in_a_few_words(options: dict[str, Any], summary: str) -> None:
    assert rules(**options).summary() == summary


@pytest.mark.parametrize(
    ("rounds", "need"),
    [
        (10, None),
        ("4-4", None),
        ("4-5", Need(1, sides=2, hidden=True)),
        ("8-12", Need(1, sides=5, hidden=True)),
        ("1-256", Need(1, sides=256, hidden=True)),
    ],
)
def test_the_hidden_end_is_drawn_evenly_from_the_range(rounds: object, need: Need | None) -> None:
    assert rules(rounds=rounds).opening(None) == rules(rounds=rounds).opening(2) == need


@pytest.mark.parametrize(("secret", "end"), [(1, 2), (2, 3), (3, 4)])
def test_the_draw_says_which_round_is_the_last(secret: int, end: int) -> None:
    game = Played(3, rounds="2-4", secret=secret)
    for number in range(1, end + 1):
        last = number == end
        assert (game.state.round, game.state.rounds) == (number, end if last else None)
        assert game.events[-1].get("last", False) is last
        assert game.match.winners is None
        game.roll((1, 2)).do(3, "cash")
    assert game.match.winners == (3,)
    assert (game.state.round, game.state.deciding) == (end, None)


def test_a_known_end_is_told_from_the_beginning() -> None:
    game = Played(3, rounds=2)
    assert (game.state.rounds, game.events) == (2, [{"round": 1, "roller": 3}])
    game.roll((1, 2)).do(3, "cash")
    assert game.events == [
        {"seat": 3, "points": 3, "score": 3},
        {"round": 1, "why": "all-out"},
        {"round": 2, "roller": 3, "last": True},
    ]


@pytest.mark.parametrize(("starter", "first"), [(None, 2), (2, 2), (5, 5), (7, 7)])
def test_who_begins(starter: int | None, first: int) -> None:
    game = Played(starter=starter)
    assert game.rules.first(game.state) == first
    assert game.state.model_dump(exclude_none=True) == {
        "round": 1,
        "rounds": 10,
        "pot": 0,
        "sevens": 0,
        "rolls": 0,
        "roll_no": 1,
        "roller": first,
        "starter": first,
        "inside": 3,
        "seats": {seat: {"score": 0} for seat in ("2", "5", "7")},
    }


@pytest.mark.parametrize(
    ("before", "faces", "event"),
    [
        ([], (5, 3), {"pot": 8, "sevens": 0}),
        ([], (3, 3), {"pot": 300, "sevens": 0, "special": "first-doubles"}),
        ([], (1, 1), {"pot": 100, "sevens": 0, "special": "first-doubles"}),
        ([], (2, 5), {"pot": 75, "sevens": 1, "special": "seven"}),
        ([(5, 3)], (1, 2), {"pot": 11, "sevens": 0}),
        ([(5, 3)], (4, 4), {"pot": 16, "sevens": 0, "special": "doubles"}),
        ([(5, 3)], (1, 6), {"pot": 83, "sevens": 1, "special": "seven"}),
        ([(1, 6)], (3, 3), {"pot": 150, "sevens": 1, "special": "doubles"}),
        (SEVENS, (6, 6), {"pot": 450, "sevens": 3, "special": "doubles"}),
        (SEVENS, (6, 4), {"pot": 235, "sevens": 3}),
        (SEVENS, (1, 6), {"pot": 0, "sevens": 4, "special": "bust"}),
    ],
)
def test_what_a_roll_does(before: list[tuple[int, int]], faces: tuple[int, int], event: dict[str, Any]) -> None:
    game = Played().roll(*before)
    roller, pot, number = game.state.roller, game.state.pot, game.state.roll_no
    game.roll(faces)
    assert game.events[0] == {"seat": roller, "faces": faces, **event}
    assert game.state.last == LastRoll(seat=roller, faces=faces, before=pot)
    assert game.state.roll_no == number + 1 == len(before) + 2


def test_the_fourth_seven_ends_the_round_and_what_was_cashed_out_stays() -> None:
    game = Played(rounds=2).roll(*SEVENS).do(5, "cash").roll((3, 4))
    assert game.events[1:] == [{"round": 1, "why": "bust"}, {"round": 2, "roller": 5, "last": True}]
    assert game.scores() == [0, 225, 0]
    assert (game.state.pot, game.state.sevens, game.state.rolls, game.state.inside) == (0, 0, 0, 3)


def test_what_is_offered() -> None:
    game = Played(window=10)

    def offered() -> dict[str, dict[str, Any]]:
        return {take: offer.model_dump(exclude_defaults=True) for take, offer in game.match.offers.items()}

    assert offered() == {"roll": {"label": "Roll", "seat": 2, "needed": True}}
    game.roll((6, 6), (6, 6))
    assert offered() == {
        "cash": {"label": "Cash out 1,200", "unless": {"out": 1}},
        "roll": {"label": "Roll", "seat": 7, "needed": True},
    }
    game.roll(*SEVENS)
    assert offered() == {
        "cash": {"label": "Cash out 1,425", "unless": {"out": 1}},
        "hold": {"label": "Hold", "unless": {"out": 1, "held": 6}, "needed": True},
    }


def test_the_seats_go_round_without_those_who_are_out() -> None:
    game = Played().roll((1, 2))
    assert game.state.roller == 5
    game.do(2, "cash")
    assert (game.state.roller, game.state.inside) == (5, 2)
    game.roll((1, 2))
    assert game.state.roller == 7
    game.do(7, "cash")  # the roller goes: the next one who is in rolls
    assert (game.state.roller, game.state.inside) == (5, 1)
    game.roll((1, 2)).roll((1, 2))
    assert game.state.seats["2"].model_dump(exclude_none=True) == {"score": 3, "out": 1, "won": 3}
    assert game.scores() == [3, 0, 6]
    game.do(5, "cash")
    assert game.scores() == [3, 12, 6]
    assert (game.state.round, game.state.roller, game.state.starter) == (2, 7, 7)  # after the last roller, seat 5


def test_scores_grow_over_the_rounds_and_somebody_who_was_out_is_in_again() -> None:
    game = Played(2, rounds=3).roll((1, 2)).do(2, "cash").roll((5, 5)).do(2, "cash")
    assert game.events[0] == {"seat": 2, "points": 500, "score": 503}
    assert game.state.seats["2"].model_dump(exclude_none=True) == {"score": 503, "out": 2, "won": 500}


@pytest.mark.parametrize(
    ("rotate", "rolls", "begins"),
    [("after-roller", 1, 5), ("after-roller", 2, 7), ("after-roller", 3, 2), ("rotate", 1, 5), ("rotate", 3, 5)],
)
def test_who_begins_the_next_round(rotate: str, rolls: int, begins: int) -> None:
    game = Played(next_round=rotate).roll(*[(1, 2)] * rolls)
    for seat in (2, 5, 7):
        game.do(seat, "cash")
    assert (game.state.round, game.state.roller, game.state.starter) == (2, begins, begins)


def third_seven(*seats: int, **options: Any) -> Played:
    game = Played(*seats, **{"window": 10, **options})
    return game.roll(*SEVENS)


def test_the_window_opens_with_the_third_seven_and_not_before() -> None:
    game = Played(window=7).roll(*SEVENS[:2])
    assert (game.state.deciding, game.rules.timer(game.state)) == (None, None)
    game = game.roll(SEVENS[2])
    assert game.events[1] == {"ms": 7000, "roller": 2}
    assert (game.state.deciding, game.rules.timer(game.state)) == (Decision(holding=0, of=3), 7000)
    with pytest.raises(Refused):
        game.roll((1, 1))


def test_without_a_window_nothing_opens() -> None:
    game = Played(window=0).roll(*SEVENS)
    assert (game.state.deciding, game.rules.timer(game.state)) == (None, None)
    assert len(game.events) == 1


def test_the_window_is_for_those_who_are_in() -> None:
    game = Played(window=10).roll(*SEVENS[:2]).do(5, "cash").roll(SEVENS[2])
    assert game.state.deciding == Decision(holding=0, of=2)


def test_the_last_decision_rolls_and_no_other() -> None:
    game = third_seven()
    assert game.needs(2, "hold") is game.needs(2, "cash") is None
    game.do(2, "hold")
    assert game.events == [{"seat": 2, "holding": 1, "of": 3}]
    assert game.state.seats["2"].held == 4
    assert game.needs(5, "hold") is game.needs(5, "cash") is game.needs(2, "cash") is None
    game.do(7, "hold")
    assert game.needs(5, "hold") == game.needs(5, "cash") == Need(2)
    assert game.needs(2, "cash") is game.needs(7, "cash") is None  # they hold: one is undecided before and after
    game.do(7, "cash")
    assert game.state.deciding == Decision(holding=1, of=2)
    game.do(5, "hold", 1, 2)
    assert game.events == [
        {"seat": 5, "holding": 2, "of": 2},
        {"seat": 2, "faces": (1, 2), "sevens": 3, "pot": 228},
        {"ms": 10000, "roller": 5},
    ]
    assert game.state.deciding == Decision(holding=0, of=2)


def test_cashing_out_as_the_last_undecided_rolls_for_those_who_hold() -> None:
    game = third_seven().do(5, "hold").do(7, "hold").do(2, "cash", 4, 4)
    assert [event.get("points") or event.get("pot") or event.get("ms") for event in game.events] == [225, 450, 10000]
    assert game.events[1]["seat"] == 5  # seat 2 was to roll, and is out
    assert game.scores() == [225, 0, 0]


def test_cashing_out_as_the_last_one_in_ends_the_round() -> None:
    game = third_seven().do(2, "cash").do(5, "cash")
    assert (game.state.deciding, game.needs(7, "cash")) == (Decision(holding=0, of=1), None)
    game = game.do(7, "cash")
    assert [event.get("why") for event in game.events] == [None, "all-out", None]
    assert (game.state.round, game.state.deciding, game.scores()) == (2, None, [225, 225, 225])


def test_the_time_is_up_for_all() -> None:
    game = third_seven().do(5, "hold")
    assert game.match.needs(TIMER_ACT) == Need(2)
    game.time_up(1, 2)
    assert [event.get("pot") for event in game.events] == [228, None]
    assert game.state.deciding == Decision(holding=0, of=3)
    assert set(game.match.may(5)) == {"cash", "hold"}  # a new roll, a new decision


def test_with_real_dice_a_closed_window_waits_for_the_roller() -> None:
    game = third_seven(dice="entered")
    assert game.events[0]["entered"] is True
    assert game.state.last == LastRoll(seat=7, faces=(4, 3), before=150, entered=True)
    game.do(2, "hold").do(5, "hold")
    assert game.needs(7, "hold") is game.needs(7, "cash") is game.match.needs(TIMER_ACT) is None
    assert game.events == [{"seat": 5, "holding": 2, "of": 3}]
    held = game.match
    game.do(7, "hold")
    assert game.events == [{"seat": 7, "holding": 3, "of": 3}, {"roller": 2}]
    assert (game.state.deciding, set(game.match.may(2))) == (None, {"roll", "cash", "correct"})
    assert game.match.may(7)["undo"].label == "Take back 4 3"
    game.do(7, "cash").do(5, "cash")  # no window, so nothing closes
    assert game.events == [{"seat": 5, "points": 225, "score": 225}]
    game.match = held
    game.do(7, "cash")
    assert game.events == [{"seat": 7, "points": 225, "score": 225}, {"roller": 2}]
    game.match = held
    game.time_up()
    assert (game.events, game.state.deciding) == ([{"roller": 2}], None)


def test_with_real_dice_a_round_that_ends_closes_nothing() -> None:
    game = third_seven(3, dice="entered", rounds=1).do(3, "cash")
    assert [event.get("why") for event in game.events] == [None, "all-out"]
    assert game.match.winners == (3,)
    again = third_seven(3, dice="entered", rounds=2).do(3, "cash")
    assert [event.get("why") for event in again.events] == [None, "all-out", None]


@pytest.mark.parametrize("seats", [(4, 6), (4, 6, 9)])
def test_only_the_most_points_win(seats: tuple[int, ...]) -> None:
    game = Played(*seats, rounds=1).roll((1, 2)).do(4, "cash").roll((5, 6))
    for seat in seats[1:]:
        game.do(seat, "cash")
    assert game.match.winners == seats[1:]
    assert game.match.offers == {}


def test_what_a_move_depends_on() -> None:
    game = Played().roll((1, 2))
    seen = game.rules.basis(game.state)
    assert seen == (1, 2)
    game.do(2, "cash")
    assert game.rules.basis(game.state) == seen
    game.do(5, "cash").do(7, "cash")
    assert game.rules.basis(game.state) == (2, 2)


def test_too_late_says_what_the_pot_was() -> None:
    game = Played()
    assert game.rules.too_late(game.state) == "Too late: the dice were already rolling. The pot was 0."
    game.roll((6, 6), (5, 5), (1, 2))
    assert game.rules.too_late(game.state) == "Too late: the dice were already rolling. The pot was 1,200."


def test_the_mild_move() -> None:
    assert Doubles.mild(rules(), Played().state, 2) == Move(take="roll")
    assert Doubles.mild(rules(), third_seven().state, 2) == Move(take="hold")


def test_a_cash_out_is_for_the_record_books() -> None:
    assert rules().notable(CashedOut(seat=5, points=1600, score=9000)) == (5, "best pot", 1600)
    assert rules().notable(Held(seat=5, holding=1, of=2)) is None


@pytest.mark.parametrize(
    ("options", "paragraph", "told"),
    [
        ({"rounds": 2}, -1, "2 rounds are played. The most points win."),
        (
            {"rounds": "3-5"},
            -1,
            "Between 3 and 5 rounds are played; nobody knows how many until the last one begins. The most points win.",
        ),
        (
            {"window": 15},
            -2,
            "After the third seven everybody has 15 seconds before each roll to cash out or hold.",
        ),
        ({"window": 0}, -2, "There is no pause after the third seven: the roller just rolls."),
        (
            {},
            1,
            "Doubles on the first roll of a round make the pot 100 times the face; later ones double it. "
            "It grows up to 1,000,000,000.",
        ),
        ({}, 2, "A seven adds 75, and the fourth seven burns the pot: whoever is still in gets nothing."),
    ],
)
def test_how_it_is_explained(options: dict[str, Any], paragraph: int, told: str) -> None:
    assert rules(**options).explain()[paragraph] == told


def test_one_round_is_no_plural() -> None:
    assert rules(rounds=1).explain()[-1].startswith("1 round ")


def test_one_may_practise_alone() -> None:
    assert (Doubles.least, Doubles.most) == (1, None)
