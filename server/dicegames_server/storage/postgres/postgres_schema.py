"""The tables in PostgreSQL, and their migration from older versions. Several nodes may start at the same time."""

from psycopg import AsyncConnection

from dicegames_server.storage.base import OUTDATED, StorageError

ADVISORY_LOCK = 0x6469_6365
"""Key of the advisory lock, so that one node at a time migrates. It is "dice" in ASCII."""

MIGRATIONS = [
    """
    CREATE TABLE node (
        id text PRIMARY KEY, url text NOT NULL, seen timestamptz NOT NULL, told bytea NOT NULL
    ) WITH (fillfactor = 50);
    CREATE TABLE room (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code text NOT NULL,
        opened timestamptz NOT NULL DEFAULT now(), ended timestamptz, private bytea NOT NULL,
        owner text, epoch bigint NOT NULL, lease_until timestamptz NOT NULL, next_seq bigint NOT NULL
    ) WITH (fillfactor = 50);
    CREATE UNIQUE INDEX open_room ON room (code) WHERE ended IS NULL;
    CREATE INDEX room_by_code ON room (code, id);
    CREATE INDEX room_of_owner ON room (owner) WHERE ended IS NULL;
    CREATE INDEX room_by_end ON room (ended) WHERE ended IS NOT NULL;
    CREATE TABLE event (
        room bigint NOT NULL REFERENCES room (id), seq bigint NOT NULL, epoch bigint NOT NULL,
        body bytea NOT NULL, private bytea NOT NULL, move text, PRIMARY KEY (room, seq)
    );
    CREATE UNIQUE INDEX event_of_move ON event (room, move) WHERE move IS NOT NULL;
    CREATE TABLE snapshot (
        room bigint NOT NULL REFERENCES room (id), seq bigint NOT NULL,
        public bytea NOT NULL, private bytea NOT NULL, PRIMARY KEY (room, seq)
    );
    CREATE TABLE result (
        room bigint NOT NULL, game_no bigint NOT NULL, seat bigint NOT NULL, at timestamptz NOT NULL DEFAULT now(),
        player text NOT NULL, code text NOT NULL, game text NOT NULL, name text NOT NULL, score bigint NOT NULL,
        won boolean NOT NULL, opponents text NOT NULL, bests text NOT NULL, PRIMARY KEY (room, game_no, seat)
    );
    CREATE INDEX result_of_player ON result (player, at);
    CREATE INDEX result_of_game ON result (game, at);
    """,  # half-filled pages of room and node: a row that changes often stays on its page, and touches no index
    "ALTER TABLE result ADD COLUMN counted boolean NOT NULL DEFAULT true",
    """
    CREATE TABLE secret (name text PRIMARY KEY, value bytea NOT NULL);
    CREATE TABLE player_key (key text PRIMARY KEY, player text NOT NULL);
    CREATE INDEX key_of_player ON player_key (player);
    CREATE TABLE link (code text PRIMARY KEY, player text NOT NULL, until timestamptz NOT NULL);
    ALTER TABLE node ADD COLUMN since timestamptz NOT NULL DEFAULT now();
    """,
    """
    CREATE TABLE listed (
        number bigint PRIMARY KEY, before text NOT NULL, room text NOT NULL, commitment text NOT NULL,
        proof text NOT NULL
    )
    """,
    "ALTER TABLE result ADD COLUMN shared boolean NOT NULL DEFAULT false",
    """
    ALTER TABLE result
        ADD COLUMN players bigint NOT NULL DEFAULT 0, ADD COLUMN bots text NOT NULL DEFAULT '',
        ADD COLUMN gave_up boolean NOT NULL DEFAULT false,
        ADD COLUMN accuracy float8, ADD COLUMN luck float8, ADD COLUMN reviewed boolean NOT NULL DEFAULT false,
        ADD COLUMN edited timestamptz;
    CREATE INDEX result_in_order ON result (at, room, game_no, seat);
    CREATE INDEX result_edited ON result (edited) WHERE edited IS NOT NULL;
    """,
]
"""Each step leads from one schema version to the next. While nodes of two versions run, both use the newer tables. So a
step adds things, and removes only what the version before it does not use any more.
"""


async def migrate(connection: AsyncConnection) -> None:
    """Bring the tables up to date. StorageError where they are from a newer version of dicegames."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (ADVISORY_LOCK,))
        await connection.execute("CREATE TABLE IF NOT EXISTS dicegames_schema (version bigint NOT NULL)")
        row = await (await connection.execute("SELECT max(version) FROM dicegames_schema")).fetchone()
        version: int = (row[0] if row else None) or 0
        if version > len(MIGRATIONS):
            raise StorageError(
                f"The database is from a newer dicegames (schema {version}, this one knows {len(MIGRATIONS)}): another "
                "node was updated before this one. Update this one too (docs/hosting/several-nodes.md, An update "
                "without interruption), then start it. Nothing was touched.",
                OUTDATED,
            )
        for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
            await connection.execute(script.encode())
            await connection.execute("INSERT INTO dicegames_schema VALUES (%s)", (number,))
