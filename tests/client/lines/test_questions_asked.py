"""What line mode asks the server about the game, and how the answers are told."""

import itertools

import pytest

from dicegames_client.guest.store import Store
from dicegames_client.lines.questions_asked import question, told_answer
from dicegames_client.play.parse_input import ParsedInput, parse_input
from dicegames_client.play.typed_commands import Unclear
from dicegames_client.views import reasons_at
from dicegames_protocol.messages.client import AskReview
from dicegames_protocol.messages.review import Review
from support.hall import Hall
from support.reviews import a_review


def new_id() -> str:
    return f"id-{next(_ids)}"


_ids = itertools.count()


@pytest.mark.parametrize(("rest", "number"), [("", None), ("1", 1), ("0017", 17), ("1000000", 10**6)])
def test_the_game_that_is_meant(rest: str, number: int | None) -> None:
    asked = question(ParsedInput(local="review", rest=rest), Store(), new_id)
    assert isinstance(asked, AskReview) and asked.game_no == number


@pytest.mark.parametrize("rest", ["0", "-1", "x", "1 2", "1000001", "9" * 5000, "\u0663", "1.5", "\x1b[2J"])
def test_nonsense_is_told_before_it_is_sent(rest: str) -> None:
    with pytest.raises(Unclear, match="is not the number of a game"):
        question(ParsedInput(local="review", rest=rest), Store(), new_id)


def test_other_commands_are_no_questions() -> None:
    assert question(ParsedInput(local="who"), Store(), new_id) is None
    assert question(ParsedInput(), Store(), new_id) is None


@pytest.mark.parametrize("typed", ["review", "/review", "Review", "review 2"])
async def test_spectators_may_ask_as_well(typed: str) -> None:
    hall = Hall()
    ana = await hall.peer()
    await ana.create("doubles")
    eva = await hall.peer()
    await eva.watch(hall.room(ana).code)
    parsed = parse_input(typed, eva.store, {}, new_id, reasons_at(eva.store))
    assert parsed.local == "review" and parsed.rest == typed.partition(" ")[2]


def test_the_answer_is_told_in_sentences() -> None:
    told = told_answer(Review(id="r", review=a_review()), Store())
    assert told[0] == "How well everybody played game 1, Farkle. The chances are close, not exact."
    assert all(sentence.endswith(".") for sentence in told)
