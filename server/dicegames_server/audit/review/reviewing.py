"""Reviews a game from its log alone: every decision of every player, measured by the chance to win.

The log is gone through update by update. A caller may stop after each, so that a long game blocks nobody.
"""

from collections.abc import Generator, Sequence
from typing import Any

from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.games import types_of
from dicegames_protocol.messages.review import (
    MOST_POINTS_OF_CURVE,
    MOST_REVIEWED_MOVES,
    SLIP,
    CurvePoint,
    GameReview,
    ReviewedMove,
    mark_of,
)
from dicegames_protocol.messages.server import Cause, Update
from dicegames_protocol.table import CORRECT, UNDO, Move
from dicegames_server.audit.review.account import Accounts
from dicegames_server.audit.review.judge import Decision
from dicegames_server.audit.review.played_games import GameInLog, NoReview, choose, judge_of
from dicegames_server.games.base import Act

Reviewing = Generator[float, None, GameReview]
"""Gives the part that is done, from 0 to 1, after each update; then the review."""


def review(updates: Sequence[Update], number: int | None = None) -> Reviewing:
    """The review of a game of a log; without a number, of the last one that is over. Raises NoReview at once."""
    game = choose(updates, number)
    try:
        first = patch.apply(game.table, updates[game.begin].patch)
        rules, judge = judge_of(first["room"], len(first["game"]["seats"]))
    except (KeyError, TypeError) as error:
        raise NoReview(NO_SENSE) from error
    return _review(_Table(rules, judge, game, updates))


NO_SENSE = "This log makes no sense, so there is no review of it."


def whole(reviewing: Reviewing) -> GameReview:
    """The review, worked out without a pause."""
    while True:
        try:
            next(reviewing)
        except StopIteration as stop:
            found: GameReview = stop.value
            return found


def _review(table: "_Table") -> Reviewing:
    begin, end = table.game.begin, table.game.end
    try:
        for place in range(begin, end + 1):
            table.follow(table.updates[place])
            yield (place - begin + 1) / (end - begin + 1)
        return table.result()
    except (KeyError, TypeError, ValueError, AssertionError, IndexError, StopIteration) as error:
        raise NoReview(NO_SENSE) from error


class _Table:
    """The table of the game that is reviewed, and the accounts of its players."""

    def __init__(self, rules: Any, judge: Any, game: GameInLog, updates: Sequence[Update]) -> None:
        self.game, self.updates = game, updates
        self._rules, self._judge = rules, judge
        self._json: JsonObject = game.table
        self._state: Any = None
        self._accounts: Accounts | None = None
        self._moves: list[ReviewedMove] = []
        self._curve: list[CurvePoint] = []
        self._opened: dict[str, Move] = {}
        for update in updates[game.begin : game.end + 1]:
            self._opened |= update.cause.opened or {}

    def follow(self, update: Update) -> None:
        """Go on to the table after this update."""
        before, cause = self._state, update.cause
        self._json = patch.apply(self._json, update.patch)
        if before is not None and cause.kind in ("move", "time"):
            self._decide(update, before)
        if "game" not in self._json or (self._json.get("fair") or {}).get("pending"):
            return  # the dice have not fallen
        if self._state is not None and "game" not in update.patch:
            return
        self._state = state_of(self._rules, self._json["game"])
        chances = self._judge.chances(self._state)
        if self._accounts is None:
            self._accounts = Accounts(chances)
        self._accounts.came(chances)
        order = sorted(chances)
        self._curve.append(CurvePoint(seq=update.seq, chances=tuple(round(chances[seat], 5) for seat in order)))

    def _decide(self, update: Update, before: Any) -> None:
        cause, accounts = update.cause, self._accounts
        assert accounts
        move = self._opened.get(str(update.seq)) if cause.seal else cause.move
        if move is None:
            raise NoReview(NO_SENSE)
        if move.take in (CORRECT, UNDO):
            self._take_back(update)
            return
        if move.faces is not None:
            accounts.keep()
        for decision in self._judge.decisions(before, Act(cause.seat, move.but(faces=None), cause.by)):
            own = self._own(decision.seat, cause)
            accounts.decided(decision, len(self._moves), own=own)
            self._moves.append(_reviewed(decision, update.seq, self._judge.why(decision), away=not own))

    def _own(self, seat: int, cause: Cause) -> bool:
        """Whether the player of the seat has decided, and not the server in their place."""
        player = self._json["seats"].get(str(seat)) or {}
        if cause.seat != seat:
            return not player.get("standin")  # a window closed: everybody could have decided
        return cause.by == "player" or (cause.by == "bot" and bool(player.get("bot")))

    def _take_back(self, update: Update) -> None:
        """A typed roll was corrected or taken back: what came of it does not count."""
        assert self._accounts
        back = next((event.get("back") or 1 for event in update.events if event["kind"] == "corrected"), 1)
        self._accounts.take_back(back)
        known = {place for seat in self._accounts.now for _, place in self._accounts.of(seat).costs}
        del self._moves[max(known, default=-1) + 1 :]

    def result(self) -> GameReview:
        accounts, room = self._accounts, self._json["room"]
        assert accounts
        kept = _kept(self._moves)
        places = {place: index for index, place in enumerate(kept)}
        players = []
        for seat in sorted(accounts.now):
            player = self._json["seats"].get(str(seat)) or {}
            players.append(accounts.player(seat, player.get("name", f"seat {seat}"), player.get("bot"), places))
        return GameReview(
            room=room["code"],
            game=room["game"],
            title=room["title"],
            summary=room["summary"],
            game_no=self.game.number,
            exact=self._judge.exact,
            players=tuple(players),
            moves=tuple(self._moves[place] for place in kept),
            curve=_thinned(self._curve),
            left_out=len(self._moves) - len(kept),
        )


def state_of(rules: Any, game: JsonObject) -> Any:
    """The state of a game, as everybody could see it."""
    known = types_of(rules.key)
    assert known
    if "seats" in game:  # patches of the games before may have left another order than that of play
        game = {**game, "seats": dict(sorted(game["seats"].items(), key=lambda item: int(item[0])))}
    return known.state.model_validate(game)


def _reviewed(decision: Decision, seq: int, why: str, *, away: bool) -> ReviewedMove:
    cost = decision.cost
    return ReviewedMove(
        seq=seq,
        seat=decision.seat,
        mark=mark_of(cost),
        cost=cost,
        chance=decision.best.chances[decision.seat],
        took=decision.taken.words,
        best=decision.best.words,
        why=why if cost >= SLIP else None,
        away=away,
    )


def _kept(moves: Sequence[ReviewedMove]) -> list[int]:
    """The places of the decisions that a review tells: of many, those that cost most."""
    order = sorted(range(len(moves)), key=lambda place: -moves[place].cost)
    return sorted(order[:MOST_REVIEWED_MOVES])


def _thinned(curve: Sequence[CurvePoint]) -> tuple[CurvePoint, ...]:
    """No more points than anybody can draw. The first and the last one stay."""
    apart = -(-len(curve) // MOST_POINTS_OF_CURVE)
    return (*curve[: -1 : max(1, apart)], *curve[-1:])
