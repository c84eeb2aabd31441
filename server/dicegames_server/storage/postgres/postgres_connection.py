"""One connection to PostgreSQL. It connects again when it breaks, and always tells the outcome of a request.

A request is several statements in one pipeline. They are sent together, and are one transaction with one commit. Either
all of it was done, or nothing (Unavailable), or the connection broke in between and the outcome is not known (Unknown).
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from dicegames_server.storage.base import BROKEN, RETRY, StorageError, Unavailable, Unknown

log = logging.getLogger("dicegames.postgres")
logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # this module logs what breaks
Statement = tuple[str, Sequence[Any]]
Rows = list[tuple[Any, ...]]
OWN_REASONS = (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.DatatypeMismatch)
"""Errors because of what was to be written, not because of PostgreSQL."""
DISK_FULL = "53100"
"""PostgreSQL's code for a disk without space."""
FULL_SECONDS = 60.0
"""Seconds without an error after which a disk counts as no longer full."""
RECONNECT_SECONDS = 0.5
"""Seconds from a failed attempt to connect to the next one. In between, requests fail at once (Unavailable)."""
POSTGRES_CONNECT_SECONDS = 3
"""Timeout for one attempt to connect, in seconds."""
LATE_SECONDS = 0.5
"""Seconds. A timer that is more than this late was not delayed by PostgreSQL: this process was stopped or busy."""


class PostgresConnection:
    def __init__(self, dsn: str, patience: float) -> None:
        """`patience`: timeout for a request, in seconds. After it the connection counts as broken."""
        self._patience = patience
        try:
            self._conninfo = _with_defaults(dsn, patience)
        except psycopg.Error as error:
            raise StorageError(f"The address of PostgreSQL can't be read: {_short(error)}.") from None
        self._connection: AsyncConnection | None = None
        self._busy = asyncio.Lock()
        self._try_at = 0.0
        self._quiet_until = 0.0
        self._complaint = ""
        """What was last logged as wrong. It is logged once, until something works again."""
        self.where = _where(dsn)

    async def open(self, prepare: "Callable[[AsyncConnection], Any]") -> None:
        """Connect for the first time, and call `prepare` with the connection. StorageError where this fails."""
        try:
            self._connection = await self._connect()
            await prepare(self._connection)
        except psycopg.Error as error:
            await self.close()
            code = RETRY if isinstance(error, psycopg.OperationalError) else BROKEN
            raise StorageError(f"PostgreSQL at {self.where} can't be used: {_short(error)}.", code) from None

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            with contextlib.suppress(psycopg.Error):
                await connection.close()

    @property
    def up(self) -> bool:
        return self._connection is not None

    async def ask(self, *statements: Statement, writes: bool = True) -> list[Rows]:
        """Run the statements and give the rows of each. `writes` False: they only read, so they can be sent twice.

        Raises Unavailable or Unknown. OWN_REASONS go to the caller: nothing was done then.
        """
        async with self._busy:
            if not writes and self._connection:
                with contextlib.suppress(Unavailable):  # it may have broken while idle: connect and retry once
                    return await self._ask(statements, writes=False)
            return await self._ask(statements, writes)

    async def _ask(self, statements: Sequence[Statement], writes: bool) -> list[Rows]:
        connection = await self._connected()
        patience = _Patience(connection, self._patience)
        try:
            answers = await _run(connection, statements)
            self._worked()
            return answers
        except OWN_REASONS:
            await self._roll_back(connection)
            raise
        except psycopg.errors.lookup(DISK_FULL) as error:
            await self._roll_back(connection)
            self._quiet_until = asyncio.get_running_loop().time() + FULL_SECONDS
            self._complain(f"PostgreSQL at {self.where} has no disk space left, so nothing can be saved")
            raise Unavailable(_short(error)) from None
        except psycopg.Error as error:
            broken = connection.broken or connection.closed
            self._lost(error)  # broken, a former primary, or in an unexpected state: connect again
            if broken and writes:
                raise Unknown(_short(error)) from None
            raise Unavailable(_short(error)) from None
        except BaseException:  # the caller was cancelled in the middle of a request
            self._lost(None)
            raise
        finally:
            patience.end()

    async def _roll_back(self, connection: AsyncConnection) -> None:
        """Nothing was written, and the connection can be used again. psycopg then also forgets what it prepared."""
        try:
            await connection.execute("ROLLBACK")
        except psycopg.Error as error:
            self._lost(error)

    def _worked(self) -> None:
        """A request has worked. On a full disk some do, so that says nothing until FULL_SECONDS are over."""
        if self._complaint and asyncio.get_running_loop().time() >= self._quiet_until:
            self._complaint = ""
            log.info("PostgreSQL at %s works again", self.where)

    def _complain(self, complaint: str) -> None:
        if complaint != self._complaint:
            self._complaint = complaint
            log.warning(complaint)

    async def _connected(self) -> AsyncConnection:
        now = asyncio.get_running_loop().time()
        if self._connection is None:
            if now < self._try_at:
                raise Unavailable(f"PostgreSQL at {self.where} is away")
            try:
                self._connection = await self._connect()
            except psycopg.Error as error:
                self._try_at = asyncio.get_running_loop().time() + RECONNECT_SECONDS
                raise Unavailable(_short(error)) from None
        return self._connection

    async def _connect(self) -> AsyncConnection:
        connection = await AsyncConnection.connect(self._conninfo, autocommit=True, prepare_threshold=2)
        async with connection.cursor() as cursor:
            await cursor.execute(
                "SELECT set_config('synchronous_commit', 'on', false) "
                "WHERE current_setting('synchronous_commit') = 'off'"
            )
        return connection

    def _lost(self, error: Exception | None) -> None:
        connection, self._connection = self._connection, None
        if connection:
            why = f": {_short(error)}" if error else ""
            self._complain(f"the connection to PostgreSQL at {self.where} is broken{why}")
            connection.pgconn.finish()


