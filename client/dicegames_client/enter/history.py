"""`history`, `stats` and `leaderboard`: the results of games that were played on a server."""

import time

from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.errors import USAGE, ClientError, no_game
from dicegames_client.play.wording import listed
from dicegames_protocol.games import keys, types_of
from dicegames_protocol.messages.client import AskHistory, AskLeaderboard, AskStats, Request
from dicegames_protocol.messages.server import History, Leaderboard, ServerMessage, Stats

MOST_GAMES = 500
"""Most games that a server tells at once."""


def question(asked: CommandLine) -> Request:
    match asked.command:
        case "history":
            if not 1 <= asked.most <= MOST_GAMES:
                raise ClientError(f"--most must be 1 to {MOST_GAMES}.", USAGE)
            return AskHistory(id="1", most=asked.most)
        case "stats":
            return AskStats(id="1")
    if asked.of_game is not None and asked.of_game not in keys():
        raise ClientError(no_game(asked.of_game), USAGE)
    return AskLeaderboard(id="1", game=asked.of_game)


def tell(answer: ServerMessage) -> list[str]:
    match answer:
        case History():
            return _history(answer) or ["No games yet."]
        case Stats():
            return _stats(answer) or ["No games yet."]
        case Leaderboard():
            rows = [f"{n}  {row.name}: {row.won} won of {row.played}" for n, row in enumerate(answer.rows, start=1)]
            return rows or [
                "Nobody is on this list yet. It counts finished games of different people, at different addresses."
            ]
    return ["The server gave no answer that fits."]


def _history(answer: History) -> list[str]:
    lines = []
    for game in answer.games:
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(game.at))
        end = "shared the win" if game.shared else "won" if game.won else "lost"
        score = f" with {game.score:,}" if _has_points(game.game) else ""
        against = f" against {listed(game.opponents)}" if game.opponents else " alone"
        lines.append(f"{day}  {game.game}: {end}{score}{against}{_bests(game.bests)}")
    return lines


def _stats(answer: Stats) -> list[str]:
    lines = []
    for row in answer.games:
        best = f", best score {row.best_score:,}" if _has_points(row.game) else ""
        lines.append(f"{row.game}: {row.won} won of {row.played}{best}{_bests(row.bests)}")
    return lines + [f"with {row.name}: {row.won} won of {row.played}" for row in answer.opponents]


def _bests(bests: dict[str, int]) -> str:
    return "".join(f", {what} {value:,}" for what, value in sorted(bests.items()))


def _has_points(game: str) -> bool:
    """Whether the scores of a game are points. A game that we do not know may well have some."""
    types = types_of(game)
    return types is None or types.points
