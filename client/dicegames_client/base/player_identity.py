"""Who you are: a secret on this machine, from which a key for each server follows.

Servers see different keys and can't compare notes. The secret never leaves the machine, except as recovery words that
you write down. Versions before this one sent a secret text for each spelling of an address. Those texts are still
known, so that servers can give you the games that you played with them.
"""

import hmac
import re
import secrets

from dicegames_client.base.address import LOOPBACK, Address
from dicegames_client.base.recovery_words import PLAYER_SECRET_BYTES, from_words, to_words
from dicegames_client.base.state.state_files import Records, read_text, state_folder
from dicegames_protocol.base import Model
from dicegames_protocol.network.identity import player_seed

OLD_FILE = "player.key"
"""The secret of versions before this one: 64 hex digits."""
MOST_FORMER = 8
"""Most old keys that are shown to a server."""


class SavedIdentity(Model):
    secret: str
    """16 bytes in hex."""


_saved: Records[SavedIdentity] = Records(
    "player.jsonl",
    SavedIdentity,
    aftermath="You are a new player from now on, unless you type your recovery words, with the command 'recover'.",
)
_unsaved = secrets.token_bytes(PLAYER_SECRET_BYTES)
"""For this run only, where nothing can be written: the secret of each user here follows from it."""


class PlayerIdentity:
    def __init__(self, secret: bytes, old: str = "", *, saved: bool = True) -> None:
        """`old`: the secret of versions before this one. `saved`: whether this machine will know it next time."""
        self._secret = secret
        self._old = old
        self.saved = saved

    @property
    def words(self) -> list[str]:
        return to_words(self._secret)

    def seed_for(self, server: str, site: str = "") -> bytes:
        """The seed of our key on the server with this id. `site`: the host, where the id may be passed on."""
        return player_seed(self._secret, server, site)

    def former(self, address: Address) -> tuple[str, ...]:
        """The keys that older versions sent to this address, as it may have been spelled."""
        if not self._old:
            return ()
        hosts = [address.host]
        if address.on_this_machine:
            hosts += [host for host in (LOOPBACK, "localhost", "::1") if host != address.host]
        spelled = [f"{scheme}{Address(host, address.port).place}" for host in hosts for scheme in ("", "wss://")]
        keys = [hmac.new(self._old.encode(), server.encode(), "sha256").hexdigest() for server in spelled]
        return tuple(keys[:MOST_FORMER])


def own_identity() -> PlayerIdentity:
    """The identity of this machine's user. It is made at the first call."""
    if not _usable(_saved.read()):
        fresh = SavedIdentity(secret=secrets.token_hex(PLAYER_SECRET_BYTES))
        _saved.change(lambda found: found if _usable(found) else [*found, fresh])
    kept = _usable(_saved.read())
    old = read_text(OLD_FILE).strip()
    unsaved = hmac.new(_unsaved, str(state_folder()).encode(), "sha256").digest()[:PLAYER_SECRET_BYTES]
    secret = bytes.fromhex(kept[-1].secret) if kept else unsaved
    return PlayerIdentity(secret, old if re.fullmatch("[0-9a-f]{64}", old) else "", saved=bool(kept))


def _usable(found: list[SavedIdentity]) -> list[SavedIdentity]:
    return [saved for saved in found if re.fullmatch(f"[0-9a-f]{{{2 * PLAYER_SECRET_BYTES}}}", saved.secret)]


def recover(words: str) -> PlayerIdentity:
    """Become the player whose recovery words these are. The identity before is kept in the file. Raises WordsError."""
    saved = SavedIdentity(secret=from_words(words).hex())
    _saved.change(lambda found: [*(other for other in found if other != saved), saved])
    return own_identity()
