"""`review FILE`: the whole review as text, or as JSON."""

import io
import json

import pytest

from dicegames_client.base.errors import REFUSED, ClientError
from dicegames_client.base.glyphs import ASCII
from dicegames_client.enter.log_reviewer import LogReviewer
from dicegames_client.lines.review_lines import review_log
from dicegames_protocol.messages.review import GameReview
from dicegames_server.audit.review import reviewing
from support.pure_table import PureTable


def blunder() -> PureTable:
    """ana doubles 18, where adding one would have won."""
    table = PureTable("double-or-nothing", "ana", "bo", first="1", start=18, target=19).start()
    table.move(0, "double")
    return table


async def test_the_review_of_a_log() -> None:
    out = io.StringIO()
    assert await review_log(blunder().lines, None, out, io.StringIO(), ASCII, json=False) == 0
    text = out.getvalue()
    assert text.startswith("Double or Nothing, room KQ7M, game 1: ")
    assert "accuracy  given away" in text and "blunder -100 %" in text and "doubling" in text.lower()
    assert "The chance to win over the game" in text and text.isascii()


async def test_as_json_it_is_what_the_rules_say() -> None:
    out = io.StringIO()
    await review_log(blunder().lines, 1, out, io.StringIO(), ASCII, json=True)
    found = GameReview.model_validate(json.loads(out.getvalue()))
    assert [player.lost for player in found.players].count(1.0) == 1


@pytest.mark.parametrize("number", [2, 10**9])
async def test_no_such_game(number: int) -> None:
    with pytest.raises(ClientError, match=f"There is no game {number} in this log") as error:
        await review_log(blunder().lines, number, io.StringIO(), io.StringIO(), ASCII, json=False)
    assert error.value.code == REFUSED


async def test_a_game_that_is_not_over_is_not_reviewed() -> None:
    table = PureTable("double-or-nothing", "ana", "bo", first="1").start()
    with pytest.raises(ClientError, match="only after a game"):
        await review_log(table.lines, None, io.StringIO(), io.StringIO(), ASCII, json=False)


async def test_what_breaks_in_it_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("x")

    monkeypatch.setattr(reviewing, "_review", broken)
    with pytest.raises(ClientError, match="can't be reviewed"):
        await LogReviewer(blunder().updates).review()
