"""A review that fits into one message, however long the game and however many its players."""

from dicegames_protocol.messages.review import GameReview, ReviewedPlayer

MOST_SENT_MOVES = 80
"""Most decisions. The costliest of each player come first, then those that cost most."""
MOST_SENT_PLAYERS = 40
"""Most players. The winners come first, then those who gave away most."""
MOST_SENT_CHANCES = 1200
"""Most chances in the curve: points times players."""


def shortened(review: GameReview, most_players: int = MOST_SENT_PLAYERS) -> GameReview:
    """The same review with the most important players, decisions and points of the curve."""
    order = sorted(
        range(len(review.players)), key=lambda place: (-review.players[place].end, -review.players[place].lost)
    )
    kept = sorted(order[:most_players])
    players = [review.players[place] for place in kept]
    seats = {player.seat for player in players}
    places = _places(review, players, seats)
    index = {place: number for number, place in enumerate(places)}
    apart = -(-len(review.curve) * len(kept) // MOST_SENT_CHANCES) or 1
    points = (*review.curve[:-1:apart], *review.curve[-1:])
    return review.but(
        players=tuple(
            player.but(costliest=tuple(index[place] for place in player.costliest if place in index))
            for player in players
        ),
        moves=tuple(review.moves[place] for place in places),
        curve=tuple(point.but(chances=tuple(point.chances[place] for place in kept)) for point in points),
        left_out=review.left_out + len(review.moves) - len(places),
    )


def _places(review: GameReview, players: list[ReviewedPlayer], seats: set[int]) -> list[int]:
    """The places of the decisions that are kept, in the order of the game."""
    costliest = {place for player in players for place in player.costliest}
    mine = [place for place, move in enumerate(review.moves) if move.seat in seats]
    mine.sort(key=lambda place: (place not in costliest, -review.moves[place].cost))
    return sorted(mine[:MOST_SENT_MOVES])
