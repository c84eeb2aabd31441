"""Log lines on stderr: one line of text per event for people, or one JSON object per event for machines."""

import logging
import sys
import time
from typing import Literal

from dicegames_protocol.codec import canonical


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.created))
        level = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        return f"{clock} {level}{_one_line(self._message(record))}"

    def _message(self, record: logging.LogRecord) -> str:
        text = record.getMessage()
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


class _Json(_Text):
    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": round(record.created, 3),
            "level": record.levelname.lower(),
            "where": record.name,
            "message": self._message(record),
        }
        return canonical(entry).decode()


def set_up(form: Literal["text", "json"]) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if form == "json" else _Text())
    for name, level in (("dicegames", logging.INFO), ("asyncio", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(level)
        logger.propagate = False
    logging.getLogger("dicegames.websockets").setLevel(logging.ERROR)


def _one_line(text: str) -> str:
    """Escape line breaks and control characters, so that text from outside can't forge log lines."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
