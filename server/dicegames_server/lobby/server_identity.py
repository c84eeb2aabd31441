"""The lasting identity of a server: an Ed25519 key that is made at the first start.

It is kept in storage, so it is the same on all nodes, and it comes along with a backup. A server that keeps its rooms
in memory keeps its key in a file.
"""

import os
import secrets
from pathlib import Path

from dicegames_protocol.network.identity import CHALLENGE_BYTES, server_statement
from dicegames_protocol.network.signatures import KEY_SEED_BYTES, Signer
from dicegames_protocol.system.private_files import open_private, private_folder, replace
from dicegames_server.settings import SettingsError
from dicegames_server.storage.base import Storage, StorageError

IDENTITY_SECRET = "identity"
"""Name of the secret in storage."""
IDENTITY_FILE = "server.key"


class ServerIdentity:
    def __init__(self, seed: bytes) -> None:
        self._signer = Signer(seed)
        self.id = self._signer.key

    @classmethod
    def new(cls) -> "ServerIdentity":
        return cls(secrets.token_bytes(KEY_SEED_BYTES))

    def sign(self, statement: bytes) -> str:
        return self._signer.sign(statement)

    def prove(self, asked: str, binding: str) -> dict[str, str]:
        """The fields of a `welcome` that prove this identity: a fresh challenge, and signatures for the client's."""
        asks = secrets.token_hex(CHALLENGE_BYTES)
        proof = self._signer.sign(server_statement(self.id, asked, asks, ""))
        bound = self._signer.sign(server_statement(self.id, asked, asks, binding)) if binding else ""
        return {"challenge": asks, "proof": proof, "bound": bound}


async def load_identity(storage: Storage, folder: Path) -> ServerIdentity:
    """The identity of this server. It is made if there is none yet. Raises StorageError or SettingsError.

    `folder` has the key of a server whose storage does not last.
    """
    if not storage.durable:
        return ServerIdentity(_from_file(folder / IDENTITY_FILE))
    seed = await storage.players.secret(IDENTITY_SECRET, secrets.token_bytes(KEY_SEED_BYTES))
    if len(seed) != KEY_SEED_BYTES:
        raise StorageError("The server's own key in storage is damaged. Restore a backup.")
    return ServerIdentity(seed)


def _from_file(path: Path) -> bytes:
    """The key in a file. It is made if there is none."""
    try:
        private_folder(path.parent)
        if not path.exists():
            new = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
            with os.fdopen(open_private(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w") as file:
                file.write(f"{secrets.token_hex(KEY_SEED_BYTES)}\n")
            replace(new, path)
        seed = bytes.fromhex(path.read_text().strip())
    except OSError as error:
        raise SettingsError(f"The server's own key can't be kept in {path}: {error.strerror}.") from None
    except ValueError:
        seed = b""
    if len(seed) != KEY_SEED_BYTES:
        raise SettingsError(f"{path} is no key of a server. Move it away, and a new one is made.")
    return seed
