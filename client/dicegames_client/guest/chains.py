"""Our hash chains: our part of the dice, which nobody else knows before we show it.

Each of our seats has a chain. Its tip goes to the server when we sit down. For every draw we show the next link, once
the draw is decided and in the log. A link is shown for one draw only: a server that asks for it a second time, for
another draw, gets nothing.
"""

import contextlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from dicegames_client.guest.store import Store
from dicegames_protocol.fairness.chain import SEED_BYTES, USABLE, Chain
from dicegames_protocol.fairness.scheme import SCHEME, next_value
from dicegames_protocol.messages.client import (
    ChainLink,
    Create,
    Join,
    MakeMove,
    Ready,
    Rematch,
    Request,
    Show,
    Sit,
    Start,
)
from dicegames_protocol.messages.server import Ack, Error, Joined, ServerMessage


class DrawId(NamedTuple):
    """One draw of one room."""

    room: str
    game: int
    draw: int
    seq: int


class Shown(NamedTuple):
    draw: DrawId
    tip: str | None


@dataclass(slots=True)
class OwnChain:
    chain: Chain
    shown: dict[int, Shown] = field(default_factory=dict)
    """Number of a link -> the draw that it was shown for."""

    def after(self, value: str) -> int | None:
        """The number of the link whose hash is `value`. None: it is not in this chain, or there is no such link."""
        last: int = max(self.shown, default=0)
        candidates: tuple[int, ...] = (last + 1, last, *range(1, USABLE + 1))
        for number in candidates:
            if 1 <= number <= USABLE:
                before = self.chain.tip if number == 1 else self.chain.link(number - 1)
                if before.hex() == value:
                    return number
        return None


