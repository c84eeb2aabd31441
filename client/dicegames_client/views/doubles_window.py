"""The decision window of Doubles, in words and as a picture. In a sealed one only that somebody has decided is told."""

from dicegames_client.guest.store import Store
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import Wording, listed
from dicegames_client.widgets.bar import countdown, seconds
from dicegames_client.widgets.lines import Line, line, shorten
from dicegames_protocol.base import JsonObject

SEALED = "Sealed: shown when all have decided."
BY_THEMSELVES = "The dice roll by themselves when everybody has decided, or the time is up."
_MOST_NAMES = 24
"""Most players whose names are shown under the picture."""
_NAMED = 6
"""Most names in a sentence."""


def is_sealed(state: JsonObject) -> bool:
    """Whether what is decided now stays secret until the window closes."""
    return "decided" in state.get("deciding", {})


def has_decided(state: JsonObject, seat: int | None) -> bool:
    """Whether a seat has decided in secret."""
    entry = state["seats"].get(str(seat)) or {}
    return is_sealed(state) and entry.get("decided") == state["roll_no"]


def tell_opened(event: JsonObject, wording: Wording) -> list[str]:
    store = wording.store
    state = store.game
    then = "" if store.info.options["dice"] == "entered" else "Next roll in "
    left = f"{then}{event['ms'] // 1000} seconds{'' if then else ' to decide'}."
    left += " Decisions are sealed." if event.get("sealed") else ""
    entries = {seat: state["seats"].get(str(seat)) for seat in store.seats}  # None: plays from the next game on
    inside = [seat for seat, entry in entries.items() if entry and entry.get("out") != state["round"]]
    if not inside:
        return [left]
    if wording.me is None:
        return [f"{listed(store.name(seat) for seat in inside)} can choose: type 'cash' or 'hold'. {left}"]
    return [f"You are in. Type 'cash' or 'hold'. {left}"]


def tell_decided(event: JsonObject, wording: Wording) -> list[str]:
    seat, decided, of = event["seat"], event["decided"], event["of"]
    mine = seat == wording.me and decided < of
    more = SEALED if mine else f"{decided:,} of {of:,} have."
    return [f"{wording.does(seat, 'have')} decided. {more}"]


def tell_shown(event: JsonObject, wording: Wording) -> list[str]:
    cashed, held = _named(event["cashed"], wording), _named(event["held"], wording)
    return [f"The window is closed. Cashing out: {cashed}. Holding: {held}."]


def brief_shown(event: JsonObject, wording: Wording) -> list[str]:
    return [f"Holding: {_named(event['held'], wording)}"] if event["held"] else []


def _named(seats: list[int], wording: Wording) -> str:
    if len(seats) > _NAMED:
        return f"{len(seats):,} players"
    return listed(wording.whom(seat) for seat in seats) if seats else "nobody"


def who_cashed(scene: Scene) -> str:
    """Who cashed out in the last step, where several did at once. Empty: nobody, or a single one."""
    cashed = [event["seat"] for event in scene.events if event["kind"] == "cashed_out"]
    return _named(cashed, scene.wording) if len(cashed) > 1 else ""


def picture_of_window(scene: Scene, width: int) -> list[Line]:
    """How much time is left to decide, and who has decided."""
    state = scene.game
    decision = state["deciding"]
    entry = state["seats"].get(str(scene.seat), {}) if scene.seat is not None else {}
    undecided = scene.seat is not None and "hold" in scene.offers and entry.get("held") != state["roll_no"]
    shown: Line = [("bad", "CASH OUT?  ")] if undecided else []
    if scene.timer_ms is not None:
        shown += [("", f"next roll in {seconds(scene.timer_ms)}  ")]
        shown += countdown(scene.timer_ms, scene.whole_ms, 12 if width > 66 else 5, scene.glyphs)
    many, done = (decision["decided"], "decided") if is_sealed(state) else (decision["holding"], "holding")
    shown.append(("", f"   {many} of {decision['of']} {done}"))
    told = line(shorten(_who_decided(scene), width - 8, scene.glyphs.ellipsis), "dim")
    return [shown, [*_my_secret(scene), *told]]


def _my_secret(scene: Scene) -> Line:
    """What I have decided, which nobody else at this screen may see."""
    mine = scene.game.get("sealed", {}).get(str(scene.wording.me))
    if mine is None:
        return []
    return [("you", f"SEALED: YOU {'CASH OUT' if mine == 'cash' else 'HOLD'}   ")]


def _who_decided(scene: Scene) -> str:
    state = scene.game
    inside = {seat: entry for seat, entry in state["seats"].items() if entry.get("out") != state["round"]}
    if len(inside) > _MOST_NAMES:
        return ""
    mark, done = ("decided", "decided") if is_sealed(state) else ("held", "holding")
    decided = [scene.name(int(seat)) for seat, entry in inside.items() if entry.get(mark) == state["roll_no"]]
    open_ = [scene.name(int(seat)) for seat, entry in inside.items() if entry.get(mark) != state["roll_no"]]
    parts = [f"{done}: {', '.join(decided)}" if decided else "", f"undecided: {', '.join(open_)}" if open_ else ""]
    return "   ".join(part for part in parts if part)


def note_of(state: JsonObject, entry: JsonObject) -> str:
    """The state of somebody who is in, for the scoreboard."""
    if is_sealed(state):
        return "in  decided" if entry.get("decided") == state["roll_no"] else "in  undecided"
    return "in  holding" if entry.get("held") == state["roll_no"] else "in  undecided"


def idle_in_window(store: Store, seat: int) -> str:
    if has_decided(store.game, seat):
        return SEALED
    return BY_THEMSELVES
