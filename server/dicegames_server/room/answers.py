"""Answers to moves, kept so that a move sent twice acts once and is answered the same both times."""

KEPT_PER_SEAT = 64


class Answers:
    """The latest answers of each seat. An older repeat names an old update, and is refused as stale."""

    def __init__(self) -> None:
        self._by_seat: dict[int, dict[str, bytes]] = {}

    def get(self, seat: int, id: str) -> bytes | None:
        answers = self._by_seat.get(seat)
        return answers.get(id) if answers else None

    def keep(self, seat: int, id: str, answer: bytes) -> None:
        answers = self._by_seat.setdefault(seat, {})
        answers[id] = answer
        if len(answers) > KEPT_PER_SEAT:
            del answers[next(iter(answers))]  # the oldest

    def forget(self, seat: int) -> None:
        """The seat gets another player, whose ids are their own."""
        self._by_seat.pop(seat, None)
