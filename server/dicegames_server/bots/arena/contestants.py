"""Who plays in the arena: a strategy of the game by its name, or a bot from a file of yours, such as `./mine.py`.

A file defines `strategies(rng)`, like the modules of this package, or one class with `wakes`, `watches` and `choose`.
Of several bots in a file, `./mine.py:name` says which one is meant. What goes wrong in a file is told in one sentence
with the line.
"""

import hashlib
import importlib.util
import inspect
import random
import re
import sys
import traceback
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TypeVar

from dicegames_protocol.table import Move
from dicegames_protocol.text import did_you_mean, strip
from dicegames_server.bots import Strategy, exploiters_of, strategies_of
from dicegames_server.core.errors import Refused
from dicegames_server.games.match import Match

A = TypeVar("A")
_FILE = re.compile(r"(?P<file>.*\.py)(:(?P<name>[^:/\\]*))?", re.IGNORECASE | re.DOTALL)
_METHODS = ("wakes", "watches", "choose")


class ArenaError(Exception):
    """These games can't be played. str() is a sentence."""


def names_in(listed: str) -> list[str]:
    """The names in a list with commas. Names of files stay as they are; others are in small letters."""
    names = [name.strip() for name in listed.split(",")]
    return [name if _FILE.fullmatch(name) else name.lower() for name in names if name]


def contestants(game: str, names: Sequence[str], rng: random.Random) -> list[Strategy]:
    """The strategies with these names. Where they play by chance, the chance comes from `rng`. Raises ArenaError."""
    known = {**strategies_of(game, rng), **exploiters_of(game, rng)}
    return [_from_file(name, rng) if _FILE.fullmatch(name) else _named(game, name, known) for name in names]


def _named(game: str, name: str, known: Mapping[str, Strategy]) -> Strategy:
    if name not in known:
        meant = did_you_mean(name, known)
        raise ArenaError(f"There is no bot '{name[:32]}' for {game}.{meant} There are: {', '.join(known)}.")
    return known[name]


def _from_file(told: str, rng: random.Random) -> Strategy:
    found = _FILE.fullmatch(told)
    assert found
    file, name = found["file"], found["name"]
    makers = _makers(file, str(Path(file).absolute()), rng)
    if not name:
        if len(makers) > 1:
            raise ArenaError(f"{file} has several bots. Say which one: {', '.join(f'{file}:{key}' for key in makers)}.")
        name = next(iter(makers))
    if name not in makers:
        raise ArenaError(
            f"There is no bot '{name[:32]}' in {file}.{did_you_mean(name, makers)} There are: {', '.join(makers)}."
        )
    bot = makers[name]()
    if missing := [method for method in _METHODS if not callable(getattr(bot, method, None))]:
        raise ArenaError(f"{file}: the bot '{name}' has no {missing[0]}(). docs/bots.md says what a bot needs.")
    return _FromFile(bot, file)


def _makers(file: str, path: str, rng: random.Random) -> dict[str, Callable[[], Any]]:
    """Name -> what makes the bot of this name. There is at least one."""
    module = _loaded(file, path)
    if callable(define := getattr(module, "strategies", None)):
        given = _guarded(file, lambda: define(rng))
        if not isinstance(given, Mapping) or not given or not all(isinstance(name, str) for name in given):
            raise ArenaError(f"{file}: strategies(rng) has to give names and bots, such as {{'mine': Mine()}}.")
        return {name: partial(_as_it_is, bot) for name, bot in given.items()}
    classes = {
        name: kind
        for name, kind in vars(module).items()
        if isinstance(kind, type)
        and kind.__module__ == module.__name__
        and not name.startswith("_")
        and callable(getattr(kind, "choose", None))
    }
    if not classes:
        raise ArenaError(f"{file} has no bot: it has neither strategies(rng) nor a class with choose(match, seat).")
    return {name: partial(_guarded, file, partial(_made_by, kind, rng)) for name, kind in classes.items()}


def _as_it_is(bot: Any) -> Any:
    return bot


def _made_by(kind: type, rng: random.Random) -> Any:
    """A bot of this class. It gets the random numbers if it asks for something."""
    return kind(rng) if inspect.signature(kind).parameters else kind()


@lru_cache(maxsize=64)
def _loaded(file: str, path: str) -> ModuleType:
    """The module in a file, run once in each process. `file`: as it was told."""
    if not Path(path).is_file():
        raise ArenaError(f"There is no file {file}.")
    name = f"bots_of_{hashlib.sha256(path.encode(errors='replace')).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # a dataclass looks itself up there
    loader = spec.loader
    _guarded(file, lambda: loader.exec_module(module))
    return module


def _guarded(file: str, work: Callable[[], A]) -> A:
    """What `work` gives. What goes wrong in it becomes an ArenaError."""
    try:
        return work()
    except ArenaError:
        raise
    except (Exception, SystemExit) as error:
        _tell(file, error)


def _tell(file: str, error: BaseException) -> NoReturn:
    own = str(Path(file).absolute())
    if isinstance(error, SyntaxError) and error.filename == own:
        raise ArenaError(f"{file}, line {error.lineno}: {strip(error.msg)}.") from None
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == own]
    where = f"{file}, line {lines[-1]}" if lines else file
    said = strip(str(error))[:200].rstrip(".")
    raise ArenaError(f"{where}: {type(error).__name__}{f': {said}' if said else ''}.") from None


class _FromFile:
    """A bot from a file. What it does wrong is told in a sentence."""

    def __init__(self, bot: Any, file: str) -> None:
        self._bot, self._file = bot, file
        self.deep = bool(getattr(bot, "deep", False))

    def watches(self, match: Match) -> bool:
        return _guarded(self._file, lambda: bool(self._bot.watches(match)))

    def wakes(self, match: Match, seat: int) -> bool:
        return _guarded(self._file, lambda: bool(self._bot.wakes(match, seat)))

    def waits(self, match: Match, seat: int) -> bool:
        waits = getattr(self._bot, "waits", None)
        return _guarded(self._file, lambda: bool(waits(match, seat))) if callable(waits) else False

    def sees(self, match: Match, seat: int) -> Hashable:
        return None

    def choose(self, match: Match, seat: int) -> Move | None:
        move: Any = _guarded(self._file, lambda: self._bot.choose(match, seat))
        if move is None:
            return None
        if not isinstance(move, Move):
            raise ArenaError(f"{self._file}: choose() gave {strip(repr(move))[:80]}. It has to give a Move, or None.")
        try:
            match.check(seat, move, "bot")
        except Refused as refused:
            raise ArenaError(f"{self._file}: choose() gave a move that is not allowed. {refused.message}") from None
        return move