class Chains:
    def __init__(
        self,
        keep: Callable[[bytes], None] = lambda seed: None,
        remembered: Callable[[], list[bytes]] = list,
        on_shown: Callable[[str, DrawId], None] = lambda link, draw: None,
    ) -> None:
        """`keep` is called with the seed of every chain before its tip is told. `remembered` gives back what was kept,
        also by earlier runs. `on_shown` is called with each link that is shown for the first time.
        """
        self._on_shown = on_shown
        self._earlier: dict[str, DrawId] = {}
        self._keep = keep
        self._remembered = remembered
        self._chains: list[OwnChain] = []
        self._given: dict[str, tuple[int | None, str]] = {}
        """Id of a message -> seat and tip, until it is answered."""
        self.tips: dict[str, int] = {}
        """The tips that the server has confirmed -> the seat."""
        self._mine: set[str] = set()
        self.refused: list[str] = []
        """What is wrong with the links that the server asks for, in sentences."""

    def remember(self, tips: dict[str, int], shown: dict[str, tuple[object, ...]]) -> None:
        """What an earlier run has given and shown in this room."""
        self.tips.update(tips)
        for link, draw in shown.items():
            with contextlib.suppress(TypeError):
                self._earlier[link] = DrawId(*draw)  # type: ignore[arg-type]

    def add_commit(self, message: Request, store: Store) -> Request:
        """The same message, with the tip of a new chain if the seat needs one."""
        if not isinstance(message, Create | Join | Sit | Ready | Rematch | Start) or message.commit is not None:
            return message
        seat = None
        if isinstance(message, Ready | Rematch | Start):
            if not store.seats:
                return message
            asked, host = getattr(message, "seat", None), store.info.host
            seat = asked if asked is not None else host if host in store.seats else store.seats[0]
            if self._covered(store, seat, unshown=True):
                return message
        tip = self._new().tip.hex()
        self._given[message.id] = (seat, tip)
        return message.but(commit=tip)

    def answered(self, message: ServerMessage) -> bool:
        """Take note of an answer. True: it answers a link that we have shown, so it is of no interest to anybody."""
        id = getattr(message, "id", None)
        if id is None:
            return False
        if id in self._given:
            seat, tip = self._given.pop(id)
            if isinstance(message, Joined) and message.seat is not None:
                self.tips[tip] = message.seat
            elif isinstance(message, Ack) and seat is not None:
                self.tips[tip] = seat
        if id in self._mine and isinstance(message, Ack | Error):
            self._mine.discard(id)
            return True
        return False

    def to_show(self, store: Store, new_id: Callable[[], str]) -> list[Show]:
        """The links that the pending draw asks us for."""
        fair = store.table.get("fair") or {}
        pending = fair.get("pending")
        if not pending:
            return []
        shown = []
        for seat in store.seats:
            link = self._link(store, seat) if seat in pending["members"] else None
            if link:
                shown.append(Show(id=new_id(), seat=seat, draw=pending["draw"], link=link.link, tip=link.tip))
        self._mine.update(show.id for show in shown)
        return shown

    def with_move(self, message: Request, store: Store) -> Request:
        """A move with our links, if it rolls and all other seats are bots: then nobody else could use them."""
        fair = store.table.get("fair") or {}
        if not isinstance(message, MakeMove) or message.links or message.move.take not in (fair.get("rolls") or ()):
            return message
        players = store.table.get("seats", {})
        others = [player for seat, player in players.items() if int(seat) not in store.seats]
        members = fair.get("committee") or ()
        if not members or set(members) - set(store.seats) or not all(p.get("bot") or p.get("left") for p in others):
            return message
        draw = DrawId(store.room or "", store.info.game_no, -1, message.seq)
        links = {str(seat): self._next(store, seat, draw) for seat in members}
        return message.but(links=links) if all(links.values()) else message

    def ours(self, store: Store, seat: int) -> bool:
        """Whether the server has taken the chain of this seat into the game."""
        return self._covered(store, seat)

    def _covered(self, store: Store, seat: int, *, unshown: bool = False) -> bool:
        """Whether the table names a chain of ours for the next game, or for the one that is played.

        `unshown`: and its next link was not shown, as with a roll that was refused because the game had just ended.
        """
        fair = store.table.get("fair") or {}
        value = store.player(seat).get("commit")
        if not value and fair.get("scheme") == SCHEME and str(seat) not in (fair.get("out") or {}):
            value = next_value(fair.get("links"), fair.get("tips"), seat)
        found = self._find(str(value)) if value else None
        if found is None or not unshown:
            return found is not None
        own, number = found
        return number not in own.shown and own.chain.link(number).hex() not in self._earlier

    def _new(self) -> Chain:
        chain = Chain(secrets.token_bytes(SEED_BYTES))
        self._keep(chain.seed)
        self._chains.append(OwnChain(chain))
        return chain

    def _find(self, value: str) -> tuple[OwnChain, int] | None:
        for own in reversed(self._chains):
            if number := own.after(value):
                return own, number
        known = {own.chain.seed for own in self._chains}
        for seed in self._remembered():
            if seed not in known:
                self._chains.insert(0, own := OwnChain(Chain(seed)))
                if number := own.after(value):
                    return own, number
        return None

    def _link(self, store: Store, seat: int) -> ChainLink | None:
        pending = store.table["fair"]["pending"]
        game = store.info.game_no
        return self._next(store, seat, DrawId(store.room or "", game, pending["draw"], pending["seq"]))

    def _next(self, store: Store, seat: int, draw: DrawId) -> ChainLink | None:
        """The next link of a seat, for this draw only. None: it is not ours, or was shown for another draw."""
        fair = store.table["fair"]
        found = self._find(next_value(fair.get("links"), fair.get("tips"), seat))
        if found is None:
            return None
        own, number = found
        link = own.chain.link(number).hex()
        before = own.shown.get(number)
        if before is None and link in self._earlier:
            before = Shown(self._earlier[link], None)
        if before and before.draw != draw and not _with_a_move(before.draw, draw):
            self.refused.append("The server asks a second time for a part of the dice that it has already got.")
            return None
        tip = before.tip if before else None
        if tip is None and number == USABLE:
            tip = self._new().tip.hex()
        if number not in own.shown:
            self._on_shown(link, draw)
        own.shown[number] = Shown(draw, tip)
        return ChainLink(link=link, tip=tip)


def _with_a_move(before: DrawId, draw: DrawId) -> bool:
    """Whether the link went with a move of ours that was not carried out. Only bots sit there, so it may go again."""
    return before.draw == -1 and (before.room, before.game) == (draw.room, draw.game)
