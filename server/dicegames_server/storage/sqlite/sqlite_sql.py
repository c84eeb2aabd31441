"""How updates and results are written to SQLite in few calls, and how a whole room is read."""

import sqlite3
from typing import Any

from dicegames_server.storage.base import NOTHING, RECENT, Record, StoredRoom, StoredSnapshot

ROWS = (64, 16, 4, 1)
"""Updates that one statement may insert. Few calls are better: each call into SQLite may cost a thread switch."""
INSERT = "INSERT OR ROLLBACK INTO event (room, seq, epoch, body, private) VALUES "
"""On an error it rolls the whole transaction back, so SQLite needs no statement journal."""
COLUMNS = 5
"""Columns in INSERT."""
RESULT = """
INSERT INTO result (
    room, game_no, seat, player, code, game, name, score, won, opponents, bests, counted, shared, players, bots,
    gave_up, at
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (room, game_no, seat) DO UPDATE SET at = excluded.at, player = excluded.player, name = excluded.name,
    score = excluded.score, won = excluded.won, opponents = excluded.opponents, bests = excluded.bests,
    counted = excluded.counted, shared = excluded.shared, players = excluded.players, bots = excluded.bots,
    gave_up = excluded.gave_up, accuracy = NULL, luck = NULL, reviewed = 0, edited = excluded.at
"""
INSERTS = {rows: INSERT + ", ".join(["(?, ?, ?, ?, ?)"] * rows) for rows in ROWS}


def load(db: sqlite3.Connection, row: int, code: str, epoch: int, private: bytes) -> StoredRoom:
    sql = "SELECT seq, public, private FROM snapshot WHERE room = ? ORDER BY seq DESC LIMIT 1"
    found = db.execute(sql, (row,)).fetchone()
    snapshot = StoredSnapshot(*found) if found else NOTHING
    sql = "SELECT seq, epoch, body, private FROM event WHERE room = ? AND seq > ? ORDER BY seq"
    records = tuple(Record(*found) for found in db.execute(sql, (row, snapshot.seq)))
    sql = "SELECT seq, private FROM event WHERE room = ? ORDER BY seq DESC LIMIT ?"
    recent = tuple(db.execute(sql, (row, RECENT)))[::-1]
    return StoredRoom(code, epoch, private, snapshot, records, recent)


def insert(db: sqlite3.Connection, rows: list[Any], games: list[tuple[Any, ...]]) -> int:
    """Insert what was collected, and clear both lists. `rows`: the values of all rows, one after the other.

    Returns the id of the last update, 0 if there was none.
    """
    done = last = 0
    for count in ROWS:
        while len(rows) - done >= count * COLUMNS:
            last = db.execute(INSERTS[count], rows[done : done + count * COLUMNS]).lastrowid or 0
            done += count * COLUMNS
    if games:
        db.executemany(RESULT, games)
    rows.clear()
    games.clear()
    return last
