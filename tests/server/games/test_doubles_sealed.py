"""Sealed windows of Doubles: what is decided there, and who sees it when."""

import itertools
from typing import Any

import pytest

from dicegames_protocol.games.doubles import CashedOut, Decided, DecisionsShown, DoublesOptions, DoublesState, Rolled
from dicegames_protocol.options import OptionError
from dicegames_protocol.table import Move
from dicegames_server.bots.doubles_windows import undecided
from dicegames_server.core.errors import Refused
from dicegames_server.games.doubles import Doubles
from dicegames_server.games.match import TIMER_ACT, Match

SEVENS = [(6, 1), (5, 2), (4, 3)]
POT = 225


class Played:
    def __init__(self, players: int = 3, **options: Any) -> None:
        rules = Doubles(DoublesOptions.read({"sealed": "yes", **options}))
        self.match, events = Match.start(rules, range(players), None, ())
        self.events: list[Any] = list(events)

    @property
    def state(self) -> DoublesState:
        assert isinstance(self.match.state, DoublesState)
        return self.match.state

    def roll(self, *rolls: tuple[int, int]) -> "Played":
        for faces in rolls:
            typed = faces if self.match.rules.real_dice else None
            act = self.match.check(self.state.roller, Move(take="roll", faces=typed))
            self.match, self.events = _step(self.match.play(act, faces))
        return self

    def decide(self, seat: int, choice: str, *faces: int) -> "Played":
        act = self.match.check(seat, Move(take="decide", choice=choice))
        need = self.match.needs(act)
        assert (need.count if need else 0) == len(faces)
        self.match, self.events = _step(self.match.play(act, faces))
        return self

    def correct(self, seat: int, number: int, *faces: int) -> "Played":
        act = self.match.check(seat, Move(take="correct", choice=f"#{number}", faces=faces))
        self.match, self.events = _step(self.match.play(act, faces))
        return self

    def time_up(self, *faces: int) -> "Played":
        need = self.match.needs(TIMER_ACT)
        assert (need.count if need else 0) == len(faces)
        self.match, self.events = _step(self.match.play(TIMER_ACT, faces))
        return self

    def scores(self) -> list[int]:
        return [seat.score for seat in self.state.seats.values()]


def _step(step: tuple[Match, tuple[Any, ...]]) -> tuple[Match, list[Any]]:
    return step[0], list(step[1])


def window(players: int = 3, **options: Any) -> Played:
    return Played(players, **options).roll(*SEVENS)


def test_the_window_says_that_it_is_sealed_and_offers_one_secret_decision() -> None:
    game = window()
    assert game.events[-1].sealed
    assert game.state.deciding and (game.state.deciding.decided, game.state.deciding.of) == (0, 3)
    (offer,) = game.match.offers.values()
    assert offer.sealed and offer.needed and offer.choices
    assert {key: (choice.label, choice.worth) for key, choice in offer.choices.items()} == {
        "cash": ("Cash out 225", POT),
        "hold": ("Hold", 0),
    }


def test_all_who_cash_out_get_the_same_pot_and_the_dice_roll_for_the_others() -> None:
    game = window().decide(2, "cash")
    assert game.events == [Decided(seat=2, decided=1, of=3)]
    game.decide(0, "hold").decide(1, "cash", 1, 2)
    decided, shown, one, two, rolled, _ = game.events
    assert decided == Decided(seat=1, decided=3, of=3)
    assert shown == DecisionsShown(cashed=(1, 2), held=(0,))
    assert (one, two) == (CashedOut(seat=1, points=POT, score=POT), CashedOut(seat=2, points=POT, score=POT))
    assert isinstance(rolled, Rolled) and rolled.seat == 0 and rolled.pot == POT + 3
    assert game.scores() == [0, POT, POT]
    assert game.state.sealed is None and game.state.inside == 1


