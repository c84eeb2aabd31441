"""What a seat knows of the dice under the cups: for the odds of Liar's Dice."""

from dicegames_protocol.messages.server import Chance
from throwaway.types.liars_dice import LiarsDiceState


def chances(rules: object, state: LiarsDiceState, seat: int) -> tuple[Chance, ...]:
    known = [face for entry in state.seats.values() for face in entry.hand or ()]
    total = sum(entry.left for entry in state.seats.values())
    return tuple(Chance(what=f"known {face}", good=known.count(face), of=total) for face in sorted(set(known)))
