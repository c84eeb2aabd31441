"""From words to moves."""

import pytest

from dicegames_client.play.parse_move import NotUnderstood, Pick, choice_from, parse_move
from dicegames_protocol.table import Choice, Move, Offer

DON = {"add": Offer(label="", seat=0, needed=True), "double": Offer(label="", seat=0, needed=True)}
DOUBLES = {"roll": Offer(label="", seat=0, needed=True), "cash": Offer(label="")}
ENTERED = {"roll": Offer(label="", seat=0, needed=True, enter=2, sides=6), "correct": Offer(label="", enter=2, sides=6)}
CHOICES = {"1": Choice(worth=100, rolls=5), "5": Choice(worth=50, rolls=5), "115": Choice(worth=250, rolls=3)}
FARKLE = {
    "roll": Offer(label="", seat=0, needed=True, choices=CHOICES),
    "bank": Offer(label="", seat=0, needed=True, choices={"115": Choice(worth=250)}),
}
YACHT = {
    "again": Offer(label="", seat=0, needed=True),
    "roll": Offer(label="", seat=0, needed=True, choices={"66": Choice(worth=0, rolls=3)}),
    "score": Offer(
        label="",
        seat=0,
        needed=True,
        choice_kind="name",
        choices={
            "full-house": Choice(worth=25, label="Full house"),
            "four-of-a-kind": Choice(worth=0),
            "fours": Choice(worth=8),
            "yacht": Choice(worth=50),
        },
    ),
}
BID = {"bid": Offer(label="", needed=True, choice_kind="number", least=1, most=500), "pass": Offer(label="")}
MORE = {"bid": BID["bid"].but(most=2000)}
NAMED_ENTERED = {"throw": YACHT["score"].but(enter=2, sides=6)}
FARKLE_ENTERED = {"roll": FARKLE["roll"].but(enter=0, sides=6), "bank": FARKLE["bank"]}


@pytest.mark.parametrize(
    ("typed", "offers", "picked", "move"),
    [
        ("add", DON, None, Move(take="add")),
        ("  DOUBLE ", DON, None, Move(take="double")),
        ("cash", DOUBLES, None, Move(take="cash")),
        ("roll 5 2", ENTERED, None, Move(take="roll", faces=(5, 2))),
        ("5 2", ENTERED, None, Move(take="roll", faces=(5, 2))),
        ("52", ENTERED, None, Move(take="roll", faces=(5, 2))),
        ("5, 2", ENTERED, None, Move(take="roll", faces=(5, 2))),
        ("correct 1 1", ENTERED, None, Move(take="correct", faces=(1, 1))),
        ("roll", FARKLE, "1", Move(take="roll", choice="1")),
        ("roll 5 1 1", FARKLE, None, Move(take="roll", choice="115")),
        ("bank 1 1 5", FARKLE, None, Move(take="bank", choice="115")),
        ("bank", FARKLE, None, Move(take="bank", choice="115")),  # there is only one way to bank
        ("bank all", FARKLE, None, Move(take="bank", choice="115")),
        ("roll 5 4 3", FARKLE_ENTERED, "115", Move(take="roll", choice="115", faces=(5, 4, 3))),
        ("5 4 3", FARKLE_ENTERED, "115", Move(take="roll", choice="115", faces=(5, 4, 3))),
        ("score full-house", YACHT, None, Move(take="score", choice="full-house")),
        ("score Full House", YACHT, None, Move(take="score", choice="full-house")),
        ("score ya", YACHT, None, Move(take="score", choice="yacht")),  # cut short, and clear
        ("score fours", YACHT, None, Move(take="score", choice="fours")),
        ("full house", YACHT, None, Move(take="score", choice="full-house")),  # a whole name says which offer
        ("roll 6 6", YACHT, None, Move(take="roll", choice="66")),
        ("bid 250", BID, None, Move(take="bid", choice="250")),
        ("250", BID, None, Move(take="bid", choice="250")),
        ("bid 1,675", MORE, None, Move(take="bid", choice="1675")),
        ("1,675", MORE, None, Move(take="bid", choice="1675")),
        ("throw full house 5 2", NAMED_ENTERED, None, Move(take="throw", choice="full-house", faces=(5, 2))),
    ],
)
def test_moves(typed: str, offers: dict[str, Offer], picked: str | None, move: Move) -> None:
    assert parse_move(typed, offers, picked) == move


@pytest.mark.parametrize("typed", ["keep 1 1 5", "keep 5 1 1", "keep 115", "keep all", "1 1 5", "KEEP 1, 1, 5"])
def test_picks(typed: str) -> None:
    found = parse_move(typed, FARKLE, None)
    assert isinstance(found, Pick)
    assert (found.choice, found.worth) == ("115", 250)
    assert found.sentence == "You pick 1 1 5, worth 250. A roll would be 3 dice. Type 'roll' or 'bank'."


