"""Farkle: its words, its picture and its recap."""

from collections import Counter
from collections.abc import Sequence

from dicegames_client.guest.store import Store
from dicegames_client.play.highlights import Highlight
from dicegames_client.play.hints import Hint
from dicegames_client.play.moment import Moment
from dicegames_client.play.parse_move import KEEP_WORD, quoted_moves
from dicegames_client.play.picking import can_add, choices, chosen, key_of, pickable
from dicegames_client.play.room_wording import word
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
    tall = 11
    roomy = 13
    moves = ("roll", "bank")
    stage_title = "the dice"
    says_rounds = True

    def tell(self, event: JsonObject, wording: Wording) -> list[str]:
        match event:
            case {"kind": "rolled", "seat": seat, "faces": faces}:
                return [f"{wording.does(seat, 'roll')} {dice(faces)}."]
            case {"kind": "kept", "seat": seat, "dice": kept, "worth": worth, "points": points, "hot": hot}:
                fire = " Hot dice: all six are free again." if hot else ""
                return [f"{wording.does(seat, 'keep')} {dice(kept)} for {worth:,}. This turn: {points:,}.{fire}"]
            case {"kind": "farkled", "seat": seat, "lost": lost, "penalty": penalty}:
                third = f" It is the third in a row, which costs {penalty:,}." if penalty else ""
                told = f"{wording.does(seat, 'lose')} {lost:,} points" if lost else _nothing(seat, wording)
                return [f"FARKLE! {told}.{third}"]
            case {"kind": "banked", "seat": seat, "points": points, "score": score}:
                return [f"{wording.does(seat, 'bank')} {points:,}. That makes {score:,}."]
            case {"kind": "turn_began", "seat": seat} if wording.store.game["turn_no"] == 1:
                return [f"{wording.does(seat, 'begin')}."]
            case {"kind": "last_turns", "seat": seat, "score": score}:
                return [f"{wording.does(seat, 'have')} {score:,}: everyone else has one last turn."]
        return []

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        name, roll = store.name(seat), offers["roll"]
        needed = _to_win(Wording(store))
        last = [f"Last turn: {needed}."] if needed else []
        if roll.choices is None:
            how = f"roll {roll.enter} dice and type 'roll' and the faces" if roll.enter else "'roll'"
            return last, f"{name}, it is your turn: {how}: "
        example = max(roll.choices, key=lambda key: roll.choices[key].worth if roll.choices else 0)
        scoring = f"Scoring: {', '.join(_scoring(roll))}."
        bank = " or 'bank'" if "bank" in offers else ""
        scoring += "" if bank else f" {_least_bank(store)}."
        then = quoted_moves({"roll": roll})
        return [*last, scoring], f"{name}, type for example 'keep {' '.join(example)}', then {then}{bank}: "

    def state_of_play(self, wording: Wording) -> list[str]:
        state = wording.store.game
        lines = [f"The target is {word(wording.store.info.options['target'])}. This turn: {state['points']:,}."]
        return lines + ([f"The last roll: {dice(state['dice'])}."] if "dice" in state else [])

    def scores(self, wording: Wording) -> list[str]:
        state = wording.store.game
        playing = wording.store.info.phase == "playing"
        lines = []
        for seat, entry in state["seats"].items():
            turn = ", to play" if int(seat) == state["turn"] and playing else ""
            lines.append(f"{wording.does(int(seat), 'have')} {entry['score']:,}{turn}.")
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

    def has_odds(self, store: Store, seat: int | None) -> bool:
        return seat in (None, store.game["turn"])

    def headline(self, scene: Scene) -> str:
        options = scene.store.info.options
        last = "  LAST TURNS" if "closer" in scene.game and scene.playing else ""
        return f"to {options['target']:,}{last}  table: {options['table']}"

    def turn(self, store: Store) -> int | None:
        return int(store.game["turn"]) if store.phase == "playing" else None

    def picture(self, scene: Scene, width: int, rows: int) -> list[Line]:
        lines: list[Line] = [[*self.banner(scene), *self._header(scene)]]
        below = [*self._moment(scene), *([] if scene.tumbling else self.picked(scene))]
        if not scene.tumbling and pickable(scene.offers):
            hint = "press the FACE you want; [A] takes all; [Bksp] puts one back"
            below.append(line(hint if width > 66 else "press a FACE; [A] all; [Bksp] puts one back", "dim"))
        below += self.clock(scene)
        room = rows - 1 - len(below)
        drawn = self._drawn(scene)
        dice = row_of(drawn, scene.glyphs, width - 3, room)
        lines += [*([[]] if room > len(dice) + 1 else []), *dice, *([[]] if room > len(dice) else [])]
        return inside([*lines, *below], 3)

    def _header(self, scene: Scene) -> Line:
        """Which roll it is, and what was kept. While dice tumble: of the roll that comes."""
        state = scene.game
        number = state["roll"] + bool(scene.tumbling)
        kept = scene.comes("kept")
        points = kept["points"] if kept else state["points"]
        if not number:
            return []
        return [("dim", f"    roll {number}"), ("big", f"    kept this turn {points:,}")]

    def _drawn(self, scene: Scene) -> list[Die]:
        state, rolled = scene.game, scene.event("rolled")
        if scene.tumbling:
            return [Die(face, " ") for face in scene.tumbling]
        if state.get("dice") or rolled:
            return self._dice(scene, state.get("dice") or (rolled or {})["faces"])
        return [Die(0, " ", style="die-gone") for _ in range(6)]

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
        kept = scene.event("kept")
        needed = self._needed(scene)
        if kept and kept["hot"] and scene.event("rolled"):
            return [
                [("hot", " HOT DICE! "), ("good", f"  all six were free again, {kept['points']:,} at risk")],
                *needed,
            ]
        return needed

    def _needed(self, scene: Scene) -> list[Line]:
        """In the last turns: what it takes to win."""
        choice = chosen(scene.offers, scene.picked) if scene.mine(scene.game["turn"]) else None
        needed = _to_win(scene.wording, choice.worth if choice else 0)
        return [[("hot", " LAST TURN "), ("warn", f"  {needed}")]] if needed else []

    def lying(self, store: Store) -> tuple[int, ...]:
        return tuple(store.game.get("dice") or ())

    def moment(self, events: Sequence[JsonObject], before: Store, after: Store) -> Moment | None:
        wording = Wording(after)
        rolled = next((tuple(event["faces"]) for event in events if event["kind"] == "rolled"), ())
        for event in events:
            match event:
                case {"kind": "farkled", "seat": seat, "lost": lost, "penalty": penalty}:
                    told = f"{wording.does(seat, 'lose')} {lost:,}" if lost else _nothing(seat, wording)
                    third = f" The third farkle in a row costs {penalty:,} more." if penalty else ""
                    return Moment("FARKLE!", f"{told}.{third}", "status-bad", rolled)
                case {"kind": "banked", "seat": seat, "points": points, "score": score}:
                    closes = any(other["kind"] == "last_turns" for other in events)
                    last = " Everyone else has one last turn." if closes else ""
                    said = f"{wording.does(seat, 'bank')} {points:,}. That makes {score:,}.{last}"
                    return Moment("BANKED", said)
        return None

    def dead(self, take: str, scene: Scene) -> str:
        lying = scene.game.get("dice")
        if not lying and (take == KEEP_WORD or take.isdigit()):
            return "There is nothing to keep yet: roll first."
        if take != "bank":
            return ""
        return self.not_enough(scene, take) if lying else "There is nothing to bank yet: roll first."

    def not_enough(self, scene: Scene, take: str) -> str:
        """Why the points of this turn can't be banked."""
        if take != "bank":
            return ""
        choice = chosen(scene.offers, scene.picked)
        have = scene.game["points"] + (choice.worth if choice else 0)
        return f"{_least_bank(scene.store)}; you have {have:,}."

    def also_undone(self, before: Store, after: Store) -> str:
        if not after.game.get("dice"):
            return ""
        same_turn = before.game["turn_no"] == after.game["turn_no"]
        worth = f" ({before.game['points'] - after.game['points']:,} points)" if same_turn else ""
        return f"What was kept for this roll{worth} is taken back, too: keeping and rolling are one move."

    def hint(self, scene: Scene) -> Hint | None:
        state = scene.game
        if not scene.playing or scene.seat is None or not scene.offers:
            return None
        if not state.get("dice"):
            how = "Roll six dice, press their faces." if scene.by_hand else "R rolls six dice."
            return Hint("roll", f"{how} Ones, fives and three of a kind score.")
        if not scene.picked:
            return Hint("pick", "Press the faces that score: they are marked. A takes all of them.")
        if len(scene.picked) == len(state["dice"]):
            return Hint("hot", "All score: R rolls six new dice with all points at risk. B is safe.")
        return Hint("risk", "B banks. R rolls the other dice: if none scores, the turn's points go.")

    def story_begins(self, event: JsonObject, before: Store) -> bool:
        return bool(event["kind"] == "rolled" and event["roll"] == 1)

    def story(self, scene: Scene) -> list[Line]:
        lines: list[Line] = []
        for event in scene.story:
            match event:
                case {"kind": "rolled", "seat": seat, "faces": faces, "roll": number}:
                    lines += [line(scene.name(seat), "head")] if number == 1 else []
                    lines.append(line(f"roll {number}  {dice(faces)}"))
                case {"kind": "kept", "dice": kept, "worth": worth, "points": points}:
                    lines.append([("good", f"  keep {dice(kept):<12}"), ("", f"{worth:>6,}"), ("big", f"{points:>8,}")])
                case {"kind": "farkled"}:
                    lines.append(line("  FARKLE", "bad"))
                case {"kind": "banked", "points": points}:
                    lines.append(line(f"  banked {points:,}", "good"))
        return lines

    def target(self, store: Store) -> int | None:
        return int(store.info.options["target"])

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


def _least_bank(store: Store) -> str:
    options, entry = store.info.options, store.game["seats"][str(store.game["turn"])]
    first = not entry["opened"] and options["opening"] > options["minimum"]
    least = options["opening"] if first else options["minimum"]
    return f"{'Your first bank' if first else 'A bank'} takes at least {word(least)}"


def _to_win(wording: Wording, picked: int = 0) -> str:
    """What the one to play needs in a last turn, and what this turn has brought. Empty: it is no last turn."""
    state, seat = wording.store.game, wording.store.game["turn"]
    if "closer" not in state or wording.store.phase != "playing":
        return ""
    entries = state["seats"]
    best = max(entry["score"] for other, entry in entries.items() if int(other) != seat)
    need = best + 1 - entries[str(seat)]["score"]
    who = "you have" if seat == wording.me else f"{wording.store.name(seat)} has"
    return f"{need:,} to win; {who} {state['points'] + picked:,}"


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