@pytest.mark.parametrize("choices", list(itertools.product(("cash", "hold"), repeat=3)))
def test_every_way_to_decide(choices: tuple[str, ...]) -> None:
    """The order of the decisions does not matter."""
    results = []
    for order in itertools.permutations(range(3)):
        game = window()
        for place, seat in enumerate(order):
            rolls = place == 2 and "hold" in choices
            game.decide(seat, choices[seat], *((1, 2) if rolls else ()))
        assert game.scores() == [POT if choice == "cash" else 0 for choice in choices]
        results.append(game.state)
    held = choices.count("hold")
    assert all(state == results[0] for state in results)
    if held == 0:
        assert (results[0].round, results[0].pot, results[0].inside) == (2, 0, 3)
    else:
        assert (results[0].round, results[0].pot, results[0].inside) == (1, POT + 3, held)
        assert results[0].last and choices[results[0].last.seat] == "hold"
        assert results[0].deciding and results[0].deciding.decided == (0 if held > 1 else None)


@pytest.mark.parametrize("choice", ["cash", "hold"])
def test_whoever_has_not_decided_in_time_holds(choice: str) -> None:
    game = window().decide(1, choice).time_up(2, 3)
    assert game.scores() == [0, POT if choice == "cash" else 0, 0]
    assert game.events[0] == DecisionsShown(
        cashed=(1,) if choice == "cash" else (), held=(0, 2) if choice == "cash" else (0, 1, 2)
    )


def test_time_runs_out_before_anybody_has_decided() -> None:
    game = window().time_up(6, 1)
    assert [event.kind for event in game.events[:3]] == ["decisions_shown", "rolled", "round_over"]
    assert game.scores() == [0, 0, 0]


def test_a_decision_can_not_be_changed() -> None:
    game = window().decide(1, "cash")
    for move in (Move(take="decide", choice="hold"), Move(take="cash"), Move(take="hold"), Move(take="roll")):
        with pytest.raises(Refused):
            game.match.check(1, move)
    assert not game.match.may(1)
    assert game.match.rules.not_now(game.match.seen_by(1).state, 1).startswith("You have decided")
    assert not game.match.rules.not_now(game.match.seen_by(0).state, 0)


@pytest.mark.parametrize("choice", [None, "", "roll", "cash out", "1"])
def test_nothing_else_can_be_decided(choice: str | None) -> None:
    with pytest.raises(Refused):
        window().match.check(0, Move(take="decide", choice=choice))


def test_only_one_s_own_decision_is_seen() -> None:
    game = window().decide(0, "cash").decide(1, "hold")
    seen = {seat: game.match.seen_by(seat).state for seat in (None, 0, 1, 2)}
    shown = {seat: state.sealed for seat, state in seen.items() if isinstance(state, DoublesState)}
    assert shown == {None: None, 0: {"0": "cash"}, 1: {"1": "hold"}, 2: None}
    assert game.match.rules.scores(game.match.seen_by(1).state) == {0: 0, 1: 0, 2: 0}


def test_before_the_third_seven_cash_outs_are_open() -> None:
    game = Played().roll((6, 1), (5, 2))
    assert "cash" in game.match.may(0)
    act = game.match.check(0, Move(take="cash"))
    assert game.match.play(act, ())[1] == (CashedOut(seat=0, points=150, score=150),)


def test_somebody_who_is_alone_decides_openly() -> None:
    for game in (window(1), window().decide(0, "cash").decide(1, "cash").decide(2, "hold", 1, 2)):
        (seat,) = [int(seat) for seat, entry in game.state.seats.items() if entry.out != game.state.round]
        assert set(game.match.may(seat)) == {"cash", "hold"}
        assert game.state.deciding and game.state.deciding.decided is None
        game.match, events = game.match.play(game.match.check(seat, Move(take="cash")), ())
        assert events[0].kind == "cashed_out"
        assert game.state.round == 2


def test_the_next_window_is_sealed_again() -> None:
    game = window().decide(0, "hold").decide(1, "hold").decide(2, "hold", 1, 2)
    assert game.events[-1].sealed and game.state.deciding and game.state.deciding.decided == 0
    assert all("decide" in game.match.may(seat) for seat in range(3))


