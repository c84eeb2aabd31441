"""The marks of the moves in a log, for its replay: what each was, and where the next mistake is."""

import bisect
from collections import defaultdict

from dicegames_client.review.figures import explained, mark_word
from dicegames_client.review.review_text import name_of
from dicegames_protocol.messages.review import SLIP, GameReview, ReviewedMove

MOST_AT_ONCE = 3
"""Most marks of one update that are told. At a large table many may have decided in the same moment."""


class MoveMarks:
    """The reviews of the games of a log, as far as they are known."""

    def __init__(self) -> None:
        self._reviews: dict[int, GameReview] = {}
        self._moves: dict[int, list[tuple[str, ReviewedMove]]] = defaultdict(list)
        self._mistakes: list[int] = []
        """The numbers of the updates with a slip or worse, in their order."""

    def add(self, review: GameReview) -> None:
        """The review of one more game. It is a cleaned one."""
        if review.game_no in self._reviews:
            return
        self._reviews[review.game_no] = review
        names = {player.seat: name_of(player) for player in review.players}
        for move in review.moves:
            self._moves[move.seq].append((names.get(move.seat, f"seat {move.seat + 1}"), move))
        self._mistakes = sorted(seq for seq, found in self._moves.items() if any(_wrong(move) for _, move in found))

    def of_game(self, number: int) -> GameReview | None:
        return self._reviews.get(number)

    def next_mistake(self, after: int) -> int | None:
        """The number of the next update with a slip or worse."""
        place = bisect.bisect_right(self._mistakes, after)
        return self._mistakes[place] if place < len(self._mistakes) else None

    def short(self, seq: int) -> str:
        """The marks of an update, without why: 'best', or 'ana slip -2.1 %, bo best'."""
        found = self._at(seq)
        if len(found) == 1:
            return mark_word(found[0][1])
        return ", ".join(f"{name} {mark_word(move)}" for name, move in found)

    def told(self, seq: int) -> str:
        """The same in a sentence, with why."""
        return "  ".join(f"{name}, {_told(move)}" for name, move in self._at(seq))

    def mistakes(self, seq: int) -> list[str]:
        """A sentence for each slip or worse in an update."""
        return [f"{name}, {_told(move)}" for name, move in self._at(seq) if _wrong(move)]

    def _at(self, seq: int) -> list[tuple[str, ReviewedMove]]:
        """The decisions in an update, the costliest first."""
        return sorted(self._moves.get(seq, ()), key=lambda pair: -pair[1].cost)[:MOST_AT_ONCE]


def _wrong(move: ReviewedMove) -> bool:
    return move.cost >= SLIP


def _told(move: ReviewedMove) -> str:
    return f"{mark_word(move)}: {explained(move)}"
