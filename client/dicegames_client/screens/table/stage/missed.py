"""What has happened while we were away, in a sentence."""

from dicegames_client.views import view_of
from dicegames_protocol.base import JsonObject

MOST_TOLD = 3


class Missed:
    def __init__(self) -> None:
        self._events: list[tuple[JsonObject, list[str]]] = []
        self.unsure = False
        """A move was on its way when the connection was lost."""

    def begin(self, *, unsure: bool) -> None:
        self._events, self.unsure = [], unsure

    def add(self, event: JsonObject, texts: list[str]) -> None:
        """`texts`: the event in words."""
        if texts:
            self._events.append((event, texts))

    def told(self, game: str) -> str:
        """A sentence such as: While you were away: 3 rolls, ana cashes out 800. It begins anew after that."""
        thrown = view_of(game).thrown
        rolls = sum(bool(thrown(event)) for event, _ in self._events)
        told = [text for event, texts in self._events if not thrown(event) for text in texts]
        parts = [f"{rolls} roll{'s' if rolls > 1 else ''}"] if rolls else []
        parts += [text.rstrip(".") for text in told[-MOST_TOLD:]]
        more = f" and {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else ""
        self._events = []
        lost = " Your last move did not arrive." if self.unsure else ""
        if not parts:
            return f"You are back.{lost}" if lost else "You are back; nothing was missed."
        return f"While you were away: {', '.join(parts)}{more}.{lost}"
