"""The virtual environments that the build uses, in the folder build/, and how a command runs there."""

import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build"
DIST = ROOT / "dist"
BIN = "Scripts" if os.name == "nt" else "bin"
LONG_AGO = "315532800"
"""1980-01-01, the first day that a zip file can name, in seconds since 1970."""


class BuildError(Exception):
    """The sentence for the person who builds."""


@cache
def project() -> dict[str, Any]:
    """The table [project] of pyproject.toml."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


@cache
def tools() -> "Environment":
    """Everything in the extra `build`."""
    return Environment("tools", project()["optional-dependencies"]["build"])


@cache
def surroundings() -> dict[str, str]:
    """The variables for all commands: the same files on each day, and the registry that pip is told to use."""
    given = dict(os.environ)
    given.pop("PYTHONPATH", None)
    given.setdefault("SOURCE_DATE_EPOCH", _last_commit())
    given["PYTHONHASHSEED"] = "1"
    given["UV_PYTHON_DOWNLOADS"] = "never"
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    index = given.get("PIP_INDEX_URL") or _output(asked)
    if index:
        given.setdefault("UV_DEFAULT_INDEX", index)
    if "PIP_CERT" in given:
        given.setdefault("SSL_CERT_FILE", given["PIP_CERT"])
    return given


def _last_commit() -> str:
    return _output(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]) or LONG_AGO


def _output(command: list[str]) -> str:
    """What a command prints, and nothing if it fails or is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


class Environment:
    def __init__(self, name: str, requirements: list[str]) -> None:
        """Make it, or use what is there from the last time."""
        self.folder = BUILD / name
        stamp = self.folder / "made-for.txt"
        wanted = "\n".join([sys.version, sys.executable, *requirements])
        if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
            return
        venv.create(self.folder, clear=True, with_pip=name == "tools")
        if name == "tools":
            uv = [line for line in requirements if line.startswith("uv>")]
            self.run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *uv)
            self._install_with(self, requirements)
        else:
            self.install(*requirements)
        stamp.write_text(wanted, encoding="utf-8")

    def script(self, name: str) -> Path:
        return self.folder / BIN / (f"{name}.exe" if os.name == "nt" else name)

    def install(self, *requirements: str) -> None:
        """Install with uv, which is fast. A wheel of ours is taken anew, although its version is the same."""
        if requirements:
            self._install_with(tools(), requirements)

    def _install_with(self, holder: "Environment", requirements: Sequence[str]) -> None:
        flags = ["--quiet", "--reinstall-package", str(project()["name"]), "--python", str(self.script("python"))]
        holder.run("uv", "pip", "install", *flags, *requirements)

    def run(self, command: str, *arguments: str) -> None:
        """Run a command of this environment. Its output is shown only if it fails."""
        done = subprocess.run(
            [str(self.script(command)), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            cwd=ROOT,
            env=surroundings(),
        )
        if done.returncode:
            raise BuildError(f"{done.stdout.rstrip()}\n{command} ended with {done.returncode}.")
