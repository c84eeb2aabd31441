"""The public list of commitments: every game that begins on this server gets the next place in it.

All nodes write into one list. A server that keeps its rooms in memory has no list: it could not go on with it after a
restart.
"""

import secrets

from dicegames_protocol.fairness.register import entry_hash, entry_text, room_tag
from dicegames_protocol.messages.client import AskCommitments
from dicegames_protocol.messages.history import CommitmentEntry
from dicegames_protocol.messages.server import CommitmentPage
from dicegames_protocol.table import Listed
from dicegames_server.lobby.server_identity import ServerIdentity
from dicegames_server.storage.base import Storage, Unavailable, Unknown
from dicegames_server.storage.commitments import LIST_SECRET, StoredCommitment

LIST_ID_BYTES = 16
MOST_TRIES = 50
"""How often a place is tried to be taken, while other nodes take it first."""


class CommitmentList:
    def __init__(self, storage: Storage, identity: ServerIdentity) -> None:
        self._storage = storage
        self._identity = identity
        self._list_id = ""

    async def add(self, room_id: str | None, commit: str) -> Listed | None:
        """Take the next place for a commitment. None: there is no list. Raises Unavailable."""
        if not self._storage.durable or not room_id:
            return None
        list_id, tag = await self._id(), room_tag(room_id, commit)
        for _ in range(MOST_TRIES):
            last = await self._storage.commitments.last()
            number = last.number + 1 if last else 1
            before = entry_hash(self._identity.id, list_id, _entry(last)) if last else ""
            proof = self._identity.sign(entry_text(self._identity.id, list_id, number, before, tag, commit))
            try:
                added = await self._storage.commitments.append(StoredCommitment(number, before, tag, commit, proof))
            except Unknown as error:
                found = await self._storage.commitments.page(number - 1, MOST_TRIES)
                mine = next((entry for entry in found if entry.commit == commit), None)
                if mine is None:
                    raise Unavailable(str(error)) from None
                number, before, proof, added = mine.number, mine.before, mine.proof, True
            if added:
                return Listed(server=self._identity.id, list=list_id, number=number, before=before, proof=proof)
        raise Unavailable("the list of commitments is too busy")

    async def page(self, asked: AskCommitments) -> CommitmentPage:
        """The answer to somebody who reads the list."""
        if not self._storage.durable:
            return CommitmentPage(id=asked.id, server=self._identity.id, list="", entries=())
        found = await self._storage.commitments.page(asked.after, asked.most)
        entries = tuple(_entry(entry) for entry in found)
        return CommitmentPage(id=asked.id, server=self._identity.id, list=await self._id(), entries=entries)

    async def _id(self) -> str:
        if not self._list_id:
            fresh = secrets.token_bytes(LIST_ID_BYTES)
            self._list_id = (await self._storage.players.secret(LIST_SECRET, fresh)).hex()
        return self._list_id


def _entry(stored: StoredCommitment) -> CommitmentEntry:
    return CommitmentEntry(
        number=stored.number, before=stored.before, room=stored.room, commit=stored.commit, proof=stored.proof
    )
