"""The one gate for all moves: what it says to whom, typed faces, corrections, and what all games share."""

from collections.abc import Iterator
from typing import Any

import pytest

from dicegames_protocol.games.double_or_nothing import DoubleOrNothingOptions
from dicegames_protocol.games.doubles import DoublesOptions, DoublesState
from dicegames_protocol.games.farkle import FarkleOptions
from dicegames_protocol.games.sevens import SevensOptions
from dicegames_protocol.table import Choice, Move, Offer
from dicegames_server.core.errors import Refused
from dicegames_server.games import rules_of
from dicegames_server.games.base import Act, Need, Rules, after, in_order, leaders, turn_offer
from dicegames_server.games.double_or_nothing import DoubleOrNothing
from dicegames_server.games.doubles import Doubles
from dicegames_server.games.farkle import Farkle
from dicegames_server.games.match import TIMER_ACT, Match
from dicegames_server.games.sevens import Sevens
from support.throwaway import throwaway_games
from throwaway.rules.sealed_bid import SealedBid
from throwaway.types.sealed_bid import SealedBidOptions


@pytest.fixture
def more_games() -> Iterator[None]:
    with throwaway_games():
        yield


def doubles(*seats: int, **options: Any) -> Match:
    rules = Doubles(DoublesOptions.read({"window": 0, **options}))
    return Match.start(rules, seats or (0, 1, 2), None, ())[0]


def farkle(*rolled: int, **options: Any) -> Match:
    match = Match.start(Farkle(FarkleOptions.read(options)), (0, 1), None, ())[0]
    return played(match, 0, "roll", *rolled) if rolled else match


def played(match: Match, seat: int, take: str, *faces: int, choice: str | None = None, by: Any = "player") -> Match:
    typed = faces if match.rules.real_dice and faces and by == "player" else None
    return match.play(match.check(seat, Move(take=take, choice=choice, faces=typed), by), faces)[0]


def refusal(match: Match, seat: int, by: Any = "player", **move: Any) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        match.check(seat, Move(**move), by)
    return refused.value.code, refused.value.message


# What is not offered.


@pytest.mark.parametrize(
    ("seat", "take", "code", "sentence"),
    [
        (0, "cash", "illegal_move", "'cash' is not a move now. You can: roll."),
        (0, "jump", "illegal_move", "'jump' is not a move now. You can: roll."),
        (1, "jump", "illegal_move", "'jump' is not possible now."),
        (1, "roll", "not_your_turn", "It is not your turn."),
        (9, "roll", "not_your_turn", "It is not your turn."),  # nobody of this game
        (9, "jump", "illegal_move", "'jump' is not possible now."),
    ],
)
def test_what_is_not_offered_is_refused(seat: int, take: str, code: str, sentence: str) -> None:
    assert refusal(doubles(), seat, take=take) == (code, sentence)


def test_somebody_who_may_do_something_else_is_told_what() -> None:
    match = played(doubles(), 0, "roll", 1, 2)
    assert refusal(match, 0, take="roll") == ("illegal_move", "'roll' is not a move now. You can: cash.")
    assert refusal(match, 1, take="hold") == ("illegal_move", "'hold' is not a move now. You can: cash, roll.")
    assert (list(match.may(0)), list(match.may(1)), match.may(9)) == (["cash"], ["cash", "roll"], {})


def test_whom_the_game_waits_for() -> None:
    match = played(doubles(), 0, "roll", 1, 2)
    assert [match.waits_for(seat) for seat in (0, 1, 2, 9)] == [False, True, False, False]
    assert match.winners is None


# What is to be chosen.


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        ({"take": "bank"}, "Something is to be chosen with 'bank'. You can choose: 1 (100), 5 (50), 1 5 (150)."),
        ({"take": "bank", "choice": "23"}, "'2 3' can't be chosen. You can choose: 1 (100), 5 (50), 1 5 (150)."),
        ({"take": "bank", "choice": ""}, "'' can't be chosen. You can choose: 1 (100), 5 (50), 1 5 (150)."),
    ],
)
def test_a_choice_has_to_be_on_the_list(move: dict[str, Any], sentence: str) -> None:
    assert refusal(farkle(1, 2, 3, 4, 5, 6), 0, **move) == ("illegal_move", sentence)


def test_nothing_is_chosen_where_nothing_is_to_be_chosen() -> None:
    said = "There is nothing to choose with 'roll'."
    assert refusal(doubles(), 0, take="roll", choice="1") == ("illegal_move", said)


