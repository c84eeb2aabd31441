"""All SQL statements for PostgreSQL. A statement with which a room is written checks its owner and its epoch."""

from dicegames_server.storage.epochs import RANDOM_BITS
from dicegames_server.storage.result_rows import READ_COLUMNS

APPEND = """
WITH input AS (
    SELECT * FROM unnest(%b::bigint[], %b::bigint[], %b::bigint[], %b::bytea[], %b::bytea[], %b::text[])
    AS input (room, seq, epoch, body, private, move)
), mine AS (
    UPDATE room SET next_seq = span.last + 1, lease_until = now() + make_interval(secs => %s)
    FROM (SELECT room, epoch, min(seq) AS first, max(seq) AS last FROM input GROUP BY room, epoch) AS span
    WHERE room.id = span.room AND room.ended IS NULL
        AND room.owner = %s AND room.epoch = span.epoch AND room.next_seq = span.first
    RETURNING room.id, room.epoch
), written AS (
    INSERT INTO event (room, seq, epoch, body, private, move)
    SELECT input.* FROM input JOIN mine ON mine.id = input.room AND mine.epoch = input.epoch
)
SELECT id FROM mine
"""
ACQUIRE = f"""
UPDATE room SET owner = %s, lease_until = now() + make_interval(secs => %s), epoch = greatest(
    epoch + 1, (extract(epoch FROM now())::bigint << {RANDOM_BITS}) + floor(random() * {2**RANDOM_BITS})::bigint
)
WHERE code = %s AND ended IS NULL AND next_seq > 1 AND (owner IS NULL OR owner = %s OR lease_until < now())
RETURNING id, epoch, private, next_seq
"""
OWNER = """
SELECT coalesce(node.url, ''), extract(epoch FROM lease_until - now())::float8
FROM room LEFT JOIN node ON node.id = room.owner
WHERE code = %s AND ended IS NULL AND next_seq > 1
"""
RESULT = """
INSERT INTO result (room, game_no, seat, player, code, game, name, score, won, opponents, bests, counted,
    shared, players, bots, gave_up)
SELECT %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s
WHERE EXISTS (SELECT 1 FROM event WHERE room = %s AND seq = %s AND epoch = %s)
ON CONFLICT (room, game_no, seat) DO UPDATE SET at = now(), player = EXCLUDED.player, name = EXCLUDED.name,
    score = EXCLUDED.score, won = EXCLUDED.won, opponents = EXCLUDED.opponents, bests = EXCLUDED.bests,
    counted = EXCLUDED.counted, shared = EXCLUDED.shared, players = EXCLUDED.players, bots = EXCLUDED.bots,
    gave_up = EXCLUDED.gave_up, accuracy = NULL, luck = NULL, reviewed = false, edited = now()
"""
RESULTS = f"""
SELECT {READ_COLUMNS}, extract(epoch FROM at)::float8
FROM result WHERE (%s::text IS NULL OR player = %s) AND (%s::text IS NULL OR game = %s) ORDER BY at DESC LIMIT %s
"""
OPEN = """
INSERT INTO room (code, private, owner, epoch, lease_until, next_seq)
VALUES (%s, %s, %s, %s, now() + make_interval(secs => %s), 1)
ON CONFLICT (code) WHERE ended IS NULL DO NOTHING RETURNING id
"""
ORPHANS = """
SELECT code FROM room WHERE ended IS NULL AND next_seq > 1 AND lease_until < now() - make_interval(secs => %s)
ORDER BY lease_until LIMIT %s
"""
LATEST_SNAPSHOT = """
SELECT seq, public, private FROM snapshot WHERE room = %s ORDER BY seq DESC LIMIT 1
"""
SINCE_SNAPSHOT = """
SELECT seq, epoch, body, private FROM event
WHERE room = %s AND seq > coalesce((SELECT max(seq) FROM snapshot WHERE room = %s), 0) ORDER BY seq
"""
SELECT_RECENT = """
SELECT seq, private FROM event WHERE room = %s ORDER BY seq DESC LIMIT %s
"""
RELEASE = """
UPDATE room SET owner = NULL, lease_until = now() WHERE id = %s AND owner = %s AND epoch = %s
"""
RELEASE_ALL = """
UPDATE room SET owner = NULL, lease_until = now() WHERE owner = %s AND ended IS NULL
"""
NODE_GOES = """
DELETE FROM node WHERE id = %s
"""
NODE = """
INSERT INTO node (id, url, seen, told) VALUES (%s, %s, now(), %s)
ON CONFLICT (id) DO UPDATE SET seen = now(), told = EXCLUDED.told
"""
RENEW = """
UPDATE room SET lease_until = now() + make_interval(secs => %s)
WHERE id = ANY(%s) AND owner = %s AND ended IS NULL AND lease_until < now() + make_interval(secs => %s)
"""
OWNED = """
SELECT id, epoch FROM room WHERE owner = %s AND ended IS NULL
"""
OTHERS = """
SELECT other.id, other.url, other.told, (other.since, other.id) < (me.since, me.id),
    extract(epoch FROM now() - other.seen)::float8
FROM node AS other, node AS me
WHERE me.id = %s AND other.id <> me.id AND other.seen > now() - make_interval(secs => %s) ORDER BY other.id
"""
OLD_NODES = """
DELETE FROM node WHERE seen < now() - interval '1 day'
"""
NEVER_BEGUN = """
UPDATE room SET ended = now(), owner = NULL
WHERE ended IS NULL AND next_seq = 1 AND lease_until < now() - make_interval(secs => %s)
"""
SNAPSHOT = """
INSERT INTO snapshot (room, seq, public, private) SELECT id, %s, %s, %s FROM room
WHERE id = %s AND owner = %s AND epoch = %s ON CONFLICT DO NOTHING
"""
DROP = """
UPDATE room SET ended = now(), owner = NULL WHERE id = %s AND owner = %s AND epoch = %s
"""
OLD_ROOMS = """
SELECT id FROM room WHERE ended <= now() - make_interval(secs => %s) ORDER BY ended LIMIT 100
"""
NO_EVENTS = """
DELETE FROM event WHERE room = ANY(%s)
"""
NO_SNAPSHOTS = """
DELETE FROM snapshot WHERE room = ANY(%s)
"""
NO_ROOMS = """
DELETE FROM room WHERE id = ANY(%s) RETURNING id
"""
LATER = """
SELECT 1 FROM event WHERE room = %s AND seq = %s AND epoch > %s
"""
UPDATES = """
SELECT body FROM event WHERE room = %s AND seq > %s AND seq <= %s ORDER BY seq
"""
LAST_OF_CODE = """
SELECT id, private FROM room WHERE code = %s ORDER BY id DESC LIMIT 1
"""
PAGE = """
SELECT body FROM event WHERE room = %s AND seq > %s ORDER BY seq LIMIT %s
"""
MOVE = """
SELECT seq, private FROM event WHERE room = %s AND move = %s
"""
CODES = """
SELECT count(*) FROM room
"""
MENTIONS = """
SELECT 1 FROM event WHERE room = (SELECT max(id) FROM room WHERE code = %s) AND position(%s::bytea in private) > 0
LIMIT 1
"""
