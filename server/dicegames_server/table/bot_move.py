"""The move of a bot: what its level makes of what it sees. Pure.

A bot sees what a player sees. Where its level plays by chance, the chance follows from the secret of the game, so that
its moves can be worked out again when the game is over (audit/).
"""

from typing import NamedTuple

from dicegames_protocol.fairness.scheme import bot_luck
from dicegames_protocol.table import Move
from dicegames_server.bots import strategy_for, strategy_with
from dicegames_server.table.state import State


class BotMove(NamedTuple):
    move: Move
    hurried: bool = False
    """It had no time to think, and played by a simpler rule."""


def thinks_long(state: State, seat: int) -> bool:
    """Whether the bot on this seat has to think in the worker."""
    return strategy_for(state.info.game, state.seats[seat]).deep


def bot_move(state: State, seat: int, *, hurried: bool = False) -> BotMove | None:
    """What the bot on this seat does now. None: nothing."""
    assert state.match
    luck = bot_luck(state.secret, seat, state.seq)
    strategy = strategy_with(state.info.game, state.seats[seat], luck, hurried=hurried)
    move = strategy.choose(state.match.seen_by(seat), seat)
    return BotMove(move, hurried) if move else None