@pytest.mark.parametrize(
    ("rolled", "told"),
    [
        (
            (1, 1, 2, 2, 2, 5),  # eleven choices: eight are listed
            "1 (100), 5 (50), 1 1 (200), 1 5 (150), 1 1 5 (250), 2 2 2 (200), 1 2 2 2 (300), 2 2 2 5 (250), ….",
        ),
        ((1, 2, 2, 2, 3, 6), "1 (100), 2 2 2 (200), 1 2 2 2 (300)."),
    ],
)
def test_a_long_list_is_cut(rolled: tuple[int, ...], told: str) -> None:
    assert refusal(farkle(*rolled), 0, take="bank")[1].partition("choose: ")[2] == told


@pytest.mark.parametrize(("many", "cut"), [(7, False), (8, False), (9, True)])
def test_eight_choices_are_listed(many: int, cut: bool) -> None:
    named = {f"n{number}": Choice(worth=number) for number in range(many)}
    match = farkle(1, 2, 3, 4, 5, 6)
    offer = Offer(label="Pick", seat=0, choices=named, choice_kind="name")
    _, told = refusal(match.but(offers={"pick": offer}), 0, take="pick", choice="n9n")
    listed = ", ".join(f"n{number} ({number})" for number in range(min(many, 8)))
    assert told == f"'n9n' can't be chosen. You can choose: {listed}{', …' if cut else ''}."


@pytest.mark.usefixtures("more_games")
def test_a_number_is_asked_for_by_its_range() -> None:
    match = Match.start(SealedBid(SealedBidOptions.read({})), (0, 1), None, ())[0]
    for choice in ("0", "21", "x"):
        said = f"'{choice}' can't be chosen. You can choose a number from 1 to 20."
        assert refusal(match, 0, take="bid", choice=choice) == ("illegal_move", said)
    said = "Something is to be chosen with 'bid'. You can choose a number from 1 to 20."
    assert refusal(match, 0, take="bid") == ("illegal_move", said)
    assert match.check(0, Move(take="bid", choice="20")).move.choice == "20"


# Typed faces.


@pytest.mark.parametrize(
    ("faces", "sentence"),
    [
        (None, "Type the faces of the 2 dice that you rolled."),
        ((), "You typed 0 faces for 2 dice."),
        ((1,), "You typed 1 faces for 2 dice."),
        ((1, 2, 3), "You typed 3 faces for 2 dice."),
        ((0, 1), "A die has the faces 1 to 6; 0 is none of them."),
        ((1, 7), "A die has the faces 1 to 6; 7 is none of them."),
        ((8, 9), "A die has the faces 1 to 6; 8 is none of them."),
    ],
)
def test_faces_must_fit_the_dice(faces: tuple[int, ...] | None, sentence: str) -> None:
    assert refusal(doubles(dice="entered"), 0, take="roll", faces=faces) == ("illegal_move", sentence)


@pytest.mark.parametrize("faces", [(1, 6), (6, 1)])
def test_every_face_of_a_die_can_be_typed(faces: tuple[int, int]) -> None:
    act = doubles(dice="entered").check(0, Move(take="roll", faces=faces))
    assert act == Act(0, Move(take="roll", faces=faces), "player")


def test_one_die_is_a_die() -> None:
    match = farkle(1, 1, 1, 5, 5, 6, dice="entered")
    said = refusal(match, 0, take="roll", choice="11155")
    assert said == ("illegal_move", "Type the faces of the 1 die that you rolled.")


def test_nobody_types_where_the_server_rolls() -> None:
    said = ("illegal_move", "No faces are to be typed here: the server rolls.")
    assert refusal(doubles(), 0, take="roll", faces=(1, 2)) == said
    match = played(doubles(dice="entered"), 0, "roll", 1, 2)
    assert refusal(match, 0, take="cash", faces=(1, 2)) == said


def test_for_bots_and_the_clock_the_server_rolls() -> None:
    match = doubles(dice="entered")
    for by in ("bot", "clock"):
        assert match.check(0, Move(take="roll"), by).by == by
    rolled = played(match, 0, "roll", 1, 2, by="bot")
    assert "correct" not in rolled.offers and "undo" not in rolled.offers and not rolled.typed


# Real dice.