async def _run(connection: AsyncConnection, statements: Sequence[Statement]) -> list[Rows]:
    if len(statements) == 1:  # autocommit: it is a transaction by itself
        cursors = [await connection.execute(*statements[0], binary=True)]
    else:
        async with connection.pipeline():
            cursors = [await connection.execute(*statement, binary=True) for statement in statements]
    return [await cursor.fetchall() if cursor.description else [] for cursor in cursors]


class _Patience:
    """Timeout of one request: closes the connection where the answer takes too long.

    If the timer itself is late, this process was stopped or busy and could not read the answer. Then it starts again.
    """

    def __init__(self, connection: AsyncConnection, seconds: float) -> None:
        self._connection = connection
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._begin()

    def _begin(self) -> None:
        self._until = self._loop.time() + self._seconds
        self._timer = self._loop.call_at(self._until, self._over)

    def _over(self) -> None:
        if self._loop.time() > self._until + LATE_SECONDS:
            self._begin()
        else:
            self._hang_up()

    def _hang_up(self) -> None:
        """Shut the socket down. The request then fails, and no half-read answer is left on the connection."""
        with contextlib.suppress(OSError, psycopg.Error):
            end = socket.fromfd(self._connection.pgconn.socket, socket.AF_INET, socket.SOCK_STREAM)
            end.shutdown(socket.SHUT_RDWR)
            end.close()

    def end(self) -> None:
        self._timer.cancel()


def _with_defaults(dsn: str, patience: float) -> str:
    """The address with timeouts that detect a dead connection soon, unless the address sets its own."""
    defaults: dict[str, str | int] = {
        "connect_timeout": POSTGRES_CONNECT_SECONDS,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": round(patience * 1000),
        "target_session_attrs": "read-write",
        "application_name": "dicegames",
        "options": f"-c statement_timeout={round(patience * 1000)}",
    }
    return make_conninfo(dsn, **{name: value for name, value in defaults.items() if name not in conninfo_to_dict(dsn)})


def _where(dsn: str) -> str:
    """Host and port of the database, for messages. Never with the password."""
    told = conninfo_to_dict(dsn)
    return f"{told.get('host') or 'its usual place'}:{told.get('port') or 5432}"


def _short(error: Exception) -> str:
    """The first line of an error message of PostgreSQL."""
    text = str(error).strip().splitlines()
    return text[0].rstrip(".") if text else type(error).__name__
