"""The key by which ssh clients know this server again. It is made once, and kept."""

import os
from pathlib import Path

import asyncssh

from dicegames_protocol.system.private_files import open_private, private_folder, replace
from dicegames_server.settings import SettingsError

HOST_KEY_FILE = "ssh_host_key"
KIND = "ssh-ed25519"


def host_key(folder: Path) -> asyncssh.SSHKey:
    """The key in this folder, made at the first call. Raises SettingsError where it can't be read or written."""
    path = folder / HOST_KEY_FILE
    try:
        if not path.exists():
            private_folder(folder)
            fresh = path.with_name(f"{HOST_KEY_FILE}.{os.getpid()}")
            with os.fdopen(open_private(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                file.write(asyncssh.generate_private_key(KIND).export_private_key())
            replace(fresh, path)
        return asyncssh.read_private_key(path)
    except OSError as error:
        raise SettingsError(f"The key for ssh can't be kept in {path}: {error.strerror}.") from None
    except asyncssh.KeyImportError:
        raise SettingsError(f"{path} is no key for ssh. Move it away, and a new one is made.") from None


def fingerprint_of(key: asyncssh.SSHKey) -> str:
    """As ssh clients show it: SHA256:…"""
    return str(key.get_fingerprint())
