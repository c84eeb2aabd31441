"""Logs that somebody has changed: `verify` and `replay` answer each with a sentence and the line."""

import io
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dicegames_client.base.errors import ClientError
from dicegames_client.base.terminal.keyboard import Keyboard
from dicegames_client.lines import log_lines
from dicegames_server.audit.audit import audit

LOGS = sorted((Path(__file__).parent.parent.parent / "golden" / "data").glob("*.jsonl"))
VALUES: list[Any] = [None, 0, -1, 10**25, 1.5, "", "x", "\x1b[31m", [], [1], {}, {"x": 1}, True, "9" * 300]
MUTATIONS = 400


def read(log: Path) -> list[Any]:
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from places(part, (*path, key))


def changed(log: list[Any], rng: random.Random) -> list[bytes]:
    """The log with one value replaced or taken out, or with a line that is cut."""
    log = json.loads(json.dumps(log))
    line = rng.randrange(len(log))
    at = rng.choice(list(places(log[line])))
    inside = log[line]
    for key in at[:-1]:
        inside = inside[key]
    if rng.random() < 0.2:
        del inside[at[-1]]
    else:
        inside[at[-1]] = rng.choice(VALUES)
    lines = [json.dumps(update).encode() for update in log]
    if rng.random() < 0.05:
        lines[line] = lines[line][: rng.randrange(len(lines[line]))]
    return lines


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
async def test_changed_logs_get_a_sentence(log: Path) -> None:
    rng = random.Random(log.stem)
    whole = read(log)
    for _ in range(MUTATIONS // len(LOGS)):
        lines = changed(whole, rng)
        for check in audit(lines):
            assert check.ok or re.search(r"(line|update|game|seat) \d|not a log|chi²|secret", check.detail), check
        out = io.StringIO()
        try:
            await log_lines.replay(lines, Keyboard(io.StringIO()), out, speed=0, step=False, start=1)
        except ClientError as error:
            assert re.search(r"[Ll]ine \d+|update \d+|not a log|nothing in this log", error.sentence), error.sentence
        assert "\x1b" not in out.getvalue()


def test_a_die_with_very_many_sides_keeps_nobody_busy() -> None:
    whole = read(LOGS[0])
    drawn = next(update["cause"]["drawn"] for update in whole if update["cause"].get("drawn"))
    drawn["sides"] = 10**25
    (check,) = audit([json.dumps(update).encode() for update in whole])
    assert "is wrong" in check.detail and check.detail.startswith("line ")
