"""Log lines: text from strangers stays on one line and is escaped, so that it is safe to read in a terminal."""

import json
import logging
from collections.abc import Iterator
from typing import Literal

import pytest

from dicegames_server.ops.logs import set_up

HOSTILE = "\x1b[2J one\ntwo \u202e \x9b \u2028 three"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in ("dicegames", "asyncio")]
    before = [(list(logger.handlers), logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        logger.handlers[:], logger.level, logger.propagate = handlers, level, propagate


@pytest.mark.parametrize("form", ["text", "json"])
def test_hostile_text_stays_on_its_line(form: Literal["text", "json"], capfd: pytest.CaptureFixture[str]) -> None:
    set_up(form)
    logging.getLogger("dicegames.room").info("somebody said %s", HOSTILE)
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        logging.getLogger("asyncio").exception("it went wrong")
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)
    assert "ValueError" in lines[1]
    if form == "json":
        assert json.loads(lines[0])["message"] == f"somebody said {HOSTILE}"
