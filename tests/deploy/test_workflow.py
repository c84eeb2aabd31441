"""The workflow on GitHub can't run here. So it calls only scripts of ours, which do; these are checked here."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dicegames_protocol import __version__
from pyz import PYTHONS

ROOT = Path(__file__).parents[2]
FILE = ROOT / ".github" / "workflows" / "ci.yml"
TEXT = FILE.read_text(encoding="utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load(TEXT)
JOBS: dict[str, dict[str, Any]] = WORKFLOW["jobs"]
SCRIPTS = sorted(path for path in (ROOT / ".ci").iterdir() if path.is_file())
ONLY_TAGS = "startsWith(github.ref, 'refs/tags/v')"

needs_bash = pytest.mark.skipif(sys.platform == "win32" or shutil.which("bash") is None, reason="there is no bash here")


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in JOBS.items():
        for step in job["steps"]:
            yield name, step


def systems(job: str) -> list[str]:
    return [name.partition("-")[0] for name in JOBS[job]["strategy"]["matrix"]["system"]]


def test_every_system_and_every_python_is_tried() -> None:
    assert systems("check") == systems("files") == ["ubuntu", "macos", "windows"]
    assert JOBS["check"]["strategy"]["matrix"]["python"] == list(PYTHONS)
    assert JOBS["check"]["strategy"]["fail-fast"] is False
    runs = [step["run"] for name, step in steps() if name == "check" and "run" in step]
    assert runs == [".ci/lint", ".ci/types", ".ci/tests"]


def test_every_command_is_one_script_of_ours() -> None:
    for name, step in steps():
        if "run" not in step:
            continue
        assert step["run"].count("\n") == 0, name
        words = shlex.split(step["run"])
        script = ROOT / words[0]
        assert script.is_file() and ROOT in script.parents, f"{name} runs {words[0]}"
        assert os.name == "nt" or os.access(script, os.X_OK), f"{words[0]} can't be executed"
        assert not re.search(r"[|;&<>`]|\$\{\{", step["run"]), f"{name}: put it into the script"
    assert WORKFLOW["defaults"]["run"]["shell"] == "bash"  # on Windows, too


def test_every_action_is_pinned() -> None:
    used = re.findall(r"uses: (\S+)(.*)", TEXT)
    assert len(used) == sum("uses" in step for _, step in steps())
    versions: dict[str, set[str]] = {}
    for action, comment in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action
        versions.setdefault(action.partition("@")[0], set()).add(action + comment)
    assert all(len(found) == 1 for found in versions.values()), "one version of each"


def test_only_a_tag_publishes_and_nothing_has_more_rights_than_it_needs() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    rights = {name: job["permissions"] for name, job in JOBS.items() if "permissions" in job}
    assert rights == {
        "release": {"contents": "write"},
        "pypi": {"id-token": "write"},
        "image": {"contents": "read", "packages": "write"},
    }
    assert JOBS["release"]["if"] == ONLY_TAGS
    assert JOBS["release"]["needs"] == ["check", "files"]
    assert JOBS["pypi"]["needs"] == JOBS["image"]["needs"] == ["release"]
    assert JOBS["pypi"]["environment"] == "pypi"
    assert "secrets." not in TEXT
    assert all("upload-artifact" not in step.get("uses", "") or ONLY_TAGS in step["if"] for _, step in steps())


def test_a_release_has_all_files() -> None:
    """Names with the system in them, so that those of three systems can lie in one folder."""
    runs = [step["run"] for name, step in steps() if name == "files" and "run" in step]
    assert runs == ["deploy/build --named", "deploy/check"]
    paths = "\n".join(step["with"]["path"] for _, step in steps() if "upload-artifact" in step.get("uses", ""))
    assert {"dist/dicegames-*", "dist/*.whl", "dist/*.tar.gz"} <= set(paths.split())


def test_what_runs_there_runs_here() -> None:
    called = {line for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines() if "/" in line}
    assert {".ci/lint", ".ci/types", ".ci/tests", "deploy/check --build"} <= called


def test_every_script_is_explained_and_readable() -> None:
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("CONTRIBUTING.md", "docs/releasing.md"))
    for script in SCRIPTS:
        assert f".ci/{script.name}" in pages, script.name
        assert b"\r" not in script.read_bytes()
        assert script.name == "environment" or os.name == "nt" or os.access(script, os.X_OK)


def run(
    script: str, *arguments: str, folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a script of ours. Commands in `folder` are found first."""
    path = f"{folder}{os.pathsep}{os.environ['PATH']}" if folder else os.environ["PATH"]
    return subprocess.run(
        ["bash", str(ROOT / script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": path, **environment},
    )


def stand_in(folder: Path, command: str) -> Path:
    """A command that writes down how it was called."""
    told = folder / "told.txt"
    script = folder / command
    script.write_text(f'#!/bin/sh\necho {command} "$@" >> "{told}"\n', encoding="utf-8")
    script.chmod(0o755)
    return told


@needs_bash
def test_scripts_are_bash() -> None:
    for script in [*SCRIPTS, ROOT / "deploy" / "build", ROOT / "deploy" / "check"]:
        subprocess.run(["bash", "-n", str(script)], check=True)


@needs_bash
def test_a_tag_has_to_be_the_version() -> None:
    assert run(".ci/tag-is-version", f"v{__version__}").returncode == 0
    for tag in (__version__, "v0.0.0", f"v{__version__}.1"):
        done = run(".ci/tag-is-version", tag)
        assert done.returncode == 1
        assert f"The tag is {tag}, but this is version {__version__}." in done.stderr


@needs_bash
def test_the_release_takes_every_file(tmp_path: Path) -> None:
    told = stand_in(tmp_path, "gh")
    files = tmp_path / "files"
    files.mkdir()
    for name in ("a.whl", "dicegames-linux-x86_64"):
        (files / name).touch()
    tag = f"v{__version__}"
    assert run(".ci/release", str(files), folder=tmp_path, GITHUB_REF_NAME=tag).returncode == 0
    assert told.read_text(encoding="utf-8").split()[:4] == ["gh", "release", "create", tag]
    assert told.read_text(encoding="utf-8").split()[-2:] == [str(path) for path in sorted(files.iterdir())]
    told.unlink()
    assert run(".ci/release", str(files), folder=tmp_path, GITHUB_REF_NAME="v9.9.9").returncode == 1
    assert not told.exists()


@needs_bash
def test_the_image_is_built_and_pushed_only_when_asked(tmp_path: Path) -> None:
    told = stand_in(tmp_path, "docker")
    assert run(".ci/image", folder=tmp_path).returncode == 0
    lines = told.read_text(encoding="utf-8").splitlines()
    assert [line.split()[1] for line in lines] == ["build", "run"]
    assert "--file deploy/Dockerfile" in lines[0]
    told.unlink()
    given = {"GITHUB_REF_NAME": f"v{__version__}", "REGISTRY_USER": "ana", "REGISTRY_TOKEN": "secret"}
    assert run(".ci/image", "--push", "registry.example/Ana/dicegames", folder=tmp_path, **given).returncode == 0
    lines = told.read_text(encoding="utf-8").splitlines()
    assert [line.split()[1] for line in lines] == ["build", "run", "login", "tag", "push", "tag", "push"]
    pushed = {line.split()[-1] for line in lines if " push " in line}
    assert pushed == {f"registry.example/ana/dicegames:{tag}" for tag in (__version__, "latest")}
    assert "secret" not in "".join(lines)  # it goes through standard input
    told.unlink()
    wrong = {**given, "GITHUB_REF_NAME": "v9.9.9"}
    assert run(".ci/image", "--push", "registry.example/ana/dicegames", folder=tmp_path, **wrong).returncode == 1
    assert "push" not in told.read_text(encoding="utf-8")
