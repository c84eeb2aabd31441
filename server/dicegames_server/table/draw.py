"""How dice are drawn: decided, then shown link by link, then rolled. Pure.

1. `decide` puts a draw into the log before anybody knows its dice. Its members have to show their next links.
2. `show` takes one link. Links are not in the log until all are there.
3. `drawn` makes the dice from all links and the server's own. Nobody, the server included, can know them before the
   last member has shown its link.
4. `redraw` is for members that do not show in time. They are out for the rest of the game, and the draw is done anew:
   all others show fresh links.
"""

from collections.abc import Mapping
from typing import NamedTuple

from dicegames_protocol.base import Event
from dicegames_protocol.fairness import chain
from dicegames_protocol.fairness.scheme import key, next_value, transcript
from dicegames_protocol.messages.client import ChainLink
from dicegames_protocol.messages.room_events import DrawnAnew
from dicegames_protocol.messages.server import Cause, Drawn
from dicegames_protocol.table import Fair, Pending
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import Act, Faces, Need
from dicegames_server.games.dice import Dice
from dicegames_server.table.state import Change, State, change

WRONG_LINK = "That is not the next link of your chain."


class Draw(NamedTuple):
    """The result of a draw: the state in which it is done, its faces, and what the log tells of it."""

    state: State
    faces: Faces
    told: Drawn


def members(state: State) -> tuple[int, ...]:
    """The seats whose links the next draw needs."""
    return (state.fair.committee or ()) if state.fair else ()


def decide(state: State, before: State, need: Need, act: Act | None, cause: Cause, events: tuple[Event, ...]) -> Change:
    """Put a draw into the log. `act`: what it is for; None for the start of the game."""
    assert state.fair
    number, seq = state.decided + 1, before.seq + 1
    pending = Pending(
        draw=number,
        seq=seq,
        members=members(state),
        seat=act.seat if act else None,
        count=need.count,
        sides=need.sides,
        hidden=need.hidden or None,
    )
    after = state.but(fair=state.fair.but(pending=pending), act=act, decided=number, shown={})
    return change(after, before, cause.but(draw=number), events)


def show(state: State, seat: int, draw: int, link: ChainLink) -> State:
    """Take the link of a seat. It becomes public with all others, in the update of the roll. Raises Refused."""
    pending = state.pending
    if pending is None or pending.draw != draw:
        raise Refused("stale", "No link is asked for this draw now.")
    if seat not in pending.members:
        raise Refused("illegal_move", "No link of this seat is asked for.")
    if not follows(state.fair, seat, link):
        raise Refused("illegal_move", WRONG_LINK)
    return state.but(shown={**state.shown, seat: link})


def follows(fair: Fair | None, seat: int, link: ChainLink) -> bool:
    """Whether this is the next link of a seat's chain."""
    return fair is not None and chain.follows(link.link, next_of(fair, seat))


def next_of(fair: Fair, seat: int) -> str:
    """What the hash of a seat's next link must be. Empty: it has no chain."""
    return next_value(fair.links, fair.tips, seat)


def unshown(state: State) -> list[int]:
    """The members of the pending draw that have not shown their link yet."""
    return [seat for seat in state.pending.members if seat not in state.shown] if state.pending else []


def drawn(state: State, need: Need, links: Mapping[int, ChainLink], dice: Dice) -> Draw:
    """Make the dice from these links and the server's own."""
    fair, info, r = state.fair, state.info, state.draws + 1
    assert fair
    if state.key:  # scheme 1, in a log of an earlier version
        faces = dice.draw(state.key, r, need)
        return Draw(state.but(draws=r), faces, _told(r, need, faces))
    text = transcript(
        commit=fair.commit,
        epoch=fair.epoch,
        game=info.game,
        game_no=info.game_no + (info.phase != "playing"),
        links={seat: shown.link for seat, shown in links.items()},
        r=r,
        room=info.code,
        rules=info.rules,
    )
    fair = advanced(fair, links)
    shown_by_server = state.links
    if need.hidden:
        part = dice.hidden(state.secret, r)
    else:
        shown_by_server += 1
        part, tip = dice.link(state.secret, shown_by_server)
        fair = fair.but(link=part.hex(), tip=tip.hex() if tip else None)
    faces = dice.draw(key(part, text), r, need)
    after = state.but(fair=fair.but(pending=None), draws=r, links=shown_by_server, act=None, shown={})
    return Draw(after, faces, _told(r, need, faces))


def redraw(state: State) -> Change:
    """Do the pending draw anew, without the members that have not shown their link. Raises Refused."""
    missing = unshown(state)
    if state.fair is None or state.pending is None or not missing:
        raise Refused("illegal_move", "No link is missing.")
    fair, pending, number = state.fair, state.pending, state.decided + 1
    names = {seat: state.seats[seat].name for seat in missing}
    left = tuple(seat for seat in fair.committee or () if seat not in missing)
    fair = advanced(fair, state.shown).but(
        committee=left,
        out={**(fair.out or {}), **{str(seat): name for seat, name in names.items()}},
        redraws=(fair.redraws or 0) + 1,
        pending=pending.but(draw=number, seq=state.seq + 1, members=left),
    )
    cause = Cause(kind="redraw", by="clock", args={"seats": missing}, draw=number)
    event = DrawnAnew(seats=tuple(missing), names=tuple(names.values()))
    return change(state.but(fair=fair, decided=number, shown={}), state, cause, (event,))


def leave(fair: Fair | None, seat: int) -> Fair | None:
    """The committee without a seat whose player has left."""
    if fair is None or fair.committee is None or seat not in fair.committee:
        return fair
    return fair.but(committee=tuple(other for other in fair.committee if other != seat))


def advanced(fair: Fair, links: Mapping[int, ChainLink]) -> Fair:
    """The chains after these links were shown."""
    if not links:
        return fair
    shown = {str(seat): link.link for seat, link in links.items()}
    tips = {seat: tip for seat, tip in (fair.tips or {}).items() if seat not in shown}
    tips |= {str(seat): link.tip for seat, link in links.items() if link.tip}
    return fair.but(links={**(fair.links or {}), **shown}, tips=tips or None)


def _told(r: int, need: Need, faces: Faces) -> Drawn:
    return Drawn(r=r, sides=need.sides, count=need.count, faces=None if need.hidden else faces)
