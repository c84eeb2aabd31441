"""Double or Nothing: the words of its source document, its number line and its recap."""

from collections.abc import Sequence

from dicegames_client.guest.store import Store
from dicegames_client.play.highlights import Highlight
from dicegames_client.play.hints import Hint
from dicegames_client.play.moment import Moment
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import Wording, in_words
from dicegames_client.views.generic import GenericView
from dicegames_client.widgets.digits import large_number
from dicegames_client.widgets.lines import Line, beside, inside, line, width_of
from dicegames_client.widgets.scoreboard import Head
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer


class DoubleOrNothingView(GenericView):
    with_odds = False
    no_odds = "Nothing is left to chance in this game, so there are no odds."
    head = Head(score="WINS", note="")
    tall = 11
    moves = ("add", "double")
    roomy = 13
    says_rounds = True
    stage_title = "the number"
    story_title = "this game"

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
                return [f"{wording.who(seat)} chose to {choice}. New number is {number:,}."]
            case {"kind": "won", "winner": winner, "loser": loser, "over": over}:
                reached = "The number exceeded" if over else "That is exactly"
                won = f"{wording.does(loser, 'lose')}. {wording.does(winner, 'win')} the game!"
                return [f"{reached} {state['target']:,}!", won]
        return []

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        question = f"{store.name(seat)}, choose 'add' to add one or 'double' to double it: "
        return [f"Current number: {store.game['number']:,}"], question

    def state_of_play(self, wording: Wording) -> list[str]:
        state = wording.store.game
        number = f"The number is {state['number']:,}; the target is exactly {state['target']:,}."
        return [number, f"{wording.does(state['turn'], 'are')} to play."]

    def scores(self, wording: Wording) -> list[str]:
        lines = []
        for seat, entry in wording.store.game["seats"].items():
            wins = entry["wins"]
            lines.append(f"{wording.does(int(seat), 'have')} {wins} {'win' if wins == 1 else 'wins'}.")
        return lines

    def short_standings(self, wording: Wording) -> list[str]:
        best_of = wording.store.game["best_of"]
        needed = f"Best of {best_of}: {in_words(best_of // 2 + 1)} wins."
        return [f"{told} {needed}" for told in super().short_standings(wording)]

    def brief(self, event: JsonObject, wording: Wording) -> list[str]:
        match event:
            case {"kind": "chose", "seat": seat, "what": what, "number": number}:
                does = wording.does(seat, "double") if what == "double" else f"{wording.does(seat, 'add')} one"
                return [f"{does}: {number:,}"]
            case {"kind": "won", "over": over}:
                target = wording.store.game["target"]
                return [f"The number exceeded {target:,}!" if over else f"That is exactly {target:,}!"]
        return self.tell(event, wording)

    # The screen.

    def has_odds(self, store: Store, seat: int | None) -> bool:
        return False

    def headline(self, scene: Scene) -> str:
        state = scene.game
        series = f" of {state['best_of']}" if state["best_of"] > 1 else ""
        number = state["game"] if state["best_of"] > 1 else scene.store.info.game_no
        return f"game {number}{series}"

    def turn(self, store: Store) -> int | None:
        return int(store.game["turn"]) if store.phase == "playing" else None

    def picture(self, scene: Scene, width: int, rows: int) -> list[Line]:
        state = scene.game
        target = state["target"]
        lines: list[Line] = [self.banner(scene, mine="YOUR MOVE"), []]
        goal = f"target exactly {target}, over {target} loses"
        digits = large_number(state["number"], scene.glyphs)
        moves = self._moves(scene)
        needed = len(digits) + len(self.moves) + len(self.clock(scene)) + 4  # the same at both players' moves
        if rows >= needed:
            lines = lines if rows > needed else lines[:1]
            wide = max(width_of(digit) for digit in digits)
            lines += beside([[("", "NUMBER   ")]], digits, 9)
            lines[-len(digits) // 2 :] = beside(lines[-len(digits) // 2 :], [line(f"     {goal}", "dim")], 9 + wide)
        else:
            lines.append([("", "NUMBER  "), ("big", str(state["number"])), ("dim", f"     {goal}")])
        lines += [[], self._number_line(scene, width - 6), [], *moves]
        return inside([*lines, *self.clock(scene)], 3)

    def _moves(self, scene: Scene) -> list[Line]:
        """The two moves, with what they lead to."""
        lines: list[Line] = []
        for key, take in scene.keys:
            offer = scene.offers.get(take)
            if offer:
                warning = f"   OVER {scene.game['target']}: YOU LOSE (asks y/n)" if offer.loses else ""
                label = self.label(scene, take, offer)
                lines.append([("key", f"[{key.upper()}]"), ("", f" {label}"), ("bad", warning)])
        return lines

    def moment(self, events: Sequence[JsonObject], before: Store, after: Store) -> Moment | None:
        won = next((event for event in events if event["kind"] == "won"), None)
        if won is None:
            return None
        wording, target, best_of = Wording(after), after.game["target"], after.game["best_of"]
        title = f"{won['number']}: {'OVER' if won['over'] else 'EXACTLY'} {target}"
        which = f"game {before.game['game']} of at most {best_of}" if best_of > 1 else "the game"
        mine = won["winner"] in after.seats or not after.seats
        style = "hot" if mine else "status-bad"
        return Moment(title, f"{wording.does(won['winner'], 'win')} {which}.", style, pauses=True)

    def hint(self, scene: Scene) -> Hint | None:
        if not scene.playing or scene.seat is None or not scene.offers:
            return None
        target = scene.game["target"]
        if 2 * scene.game["number"] > target:
            return Hint("over", f"Doubling goes over {target} now, and that loses.")
        return Hint("goal", f"Exactly {target} wins, and over it loses. A adds one, D doubles.")

    def story_begins(self, event: JsonObject, before: Store) -> bool:
        return bool(event["kind"] == "began")

    def round_ends(self, event: JsonObject, store: Store) -> bool:
        return bool(event["kind"] == "won" and store.game["best_of"] > 1)

    def target(self, store: Store) -> int | None:
        return int(store.game["target"]) if store.game else None

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

    def note(self, scene: Scene, seat: int, entry: JsonObject) -> str:
        state = scene.game
        notes = ["to move"] if seat == state["turn"] else []
        notes += ["first"] if seat == state["starter"] and state["trail"] else []
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
