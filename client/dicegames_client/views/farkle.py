"""Farkle: its words, its picture and its recap."""

from collections import Counter

from dicegames_client.guest.store import Store
from dicegames_client.play.highlights import Highlight
from dicegames_client.play.picking import can_add, choices, key_of, pickable
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import Wording, dice
from dicegames_client.views.generic import GenericView
from dicegames_client.widgets.die import Die, row_of
from dicegames_client.widgets.lines import Line, inside, line
from dicegames_client.widgets.scoreboard import Head
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer


class FarkleView(GenericView):
    head = Head(score="SCORE", note="STATE")
    tall = 13

    def tell(self, event: JsonObject, wording: Wording) -> list[str]:
        match event:
            case {"kind": "rolled", "seat": seat, "faces": faces}:
                return [f"{wording.does(seat, 'roll')} {dice(faces)}."]
            case {"kind": "kept", "seat": seat, "dice": kept, "worth": worth, "points": points, "hot": hot}:
                fire = " Hot dice: all six are free again." if hot else ""
                return [f"{wording.does(seat, 'keep')} {dice(kept)} for {worth}. This turn: {points}.{fire}"]
            case {"kind": "farkled", "seat": seat, "lost": lost, "penalty": penalty}:
                third = f" It is the third in a row, which costs {penalty}." if penalty else ""
                told = f"{wording.does(seat, 'lose')} {lost} points" if lost else _nothing(seat, wording)
                return [f"FARKLE! {told}.{third}"]
            case {"kind": "banked", "seat": seat, "points": points, "score": score}:
                return [f"{wording.does(seat, 'bank')} {points}. That makes {score}."]
            case {"kind": "turn_began", "seat": seat} if wording.store.game["turn_no"] == 1:
                return [f"{wording.does(seat, 'begin')}."]
            case {"kind": "last_turns", "seat": seat, "score": score}:
                return [f"{wording.does(seat, 'have')} {score}: everyone else has one last turn."]
        return []

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        name, roll = store.name(seat), offers["roll"]
        if roll.choices is None:
            how = f"roll {roll.enter} dice and type 'roll' and the faces" if roll.enter else "'roll'"
            return [], f"{name}, it is your turn: {how}: "
        example = max(roll.choices, key=lambda key: roll.choices[key].worth if roll.choices else 0)
        scoring = f"Scoring: {', '.join(_scoring(roll))}."
        bank = " or 'bank'" if "bank" in offers else ""
        scoring += "" if bank else f" {roll.label}."
        typed = "'roll' and the faces" if roll.enter is not None else "'roll'"
        return [scoring], f"{name}, type for example 'keep {' '.join(example)}', then {typed}{bank}: "

    def state_of_play(self, wording: Wording) -> list[str]:
        state = wording.store.game
        lines = [f"The target is {wording.store.info.options['target']}. This turn: {state['points']}."]
        return lines + ([f"The last roll: {dice(state['dice'])}."] if "dice" in state else [])

    def scores(self, wording: Wording) -> list[str]:
        state = wording.store.game
        playing = wording.store.info.phase == "playing"
        lines = []
        for seat, entry in state["seats"].items():
            turn = ", to play" if int(seat) == state["turn"] and playing else ""
            lines.append(f"{wording.does(int(seat), 'have')} {entry['score']}{turn}.")
        return lines

    def brief(self, event: JsonObject, wording: Wording) -> list[str]:
        match event:
            case {"kind": "rolled", "seat": seat, "faces": faces}:
                return [f"{wording.does(seat, 'roll')} {dice(faces)}"]
            case {"kind": "kept", "seat": seat, "dice": kept, "worth": worth, "hot": hot}:
                return [f"{wording.does(seat, 'keep')} {dice(kept)} for {worth:,}{', HOT DICE!' if hot else ''}"]
            case {"kind": "farkled", "seat": seat, "lost": lost, "penalty": penalty}:
                if not lost + penalty:
                    return [f"FARKLE! {_nothing(seat, wording)}"]
                return [f"FARKLE! {wording.does(seat, 'lose')} {lost:,}{f' and {penalty:,} more' if penalty else ''}"]
            case {"kind": "banked", "seat": seat, "points": points}:
                return [f"{wording.does(seat, 'bank')} {points:,}"]
            case {"kind": "last_turns", "seat": seat, "score": score}:
                return [f"{wording.does(seat, 'have')} {score:,}: one last turn for everyone else"]
        return self.tell(event, wording)

    # The screen.

    def headline(self, scene: Scene) -> str:
        options = scene.store.info.options
        last = "  LAST TURNS" if "closer" in scene.game and scene.playing else ""
        return f"to {options['target']:,}{last}  table: {options['table']}"

    def turn(self, store: Store) -> int | None:
        return int(store.game["turn"]) if store.phase == "playing" else None

    def picture(self, scene: Scene, width: int, rows: int) -> list[Line]:
        state = scene.game
        rolled = scene.event("rolled")
        points = f"    kept this turn {state['points']:,}" if state["roll"] or scene.tumbling else ""
        roll = f"    roll {state['roll']}" if state["roll"] else ""
        lines: list[Line] = [[*self.banner(scene), ("dim", roll), ("big", points)]]
        large = rows >= 12
        lines += [[]] if large else []
        if scene.tumbling:
            lines += row_of([Die(face) for face in scene.tumbling], scene.glyphs, width - 4, rows - 4 if large else 4)
        elif state.get("dice") or rolled:
            faces = state.get("dice") or (rolled or {})["faces"]
            lines += row_of(self._dice(scene, faces), scene.glyphs, width - 4, rows - 4 if large else 4)
        else:
            blank = [Die(0, style="die-gone") for _ in range(6)]
            lines += row_of(blank, scene.glyphs, width - 4, rows - 4 if large else 4)
        lines += [[], *self._moment(scene), *([] if scene.tumbling else self.picked(scene))]
        if not scene.tumbling and pickable(scene.offers):
            hint = "press the FACE you want; [A] takes all; [Bksp] puts one back"
            lines.append(line(hint if width > 66 else "press a FACE; [A] all; [Bksp] puts one back", "dim"))
        return inside([*lines, *self.clock(scene)], 3)

    def _dice(self, scene: Scene, faces: tuple[int, ...]) -> list[Die]:
        if not scene.game.get("dice"):  # the roll that ended a turn
            return [Die(face, "-", "die-gone") for face in faces]
        left = Counter(scene.picked)
        offers = scene.store.offers(scene.game["turn"])
        addable = can_add(offers, scene.picked)
        drawn = []
        for face in faces:
            if left[str(face)]:
                left[str(face)] -= 1
                drawn.append(Die(face, "PICKED", "die-picked"))
            elif str(face) in addable:
                drawn.append(Die(face, "scores", "die-scores"))
            else:
                drawn.append(Die(face, "-"))
        return drawn

    def _moment(self, scene: Scene) -> list[Line]:
        if scene.tumbling:
            return []
        farkled, kept, banked = scene.event("farkled"), scene.event("kept"), scene.event("banked")
        if farkled:
            seat, lost = farkled["seat"], farkled["lost"] + farkled["penalty"]
            told = f"{scene.wording.does(seat, 'lose')} {lost:,}" if lost else _nothing(seat, scene.wording)
            return [[("hot", " F A R K L E ! "), ("bad", f"  {told}")]]
        if banked:
            said = f"{scene.wording.does(banked['seat'], 'bank')} {banked['points']:,}, that makes {banked['score']:,}"
            return [line(said, "good")]
        if kept and kept["hot"]:
            return [[("hot", " HOT DICE! "), ("good", f"  all six are free again, {kept['points']:,} at risk")]]
        return []

    def label(self, scene: Scene, take: str, offer: Offer) -> str:
        if offer.choices is None:
            return offer.label
        only = next(iter(offer.choices)) if len(offer.choices) == 1 else ""
        choice = offer.choices.get(key_of(scene.picked) or only)
        if take == "bank":
            return f"Bank {scene.game['points'] + choice.worth:,}" if choice else "Bank"
        if choice is None:
            return "Roll the others"
        free = len(scene.game["dice"]) - len(scene.picked or only)
        return f"Roll other {choice.rolls}" if free else f"Roll all {choice.rolls}"

    def note(self, scene: Scene, seat: int, entry: JsonObject) -> str:
        state = scene.game
        order = [int(key) for key in state["seats"]]
        if seat == state["turn"]:
            return f"turn +{state['points']:,}" if state["points"] else "turn"
        if seat == state.get("closer"):
            return "reached the target"
        following = order[(order.index(state["turn"]) + 1) % len(order)]
        notes = ["next"] if seat == following else []
        if entry["farkles"] and scene.store.info.options["three_farkles"]:
            notes.append(f"{entry['farkles']} farkle{'s' if entry['farkles'] > 1 else ''}")
        return ", ".join(notes)

    # The recap.

    def lap(self, event: JsonObject, store: Store) -> bool:
        """Once around the table counts as a round."""
        state = store.game
        around = (
            event["kind"] == "turn_began" and state["turn_no"] > 1 and not (state["turn_no"] - 1) % len(state["seats"])
        )
        return bool(around or event["kind"] == "game_over")

    def highlights(self, event: JsonObject, before: Store, after: Store) -> list[Highlight]:
        wording = Wording(after)
        match event:
            case {"kind": "rolled", "seat": seat, "faces": faces, "roll": number}:
                found = []
                worth = max((choice.worth for choice in choices(after.offers(seat)).values()), default=0)
                if worth:
                    found.append(
                        Highlight("Luckiest roll", worth, f"{wording.whom(seat)}, {dice(faces)}: {worth:,} points")
                    )
                at_risk = after.game["points"] if number > 1 and after.game.get("dice") else 0
                if at_risk:
                    many = f"{len(faces)} {'dice' if len(faces) > 1 else 'die'}"
                    said = f"{wording.whom(seat)} rolled {many} with {at_risk:,} at stake"
                    found.append(Highlight("Boldest roll", at_risk / len(faces), said))
                return found
            case {"kind": "farkled", "seat": seat, "lost": lost} if lost:
                return [Highlight("Dearest farkle", lost, f"{wording.whom(seat)} lost {lost:,}")]
            case {"kind": "banked", "seat": seat, "points": points}:
                return [Highlight("Best bank", points, f"{wording.whom(seat)} banked {points:,}")]
        return []


def _scoring(offer: Offer) -> list[str]:
    """The dice that can be kept, in one choice or another."""
    most: dict[str, int] = {}
    for key in offer.choices or {}:
        for face in key:
            most[face] = max(most.get(face, 0), key.count(face))
    return [face for face in sorted(most) for _ in range(most[face])]


VIEW = FarkleView()


def _nothing(seat: int, wording: Wording) -> str:
    return f"{wording.who(seat)} had nothing at risk"
