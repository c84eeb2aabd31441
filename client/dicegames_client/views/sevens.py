"""Sevens in words."""

from dicegames_client.store import Store
from dicegames_client.story import Story, dice, listed
from dicegames_client.views.generic import GenericView
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer


class SevensView(GenericView):
    def tell(self, event: JsonObject, story: Story) -> list[str]:
        match event:
            case {"kind": "rolled_for_start", "seat": seat, "faces": faces, "sum": total}:
                return [f"{story.does(seat, 'roll')} {dice(faces)} for the start: {total}."]
            case {"kind": "start_tied", "seats": seats, "sum": total}:
                return [f"{listed(story.who(seat) for seat in seats)} tied with {total} and roll again."]
            case {"kind": "starts", "seat": seat}:
                return [f"{story.does(seat, 'begin')}."]
            case {"kind": "rolled"}:
                return [_rolled(event, story)]
            case {"kind": "scored", "seat": seat, "points": points, "total": total, "why": why}:
                last = "No dice are left. " if why == "nothing-left" else ""
                return [f"{last}{story.does(seat, 'score')} {points}. That makes {total}."]
            case {"kind": "round_began", "round": number, "extra": False}:
                return [f"Round {number} of {story.store.game['rounds']} begins."]
            case {"kind": "round_began", "seats": seats}:
                return [f"It is a tie. {listed(story.who(seat) for seat in seats)} play an extra round."]
        return []

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        state, name = store.game, store.name(seat)
        many = offers["roll"].enter
        how = f"roll {many} {'dice' if many > 1 else 'die'} and type 'roll' and the faces" if many else "'roll'"
        if state["stage"] == "start":
            return [], f"{name}, {how} for the start: "
        if "keep" not in offers:
            return [], f"{name}, it is your turn: {how}: "
        return [], f"{name}, {how}, or 'keep'? "

    def state_of_play(self, story: Story) -> list[str]:
        state = story.store.game
        return [f"Round {state['round']} of {state['rounds']}." if state["round"] else "Everyone rolls for the start."]

    def scores(self, story: Story) -> list[str]:
        playing = story.store.info.phase == "playing"
        lines = []
        for seat, entry in story.store.game["seats"].items():
            now = f", {entry['round']} of it in this round" if "round" in entry and playing else ""
            lines.append(f"{story.does(int(seat), 'have')} {entry['total']}{now}.")
        return lines


def _rolled(event: JsonObject, story: Story) -> str:
    faces, left = event["faces"], event["left"]
    gone = ", ".join(f"{faces[one]} and {faces[two]} go" for one, two in event["pairs"])
    rest = f"Left {listed(left)}, worth {event['worth']}." if left else "Nothing is left."
    return " ".join(
        part for part in (f"{story.does(event['seat'], 'roll')} {dice(faces)}.", gone and f"{gone}.", rest) if part
    )


VIEW = SevensView()
