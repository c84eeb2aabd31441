"""A copy of the checkout in which one module after the other is broken, and the tests that ought to notice."""

import importlib
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = ("protocol", "server", "client", "tests", "docs", "pyproject.toml")
PACKAGES = ("protocol", "server", "client")
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-n", "0", "--hypothesis-profile=quick"]
MEMORY = 4 * 1024**3
"""A mutant that fills a list for ever gets no more than this."""
AHEAD = ("hypothesis", "pydantic", "pytest_asyncio", "websockets", "prompt_toolkit", "zeroconf")
"""What does not change is imported once, and the process forks for every mutant."""
_fork = multiprocessing.get_context("fork")


@contextmanager
def copied() -> Iterator[Path]:
    """A copy to break. The working tree is never touched."""
    with tempfile.TemporaryDirectory(prefix="dicegames-mutation-") as folder:
        copy = Path(folder).resolve()
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / name)
        os.chdir(copy)
        paths = [str(copy / package) for package in PACKAGES]
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
        sys.path[:0] = paths
        for name in AHEAD:
            importlib.import_module(name)
        yield copy


class Trial:
    """The tests of one module."""

    def __init__(self, copy: Path, path: str, tests: Sequence[str]) -> None:
        self._file = copy / path
        self._name = ".".join(Path(path).with_suffix("").parts[1:])
        self._tests = [*OPTIONS, *tests]
        self._honest = self._file.read_text(encoding="utf-8")
        self._limit = 120.0
        self.late = 0
        """How many mutants were killed by the time limit, not by a test."""

    def prepare(self) -> float:
        """The tests pass on the untouched copy, and it is the copy that they import. Gives the seconds they take."""
        began = time.monotonic()
        if self._run(keep_bytecode=True) != 0:
            raise SystemExit(f"{self._name}: its tests fail without any mutant: pytest {' '.join(self._tests)}")
        seconds = time.monotonic() - began
        for kept in (self._file.parent / "__pycache__").glob(f"{self._file.stem}.*"):
            kept.unlink()  # mutants come faster than the time stamps by which Python knows a file has changed
        self._limit = max(5.0, 4 * seconds)
        if not self.kills("raise RuntimeError"):
            raise SystemExit(f"{self._name}: the tests do not import the copy")
        return seconds

    def kills(self, source: str) -> bool:
        """Whether a test fails, or the time is up, with this source in place of the module's."""
        self._file.write_text(source, encoding="utf-8")
        try:
            return self._run() != 0
        finally:
            self._file.write_text(self._honest, encoding="utf-8")

    def _run(self, keep_bytecode: bool = False) -> int | None:
        if sys.platform == "win32":
            raise NotImplementedError  # it has no forks
        child = _fork.Process(target=self._test, args=(keep_bytecode,))
        child.start()
        child.join(self._limit)
        if child.is_alive() and child.pid:
            os.killpg(child.pid, signal.SIGKILL)
            self.late += 1
        child.join()
        return child.exitcode

    def _test(self, keep_bytecode: bool) -> None:
        if sys.platform == "win32":
            raise NotImplementedError
        os.setsid()
        sys.dont_write_bytecode = not keep_bytecode
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        code = int(pytest.main(self._tests))
        module = sys.modules.get(self._name)
        if keep_bytecode and (module is None or Path(module.__file__ or "").resolve() != self._file):
            code = 99
        os._exit(code)
