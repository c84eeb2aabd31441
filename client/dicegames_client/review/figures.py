"""The figures of a review as people read them. All reviews here are cleaned ones (cleaned.py)."""

from dicegames_protocol.messages.review import AS_GOOD, GameReview, ReviewedMove, ReviewedPlayer

FINE_FIGURES = 0.0995
"""Below this a change is told with one place behind the point."""


def percent(share: float) -> str:
    """A chance, such as '43 %'. Only what is certain is 0 or 100 %."""
    if 0 < share < 0.005 or 0.995 <= share < 1:
        return f"{max(0.1, min(share * 100, 99.9)):.1f} %"
    return f"{round(share * 100)} %"


def change(part: float) -> str:
    """What a chance gained or lost, such as '+12 %' or '-4.1 %'."""
    if abs(part) < AS_GOOD:
        return "0 %"
    return f"{part * 100:+.1f} %" if abs(part) < FINE_FIGURES else f"{part * 100:+.0f} %"


def accuracy(player: ReviewedPlayer) -> str:
    """'-' for somebody who had nothing to decide. Only who gave nothing away has 100 %."""
    if player.accuracy is None:
        return "-"
    whole = int(player.accuracy * 100 + 1e-9)
    return f"{whole if player.lost > AS_GOOD else round(player.accuracy * 100)} %"


def given_away(player: ReviewedPlayer) -> str:
    """What the player's own decisions cost."""
    return change(-player.lost)


def by_others(player: ReviewedPlayer) -> str:
    return change(player.given)


def luck(player: ReviewedPlayer) -> str:
    return change(player.luck)


def with_average_dice(player: ReviewedPlayer) -> str:
    """The chance to win that the same decisions would have led to, without luck."""
    return percent(max(0.0, min(player.start - player.lost - player.away + player.given, 1.0)))


FIGURES = (
    ("accuracy", accuracy),
    ("given away", given_away),
    ("luck", luck),
    ("average dice", with_average_dice),
    ("by others", by_others),
)
"""The columns of the table of players. In a narrow window the last ones are left out."""


def mark_word(move: ReviewedMove) -> str:
    """What a decision was, such as 'best' or 'mistake -6.2 %'."""
    return move.mark if move.cost < AS_GOOD else f"{move.mark} {change(-move.cost)}"


def costliest_moves(review: GameReview, player: ReviewedPlayer) -> list[ReviewedMove]:
    """The player's decisions that cost most, the costliest first."""
    return sorted((review.moves[place] for place in player.costliest), key=lambda move: -move.cost)


def explained(move: ReviewedMove) -> str:
    """Why a decision was what it was, in one sentence."""
    if move.why:
        return _capital(move.why) if move.why[-1:] in ".!?" else f"{_capital(move.why)}."
    if move.cost < AS_GOOD:
        return f"{_capital(move.took)}."
    return f"{_capital(move.took)}; {move.best} was better by {change(move.cost).removeprefix('+')}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