def test_the_roller_who_cashes_out_is_skipped() -> None:
    game = window()
    assert game.state.roller == 0
    game.decide(0, "cash").decide(1, "hold").decide(2, "hold", 1, 2)
    assert game.state.last and game.state.last.seat == 1 and game.state.roller == 2


def test_the_last_round_ends_the_game() -> None:
    game = window(2, rounds=1).decide(0, "cash").decide(1, "cash")
    assert game.match.winners == (0, 1)


def test_real_dice_are_typed_after_all_was_shown_and_nobody_changes_their_mind() -> None:
    game = window(dice="entered").decide(0, "hold").decide(1, "cash").decide(2, "hold")
    assert [event.kind for event in game.events] == ["decided", "decisions_shown", "cashed_out", "window_closed"]
    assert "cash" not in game.match.offers
    game.roll((1, 2))
    assert game.state.deciding and game.state.deciding.decided == 0


def test_with_real_dice_somebody_who_held_can_not_cash_out_when_the_others_have() -> None:
    game = window(dice="entered").decide(0, "hold").decide(1, "cash").decide(2, "cash")
    assert set(game.match.may(0)) == {"roll", "correct"}


def test_a_correction_keeps_secret_decisions_secret() -> None:
    game = window(dice="entered").decide(0, "cash").decide(1, "hold")
    game.correct(0, 1, 3, 3)  # the pot is another one: 300, and then two sevens only
    assert game.state.deciding is None and game.state.sealed is None
    assert game.events[0].undone == (0, 1)
    game = window(dice="entered").decide(0, "cash").decide(1, "hold")
    game.correct(1, 2, 1, 6)  # another seven: all is as it was
    assert game.state.sealed == {"0": "cash", "1": "hold"}
    assert not any(event.kind in ("decisions_shown", "cashed_out") for event in game.events)
    game.decide(2, "hold")
    assert game.scores() == [POT, 0, 0]


def test_a_roll_taken_back_takes_the_decisions_back() -> None:
    game = window(dice="entered").decide(0, "cash")
    act = game.match.check(2, Move(take="undo"))
    game.match, events = game.match.play(act, ())
    assert game.state.sealed is None and game.state.sevens == 2
    assert [event.kind for event in events] == ["taken_back"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sealed": "yes", "window": 0}, "sealed needs time to decide in: set window to at least 1 second."),
        ({"sealed": "maybe"}, "sealed must be yes or no."),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError) as error:
        DoublesOptions.read(options)
    assert str(error.value) == sentence
    assert next(iter(DoublesOptions.problems(options))) == "sealed"


def test_a_table_without_it_tells_nothing_of_it() -> None:
    """So rooms and logs of earlier versions stay as they are."""
    plain = DoublesOptions.read({})
    assert "sealed" not in plain.model_dump(mode="json")
    assert plain.changed({"sealed": "yes"}).model_dump(mode="json")["sealed"] is True
    assert plain.changed({"sealed": "yes"}).changed({"sealed": "no"}) == plain
    assert list(DoublesOptions.all_of(plain.model_dump(mode="json"))) == list(DoublesOptions.model_fields)
    rules = Doubles(plain)
    assert not rules.hides and rules.summary() == "10 rounds"
    assert Doubles(DoublesOptions.read({"sealed": "yes"})).summary() == "10 rounds, sealed"
    assert len(Doubles(DoublesOptions.read({"sealed": "yes"})).explain()) == len(rules.explain()) + 1


def test_no_bot_leaves_others_the_first_word() -> None:
    game = window()
    assert not any(undecided(game.match.seen_by(seat), seat) for seat in range(3))


def test_what_changed_for_single_seats() -> None:
    rules, before = window().match.rules, window().state
    one = window().decide(1, "cash").state
    both = window().decide(1, "cash").decide(2, "hold").state
    assert rules.sees_anew(before, one) == [1]
    assert rules.sees_anew(one, both) == [2]
    assert sorted(rules.sees_anew(both, before) or ()) == [1, 2]
    assert not rules.sees_anew(one, one)
