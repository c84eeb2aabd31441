"""Where the streams of rooms are kept."""

from pathlib import Path

from dicegames_server.storage.base import Storage

MEMORY = "memory"


def make_storage(data: str) -> Storage:
    """The store that a setting asks for: `memory`, a folder, or (empty) the platform's folder for data."""
    if data == MEMORY:
        from dicegames_server.storage.memory import MemoryStorage

        return MemoryStorage()
    from dicegames_server.storage.sqlite import SqliteStorage

    folder = data_folder(data)
    assert folder
    return SqliteStorage(folder)


def data_folder(data: str) -> Path | None:
    """Where the same setting keeps its files; None in memory."""
    from platformdirs import user_data_path

    if data == MEMORY:
        return None
    return Path(data).expanduser() if data else user_data_path("dicegames")
