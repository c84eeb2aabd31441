"""Where the streams of rooms are kept."""

from pathlib import Path

from dicegames_server.storage.base import Storage

MEMORY = "memory"


def make_storage(data: str) -> Storage:
    """The store that a setting asks for: `memory`, a folder, or (empty) the platform's folder for data."""
    if data == MEMORY:
        from dicegames_server.storage.memory import MemoryStorage

        return MemoryStorage()
    from platformdirs import user_data_path

    from dicegames_server.storage.sqlite import SqliteStorage

    return SqliteStorage(Path(data).expanduser() if data else user_data_path("dicegames"))
