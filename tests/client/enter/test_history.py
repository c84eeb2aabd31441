"""`history`, `stats` and `leaderboard`: what is asked, and how the answers read."""

import time

import pytest

from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.errors import USAGE, ClientError
from dicegames_client.enter.history import question, tell
from dicegames_protocol.messages.client import AskHistory, AskLeaderboard, AskStats
from dicegames_protocol.messages.history import LeaderRow, OpponentRow, PlayedGame, StatsRow
from dicegames_protocol.messages.server import History, Leaderboard, Stats

AT = 1_700_000_000
DAY = time.strftime("%Y-%m-%d %H:%M", time.localtime(AT))
GAME = PlayedGame(
    at=AT, game="doubles", room="KQ7M", name="ana", score=12_300, won=True, opponents=("bo", "cy"), bests={}
)


def line(**changes: object) -> str:
    (told,) = tell(History(id="1", games=(GAME.but(**changes),)))
    assert told.startswith(f"{DAY}  ")
    return told.removeprefix(f"{DAY}  ")


def test_a_game_won_lost_or_shared() -> None:
    assert line() == "doubles: won with 12,300 against bo and cy"
    assert line(won=False) == "doubles: lost with 12,300 against bo and cy"
    assert line(shared=True) == "doubles: shared the win with 12,300 against bo and cy"
    assert line(opponents=(), bests={"best pot": 1200}) == "doubles: won with 12,300 alone, best pot 1,200"


def test_a_game_about_winning_alone_has_no_score() -> None:
    duel = {"game": "double-or-nothing", "score": 1, "opponents": ("bo",)}
    assert line(**duel) == "double-or-nothing: won against bo"
    assert line(game="from the future") == "from the future: won with 12,300 against bo and cy"


def test_statistics() -> None:
    rows = (
        StatsRow(game="double-or-nothing", played=3, won=2, best_score=2, bests={}),
        StatsRow(game="doubles", played=1, won=1, best_score=12_300, bests={"best pot": 1200}),
    )
    answer = Stats(id="1", games=rows, opponents=(OpponentRow(name="bo", played=4, won=3),))
    assert tell(answer) == [
        "double-or-nothing: 2 won of 3",
        "doubles: 1 won of 1, best score 12,300, best pot 1,200",
        "with bo: 3 won of 4",
    ]
    leaders = Leaderboard(id="1", rows=(LeaderRow(name="ana", played=3, won=2),))
    assert tell(leaders) == ["1  ana: 2 won of 3"]


def test_what_is_asked_is_checked_first() -> None:
    assert question(CommandLine(command="history", most=500)) == AskHistory(id="1", most=500)
    assert question(CommandLine(command="stats")) == AskStats(id="1")
    assert question(CommandLine(command="leaderboard", of_game="farkle")) == AskLeaderboard(id="1", game="farkle")
    wrong = [
        (CommandLine(command="history", most=0), "--most must be 1 to 500."),
        (CommandLine(command="history", most=501), "--most must be 1 to 500."),
        (
            CommandLine(command="leaderboard", of_game="farkel"),
            "There is no game called 'farkel'. Did you mean 'farkle'?",
        ),
    ]
    for asked, sentence in wrong:
        with pytest.raises(ClientError) as refused:
            question(asked)
        assert refused.value.sentence.startswith(sentence)
        assert refused.value.code == USAGE