def test_an_offer_says_how_many_faces_to_type() -> None:
    match = doubles(dice="entered")
    assert (match.offers["roll"].enter, match.offers["roll"].sides) == (2, 6)
    match = played(match, 0, "roll", 1, 2)
    assert match.offers["cash"].enter is match.offers["cash"].sides is None
    correct = match.offers["correct"].model_dump(exclude_defaults=True)
    roll = {"worth": 0, "rolls": 2, "label": "1 2", "seat": 0}
    assert correct == {"label": "Correct", "choices": {"#1": roll}, "choice_kind": "name", "enter": 0, "sides": 6}
    assert match.offers["undo"].model_dump(exclude_defaults=True) == {"label": "Take back 1 2", "seat": 0}
    chosen = farkle(1, 2, 3, 4, 5, 6, dice="entered").offers
    assert (chosen["roll"].enter, chosen["roll"].sides) == (0, 6)  # as many as the choice says
    assert chosen["bank"].enter is chosen["bank"].sides is None
    sevens = Match.start(Sevens(SevensOptions.read({"dice": "entered"})), (0, 1), None, ())[0]
    assert (sevens.offers["roll"].enter, sevens.offers["roll"].sides) == (6, 6)
    assert doubles().offers["roll"].enter is None


def test_a_roll_can_be_put_right_more_than_once() -> None:
    first = played(doubles(dice="entered"), 0, "roll", 5, 3)
    assert first.basis == (0, (1, 2))
    right = played(first, 0, "correct", 5, 4, choice="#1")
    again = played(right, 0, "correct", 6, 4, choice="#1")
    third = played(again, 0, "correct", 6, 6, choice="#1")
    assert isinstance(third.state, DoublesState)
    assert (third.state.pot, third.state.roll_no) == (600, 2)
    assert [match.corrections for match in (first, right, again, third)] == [0, 1, 2, 3]
    assert third.basis == (3, (1, 2))
    second = played(third, 1, "roll", 1, 2)
    assert second.corrections == 3
    assert refusal(second, 0, take="correct", choice="#2", faces=(1, 1))[0] == "illegal_move"  # it is not their roll
    assert [list(second.may(seat)["correct"].choices or ()) for seat in (0, 1)] == [["#1"], ["#2"]]
    assert "correct" not in second.may(2) and refusal(second, 2, take="correct")[0] == "illegal_move"


def test_a_correction_asks_for_as_many_dice_as_the_roll() -> None:
    match = played(doubles(dice="entered"), 0, "roll", 5, 3)
    act = match.check(0, Move(take="correct", choice="#1", faces=(1, 2)))
    assert match.needs(act) == Need(2)
    assert refusal(match, 0, take="correct", choice="#1")[1] == "Type the faces of the 2 dice that you rolled."
    assert refusal(match, 0, take="correct", choice="#1", faces=(1, 2, 3))[1] == "You typed 3 faces for 2 dice."
    assert (
        refusal(match, 0, take="correct", choice="#1", faces=(1, 7))[1]
        == "A die has the faces 1 to 6; 7 is none of them."
    )


def test_what_was_done_since_is_done_again() -> None:
    match = played(doubles(dice="entered"), 0, "roll", 5, 3)
    match = played(played(match, 2, "cash"), 0, "cash")
    match, events = match.play(match.check(0, Move(take="correct", choice="#1", faces=(4, 4))), (4, 4))
    assert [event.kind for event in events] == ["corrected", "rolled", "cashed_out", "cashed_out"]
    assert events[0].model_dump() == {
        "kind": "corrected",
        "seat": 0,
        "faces": (4, 4),
        "undone": (),
        "was": (5, 3),
        "back": 1,
    }
    assert match.rules.scores(match.state) == {0: 400, 1: 0, 2: 400}
    again = played(match, 0, "correct", 1, 2, choice="#1")  # and once more, from the same place
    assert again.rules.scores(again.state) == {0: 3, 1: 0, 2: 3}


def third_seven(**options: Any) -> Match:
    match = doubles(0, 1, dice="entered", **options)
    for seat in (0, 1, 0):
        match = played(match, seat, "roll", 6, 1)
    return match


def test_what_fits_no_longer_is_taken_back() -> None:
    match = played(third_seven(window=10), 1, "hold")
    match, events = match.play(match.check(0, Move(take="correct", choice="#3", faces=(1, 2))), (1, 2))
    assert events[0].model_dump()["undone"] == (1,)  # there is no window, so nothing to hold
    assert isinstance(match.state, DoublesState) and match.state.pot == 153


