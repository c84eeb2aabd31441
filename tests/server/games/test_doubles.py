"""Doubles, roll by roll. Every example of the source document is here."""

from typing import Any

import pytest

from dicegames_protocol.games.doubles import DoublesOptions, DoublesState
from dicegames_protocol.options import OptionError
from dicegames_protocol.table import Move
from dicegames_server.core.errors import Refused
from dicegames_server.games.doubles import Doubles
from dicegames_server.games.match import TIMER_ACT, Match


class Played:
    def __init__(self, players: int = 5, secret: int | None = None, **options: Any) -> None:
        rules = Doubles(DoublesOptions.read({"window": 0, **options}))
        self.match, events = Match.start(rules, range(players), None, (secret,) if secret else ())
        self.events = list(events)

    @property
    def state(self) -> DoublesState:
        assert isinstance(self.match.state, DoublesState)
        return self.match.state

    def do(self, seat: int, take: str, *faces: int) -> "Played":
        act = self.match.check(seat, Move(take=take))
        need = self.match.needs(act)
        assert (need.count if need else 0) == len(faces)
        self.match, events = self.match.play(act, faces)
        self.events += events
        return self

    def roll(self, one: int, two: int) -> "Played":
        return self.do(self.state.roller, "roll", one, two)

    def time_up(self, *faces: int) -> None:
        assert self.match.needs(TIMER_ACT)
        self.match, events = self.match.play(TIMER_ACT, faces)
        self.events += events

    def scores(self) -> list[int]:
        return [seat.score for seat in self.state.seats.values()]


@pytest.mark.parametrize(
    ("rolls", "pot", "sevens"),
    [
        ([(5, 3)], 8, 0),
        ([(5, 3), (2, 1)], 11, 0),
        ([(3, 3)], 300, 0),
        ([(6, 6)], 600, 0),
        ([(1, 1)], 100, 0),
        ([(3, 4)], 75, 1),
        ([(3, 4), (2, 2)], 150, 1),
        ([(5, 3), (2, 2)], 16, 0),
        ([(2, 2), (2, 2)], 400, 0),
        ([(6, 1), (5, 2), (4, 3)], 225, 3),
        ([(6, 1), (5, 2), (4, 3), (6, 5)], 236, 3),
    ],
)
def test_the_pot(rolls: list[tuple[int, int]], pot: int, sevens: int) -> None:
    game = Played()
    for one, two in rolls:
        game.roll(one, two)
    assert (game.state.pot, game.state.sevens) == (pot, sevens)


def test_the_documents_round() -> None:
    """325 with two sevens; 400, 800 and 1600; two players cash out; the others lose the pot at the fourth seven."""
    game = Played()
    for one, two in [(6, 1), (6, 1), (1, 2), (1, 2), (2, 3), (4, 4), (1, 2)]:
        game.roll(one, two)
    assert (game.state.pot, game.state.sevens, game.state.roller) == (325, 2, 2)
    game.roll(3, 4)
    assert (game.state.pot, game.state.sevens) == (400, 3)
    game.do(2, "cash")
    game.roll(5, 5)
    assert (game.state.last and game.state.last.seat, game.state.pot) == (3, 800)
    game.do(0, "cash")
    game.roll(1, 1)
    assert (game.state.last and game.state.last.seat, game.state.pot) == (4, 1600)
    assert game.state.roller == 1  # the document's second "Player 5" is player 2
    game.roll(6, 1)
    assert game.scores() == [800, 0, 400, 0, 0]
    assert (game.state.round, game.state.pot, game.state.sevens, game.state.inside) == (2, 0, 0, 5)
    assert game.state.roller == 2  # the seat after the last roller


def test_nobody_cashes_out_before_the_first_roll() -> None:
    with pytest.raises(Refused):
        Played().do(0, "cash")


