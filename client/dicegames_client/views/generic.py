"""A view for any game, from state and offers alone; views of known games say it better."""

from dicegames_client.store import Store
from dicegames_client.story import Story, quoted
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer

_HIDDEN = ("kind", "seat", "entered")


class GenericView:
    def tell(self, event: JsonObject, story: Story) -> list[str]:
        """Sentences about something that happened in the game."""
        facts = ", ".join(f"{key} {_short(value)}" for key, value in event.items() if key not in _HIDDEN)
        what = str(event["kind"]).replace("_", " ")
        who = story.who(event["seat"]) + ": " if "seat" in event else ""
        return [f"{who}{what} ({facts})." if facts else f"{who}{what}."]

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        """Sentences that say where the game stands, and the question to somebody who is to play."""
        lines = [f"'{key}': {offer.label}." for key, offer in offers.items()]
        faces = " and the faces that you rolled" if any(offer.enter for offer in offers.values()) else ""
        return lines, f"{store.name(seat)}, {quoted(offers)}{faces}? "

    def idle(self, story: Story, seat: int) -> str:
        """What to tell somebody who wants to do something and can't."""
        waiting = [offer.get("seat") for offer in story.store.table["offers"].values() if offer["needed"]]
        turn = (
            f"{story.store.name(waiting[0])} is to play" if waiting and waiting[0] is not None else "others are to play"
        )
        return f"Not your turn: {turn}. Type 'who' to see how it stands."

    def standings(self, story: Story) -> list[str]:
        """How it stands: while it is played the state of play, and always a line for each player."""
        lines = self.state_of_play(story) if story.store.info.phase == "playing" else []
        return lines + self.scores(story)

    def state_of_play(self, story: Story) -> list[str]:
        facts = {key: value for key, value in story.store.game.items() if not isinstance(value, dict)}
        lines = [f"{key.replace('_', ' ')}: {_short(value)}." for key, value in facts.items()]
        waiting = {offer.get("seat") for offer in story.store.table["offers"].values() if offer["needed"]} - {None}
        return lines + [f"{story.does(seat, 'are')} to play." for seat in waiting]

    def scores(self, story: Story) -> list[str]:
        lines = []
        for seat, entry in story.store.game.get("seats", {}).items():
            facts = ", ".join(f"{key} {_short(value)}" for key, value in entry.items())
            lines.append(f"{story.who(int(seat))}: {facts}.")
        return lines


def _short(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(_short(part) for part in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


VIEW = GenericView()
