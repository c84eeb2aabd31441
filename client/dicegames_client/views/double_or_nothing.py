"""Double or Nothing in the words of its source document."""

from dicegames_client.store import Store
from dicegames_client.story import Story
from dicegames_client.views.generic import GenericView
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer


class DoubleOrNothingView(GenericView):
    def tell(self, event: JsonObject, story: Story) -> list[str]:
        state = story.store.game
        match event:
            case {"kind": "tossed", "seat": seat}:
                return [f"The coin says that {story.whom(seat)} {'begin' if seat == story.me else 'begins'}."]
            case {"kind": "began", "game": number, "seat": seat}:
                info = story.store.info
                tossed = number == 1 and info.game_no == 1 and info.options["first"] == "toss"
                series = [f"Game {number} of at most {state['best_of']}."] if state["best_of"] > 1 else []
                return series if tossed else [*series, f"{story.does(seat, 'begin')}."]
            case {"kind": "chose", "seat": seat, "what": what, "number": number}:
                choice = "double it" if what == "double" else "add one"
                return [f"{story.who(seat)} chose to {choice}. New number is {number}."]
            case {"kind": "won", "winner": winner, "loser": loser, "over": over}:
                reached = f"The number exceeded {state['target']}!" if over else f"That is exactly {state['target']}!"
                return [reached, f"{story.does(loser, 'lose')}. {story.does(winner, 'win')} the game!"]
        return []

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        question = f"{store.name(seat)}, choose 'add' to add one or 'double' to double it: "
        return [f"Current number: {store.game['number']}"], question

    def state_of_play(self, story: Story) -> list[str]:
        state = story.store.game
        number = f"The number is {state['number']}; the target is exactly {state['target']}."
        return [number, f"{story.does(state['turn'], 'are')} to play."]

    def scores(self, story: Story) -> list[str]:
        lines = []
        for seat, entry in story.store.game["seats"].items():
            wins = entry["wins"]
            lines.append(f"{story.does(int(seat), 'have')} {wins} {'win' if wins == 1 else 'wins'}.")
        return lines


VIEW = DoubleOrNothingView()