@pytest.mark.parametrize(
    ("typed", "offers", "picked", "sentence"),
    [
        ("duoble", DON, None, "'duoble' is not a move. Type 'add' or 'double'."),
        ("", DON, None, "Type 'add' or 'double'."),
        ("7", DON, None, "'7' is not a move. Type 'add' or 'double'."),
        ("add 3", DON, None, "Type just 'add'."),
        ("roll", ENTERED, None, "Roll 2 dice and type their faces, such as 'roll 5 2'."),
        ("roll 5", ENTERED, None, "Roll 2 dice and type their faces, such as 'roll 5 2'."),
        ("keep 2", FARKLE, None, "2 does not score. You can keep: 1 (100), 5 (50), 1 1 5 (250)."),
        ("keep 2", YACHT, None, "2 can't be kept. You can keep: 6 6 (0)."),
        ("keep", FARKLE, None, "Say which dice. You can keep: 1 (100), 5 (50), 1 1 5 (250)."),
        ("roll", FARKLE, None, "Which dice? Type 'keep' and the dice first, or 'keep all', then 'roll'."),
        ("bank", FARKLE, "1", "1 is not enough for 'bank' yet."),
        ("score", YACHT, None, "Type 'score' and one of: full-house (25), four-of-a-kind (0), fours (8), yacht (50)."),
        ("score fo", YACHT, None, "'fo' is not clear. Type 'score' and one of: four-of-a-kind (0), fours (8)."),
        ("ya", YACHT, None, "'ya' is not a move. Type 'keep', 'again', 'roll' or 'score'."),
        (
            "score chance",
            YACHT,
            None,
            "'chance' is none of them. Type 'score' and one of: "
            "full-house (25), four-of-a-kind (0), fours (8), yacht (50).",
        ),
        ("bid", BID, None, "Type 'bid' and a number from 1 to 500."),
        ("bid 501", BID, None, "'501' is not possible. Type 'bid' and a number from 1 to 500."),
        ("bid 007", BID, None, "'007' is not possible. Type 'bid' and a number from 1 to 500."),
        ("bid 1,67", MORE, None, "'1 67' is not possible. Type 'bid' and a number from 1 to 2,000."),
        ("bid ten", BID, None, "'ten' is not possible. Type 'bid' and a number from 1 to 500."),
        ("bnak", FARKLE, None, "'bnak' is not a move. Type 'keep', 'roll' or 'bank'."),
    ],
)
def test_what_is_no_move_gets_a_sentence(
    typed: str, offers: dict[str, Offer], picked: str | None, sentence: str
) -> None:
    with pytest.raises(NotUnderstood) as error:
        parse_move(typed, offers, picked)
    assert str(error.value) == sentence


KEEPABLE = "You can keep: 1 (100), 5 (50), 1 1 5 (250)."
LYING = (4, 1, 5, 3, 1, 6)


@pytest.mark.parametrize(
    ("typed", "lying", "sentence"),
    [
        ("bank 2 2", LYING, f"There is no 2 among the dice 1 1 3 4 5 6. {KEEPABLE}"),
        ("keep 1 2", LYING, f"There is no 2 among the dice 1 1 3 4 5 6. {KEEPABLE}"),
        ("7", LYING, f"There is no 7 among the dice 1 1 3 4 5 6. {KEEPABLE}"),
        ("keep 1 1 1", LYING, f"There are only two 1s: 1 1 3 4 5 6. {KEEPABLE}"),
        ("roll 5 5", LYING, f"There is only one 5: 1 1 3 4 5 6. {KEEPABLE}"),
        ("keep 3", LYING, f"3 does not score. {KEEPABLE}"),
        ("bank 2 2", (1, 1, 2, 2, 5, 6), f"2 2 do not score. {KEEPABLE}"),
        ("keep 1 5 3 4", LYING, f"3 4 5 do not score like that. {KEEPABLE}"),
        ("keep two", LYING, f"'two' is not what dice show. {KEEPABLE}"),
        ("keep \u00b2", LYING, f"'\u00b2' is not what dice show. {KEEPABLE}"),
        ("bank 1", LYING, "1 is not enough for 'bank' yet."),
    ],
)
def test_why_dice_cannot_be_kept(typed: str, lying: tuple[int, ...], sentence: str) -> None:
    with pytest.raises(NotUnderstood) as error:
        parse_move(typed, FARKLE, None, lying)
    assert str(error.value) == sentence


def test_of_many_dice_that_can_be_kept_a_few_are_named() -> None:
    many = {"roll": FARKLE["roll"].but(choices={str(face): Choice(worth=1000) for face in range(10, 21)})}
    with pytest.raises(NotUnderstood) as error:
        parse_move("keep 9", many, None)
    assert str(error.value).endswith("1 6 (1,000), 1 7 (1,000) and 3 more.")


def test_with_real_dice_the_faces_are_asked_for() -> None:
    found = parse_move("keep all", FARKLE_ENTERED, None)
    assert isinstance(found, Pick) and found.sentence.endswith("Type 'roll' and the faces or 'bank'.")


def test_a_number_alone_may_have_its_thousands_apart() -> None:
    assert choice_from(" +1,675", "bid", MORE["bid"]) == "1675"
