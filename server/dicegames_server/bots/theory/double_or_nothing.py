"""Double or Nothing, solved: who wins from which number, and where a game was lost.

Told only after a game. A number is won if one of the two moves hits the target, or leads to a number that is lost.
"""

from functools import lru_cache

from dicegames_protocol.games.double_or_nothing import DoubleOrNothingState, Slip


@lru_cache(maxsize=64)
def won_numbers(target: int) -> frozenset[int]:
    """The numbers from which whoever is to move can win."""
    won: set[int] = set()
    for number in range(target - 1, 0, -1):
        moves = [after for after in (number + 1, number * 2) if after <= target]
        if any(after == target or after not in won for after in moves):
            won.add(number)
    return frozenset(won)


def slip(state: DoubleOrNothingState, loser: int) -> Slip | None:
    """The last move of the loser that gave a won game away; None where there was nothing to be done."""
    won = won_numbers(state.target)
    before, found = state.start, None
    for after, mover in sorted((int(number), seat) for number, seat in state.trail.items()):
        if mover == loser and before in won and (after > state.target or after in won):
            doubled = after == before * 2 and after != before + 1
            found = Slip(number=before, took="double" if doubled else "add", instead="add" if doubled else "double")
        before = after
    return found


def afterwards(rules: object, state: DoubleOrNothingState) -> str:
    """The move that lost the latest game."""
    found = slip(state, state.ended.loser) if state.ended else None
    if found is None:
        return "Nothing lost it: whoever lost could not have won from the start."
    took = "Doubling" if found.took == "double" else "Adding one"
    better = "doubling" if found.instead == "double" else "adding one"
    return f"{took} at {found.number} lost it; {better} would have won."