def test_cash_out_is_for_everyone_once_a_round_and_leaves_the_pot() -> None:
    game = Played(3).roll(6, 6).do(2, "cash").do(0, "cash")
    assert game.scores() == [600, 0, 600]
    assert game.state.pot == 600
    with pytest.raises(Refused):
        game.do(0, "cash")
    assert game.state.roller == 1
    game.roll(1, 2).roll(1, 2)  # the last one in goes on alone
    game.do(1, "cash")
    assert game.scores() == [600, 606, 600]
    assert (game.state.round, game.state.pot) == (2, 0)


def test_the_roller_who_cashes_out_is_skipped() -> None:
    game = Played(3).roll(1, 2)
    assert game.state.roller == 1
    game.do(1, "cash")
    assert game.state.roller == 2


def test_the_next_round_can_rotate_the_starter() -> None:
    game = Played(3, next_round="rotate").roll(1, 2).roll(1, 2).roll(1, 2).roll(1, 2)
    for seat in range(3):
        game.do(seat, "cash")
    assert game.state.roller == 1
    straight = Played(3).roll(1, 2).roll(1, 2).roll(1, 2).roll(1, 2)
    for seat in range(3):
        straight.do(seat, "cash")
    assert straight.state.roller == 1
    straight.roll(1, 2).do(0, "cash").do(1, "cash").do(2, "cash")
    assert straight.state.roller == 2


def third_seven(players: int = 3, **options: Any) -> Played:
    return Played(players, window=10, **options).roll(6, 1).roll(6, 1).roll(6, 1)


def test_the_window_opens_after_the_third_seven_and_closes_when_all_have_decided() -> None:
    game = third_seven()
    assert game.match.rules.timer(game.state) == 10_000
    assert set(game.match.offers) == {"cash", "hold"}
    game.do(1, "hold").do(0, "cash")
    assert game.state.deciding and (game.state.deciding.holding, game.state.deciding.of) == (1, 2)
    game.do(2, "hold", 1, 2)  # the last decision lets the dice roll
    assert game.state.pot == 228
    assert game.state.deciding and game.state.deciding.holding == 0  # and the next window is open
    assert game.state.last and game.state.last.seat == 1  # seat 0 was to roll and has cashed out


def test_the_window_closes_by_itself() -> None:
    game = third_seven()
    game.time_up(5, 6)
    assert game.state.pot == 236


def test_who_holds_may_still_cash_out_while_the_window_is_open() -> None:
    game = third_seven().do(0, "hold").do(0, "cash")
    assert game.scores() == [225, 0, 0]
    assert game.state.deciding and (game.state.deciding.holding, game.state.deciding.of) == (0, 2)
    with pytest.raises(Refused):
        game.do(0, "hold")


def test_the_window_with_the_last_undecided_cashing_out_rolls() -> None:
    game = third_seven().do(0, "hold").do(1, "hold").do(2, "cash", 1, 1)
    assert game.state.pot == 450


def test_everybody_cashing_out_in_the_window_ends_the_round_without_a_roll() -> None:
    game = third_seven().do(0, "cash").do(1, "cash").do(2, "cash")
    assert game.state.round == 2
    assert game.scores() == [225, 225, 225]


def test_a_lonely_player_decides_alone() -> None:
    game = Played(1, window=10, rounds=1).roll(6, 1).roll(6, 1).roll(6, 1).do(0, "hold", 2, 2).do(0, "cash")
    assert game.match.winners == (0,)
    assert game.scores() == [450]


def test_most_points_win_and_a_tie_is_shared() -> None:
    game = Played(3, rounds=1).roll(6, 6).do(0, "cash").do(1, "cash").roll(3, 4).roll(3, 4).roll(3, 4).roll(3, 4)
    assert game.match.winners == (0, 1)


def test_the_hidden_last_round_shows_when_it_is_reached() -> None:
    game = Played(1, rounds="2-4", secret=2)  # ends after round 3
    seen = []
    while game.match.winners is None:
        seen.append((game.state.round, game.state.rounds))
        game.roll(1, 2).do(0, "cash")
    assert seen == [(1, None), (2, None), (3, 3)]


