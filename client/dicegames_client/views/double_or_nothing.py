"""Double or Nothing: the words of its source document, its number line and its recap."""

from dicegames_client.guest.store import Store
from dicegames_client.play.highlights import Highlight
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import Wording
from dicegames_client.views.generic import GenericView
from dicegames_client.widgets.lines import Line, inside, width_of
from dicegames_client.widgets.scoreboard import Head
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer


class DoubleOrNothingView(GenericView):
    head = Head(score="WINS", note="")

    def tell(self, event: JsonObject, wording: Wording) -> list[str]:
        state = wording.store.game
        match event:
            case {"kind": "tossed", "seat": seat}:
                return [f"The coin says that {wording.whom(seat)} {'begin' if seat == wording.me else 'begins'}."]
            case {"kind": "began", "game": number, "seat": seat}:
                info = wording.store.info
                tossed = number == 1 and info.game_no == 1 and info.options["first"] == "toss"
                series = [f"Game {number} of at most {state['best_of']}."] if state["best_of"] > 1 else []
                return series if tossed else [*series, f"{wording.does(seat, 'begin')}."]
            case {"kind": "chose", "seat": seat, "what": what, "number": number}:
                choice = "double it" if what == "double" else "add one"
                return [f"{wording.who(seat)} chose to {choice}. New number is {number}."]
            case {"kind": "won", "winner": winner, "loser": loser, "over": over}:
                reached = f"The number exceeded {state['target']}!" if over else f"That is exactly {state['target']}!"
                return [reached, f"{wording.does(loser, 'lose')}. {wording.does(winner, 'win')} the game!"]
        return []

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        question = f"{store.name(seat)}, choose 'add' to add one or 'double' to double it: "
        return [f"Current number: {store.game['number']}"], question

    def state_of_play(self, wording: Wording) -> list[str]:
        state = wording.store.game
        number = f"The number is {state['number']}; the target is exactly {state['target']}."
        return [number, f"{wording.does(state['turn'], 'are')} to play."]

    def scores(self, wording: Wording) -> list[str]:
        lines = []
        for seat, entry in wording.store.game["seats"].items():
            wins = entry["wins"]
            lines.append(f"{wording.does(int(seat), 'have')} {wins} {'win' if wins == 1 else 'wins'}.")
        return lines

    def brief(self, event: JsonObject, wording: Wording) -> list[str]:
        match event:
            case {"kind": "chose", "seat": seat, "what": what, "number": number}:
                does = wording.does(seat, "double") if what == "double" else f"{wording.does(seat, 'add')} one"
                return [f"{does}: {number}"]
            case {"kind": "won", "over": over}:
                target = wording.store.game["target"]
                return [f"The number exceeded {target}!" if over else f"That is exactly {target}!"]
        return self.tell(event, wording)

    # The screen.

    def headline(self, scene: Scene) -> str:
        state = scene.game
        series = f" of {state['best_of']}" if state["best_of"] > 1 else ""
        number = state["game"] if state["best_of"] > 1 else scene.store.info.game_no
        return f"game {number}{series}"

    def turn(self, store: Store) -> int | None:
        return int(store.game["turn"]) if store.phase == "playing" else None

    def picture(self, scene: Scene, width: int, rows: int) -> list[Line]:
        state = scene.game
        target, won = state["target"], scene.event("won")
        lines: list[Line] = [self.banner(scene, mine="YOUR MOVE"), []]
        lines.append(
            [
                ("", "NUMBER  "),
                ("big", str(state["number"])),
                ("dim", f"     target exactly {target}, over {target} loses"),
            ]
        )
        lines += [[], self._number_line(scene, width - 6), []]
        if won:
            lines.append(self._won(scene, won))
        for key, take in scene.keys:
            offer = scene.offers.get(take)
            if offer:
                warning = f"   OVER {target}: YOU LOSE (asks y/n)" if offer.loses else ""
                label = self.label(scene, take, offer)
                lines.append([("key", f"[{key.upper()}]"), ("", f" {label}"), ("bad", warning)])
        return inside([*lines, *self.clock(scene)], 3)

    def label(self, scene: Scene, take: str, offer: Offer) -> str:
        return offer.label.replace("->", scene.glyphs.arrow)

    def _number_line(self, scene: Scene, room: int) -> Line:
        """The numbers so far: each number that was made, and a dot for each that was skipped.

        Shortened if it is too long.
        """
        state = scene.game
        number, target = state["number"], state["target"]
        made = {int(key) for key in state["trail"]} | {state["start"], number, target}
        for longest in (target, 3, 1, 0):
            shown: Line = []
            before = state["start"] - 1
            for stop in sorted(made):
                gap = stop - before - 1
                dots = (
                    ". " * gap if gap <= longest else (". " * longest + f"{scene.glyphs.ellipsis} " if longest else "")
                )
                style = "you" if stop == number else "good" if stop == target else ""
                text = f"<{stop}>" if stop == number else str(stop)
                shown += [("dim", dots), (style, f"{text} ")]
                before = stop
            if width_of(shown) <= room:
                return shown
        return shown

    def _won(self, scene: Scene, won: JsonObject) -> Line:
        how = f"OVER {scene.game['target']}: " if won["over"] else f"EXACTLY {scene.game['target']}: "
        good = scene.mine(won["winner"]) or not scene.store.seats
        return [
            ("hot", f" {how}{won['number']} "),
            ("good" if good else "bad", f"  {scene.wording.does(won['winner'], 'win')}"),
        ]

    def note(self, scene: Scene, seat: int, entry: JsonObject) -> str:
        state = scene.game
        notes = ["to move"] if seat == state["turn"] else []
        notes += ["went first"] if seat == state["starter"] and state["trail"] else []
        return ", ".join(notes)

    # The recap.

    def lap(self, event: JsonObject, store: Store) -> bool:
        return event["kind"] in ("chose", "began")

    def tally(self, store: Store) -> dict[str, int]:
        """The plot shows how the number grows, because wins say little here."""
        return {"number": int(store.game["number"])}

    def highlights(self, event: JsonObject, before: Store, after: Store) -> list[Highlight]:
        wording = Wording(after)
        match event:
            case {"kind": "won", "loser": loser, "slip": slip}:
                took = "doubled" if slip["took"] == "double" else "added one"
                better = "doubling" if slip["instead"] == "double" else "adding one"
                said = f"at {slip['number']} {wording.whom(loser)} {took}; {better} would have won"
                return [Highlight("Where it was lost", after.seq, said)]
            case {"kind": "won", "loser": loser}:
                said = f"nowhere: {wording.whom(loser)} could not have won from the start"
                return [Highlight("Where it was lost", after.seq, said)]
        return []


VIEW = DoubleOrNothingView()