def test_the_clock_is_played_again_as_well() -> None:
    match = third_seven(window=10).play(TIMER_ACT, ())[0]
    assert isinstance(match.state, DoublesState) and match.state.deciding is None
    again = played(match, 0, "correct", 5, 2, choice="#3")
    assert isinstance(again.state, DoublesState)
    assert (again.state.deciding, again.state.sevens) == (None, 3)
    assert again.typed[-1].since == (TIMER_ACT,)


def test_a_bank_of_dice_that_did_not_fall_is_taken_back() -> None:
    match = played(farkle(1, 2, 3, 4, 6, 6, dice="entered"), 0, "bank", choice="1")
    match, events = match.play(
        match.check(0, Move(take="correct", choice="#1", faces=(5, 2, 3, 4, 6, 6))), (5, 2, 3, 4, 6, 6)
    )
    assert events[0].model_dump()["undone"] == (0,)
    assert match.rules.scores(match.state) == {0: 0, 1: 0}


# What is hidden.


@pytest.mark.usefixtures("more_games")
def test_a_seat_sees_its_own_part() -> None:
    kind = rules_of("liars-dice")
    assert kind
    match = Match.start(kind(kind.options_type.read({})), (0, 1), None, ())[0]
    count = match.needs(Act(0, Move(take="shake")))
    assert count and count.hidden
    match = played(match, 0, "shake", *[3] * count.count).but(secret=(4,))
    for seat, shown in ((None, []), (0, ["0"]), (1, ["1"])):
        seen: Any = match.seen_by(seat)
        assert [key for key, entry in seen.state.seats.items() if entry.hand] == shown
        assert (seen.secret, set(seen.offers)) == ((), {"bid"})


def test_where_nothing_is_hidden_the_match_is_seen_as_it_is() -> None:
    match = doubles(rounds="2-4")
    assert match.seen_by(None) is match.seen_by(0) is match


def test_a_hidden_draw_is_kept_and_a_public_one_is_not() -> None:
    hidden = Match.start(Doubles(DoublesOptions.read({"rounds": "2-4"})), (0, 1), None, (3,))[0]
    assert hidden.secret == (3,)
    tossed = Match.start(DoubleOrNothing(DoubleOrNothingOptions()), (0, 1), None, (2,))[0]
    assert tossed.secret == ()


# What all games share.


def test_what_a_game_is_unless_it_says_otherwise() -> None:
    assert (Rules.least, Rules.most, Rules.hides, Rules.doing) == (2, None, False, "rolling")
    assert Need(3) == Need(3, sides=6, hidden=False)
    sevens = Sevens(SevensOptions())
    state = Match.start(sevens, (0, 1), None, ())[0].state
    assert isinstance(sevens.seen(state, None), type(state)) and sevens.seen(state, 0) is state  # type: ignore[arg-type]
    assert sevens.timer(state) is None
    assert sevens.too_late(state) == "Somebody else was rolling in that moment. Roll again."  # for the start
    assert sevens.too_late(state.but(stage="play")) == "Too late: the game has moved on."
    assert sevens.table() == ()
    assert (sevens.real_dice, Sevens(SevensOptions(dice="entered")).real_dice) == (False, True)
    assert DoubleOrNothing(DoubleOrNothingOptions()).real_dice is False


def test_the_offer_of_a_turn() -> None:
    assert turn_offer("Roll", 4).model_dump(exclude_defaults=True) == {"label": "Roll", "seat": 4, "needed": True}
    assert turn_offer("Double", 4, True).loses is True


@pytest.mark.parametrize(
    ("seat", "others"), [(2, [5, 7, 9, 2]), (5, [7, 9, 2, 5]), (7, [9, 2, 5, 7]), (9, [2, 5, 7, 9])]
)
def test_the_others_in_order_and_oneself_last(seat: int, others: list[int]) -> None:
    assert after([2, 5, 7, 9], seat) == others
    assert in_order(doubles(2, 5, 7, 9).state) == [2, 5, 7, 9]


@pytest.mark.parametrize(
    ("scores", "best"), [({0: 5}, (0,)), ({0: 5, 1: 7, 2: 7}, (1, 2)), ({3: -5, 1: -7}, (3,)), ({4: 0, 2: 0}, (4, 2))]
)
def test_everyone_with_the_most_points_leads(scores: dict[int, int], best: tuple[int, ...]) -> None:
    assert leaders(scores) == best
