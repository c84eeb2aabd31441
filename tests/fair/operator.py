"""An operator who cheats: one method for each attack, on the memory and the frames of a real server.

Each attack is what somebody could do who may change every line of the server, and reads all of its memory. The other
side is the real client (chains and witness) and the real `verify`.
"""

import json
from collections.abc import Callable
from typing import Any

from dicegames_protocol.codec import encode_ascii, update_hash
from dicegames_protocol.fairness.chain import server_link
from dicegames_protocol.fairness.scheme import key, roll, transcript
from dicegames_protocol.messages.client import Ready
from dicegames_protocol.messages.server import Ack, Cause
from dicegames_protocol.table import Move
from dicegames_server.games.base import Act, Need
from dicegames_server.room.automatic import bot_player, schedule
from dicegames_server.room.room import Room
from dicegames_server.table.bot_move import BotMove, bot_move
from dicegames_server.table.commands import abandon
from dicegames_server.table.draw import advanced, decide, redraw
from dicegames_server.table.state import State, change
from fair.tables import FairTable
from support.hall import Peer

Faces = tuple[int, ...]


def prediction(state: State, links: dict[int, bytes], need: Need) -> Faces:
    """The dice of the next draw, if these are the links. Everything else is in the server's memory."""
    assert state.fair
    r = state.draws + 1
    text = transcript(
        commit=state.fair.commit,
        epoch=state.fair.epoch,
        game=state.info.game,
        game_no=state.info.game_no,
        links={seat: link.hex() for seat, link in links.items()},
        r=r,
        room=state.info.code,
        rules=state.info.rules,
    )
    return roll(key(server_link(state.secret, state.links + 1)[0], text), r, need.count, need.sides)


