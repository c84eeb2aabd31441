"""How a turn of a steady bot of Sevens ends. It does not depend on the totals, so it can be worked out."""

from dicegames_server.bots.theory.sevens import outcomes


def steady_turn(dice: int = 6, rolls: int = 3) -> list[float]:
    """How likely it is to end with 0, 1, 2 … points: it keeps from 3.8 points for each die on, or from 12 points on."""
    found = [0.0] * 37
    for (left, points), ways in outcomes(dice):
        if left and rolls > 1 and points < 12 and points < 3.8 * left:
            for end, share in enumerate(steady_turn(left, rolls - 1)):
                found[end] += share * ways / 6**dice
        else:
            found[points] += ways / 6**dice
    return found
