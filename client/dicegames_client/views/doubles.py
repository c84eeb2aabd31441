"""Doubles in words."""

from dicegames_client.store import Store
from dicegames_client.story import Story, listed
from dicegames_client.views.generic import GenericView
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer


class DoublesView(GenericView):
    def tell(self, event: JsonObject, story: Story) -> list[str]:
        match event:
            case {"kind": "rolled"}:
                return [_rolled(event, story)]
            case {"kind": "cashed_out", "seat": seat, "points": points, "score": score}:
                return [f"{story.does(seat, 'cash')} out {points}. That makes {score}."]
            case {"kind": "held", "seat": seat, "holding": holding, "of": of}:
                return [f"{story.does(seat, 'hold')}. {holding} of {of} are holding."]
            case {"kind": "window_opened", "ms": ms}:
                return self._window(story, ms)
            case {"kind": "window_closed", "roller": roller}:
                return [f"Everyone has had time to decide. {story.does(roller, 'roll')} next."]
            case {"kind": "round_over", "round": number, "why": why}:
                reason = "the fourth seven has come" if why == "bust" else "everyone has cashed out"
                return [f"Round {number} is over: {reason}."]
            case {"kind": "round_began", "round": number, "roller": roller, "last": last}:
                rounds = story.store.game.get("rounds")
                of = f" of {rounds}" if rounds and not last else ""
                final = " It is the last one." if last else ""
                return [f"Round {number}{of} begins.{final} {story.does(roller, 'roll')} first."]
        return []

    def _window(self, story: Story, ms: int) -> list[str]:
        store = story.store
        state = store.game
        then = "" if store.info.options["dice"] == "entered" else "Next roll in "
        left = f"{then}{ms // 1000} seconds{'' if then else ' to decide'}."
        inside = [seat for seat in store.seats if state["seats"].get(str(seat), {}).get("out") != state["round"]]
        if not inside:
            return [left]
        who = "You are" if story.me is not None else f"{listed(store.name(seat) for seat in inside)} can choose:"
        if story.me is None:
            return [f"{who} type 'cash' or 'hold'. {left}"]
        return [f"{who} in. Type 'cash' or 'hold'. {left}"]

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        state = store.game
        if "hold" in offers:
            return [], f"{store.name(seat)}, 'cash' to take {state['pot']} or 'hold' to stay in: "
        cash = f", or 'cash' to take {state['pot']}" if "cash" in offers else ""
        if offers["roll"].enter:
            return [], f"{store.name(seat)}, roll two dice and type them, such as 'roll 5 2'{cash}: "
        return [], f"{store.name(seat)}, 'roll'{cash}: "

    def idle(self, story: Story, seat: int) -> str:
        state = story.store.game
        if state["seats"][str(seat)].get("out") == state["round"]:
            return "You have cashed out and are in again in the next round."
        return super().idle(story, seat)

    def state_of_play(self, story: Story) -> list[str]:
        state = story.store.game
        of = f" of {state['rounds']}" if "rounds" in state else ""
        sevens = f"Sevens so far: {state['sevens']}. The fourth ends the round."
        turn = [] if "deciding" in state else [f"{story.does(state['roller'], 'roll')} next."]
        return [f"Round {state['round']}{of}. The pot is {state['pot']}.", sevens, *turn]

    def scores(self, story: Story) -> list[str]:
        state = story.store.game
        playing = story.store.info.phase == "playing"
        lines = []
        for seat, entry in state["seats"].items():
            where = f", out with {entry['won']}" if entry.get("out") == state["round"] else ", in"
            lines.append(f"{story.does(int(seat), 'have')} {entry['score']}{where if playing else ''}.")
        return lines


def _rolled(event: JsonObject, story: Story) -> str:
    one, two = event["faces"]
    pot, sevens = event["pot"], event["sevens"]
    rolls = f"{story.does(event['seat'], 'roll')} {one} and {two}."
    match event.get("special"):
        case "bust":
            return f"{rolls} Seven number 4. The pot is gone."
        case "seven":
            warning = " The next seven ends the round." if sevens == 3 else ""
            return f"{rolls} Seven number {sevens}. The pot is {pot}.{warning}"
        case "first-doubles":
            return f"{rolls} DOUBLES on the first roll! The pot is {pot}."
        case "doubles":
            return f"{rolls} DOUBLES! The pot is {pot}."
    return f"{rolls} The pot is {pot}."


VIEW = DoublesView()
