"""`dicegames.pyz`: one file for all Pythons that we support, on one kind of system. Made by shiv.

Compiled modules have the version of their Python in the names of their files. So those for all Pythons lie side by side
in one folder, and each Python takes its own. Everything else is the same for all.
"""

import platform
import shutil
import sys
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from environments import BUILD, BuildError, tools

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
LINUX = "manylinux_2_28"
"""The oldest Linux that it has to run on, such as Debian 10, RHEL 8 and Ubuntu 20.04."""
INSTALLERS_NOTES = (".lock", "INSTALLER", "RECORD", "REQUESTED", "WHEEL", "direct_url.json", "uv_cache.json")
"""Files that say how and when something was installed here."""
ENTRY = "dicegames_client.__main__:whole"
GATE = Path(__file__).with_name("gate.py")


def make(wanted: str, target: Path, *, named: bool) -> Path:
    """Make the file. `wanted` is our wheel with its extras."""
    work = BUILD / "pyz"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    together = work / "together"
    for version in PYTHONS:
        _merge(_installed(wanted, version, work), together)
    raw = work / "raw.pyz"
    shiv = ["--site-packages", str(together), "--entry-point", ENTRY, "--output-file", str(raw), "--reproducible"]
    tools().run("shiv", *shiv)
    for old in target.glob("dicegames*.pyz"):
        old.unlink()
    file = target / (f"dicegames-{system_name()}.pyz" if named else "dicegames.pyz")
    _with_gate(raw, file)
    return file


def system_name() -> str:
    """The system that this is made on and for, such as linux-x86_64."""
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    return f"{system}-{platform.machine().lower()}"


def _installed(wanted: str, version: str, work: Path) -> Path:
    """Everything that one Python needs. Later ones get the versions that the first one got."""
    folder, pins = work / version, work / "pins.txt"
    flags = ["--quiet", "--python-version", version, "--only-binary", ":all:", "--no-progress"]
    if sys.platform == "linux":
        flags += ["--python-platform", f"{platform.machine()}-{LINUX}"]
    if pins.exists():
        flags += ["--constraint", str(pins)]
    tools().run("uv", "pip", "install", *flags, "--target", str(folder), wanted)
    if not pins.exists():
        named = sorted(path.name.removesuffix(".dist-info").partition("-") for path in folder.glob("*.dist-info"))
        pins.write_text("".join(f"{name}=={number}\n" for name, _, number in named if name != "dicegames"))
    return folder


def _merge(folder: Path, together: Path) -> None:
    """Add one Python's files. A file of the same name must be the same, except for what packages say of themselves."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        place = path.relative_to(folder)
        if place.parts[0] in ("bin", "Scripts") or place.name in INSTALLERS_NOTES:
            continue
        target = together / place
        if target.exists():
            if target.read_bytes() != path.read_bytes() and not place.parts[0].endswith(".dist-info"):
                raise BuildError(f"{place.as_posix()} is not the same for all of Python {', '.join(PYTHONS)}.")
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def suffixes() -> list[str]:
    """How the names of compiled modules end, for each Python."""
    here = "".join(map(str, sys.version_info[:2]))
    found = [EXTENSION_SUFFIXES[0].replace(here, version.replace(".", ""), 1) for version in PYTHONS]
    if len(set(found)) != len(PYTHONS):
        raise BuildError(f"{EXTENSION_SUFFIXES[0]} does not name this Python. Build with an ordinary CPython.")
    return found


def _with_gate(raw: Path, file: Path) -> None:
    """Copy the archive. Its first step becomes a look at the Python that runs it."""
    machine = platform.machine() if sys.platform == "darwin" else ""
    main = f"{GATE.read_text(encoding='utf-8')}\n\nopen_gate({suffixes()!r}, {list(PYTHONS)!r}, {machine!r})\n"
    fresh = file.with_suffix(".new")
    with zipfile.ZipFile(raw) as archive, fresh.open("wb") as out:
        out.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as copy:
            for entry in archive.infolist():
                data = main.encode() if entry.filename == "__main__.py" else archive.read(entry)
                kept = zipfile.ZipInfo(entry.filename, entry.date_time)
                kept.external_attr, kept.create_system = entry.external_attr, 3
                copy.writestr(kept, data, zipfile.ZIP_DEFLATED)
    fresh.chmod(0o755)
    fresh.replace(file)
