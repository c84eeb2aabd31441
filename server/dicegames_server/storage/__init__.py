"""Stores for the update streams of rooms."""

from pathlib import Path

from dicegames_server.settings import Settings
from dicegames_server.storage.base import Storage, StorageError

MEMORY = "memory"
POSTGRES = ("postgresql://", "postgres://")


def make_storage(settings: Settings) -> Storage:
    """The store that the setting `data` names: `memory`, a folder, the platform's folder (empty), or PostgreSQL.

    Raises StorageError where the package for PostgreSQL is missing.
    """
    if settings.data == MEMORY:
        from dicegames_server.storage.memory import MemoryStorage

        return MemoryStorage()
    if is_postgres(settings.data):
        try:
            from dicegames_server.storage.postgres.postgres_store import PostgresStorage
        except ImportError:
            raise StorageError("PostgreSQL needs one more package: pip install 'dicegames[postgres]'") from None
        return PostgresStorage(settings.data, url=settings.node_url, lease=settings.lease_seconds)
    from dicegames_server.storage.sqlite.sqlite_store import SqliteStorage

    folder = data_folder(settings)
    assert folder
    return SqliteStorage(folder)


def is_postgres(data: str) -> bool:
    return data.startswith(POSTGRES)


def data_folder(settings: Settings) -> Path | None:
    """The folder for a server's files. None for a store in memory. With PostgreSQL each node has its own folder."""
    if settings.data == MEMORY:
        return None
    if is_postgres(settings.data):
        if settings.node_folder:
            return Path(settings.node_folder).expanduser()
        return usual_folder() / f"node-{settings.port}"
    return Path(settings.data).expanduser() if settings.data else usual_folder()


def usual_folder() -> Path:
    """The platform's standard folder for data."""
    from platformdirs import user_data_path

    return user_data_path("dicegames")
