"""Doubles: what a newcomer needs to know, and why a move can't be made now."""

from dicegames_client.play.hints import Hint
from dicegames_client.play.scene import Scene
from dicegames_client.views.doubles_window import BY_THEMSELVES, SEALED, has_decided
from dicegames_protocol.base import JsonObject

LAST_SEVEN = 4


def dead(take: str, scene: Scene) -> str:
    state = scene.game
    if has_decided(state, scene.seat) and take in ("cash", "hold"):
        return SEALED
    match take:
        case "hold" if "hold" not in scene.offers:
            return _no_hold(state)
        case "cash" if not state["rolls"]:
            return "There is nothing to cash out before the first roll."
        case _ if "deciding" in state and (take == "roll" or take.isdigit()):
            if scene.store.info.options["dice"] == "entered":
                return "The dice wait until everybody has decided: cash out, or hold."
            return BY_THEMSELVES
    return ""


def doubt(scene: Scene, take: str) -> str:
    state = scene.game
    if take == "cash" and not state["sevens"]:
        return f"No seven has fallen yet, so the pot can't burn soon. Cash out {state['pot']:,}? y/n"
    return ""


def hint(scene: Scene) -> Hint | None:
    state, seat = scene.game, scene.seat
    entry = state["seats"].get(str(seat)) if seat is not None else None
    if entry is None:
        return None
    if entry.get("out") == state["round"]:
        return Hint("out", f"{entry['won']:,} are yours for good. The next round has everybody again.")
    if has_decided(state, seat):
        return Hint("sealed", "Nobody sees what you decided until all have decided.")
    if state["sevens"] == LAST_SEVEN - 1:
        stay = ", H stays in for more" if "hold" in scene.offers else ""
        return Hint("window", f"The next seven burns the pot. C takes {state['pot']:,}{stay}.")
    if state["sevens"]:
        return Hint("sevens", "Four sevens burn the pot; the first three add 75.")
    if state["rolls"]:
        return Hint("cash", "C takes the pot for you and you sit out this round; the others play on.")
    how = "Press your roll." if scene.by_hand else "R rolls."
    return Hint("roll", f"All share one pot: sums add to it, doubles double it. {how}")


def happened(scene: Scene) -> str:
    """What the last roll has done to the pot. Empty: nothing was rolled."""
    told = {
        "first-doubles": "Doubles on the first roll: the pot is 100 times the face.",
        "doubles": "Doubles: the pot is doubled.",
        "seven": "A seven: it adds 75, and counts.",
    }
    rolled = scene.event("rolled")
    return told.get(rolled.get("special") or "", "The sum of the dice goes into the pot.") if rolled else ""


def _no_hold(state: JsonObject) -> str:
    """Why nobody can hold now."""
    if state["sevens"] < LAST_SEVEN - 1:
        return "Holding comes after the third seven. Until then you stay in anyway."
    if "deciding" in state:
        return "You hold already."
    return "There is nothing to hold now: you stay in by doing nothing."