def test_with_real_dice_the_roller_rolls_after_the_window() -> None:
    rules = Doubles(DoublesOptions.read({"dice": "entered"}))
    match, _ = Match.start(rules, [0, 1], None, ())
    for seat in (0, 1, 0):
        act = match.check(seat, Move(take="roll", faces=(6, 1)))
        match, _ = match.play(act, (6, 1))
    for seat in (0, 1):
        match, _ = match.play(match.check(seat, Move(take="hold")), ())
    assert match.offers["roll"].seat == 1
    assert match.offers["roll"].enter == 2
    assert match.rules.timer(match.state) is None


def test_a_correction_plays_later_cash_outs_again() -> None:
    rules = Doubles(DoublesOptions.read({"dice": "entered", "window": 0}))
    match, _ = Match.start(rules, [0, 1, 2], None, ())
    match, _ = match.play(match.check(0, Move(take="roll", faces=(5, 3))), (5, 3))
    match, _ = match.play(match.check(2, Move(take="cash")), ())
    match, events = match.play(match.check(0, Move(take="correct", choice="#1", faces=(5, 5))), (5, 5))
    assert isinstance(match.state, DoublesState)
    assert match.state.pot == 500
    assert match.state.seats["2"].score == 500
    assert [event.kind for event in events] == ["corrected", "rolled", "cashed_out"]
    with pytest.raises(Refused):
        match.check(1, Move(take="correct", choice="#1", faces=(1, 1)))  # it was not their roll


def test_a_correction_takes_back_what_no_longer_fits() -> None:
    rules = Doubles(DoublesOptions.read({"dice": "entered", "window": 0, "rounds": 1}))
    match, _ = Match.start(rules, [0, 1], None, ())
    for seat, faces in ((0, (6, 1)), (1, (6, 1)), (0, (6, 1)), (1, (1, 2))):
        match, _ = match.play(match.check(seat, Move(take="roll", faces=faces)), faces)
    match, _ = match.play(match.check(0, Move(take="cash")), ())
    match, events = match.play(match.check(1, Move(take="correct", choice="#4", faces=(3, 4))), (3, 4))
    assert match.winners == (0, 1)  # it was the fourth seven: nobody has anything
    assert events[0].model_dump()["undone"] == (0,)
    match, _ = match.play(match.check(1, Move(take="correct", choice="#4", faces=(1, 2))), (1, 2))
    assert match.winners is None  # even the last roll of a game can be put right


@pytest.mark.parametrize(
    ("rounds", "kept"),
    [(5, 5), ("5", 5), ("8-12", "8-12"), ("8..12", "8-12"), (" 7 - 9 ", "7-9"), ("4-4", 4), ("1,200", 1200)],
)
def test_rounds_are_read(rounds: object, kept: object) -> None:
    assert DoublesOptions.read({"rounds": rounds}).rounds == kept


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rounds": 0}, "rounds must be at least 1."),
        ({"rounds": -3}, "rounds must be at least 1."),
        ({"rounds": "0-5"}, "rounds must be at least 1."),
        ({"rounds": "many"}, "rounds must be a whole number, or a range such as 8-12."),
        ({"rounds": True}, "rounds must be a whole number, or a range such as 8-12."),
        ({"rounds": "9-3"}, "rounds can't run from 9 down to 3."),
        ({"rounds": "1-500"}, "A range of rounds can be 256 wide at most."),
        ({"window": -1}, "window must be at least 0."),
        ({"window": "soon"}, "window must be a whole number."),
        ({"next-round": "mine"}, "next-round must be after-roller or rotate."),
        ({"dice": "loaded"}, "dice must be server or entered."),
    ],
)
def test_bad_options_get_a_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence.replace(".", r"\.")):
        DoublesOptions.read(options)


def test_an_unknown_option_lists_the_known_ones() -> None:
    with pytest.raises(OptionError, match=r"no option 'colour' here\. The options are: dice, rounds, window"):
        DoublesOptions.read({"colour": "red"})
