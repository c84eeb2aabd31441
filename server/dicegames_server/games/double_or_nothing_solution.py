"""Double or Nothing, solved: who wins from which number, and where a game was lost.

Players are told only after a game. A number is won if one of the two moves hits the target or leads to a lost number.
"""

from functools import lru_cache

from dicegames_protocol.games.double_or_nothing import DoubleOrNothingState, Slip


@lru_cache(maxsize=64)
def won_numbers(target: int) -> frozenset[int]:
    """The numbers from which the player to move can win."""
    won: set[int] = set()
    for number in range(target - 1, 0, -1):
        moves = [after for after in (number + 1, number * 2) if after <= target]
        if any(after == target or after not in won for after in moves):
            won.add(number)
    return frozenset(won)


def slip(state: DoubleOrNothingState, loser: int) -> Slip | None:
    """The last move of the loser that gave a won game away. None where the loser could never have won."""
    won = won_numbers(state.target)
    before, found = state.start, None
    for after, mover in sorted((int(number), seat) for number, seat in state.trail.items()):
        if mover == loser and before in won and (after > state.target or after in won):
            doubled = after == before * 2
            found = Slip(number=before, took="double" if doubled else "add", instead="add" if doubled else "double")
        before = after
    return found
