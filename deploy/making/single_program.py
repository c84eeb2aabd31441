"""The one-file program: Python, dicegames and all that it needs, in a file that runs by itself. Made by PyInstaller."""

import os
import shutil
import sys
from pathlib import Path

from environments import BUILD, BuildError, Environment, project, surroundings
from measuring import MEGABYTE
from pyz import system_name

MOST = 30 * MEGABYTE
START = Path(__file__).with_name("start_program.py")
PACKAGES = ("dicegames_protocol", "dicegames_server", "dicegames_client", "dicegames_web")
NOT_NEEDED = ("doctest", "lib2to3", "pdb", "pip", "pydoc", "readline", "setuptools", "tkinter", "unittest", "wheel")
"""Modules that others import only in parts that we do not use."""


def make(wanted: str, target: Path, *, named: bool) -> Path:
    """Make the program. `wanted` is our wheel with its extras."""
    (tool,) = (line for line in project()["optional-dependencies"]["build"] if line.startswith("pyinstaller"))
    clean = Environment("program", [tool])
    clean.install(wanted)
    work = BUILD / "pyinstaller"
    shutil.rmtree(work, ignore_errors=True)
    name = f"dicegames-{system_name()}" if named else "dicegames"
    flags = ["--onefile", "--name", name, "--noconfirm", "--clean", "--log-level", "WARN"]
    flags += ["--distpath", str(target), "--workpath", str(work), "--specpath", str(work)]
    if sys.platform == "linux" and shutil.which("strip", path=surroundings().get("PATH")):
        flags.append("--strip")
    for package in PACKAGES:  # games are found by their names, and what reads imports does not see that
        flags += ["--collect-submodules", package, "--collect-data", package, "--hidden-import", package]
    for module in NOT_NEEDED:
        flags += ["--exclude-module", module]
    ending = ".exe" if os.name == "nt" else ""
    for old in ("dicegames", f"dicegames-{system_name()}"):
        (target / f"{old}{ending}").unlink(missing_ok=True)
    clean.run("pyinstaller", *flags, str(START))
    return target / f"{name}{ending}"


def check_size(file: Path) -> None:
    size = file.stat().st_size
    if size > MOST:
        raise BuildError(f"{file.name} has {size / MEGABYTE:.1f} MB. It must not have more than {MOST / MEGABYTE:.0f}.")
