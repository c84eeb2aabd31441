"""Sevens: its words, its picture and its recap."""

from collections.abc import Sequence

from dicegames_client.guest.store import Store
from dicegames_client.play.highlights import Highlight
from dicegames_client.play.hints import Hint
from dicegames_client.play.moment import Moment
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import Wording, dice, listed
from dicegames_client.views.generic import GenericView
from dicegames_client.widgets.die import Die, row_of
from dicegames_client.widgets.lines import Line, inside, line
from dicegames_client.widgets.scoreboard import Head
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer

ROLLS = 3


class SevensView(GenericView):
    head = Head(score="TOTAL", note="ROUND")
    tall = 11
    roomy = 12
    moves = ("roll", "keep")
    stage_title = "the dice"
    says_rounds = True

    def tell(self, event: JsonObject, wording: Wording) -> list[str]:
        match event:
            case {"kind": "rolled_for_start", "seat": seat, "faces": faces, "sum": total}:
                return [f"{wording.does(seat, 'roll')} {dice(faces)} for the start: {total}."]
            case {"kind": "start_tied", "seats": seats, "sum": total}:
                return [f"{wording.all_of(seats)} tied with {total} and roll again."]
            case {"kind": "starts", "seat": seat}:
                return [f"{wording.does(seat, 'begin')}."]
            case {"kind": "rolled"}:
                return [_rolled(event, wording)]
            case {"kind": "scored", "seat": seat, "points": points, "total": total, "why": why}:
                last = "No dice are left. " if why == "nothing-left" else ""
                return [f"{last}{wording.does(seat, 'score')} {points:,}. That makes {total:,}."]
            case {"kind": "round_began", "round": number, "extra": False}:
                return [f"Round {number:,} of {wording.store.game['rounds']:,} begins."]
            case {"kind": "round_began", "seats": seats}:
                return [f"It is a tie. {wording.all_of(seats)} play an extra round."]
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

    def state_of_play(self, wording: Wording) -> list[str]:
        state = wording.store.game
        if not state["round"]:
            return ["Everyone rolls for the start."]
        lines = [f"Round {state['round']:,} of {state['rounds']:,}."]
        if state.get("left"):
            lines.append(f"Left {listed(state['left'])}, worth {sum(state['left'])}.")
        return [*lines, f"{wording.does(state['turn'], 'are')} to play."]

    def scores(self, wording: Wording) -> list[str]:
        playing = wording.store.info.phase == "playing"
        lines = []
        for seat, entry in wording.store.game["seats"].items():
            now = f", {entry['round']} of it in this round" if "round" in entry and playing else ""
            lines.append(f"{wording.does(int(seat), 'have')} {entry['total']:,}{now}.")
        return lines

    def brief(self, event: JsonObject, wording: Wording) -> list[str]:
        match event:
            case {"kind": "rolled", "seat": seat, "faces": faces, "pairs": pairs}:
                gone = " and ".join(f"{faces[one]}+{faces[two]}" for one, two in pairs)
                vanish = [f"{gone} {'vanish' if len(pairs) > 1 else 'vanishes'}"] if gone else []
                return [f"{wording.does(seat, 'roll')} {dice(faces)}", *vanish]
            case {"kind": "scored", "seat": seat, "points": points}:
                return [f"{wording.does(seat, 'score')} {points}"]
            case {"kind": "rolled_for_start", "seat": seat, "sum": total}:
                return [f"{wording.does(seat, 'roll')} {total} for the start"]
        return self.tell(event, wording)

    # The screen.

    def has_odds(self, store: Store, seat: int | None) -> bool:
        """There is nothing to say before the first roll of a turn."""
        state = store.game
        return state["stage"] == "play" and bool(state.get("left")) and seat in (None, state["turn"])

    def headline(self, scene: Scene) -> str:
        state = scene.game
        if state["stage"] == "start":
            return "rolling for the start"
        return "extra round" if state["extra"] else f"round {state['round']}/{state['rounds']}"

    def turn(self, store: Store) -> int | None:
        turn = store.game.get("turn")
        return int(turn) if turn is not None and store.phase == "playing" else None

    def picture(self, scene: Scene, width: int, rows: int) -> list[Line]:
        state = scene.game
        if state["stage"] == "start" and not scene.event("rolled"):
            return self._start(scene, width, rows)
        rolled = scene.event("rolled")
        shown = rolled or (state if state["roll"] and "faces" in state else None)
        number = state["roll"] + bool(scene.tumbling)
        roll = f"    roll {number} of {ROLLS}" if number else "    all six dice are to be rolled"
        lines: list[Line] = [[*self.banner(scene), ("dim", roll if scene.playing else "")]]
        if scene.tumbling:
            drawn, below = [Die(face, " ") for face in scene.tumbling], []
        elif shown:
            drawn, below = self._dice(shown), self._outcome(shown)
        else:
            drawn, below = [Die(0, " ", style="die-gone") for _ in range(6)], []
        below = [*below, *self.clock(scene)]
        room = rows - 1 - max(2, len(below))
        dice = row_of(drawn, scene.glyphs, width - 3, room)
        lines += [*([[]] if room > len(dice) else []), *dice]
        return inside([*lines, *below], 3)

    def _start(self, scene: Scene, width: int, rows: int) -> list[Line]:
        mine = "roll" in scene.offers
        title = "ROLL FOR THE START" if mine else "Everyone rolls for the start"
        lines: list[Line] = [line(f"{title}: the highest sum begins", "turn" if mine else ""), []]
        rolled = scene.event("rolled_for_start")
        faces = scene.tumbling or (tuple(rolled["faces"]) if rolled else ())
        if faces:
            lines += row_of([Die(face) for face in faces], scene.glyphs, width - 3, rows - 4)
        if rolled and not scene.tumbling:
            lines += [[], line(f"{scene.name(rolled['seat'])} rolled {rolled['sum']}")]
        return inside([*lines, *self.clock(scene)], 3)

    def _dice(self, shown: JsonObject) -> list[Die]:
        """The roll as it fell. Pairs that make seven are gone; each pair has its letter."""
        pair_of = {place: letter for letter, pair in zip("abc", shown.get("pairs", ()), strict=False) for place in pair}
        return [
            Die(face, f"gone-{pair_of[place]}", "die-gone") if place in pair_of else Die(face, "left", "die-scores")
            for place, face in enumerate(shown["faces"])
        ]

    def _outcome(self, shown: JsonObject) -> list[Line]:
        faces, pairs = shown["faces"], shown.get("pairs", ())
        left = [face for place, face in enumerate(faces) if not any(place in pair for pair in pairs)]
        gone = "   ".join(f"{faces[one]}+{faces[two]}=7 gone" for one, two in pairs)
        rest: Line = (
            [("", "LEFT: "), ("big", f"{listed(left)} = {sum(left)} points")]
            if left
            else line("NOTHING IS LEFT", "bad")
        )
        return [line(gone, "dim"), rest]

    def lying(self, store: Store) -> tuple[int, ...]:
        return tuple(store.game.get("left") or ())

    def moment(self, events: Sequence[JsonObject], before: Store, after: Store) -> Moment | None:
        scored = next((event for event in events if event["kind"] == "scored"), None)
        if scored is None:
            return None
        wording = Wording(after)
        rolled = next((tuple(event["faces"]) for event in events if event["kind"] == "rolled"), ())
        rolled = rolled or tuple(before.game.get("left") or ())
        said = f"{wording.does(scored['seat'], 'score')} {scored['points']:,}. That makes {scored['total']:,}."
        nothing = scored["why"] == "nothing-left"
        began = next((event for event in events if event["kind"] == "round_began"), None)
        ended = before.game.get("round", 0)
        if began:
            extra = " It is a tie: an extra round follows." if began["extra"] else ""
            return Moment(f"ROUND {ended} IS OVER", f"{said}{extra}", faces=rolled, pauses=True)
        title = "NOTHING LEFT" if nothing else f"{scored['points']:,} POINTS"
        return Moment(title, said, "status-bad" if nothing else "hot", rolled)

    def dead(self, take: str, scene: Scene) -> str:
        return "There is nothing to keep yet: roll first." if take == "keep" and take not in scene.offers else ""

    def hint(self, scene: Scene) -> Hint | None:
        state = scene.game
        if not scene.playing or scene.seat is None or not scene.offers:
            return None
        if state["stage"] == "start":
            how = "Roll for the start and press the faces." if scene.by_hand else "R rolls for the start."
            return Hint("start", f"{how} The highest sum begins.")
        if not state["roll"]:
            how = "Roll six dice, press their faces." if scene.by_hand else "R rolls six dice."
            return Hint("roll", f"{how} Two that make seven are gone.")
        worth = sum(state.get("left") or ())
        again = "roll what is left again" if scene.by_hand else "R rolls what is left again"
        return Hint("keep", f"Only the last roll counts: {again}, K keeps {worth}.")

    def story_begins(self, event: JsonObject, before: Store) -> bool:
        return bool(event["kind"] == "rolled" and event["roll"] == 1)

    def story(self, scene: Scene) -> list[Line]:
        lines: list[Line] = []
        for event in scene.story:
            match event:
                case {"kind": "rolled", "seat": seat, "faces": faces, "roll": number, "worth": worth}:
                    lines += [line(scene.name(seat), "head")] if number == 1 else []
                    lines.append([("", f"roll {number}  {dice(faces):<13}"), ("big", f"{worth:>4}")])
                case {"kind": "scored", "points": points}:
                    lines.append(line(f"  scored {points}", "good"))
                case {"kind": "rolled_for_start", "seat": seat, "sum": total}:
                    lines.append(line(f"{scene.name(seat)}: {total} for the start"))
        return lines

    def note(self, scene: Scene, seat: int, entry: JsonObject) -> str:
        state = scene.game
        if state["stage"] == "start":
            return f"start: {entry['opening']}" if "opening" in entry else "to roll"
        match entry["status"]:
            case "turn":
                return f"now: {sum(state['left'])}" if state.get("left") else "to roll"
            case "done":
                return f"{entry.get('round', 0)}"
        return {"waiting": "waiting", "out": "out"}.get(entry["status"], "")

    # The recap.

    def lap(self, event: JsonObject, store: Store) -> bool:
        return bool(event["kind"] == "game_over" or (event["kind"] == "round_began" and event["round"] > 1))

    def round_begun(self, event: JsonObject) -> int:
        return int(event["round"]) if event["kind"] == "round_began" else 0

    def highlights(self, event: JsonObject, before: Store, after: Store) -> list[Highlight]:
        wording = Wording(after)
        found: list[Highlight] = []
        match event:
            case {"kind": "rolled", "seat": seat, "roll": number, "faces": faces, "worth": worth}:
                given_up = sum(before.game.get("left") or ()) if number > 1 else 0
                if given_up:
                    became = f"{wording.whom(seat)} rolled {given_up} points again and got {worth}"
                    found.append(Highlight("Boldest roll", given_up, became))
                if worth > given_up:
                    said = f"{wording.whom(seat)}, {dice(faces)}: {worth} points"
                    found.append(Highlight("Luckiest roll", worth - given_up, said))
            case {"kind": "scored", "seat": seat, "points": points}:
                found.append(Highlight("Best turn", points, f"{wording.whom(seat)} scored {points}"))
        return found


def _rolled(event: JsonObject, wording: Wording) -> str:
    faces, left = event["faces"], event["left"]
    gone = ", ".join(f"{faces[one]} and {faces[two]} go" for one, two in event["pairs"])
    rest = f"Left {listed(left)}, worth {event['worth']}." if left else "Nothing is left."
    return " ".join(
        part for part in (f"{wording.does(event['seat'], 'roll')} {dice(faces)}.", gone and f"{gone}.", rest) if part
    )


VIEW = SevensView()
