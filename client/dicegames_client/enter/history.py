"""`history`, `stats` and `leaderboard`: the results of games that were played on a server."""

import re
import time

from dicegames_client.base.command_line import ALL_SEASONS, CommandLine
from dicegames_client.base.errors import USAGE, ClientError, no_game
from dicegames_client.play.wording import listed
from dicegames_protocol.games import keys, types_of
from dicegames_protocol.messages.client import SEASON, AskHistory, AskLeaderboard, AskStats, Request
from dicegames_protocol.messages.history import LeaderRow, MarksRow, PlayedGame
from dicegames_protocol.messages.server import History, Leaderboard, ServerMessage, Stats
from dicegames_protocol.text import did_you_mean

MOST_GAMES = 500
"""Most games that a server tells at once."""


def questions(asked: CommandLine) -> list[Request]:
    """What is asked, one after the other. Raises ClientError where it can't be."""
    match asked.command:
        case "history":
            if not 1 <= asked.most <= MOST_GAMES:
                raise ClientError(f"--most must be 1 to {MOST_GAMES}.", USAGE)
            return [AskHistory(id="1", most=asked.most)]
        case "stats":
            return [AskStats(id="1")]
    if asked.of_game is not None and asked.of_game not in keys():
        raise ClientError(no_game(asked.of_game), USAGE)
    season = _season(asked.season)
    bots = asked.with_bots or None
    if asked.by != "skill":
        return [AskLeaderboard(id="1", game=asked.of_game, season=season, bots=bots)]
    games = keys() if asked.of_game is None else (asked.of_game,)
    return [AskLeaderboard(id=game, game=game, by="skill", season=season, bots=bots) for game in games]


def _season(typed: str) -> str | None:
    """The month that is meant; None for all of them."""
    if typed.strip().lower() == ALL_SEASONS:
        return None
    if not re.fullmatch(SEASON, typed):
        tidy = re.fullmatch(r"(20\d\d)[-/.]?(\d{1,2})", typed)
        meant = f"{tidy[1]}-{int(tidy[2]):02}" if tidy else ""
        guess = f" Did you mean '{meant}'?" if re.fullmatch(SEASON, meant) else did_you_mean(typed, (ALL_SEASONS,))
        raise ClientError(f"--season is a month such as 2026-11, or 'all', not '{typed[:32]}'.{guess}", USAGE)
    return typed


def tell(answer: ServerMessage) -> list[str]:
    match answer:
        case History():
            return _history(answer) or ["No games yet."]
        case Stats():
            return _stats(answer) or ["No games yet."]
        case Leaderboard(meaningful_after=int()):
            return _by_skill(answer)
        case Leaderboard():
            rows = [f"{n}  {row.name}: {row.won} won of {row.played}" for n, row in enumerate(answer.rows, start=1)]
            return rows or [
                "Nobody is on this list yet. It counts finished games of different people, at different addresses."
            ]
    return ["The server gave no answer that fits."]


def _by_skill(answer: Leaderboard) -> list[str]:
    title = f"{answer.game} by skill"
    if not answer.rows:
        return [f"{title}: nobody is on this list yet. It counts games of different people, at different addresses."]
    rows = [
        f"{n}  {_who(row)}: {row.rating or 0:,} ± {row.interval or 0:,}, {row.played:,} {_games(row.played)}"
        f"{', provisional' if row.provisional else ''}"
        for n, row in enumerate(answer.rows, start=1)
    ]
    needed = answer.meaningful_after or 0
    others = "" if any(row.bot for row in answer.rows) else ", against two others or more who are known"
    return [title, *rows, f"Dice are luck: here a rating means something after about {needed:,} games{others}."]


def _who(row: LeaderRow) -> str:
    return f"the bot {row.bot}" if row.bot else row.name


def _games(count: int) -> str:
    return "game" if count == 1 else "games"


def _history(answer: History) -> list[str]:
    lines = []
    for game in answer.games:
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(game.at))
        end = "shared the win" if game.shared else "won" if game.won else "given up" if game.gave_up else "lost"
        score = f" with {game.score:,}" if _has_points(game.game) else ""
        against = f" against {listed(game.opponents)}" if game.opponents else " alone"
        lines.append(f"{day}  {game.game}: {end}{score}{against}{_bests(game.bests)}{_marks_of(game)}")
    return lines


def _marks_of(game: PlayedGame) -> str:
    """Accuracy and luck of one game, as a part of a line."""
    accuracy = f", accuracy {_percent(game.accuracy)}" if game.accuracy is not None else ""
    return accuracy + (f", luck {round(game.luck * 100) + 0:+d} %" if game.luck is not None else "")


def _stats(answer: Stats) -> list[str]:
    lines = []
    for row in answer.games:
        bots = f" (with bots {row.won_with_bots} of {row.with_bots})" if row.with_bots else ""
        best = f", best score {row.best_score:,}" if _has_points(row.game) else ""
        lines.append(f"{row.game}: {row.won} won of {row.played}{bots}{best}{_bests(row.bests)}")
        if row.skill:
            among = f"{row.skill.played} {_games(row.skill.played)} among people"
            lines.append(f"  skill {row.skill.rating:,} ± {row.skill.interval:,}, from {among}")
        if row.marks:
            lines.append(f"  {_told(row.marks)}")
        if len(row.months) > 1:
            lines += [f"  {month.month}: {_told(month)}" for month in row.months]
    return lines + [f"with {row.name}: {row.won} won of {row.played}" for row in answer.opponents]


def _told(marks: MarksRow) -> str:
    accuracy = f"accuracy {_percent(marks.accuracy)}, " if marks.accuracy is not None else ""
    return f"{accuracy}luck {round(marks.luck, 1) + 0:+.1f} wins, in {marks.reviewed} {_games(marks.reviewed)}"


def _percent(part: float) -> str:
    return f"{part * 100:.0f} %"


def _bests(bests: dict[str, int]) -> str:
    return "".join(f", {what} {value:,}" for what, value in sorted(bests.items()))


def _has_points(game: str) -> bool:
    """Whether the scores of a game are points. A game that we do not know may well have some."""
    types = types_of(game)
    return types is None or types.points
