"""`history`, `stats` and `leaderboard`: what is asked, and how the answers read."""

import time

import pytest

from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.errors import USAGE, ClientError
from dicegames_client.enter.history import questions, tell
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import AskHistory, AskLeaderboard, AskStats
from dicegames_protocol.messages.history import (
    LeaderRow,
    MarksRow,
    MonthRow,
    OpponentRow,
    PlayedGame,
    SkillRow,
    StatsRow,
)
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
    assert line(won=False, gave_up=True).startswith("doubles: given up with 12,300")
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


def test_accuracy_luck_and_skill_are_told_where_they_are_known() -> None:
    assert line(accuracy=0.873, luck=-0.118).endswith("against bo and cy, accuracy 87 %, luck -12 %")
    assert line(luck=0.5).endswith("against bo and cy, luck +50 %")
    row = StatsRow(
        game="double-or-nothing",
        played=9,
        won=5,
        best_score=1,
        bests={},
        with_bots=6,
        won_with_bots=3,
        marks=MarksRow(reviewed=8, accuracy=0.87, luck=-0.26),
        skill=SkillRow(rating=1612, interval=140, played=3),
    )
    assert tell(Stats(id="1", games=(row,), opponents=())) == [
        "double-or-nothing: 5 won of 9 (with bots 3 of 6)",
        "  skill 1,612 ± 140, from 3 games among people",
        "  accuracy 87 %, luck -0.3 wins, in 8 games",
    ]
    months = (
        MonthRow(month="2026-10", reviewed=7, accuracy=0.84, luck=-0.5),
        MonthRow(month="2026-11", reviewed=1, luck=0.24),
    )
    assert tell(Stats(id="1", games=(row.but(months=months),), opponents=()))[3:] == [
        "  2026-10: accuracy 84 %, luck -0.5 wins, in 7 games",
        "  2026-11: luck +0.2 wins, in 1 game",
    ]


def test_a_list_by_skill_says_how_sure_it_is() -> None:
    rows = (
        LeaderRow(name="ana", played=1023, rating=1612, interval=140),
        LeaderRow(name="expert", bot="expert", played=1, rating=1480, interval=1010, provisional=True),
    )
    answer = Leaderboard(id="1", rows=rows, game="sevens", meaningful_after=1200)
    assert tell(answer) == [
        "sevens by skill",
        "1  ana: 1,612 ± 140, 1,023 games",
        "2  the bot expert: 1,480 ± 1,010, 1 game, provisional",
        "Dice are luck: here a rating means something after about 1,200 games.",
    ]
    last = tell(answer.but(rows=rows[:1]))[-1]
    assert last.endswith("after about 1,200 games, against two others or more who are known.")
    (nobody,) = tell(Leaderboard(id="1", rows=(), game="sevens", meaningful_after=9))
    assert nobody.startswith("sevens by skill: nobody is on this list yet.")


def test_what_is_asked_is_checked_first() -> None:
    assert questions(CommandLine(command="history", most=500)) == [AskHistory(id="1", most=500)]
    assert questions(CommandLine(command="stats")) == [AskStats(id="1")]
    assert questions(CommandLine(command="leaderboard", of_game="farkle")) == [AskLeaderboard(id="1", game="farkle")]
    by_wins = CommandLine(command="leaderboard", season="2026-11", with_bots=True)
    assert questions(by_wins) == [AskLeaderboard(id="1", season="2026-11", bots=True)]
    by_skill = CommandLine(command="leaderboard", by="skill", season="ALL", of_game="sevens")
    assert questions(by_skill) == [AskLeaderboard(id="sevens", game="sevens", by="skill")]
    every = questions(CommandLine(command="leaderboard", by="skill"))
    assert [asked.game for asked in every if isinstance(asked, AskLeaderboard)] == list(keys())
    wrong = [
        (CommandLine(command="history", most=0), "--most must be 1 to 500."),
        (CommandLine(command="history", most=501), "--most must be 1 to 500."),
        (
            CommandLine(command="leaderboard", of_game="farkel"),
            "There is no game called 'farkel'. Did you mean 'farkle'?",
        ),
    ]
    month = "--season is a month such as 2026-11, or 'all', not"
    wrong += [
        (CommandLine(command="leaderboard", season=typed), f"{month} '{typed}'.{guess}")
        for typed, guess in [
            ("2026-13", ""),
            ("202611", " Did you mean '2026-11'?"),
            ("2026/7", " Did you mean '2026-07'?"),
            ("al", " Did you mean 'all'?"),
            ("november", ""),
        ]
    ]
    for asked, sentence in wrong:
        with pytest.raises(ClientError) as refused:
            questions(asked)
        assert refused.value.sentence.startswith(sentence)
        assert refused.value.code == USAGE
