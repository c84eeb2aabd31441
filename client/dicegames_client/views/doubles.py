"""Doubles: its words, its picture and its recap."""

from collections.abc import Sequence

from dicegames_client.guest.store import Store
from dicegames_client.play.highlights import Highlight
from dicegames_client.play.hints import Hint
from dicegames_client.play.moment import Moment
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import Wording, listed, with_mine
from dicegames_client.views import doubles_advice
from dicegames_client.views.doubles_advice import LAST_SEVEN
from dicegames_client.views.doubles_window import (
    brief_shown,
    idle_in_window,
    note_of,
    picture_of_window,
    tell_decided,
    tell_opened,
    tell_shown,
    who_cashed,
)
from dicegames_client.views.generic import GenericView
from dicegames_client.widgets.die import LARGE, Die, large
from dicegames_client.widgets.digits import large_number
from dicegames_client.widgets.lines import Line, beside, inside, line, shorten, width_of
from dicegames_client.widgets.scoreboard import Head
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer

ROOMY = 13
"""Lines from which on the pot has large digits."""
LARGE_ROWS = 5
"""Lines of large dice."""
_NAMED = 6
"""Most names in a sentence about the end of a round."""
_DICE = 2 * LARGE + 3 + 5


class DoublesView(GenericView):
    head = Head(score="SCORE", note="THIS ROUND")
    tall = 9
    moves = ("roll", "cash", "hold")
    roomy = 14
    stage_title = "the pot"
    story_title = "this round"
    says_rounds = True

    def tell(self, event: JsonObject, wording: Wording) -> list[str]:
        match event:
            case {"kind": "rolled"}:
                return [_rolled(event, wording)]
            case {"kind": "cashed_out", "seat": seat, "points": points, "score": score}:
                return [f"{wording.does(seat, 'cash')} out {points:,}. That makes {score:,}."]
            case {"kind": "held", "seat": seat, "holding": holding, "of": of}:
                return [f"{wording.does(seat, 'hold')}. {holding:,} of {of:,} are holding."]
            case {"kind": "window_opened"}:
                return tell_opened(event, wording)
            case {"kind": "decided"}:
                return tell_decided(event, wording)
            case {"kind": "decisions_shown"}:
                return tell_shown(event, wording)
            case {"kind": "window_closed", "roller": roller}:
                return [f"Everyone has had time to decide. {wording.does(roller, 'roll')} next."]
            case {"kind": "round_over", "round": number, "why": why}:
                reason = "the fourth seven has come" if why == "bust" else "everyone has cashed out"
                return [f"Round {number:,} is over: {reason}."]
            case {"kind": "round_began", "round": number, "roller": roller, "last": last}:
                rounds = wording.store.game.get("rounds")
                of = f" of {rounds:,}" if rounds and not last else ""
                final = " It is the last one." if last else ""
                return [f"Round {number:,}{of} begins.{final} {wording.does(roller, 'roll')} first."]
        return []

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        state = store.game
        if "hold" in offers or "decide" in offers:
            return [], f"{store.name(seat)}, 'cash' to take {state['pot']:,} or 'hold' to stay in: "
        cash = f", or 'cash' to take {state['pot']:,}" if "cash" in offers else ""
        if offers["roll"].enter:
            return [], f"{store.name(seat)}, roll two dice and type them, such as 'roll 5 2'{cash}: "
        return [], f"{store.name(seat)}, 'roll'{cash}: "

    def idle(self, wording: Wording, seat: int) -> str:
        state = wording.store.game
        if state["seats"][str(seat)].get("out") == state["round"]:
            return "You have cashed out and are in again in the next round."
        if "deciding" in state:
            return idle_in_window(wording.store, seat)
        if not state["rolls"]:
            return f"There is nothing to cash out before the first roll: {wording.does(state['roller'], 'roll')} first."
        return f"Not your turn: {wording.does(state['roller'], 'roll')} next."

    def state_of_play(self, wording: Wording) -> list[str]:
        state = wording.store.game
        of = f" of {state['rounds']:,}" if "rounds" in state else ""
        sevens = f"Sevens so far: {state['sevens']}. The fourth ends the round."
        turn = [] if "deciding" in state else [f"{wording.does(state['roller'], 'roll')} next."]
        return [f"Round {state['round']:,}{of}. The pot is {state['pot']:,}.", sevens, *turn]

    def scores(self, wording: Wording) -> list[str]:
        state = wording.store.game
        playing = wording.store.info.phase == "playing"
        lines = []
        for seat, entry in state["seats"].items():
            where = f", out with {entry['won']:,}" if entry.get("out") == state["round"] else ", in"
            lines.append(f"{wording.does(int(seat), 'have')} {entry['score']:,}{where if playing else ''}.")
        return lines

    def brief(self, event: JsonObject, wording: Wording) -> list[str]:
        match event:
            case {"kind": "rolled", "seat": seat, "faces": [one, two], "pot": pot, "sevens": sevens}:
                what = {
                    "bust": " SEVEN #4, the pot is gone",
                    "seven": f" SEVEN #{sevens}, pot {pot:,}",
                    "doubles": f" DOUBLES! pot {pot:,}",
                    "first-doubles": f" DOUBLES! pot {pot:,}",
                }.get(event.get("special", ""), f", pot {pot:,}")
                return [f"{wording.does(seat, 'roll')} {one}-{two}{what}"]
            case {"kind": "cashed_out", "seat": seat, "points": points}:
                return [f"{wording.does(seat, 'cash')} out {points:,}"]
            case {"kind": "held", "seat": seat}:
                return [f"{wording.does(seat, 'hold')}"]
            case {"kind": "window_opened"}:
                return []
            case {"kind": "decided", "seat": seat}:
                return [f"{wording.does(seat, 'have')} decided"]
            case {"kind": "decisions_shown"}:
                return brief_shown(event, wording)
            case {"kind": "round_over", "round": number, "why": why}:
                return [f"Round {number} is over: {'bust' if why == 'bust' else 'everyone is out'}"]
        return self.tell(event, wording)

    # The screen.

    def has_odds(self, store: Store, seat: int | None) -> bool:
        """Whoever is out does not roll."""
        entry = store.game["seats"].get(str(seat))
        return seat is None or (entry is not None and entry.get("out") != store.game["round"])

    def headline(self, scene: Scene) -> str:
        state = scene.game
        return f"round {state['round']}" + (f"/{state['rounds']}" if "rounds" in state else ", end hidden")

    def turn(self, store: Store) -> int | None:
        if "deciding" in store.game or store.phase != "playing":
            return None
        return int(store.game["roller"])

    def picture(self, scene: Scene, width: int, rows: int) -> list[Line]:
        state, glyphs = scene.game, scene.glyphs
        rolled = scene.event("rolled")
        last = state.get("last")
        faces = scene.tumbling or (tuple(last["faces"]) if last and (state["rolls"] or rolled) else ())
        style = "hot" if rolled and rolled.get("special") in ("doubles", "first-doubles") else "die"
        drawn = [Die(face, style="die" if scene.tumbling else style) for face in faces]
        dice = large(drawn or [Die(0, style="die-gone"), Die(0, style="die-gone")], glyphs)
        roomy = rows >= ROOMY
        aside = 0 if roomy else _DICE
        moment: Line = [] if scene.tumbling else self._moment(scene, rolled, width - aside - 4)
        sevens = self._sevens(rolled["sevens"] if rolled else state["sevens"], width - aside)
        told = self._last_roll(scene, width - aside - 4)
        if roomy:
            pot: list[Line] = [[("", "POT  "), *self._my_state(scene)], [], *large_number(state["pot"], glyphs)]
            pot = pot if glyphs.unicode else pot[:1] + pot[2:]
            lines = [[], *beside(dice, pot, _DICE), [], told, moment, [], sevens, []]
            return inside([*lines, *self._decision(scene, width)], 3)
        mine, decision = self._my_state(scene), self._decision(scene, width)
        digits = large_number(state["pot"], glyphs)
        info: list[Line] = [
            [("", "POT "), ("big", f"{state['pot']:<{14 if width > 70 else 8},}"), *mine],
            moment,
            sevens,
            [],
            told,
        ]
        if len(digits) <= LARGE_ROWS - 2 and width > 70 and rows > LARGE_ROWS + 1 + len(decision):
            number = beside([[("", "POT")]], digits, 5)
            info = [*beside(number, [mine], 8 + max(map(width_of, digits))), moment, sevens, told]
        return inside([*beside(dice, info, _DICE), [], *decision], 3)

    def _my_state(self, scene: Scene) -> Line:
        state, seats = scene.game, scene.store.seats
        if not scene.playing:
            return []
        if not seats:
            return line(f"{state['inside']} still in")
        entry = state["seats"].get(str(scene.seat if scene.seat is not None else seats[0]))
        if entry is None:
            return line("YOU PLAY NEXT GAME")
        if entry.get("out") == state["round"]:
            seat = scene.seat if scene.seat is not None else seats[0]
            who = "YOU ARE" if scene.wording.me is not None else f"{scene.store.name(seat)} IS"
            return line(f"{who} OUT  +{entry['won']:,}", "good")
        return line("YOU ARE IN" if scene.wording.me is not None else f"{state['inside']} still in", "you")

    def _moment(self, scene: Scene, rolled: JsonObject | None, room: int) -> Line:
        """Something remarkable in large letters, in so many columns: doubles, or a cash-out."""
        if several := who_cashed(scene):
            return [("hot", " CASH-OUT "), ("good", shorten(f"  {several}", room - 10, scene.glyphs.ellipsis))]
        if cashed := scene.event("cashed_out"):
            took = f"  {scene.wording.does(cashed['seat'], 'take')} {cashed['points']:,}"
            more = f"{took}, that makes {cashed['score']:,}"
            return [("hot", " CASH-OUT "), ("good", more if len(more) + 10 <= room else took)]
        if rolled and rolled.get("special") in ("doubles", "first-doubles"):
            first, before = rolled["special"] == "first-doubles", scene.game["last"]["before"]
            start = f"{rolled['faces'][0]} x 100" if first else f"{before:,}"
            start = start.replace("x", scene.glyphs.times)
            told = f"  {start} {scene.glyphs.arrow} {rolled['pot']:,}"
            return [("hot", " D O U B L E S ! " if len(told) + 17 <= room else " DOUBLES! "), ("good", told)]
        return []

    def moment(self, events: Sequence[JsonObject], before: Store, after: Store) -> Moment | None:
        over = next((event for event in events if event["kind"] == "round_over"), None)
        if over is None:
            return None
        wording = Wording(after)
        rolled = next((event for event in events if event["kind"] == "rolled"), None)
        if over["why"] == "bust" and rolled:
            who, lost = wording.does(rolled["seat"], "roll"), before.game.get("pot", 0)
            said = f"{who} the fourth seven: {lost:,} are gone. Round {over['round']} is over."
            return Moment("BUST", said, "status-bad", tuple(rolled["faces"]), pauses=True)
        entries = after.game["seats"].items()
        out = {int(seat): entry["won"] for seat, entry in entries if entry.get("out") == over["round"]}
        order = sorted(out, key=lambda seat: -out[seat])
        took = [f"{wording.whom(seat)} {out[seat]:,}" for seat in with_mine(order, _NAMED, after.seats)]
        more = f" and {len(out) - _NAMED} more" if len(out) > _NAMED else ""
        said = f"Everyone has cashed out: {', '.join(took)}{more}."
        return Moment(f"ROUND {over['round']} IS OVER", said, pauses=True)

    def _sevens(self, sevens: int, room: int) -> Line:
        boxes = "".join("[7]" if number < sevens else "[ ]" for number in range(LAST_SEVEN))
        shown: Line = [("", "SEVENS "), ("warn" if sevens else "dim", boxes)]
        if sevens == LAST_SEVEN - 1:
            shown.append(("bad", "  !! NEXT 7 BUSTS !!" if room > 42 else " NEXT BUSTS"))
        return shown

    def _last_roll(self, scene: Scene, room: int) -> Line:
        """Who rolled what, or who rolls next."""
        store = scene.store
        if scene.tumbling:
            return line("press the faces you rolled" if scene.typing else f"rolling{scene.glyphs.ellipsis}", "dim")
        last, rolled = scene.game.get("last"), scene.event("rolled")
        if last and (scene.game["rolls"] or rolled):
            one, two = last["faces"]
            pot, sevens = (rolled["pot"], rolled["sevens"]) if rolled else (scene.game["pot"], scene.game["sevens"])
            gain = f" (+{pot - last['before']})" if pot > last["before"] else ""
            seven = f", SEVEN #{sevens}{gain}" if one + two == 7 else ""
            text = f"{scene.name(last['seat'])} rolled {one}+{two} = {one + two}{seven}"
            if len(text) > room:
                text = f"{scene.name(last['seat'])}: {one}+{two}{seven or f' = {one + two}'}"
            return line(shorten(text, room, scene.glyphs.ellipsis))
        turn = self.turn(store)
        if turn is None:
            return []
        return line("you roll next" if turn == scene.wording.me else f"{store.name(turn)} rolls next", "turn")

    def _decision(self, scene: Scene, width: int) -> list[Line]:
        """After the third seven: how much time is left to decide, and who has decided."""
        state, store = scene.game, scene.store
        if not scene.playing or scene.tumbling:
            return []
        decision = state.get("deciding")
        if not decision:
            turn = self.turn(store)
            mine = turn is not None and scene.mine(turn)
            whose = (
                "YOUR ROLL" if scene.wording.me is not None else f"{store.name(turn)} ROLLS" if turn is not None else ""
            )
            return [line(whose if mine else "", "turn"), *self.clock(scene)]
        return picture_of_window(scene, width)

    def note(self, scene: Scene, seat: int, entry: JsonObject) -> str:
        state = scene.game
        if entry.get("out") == state["round"]:
            return f"OUT +{entry['won']:,}"
        if "deciding" in state:
            return note_of(state, entry)
        return "in  rolls next" if seat == state["roller"] else "in"

    def story_begins(self, event: JsonObject, before: Store) -> bool:
        return event["kind"] == "rolled" and not before.game.get("rolls")

    def story(self, scene: Scene) -> list[Line]:
        """The rolls of the round, and who went out where."""
        lines: list[Line] = []
        for event in scene.story:
            match event:
                case {"kind": "rolled", "faces": [one, two], "pot": pot, "sevens": sevens}:
                    what, style = {
                        "bust": ("BUST", "bad"),
                        "seven": (f"seven {sevens}", "warn"),
                        "doubles": ("DOUBLES", "good"),
                        "first-doubles": ("DOUBLES", "good"),
                    }.get(event.get("special") or "", ("", ""))
                    lines.append([("", f"{one}-{two}  "), (style, f"{what:<9}"), ("big", f"{pot:>9,}")])
                case {"kind": "cashed_out", "seat": seat, "points": points}:
                    lines.append(line(f"     {scene.name(seat)} out, +{points:,}", "dim"))
        return lines

    # First games.

    def dead(self, take: str, scene: Scene) -> str:
        return doubles_advice.dead(take, scene)

    def doubt(self, scene: Scene, take: str) -> str:
        return doubles_advice.doubt(scene, take)

    def hint(self, scene: Scene) -> Hint | None:
        return doubles_advice.hint(scene)

    def lesson(self, scene: Scene) -> str:
        return f"{doubles_advice.happened(scene)} {super().lesson(scene)}".strip()

    # The recap.

    def lap(self, event: JsonObject, store: Store) -> bool:
        return bool(event["kind"] == "round_over")

    def round_begun(self, event: JsonObject) -> int:
        return int(event["round"]) if event["kind"] == "round_began" else 0

    def highlights(self, event: JsonObject, before: Store, after: Store) -> list[Highlight]:
        return self._held(event, before, after) + self._happened(event, before, Wording(after))

    def _held(self, event: JsonObject, before: Store, after: Store) -> list[Highlight]:
        """Everyone who is in at the roll after the third seven has held, whether they said so or not."""
        state, entries, wording = before.game, after.game["seats"], Wording(after)
        if event["kind"] != "rolled" or state.get("sevens") != LAST_SEVEN - 1:
            return []
        inside = [int(seat) for seat, entry in entries.items() if entry.get("out") != state["round"]]
        if not inside:
            return []
        who = listed(wording.whom(seat) for seat in inside) if len(inside) < 4 else f"{len(inside)} players"
        return [Highlight("Boldest hold", state["pot"], f"{who}, with {state['pot']:,} in the pot and three sevens")]

    def _happened(self, event: JsonObject, before: Store, wording: Wording) -> list[Highlight]:
        match event:
            case {"kind": "rolled", "seat": seat, "special": "doubles" | "first-doubles", "pot": pot}:
                one, two = event["faces"]
                gain = pot - before.game["pot"]
                said = f"{wording.whom(seat)}, {one}-{two}: the pot grew by {gain:,} to {pot:,}"
                return [Highlight("Luckiest roll", gain, said)]
            case {"kind": "rolled", "seat": seat, "special": "bust"}:
                pot = before.game["pot"]
                return (
                    [Highlight("Costliest seven", pot, f"{wording.whom(seat)} burned a pot of {pot:,}")] if pot else []
                )
            case {"kind": "cashed_out", "seat": seat, "points": points}:
                return [Highlight("Best cash-out", points, f"{wording.whom(seat)} took {points:,}")]
        return []


def _rolled(event: JsonObject, wording: Wording) -> str:
    (one, two), sevens = event["faces"], event["sevens"]
    pot = f"The pot is {event['pot']:,}."
    told = {
        "bust": "Seven number 4. The pot is gone.",
        "seven": f"Seven number {sevens}. {pot}{' The next seven ends the round.' if sevens == 3 else ''}",
        "first-doubles": f"DOUBLES on the first roll! {pot}",
        "doubles": f"DOUBLES! {pot}",
    }.get(event.get("special") or "", pot)
    return f"{wording.does(event['seat'], 'roll')} {one} and {two}. {told}"


VIEW = DoublesView()