class Operator:
    def __init__(self, table: FairTable) -> None:
        self.table = table
        self.hall = table.hall

    @property
    def room(self) -> Room:
        return self.hall.room(self.table.peers[0])

    @property
    def state(self) -> State:
        return self.room.state

    def change(self, state: State) -> None:
        """Whatever the server holds in memory can be changed."""
        self.room._update_log.state = state

    def dice_of(self, links: dict[int, str], secret: bytes | None = None) -> Faces:
        """What the pending draw gives with these links. This is all that there is to know, once all links are known."""
        state = self.state if secret is None else self.state.but(secret=secret)
        assert state.pending
        need = Need(state.pending.count, state.pending.sides)
        return prediction(state, {seat: bytes.fromhex(link) for seat, link in links.items()}, need)

    # The attacks.

    async def withhold(self, victim: Peer, accomplices: list[Peer], bad: Callable[[Faces], bool]) -> int:
        """Wait for all honest links, work out the dice, and let accomplices fall silent where they are bad.

        Gives how often that could be done.
        """
        done = 0
        while accomplices:
            await victim.show()
            if self.state.pending is None:
                break
            links = {seat: link.link for seat, link in self.state.shown.items()}
            for peer in accomplices:
                peer.drain()
                assert peer.witness
                links[peer.seat] = peer.witness.chains.to_show(peer.store, self.hall.id)[0].link
            if not bad(self.dice_of(links)):
                await self.hall.links(*accomplices)
                break
            done += 1
            silent = accomplices.pop()
            await self.hall.links(*accomplices)
            await self.hall.wait(2.1, victim, silent, *accomplices)
        await self.hall.links(victim, *accomplices)
        return done

    async def exchange_the_secret(self, good: Callable[[Faces], bool]) -> None:
        """All links are there but one: look for a secret that gives good dice, and go on with that one."""
        *others, last = self.table.peers
        for peer in others:
            await peer.show()
        last.drain()
        assert last.witness
        (mine,) = last.witness.chains.to_show(last.store, self.hall.id)
        links = {seat: link.link for seat, link in self.state.shown.items()} | {last.seat: mine.link}
        for number in range(10_000):
            secret = number.to_bytes(32, "big")
            if good(self.dice_of(links, secret)):
                break
        self.change(self.state.but(secret=secret))
        await last.expect(Ack, mine)
        self.hall.drain(*self.table.peers)

    async def exchange_the_commitment(self) -> None:
        """In the middle of a game, publish another commitment as if it had always been that one."""
        assert self.state.fair
        other = self.state.fair.but(commit="c" * 64, link=None)
        self.change(self.state.but(fair=other))

    async def free_redraw(self) -> None:
        """The deal does not suit: forget it, and begin anew without showing the secret."""
        info = self.state.info.but(phase="waiting")
        self.change(self.state.but(info=info, act=None, match=None))
        await self.table.peers[0].expect(Ack, Ready(id=self.hall.id()))  # all are still ready
        self.hall.drain(*self.table.peers)

    async def take_back(self, updates: int, again: Callable[[], Any]) -> None:
        """Forget the last updates, as if they had never been, and let something else happen in their place."""
        before = self._past[-1 - updates]
        stream = self.hall.environment.storage._streams[self.table.room]  # type: ignore[attr-defined]
        del stream.entries[before.seq :]
        self.change(before)
        await again()

    def remember_states(self) -> None:
        """From now on, keep every state, so that it can be gone back to."""
        self._past: list[State] = [self.state]
        commits = self.room._commits
        told = commits.on_commit

        def keep(change: Any) -> None:
            self._past.append(change.state)
            told(change)

        commits.on_commit = keep

    async def play_on_after_the_secret(self) -> None:
        room = self.room
        await room._mailbox.ask(lambda _: room._commits.commit(abandon(room.state)))
        self.change(self.state.but(abandoned=False))
        self.hall.drain(*self.table.peers)

    async def drop_a_member(self, victim: Peer) -> None:
        """The victim has shown its link. Say that it did not."""
        shown = {seat: link for seat, link in self.state.shown.items() if seat != victim.seat}
        others = [peer for peer in self.table.peers if peer is not victim]
        assert victim.seat in self.state.shown
        room = self.room
        self.change(self.state.but(shown=shown))
        await self.hall.links(*others)
        if self.state.pending and victim.seat in self.state.pending.members:
            await room._mailbox.ask(lambda _: room._commits.commit(redraw(room.state)))
        self.hall.drain(*self.table.peers)

    async def ask_without_a_decision(self) -> None:
        """Ask for links though nobody has rolled, to know the next dice."""
        state, room = self.state, self.room
        assert state.match
        seat = next(seat for seat in state.seats.present if state.match.waits_for(seat))
        act = Act(seat, Move(take="roll"))
        cause = Cause(kind="give_host", seat=state.seats.host)
        asked = decide(state, state, Need(6), act, cause, ())
        await room._mailbox.ask(lambda _: room._commits.commit(asked))
        self.hall.drain(*self.table.peers)

    async def use_links_up(self) -> None:
        """Show links in the log without dice, so that they seem to be used."""
        state, room = self.state, self.room
        assert state.fair
        shown = change(
            state.but(fair=advanced(state.fair, state.shown).but(pending=None), act=None, shown={}),
            state,
            Cause(kind="give_host", seat=state.seats.host),
            (),
        )
        await room._mailbox.ask(lambda _: room._commits.commit(shown))
        self.hall.drain(*self.table.peers)

    def early_timers(self, monkeypatch: Any) -> None:
        monkeypatch.setattr(schedule, "SHOW_SECONDS", 0.05)

    def a_bot_that_plays_otherwise(self, monkeypatch: Any) -> None:
        """A bot that does not play as its level does: it would, if it knew the dice."""

        def peeking(state: State, seat: int, *, hurried: bool = False) -> BotMove | None:
            choice = bot_move(state, seat, hurried=hurried)
            assert state.match
            others = [take for take in state.match.may(seat) if choice and take != choice.move.take]
            return BotMove(choice.move.but(take=others[0])) if choice and others else choice

        monkeypatch.setattr(bot_player, "bot_move", peeking)


class Forger:
    """Stands on the wire to one client, and tells it another story with a chain of hashes of its own."""

    def __init__(self, peer: Peer, change: Callable[[dict[str, Any]], None]) -> None:
        self._change = change
        self._head = ""
        self._send = peer.link.send
        peer.link.send = self.send  # type: ignore[method-assign]

    def send(self, data: bytes) -> None:
        message = json.loads(data)
        if message["type"] == "update":
            if self._head:
                message["prev"] = self._head
            self._change(message)
            data = encode_ascii(message)
            self._head = update_hash(data)
        elif self._head and "head" in message:
            message["head"] = self._head
            data = encode_ascii(message)
        self._send(data)
