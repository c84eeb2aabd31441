"""Double or Nothing after a game: where it was lost. The game is solved, so nothing is told while it is played."""

from dicegames_protocol.games.double_or_nothing import DoubleOrNothingState
from dicegames_server.games.double_or_nothing_solution import slip


def afterwards(rules: object, state: DoubleOrNothingState) -> str:
    """A sentence about the move that lost the latest game."""
    found = slip(state, state.ended.loser) if state.ended else None
    of = "The last game: " if state.best_of > 1 else ""
    if found is None:
        return f"{of}Nothing lost it: whoever lost could not have won from the start."
    took = "Doubling" if found.took == "double" else "Adding one"
    better = "doubling" if found.instead == "double" else "adding one"
    return f"{of}{took} at {found.number} lost it; {better} would have won."
