"""A review in lines of text, for line mode and for `review`: the players, what cost most, and the graph."""

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.review.figures import (
    FIGURES,
    accuracy,
    by_others,
    costliest_moves,
    explained,
    given_away,
    luck,
    mark_word,
    with_average_dice,
)
from dicegames_client.widgets.lines import text_of
from dicegames_client.widgets.plot import Series, plot
from dicegames_protocol.messages.review import GameReview, ReviewedPlayer
from dicegames_protocol.text import columns

MOST_CHANCE_CURVES = 6
GRAPH_ROWS = 10
MEANING = (
    "Given away: what one's own decisions cost of the chance to win. By others: what theirs gave.",
    "Luck: what the dice gave, and who began.",
    "Average dice: the chance to win that the same decisions would have led to without luck.",
)


def chance_series(review: GameReview) -> list[Series]:
    """The chances to win in percent, a curve for each player; of many, for those who did best at the end."""
    order = sorted(range(len(review.players)), key=lambda place: -review.players[place].end)[:MOST_CHANCE_CURVES]
    return [
        Series(review.players[place].name, tuple(round(point.chances[place] * 100) for point in review.curve))
        for place in order
    ]


def even_chance(review: GameReview) -> int:
    """The chance in percent that everybody would have, if all were equal."""
    return round(100 / max(1, len(review.players)))


def caveat(review: GameReview) -> str:
    """What has to be known about how exact the figures are."""
    return "" if review.exact else "The chances are close, not exact."


def told_table(review: GameReview) -> list[str]:
    """The players as a table, in the order of the chance that their decisions would have led to."""
    rows = [["", *(head for head, _ in FIGURES)]]
    rows += [[name_of(player), *(figure(player) for _, figure in FIGURES)] for player in ordered(review)]
    wide = [max(columns(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        (row[0] + " " * (wide[0] - columns(row[0]))
         + "".join("  " + " " * (wide[place] - columns(row[place])) + row[place] for place in range(1, len(row))))
        for row in rows
    ]  # fmt: skip


def told_players(review: GameReview) -> list[str]:
    """A sentence for each player."""
    return [
        f"{name_of(player)}: accuracy {accuracy(player)}, given away {given_away(player)}, luck {luck(player)}, "
        f"by others {by_others(player)}; with average dice {with_average_dice(player)}."
        if player.decisions
        else f"{name_of(player)} had nothing to decide; luck {luck(player)}, by others {by_others(player)}."
        for player in ordered(review)
    ]


def told_costliest(review: GameReview) -> list[str]:
    """The decisions that cost most, of each player."""
    return [
        f"{name_of(player)}, update {move.seq}, {mark_word(move)}: {explained(move)}"
        for player in ordered(review)
        for move in costliest_moves(review, player)
    ] or ["Nobody gave anything away."]


def told_graph(review: GameReview, width: int, glyphs: Glyphs) -> list[str]:
    if len(review.curve) < 2:
        return []
    return [
        text_of(part).rstrip() for part in plot(chance_series(review), width, GRAPH_ROWS, glyphs, even_chance(review))
    ]


def told_review(review: GameReview) -> list[str]:
    """All of it in sentences, for line mode."""
    head = f"How well everybody played game {review.game_no}, {review.title}. {caveat(review)}".rstrip()
    return [head, *told_players(review), *told_costliest(review)]


def ordered(review: GameReview) -> list[ReviewedPlayer]:
    """The players: who won, then who gave away least."""
    return sorted(review.players, key=lambda player: (-player.end, player.lost))


def name_of(player: ReviewedPlayer) -> str:
    return f"{player.name} (bot)" if player.bot and "bot" not in player.name.lower() else player.name
