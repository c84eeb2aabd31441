import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from support.home import at_home
from support.luck import same_luck

if TYPE_CHECKING:
    from support.postgres import Postgres

os.environ["DICEGAMES_INTERFACES"] = "127.0.0.1"  # whatever is tried here is announced and looked for on the loopback
_home = tempfile.mkdtemp(prefix="dicegames-tests-")
atexit.register(shutil.rmtree, _home, ignore_errors=True)
os.environ.update(at_home(_home))
os.environ["DICEGAMES_ADMIN"] = ""  # many servers run at once

settings.register_profile("short", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", deadline=None, max_examples=3000, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", deadline=None, max_examples=10, derandomize=True, database=None)
settings.load_profile("short")


@pytest.fixture
def luck(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is drawn at random is the same in every run."""
    same_luck(monkeypatch, 1)


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Postgres]":
    """A PostgreSQL for this run; without one, the test is skipped."""
    from support.postgres import MISSING, Postgres, binaries  # which is not for all systems

    if binaries() is None:
        pytest.skip(MISSING)
    made = Postgres.start()
    yield made
    made.stop()


@pytest.fixture
def database(postgres: "Postgres") -> str:
    """The address of an empty database."""
    return postgres.new_database()
