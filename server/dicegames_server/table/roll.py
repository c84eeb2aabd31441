"""Finishes a draw whose links are all there: the start of a game, or the act that it was for. Pure."""

from dicegames_server.core.errors import Refused
from dicegames_server.games.dice import Dice
from dicegames_server.table import deal, play
from dicegames_server.table.draw import unshown
from dicegames_server.table.state import Change, State


def roll(state: State, dice: Dice) -> Change:
    """Draw the dice of the pending draw, and play on with them. Raises Refused where links are missing."""
    if state.pending is None or unshown(state):
        raise Refused("illegal_move", "No dice can be drawn now.")
    if state.act is None:
        return deal.deal(state, dice)
    return play.rolled(state, state.act, dice)
