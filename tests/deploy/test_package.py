"""The package as users install it: built, installed into a clean virtual environment, and run. Prints its size."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel that is made from it."""
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (sdist,), (wheel,) = target.glob("*.tar.gz"), target.glob("*.whl")
    print(f"  sdist {sdist.stat().st_size / 1024:.0f} KiB, wheel {wheel.stat().st_size / 1024:.0f} KiB")
    return sdist, wheel


def test_what_is_in_it(built: tuple[Path, Path]) -> None:
    sdist, wheel = built
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    packages = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert packages == {"dicegames_protocol", "dicegames_server", "dicegames_client", "dicegames_web"}
    assert "dicegames_server/bots/theory/doubles.json" in names
    assert {"dicegames_web/index.html", "dicegames_web/style.css", "dicegames_web/guest/witness.js"} <= set(names)
    assert wheel.stat().st_size < 880 * 1024  # 33 of them are the page
    with tarfile.open(sdist) as source:
        tops = {name.split("/")[1] for name in source.getnames() if "/" in name}
    assert {"pyproject.toml", "README.md", "LICENSE", "protocol", "server", "client", "tests", "deploy"} <= tops
    assert not any(name.startswith(".venv") or name == ".git" for name in tops)


@pytest.mark.skipif(
    "DICEGAMES_INSTALLING" not in os.environ,
    reason="it needs the package registry and half a minute: run deploy/check",
)
def test_it_runs_in_a_clean_environment(built: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / "venv"
    venv.create(folder, with_pip=True)
    _, package = built

    def install(what: str) -> None:
        pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", what]
        installed = subprocess.run(pip, capture_output=True, text=True, check=False)
        if installed.returncode and "No matching distribution" in installed.stderr:
            pytest.skip(f"its dependencies can't be had here: {installed.stderr.strip().splitlines()[-1]}")
        assert installed.returncode == 0, installed.stderr

    install(str(package))
    (site,) = folder.glob("lib/python*/site-packages")
    files = [path for path in site.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    tools = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
    needed = sum(path.stat().st_size for path in files if path.relative_to(site).parts[0].split("-")[0] not in tools)
    print(f"  for who only joins: {needed / 1e6:.1f} MB without __pycache__ (under 30)")
    assert needed < 30_000_000
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": ""}

    def run(command: str, *arguments: str, typed: str = "", wrong: bool = False) -> str:
        done = subprocess.run(
            [str(folder / "bin" / command), *arguments],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            cwd=tmp_path,
            timeout=60,
        )
        assert (done.returncode != 0) is wrong, done.stderr
        assert "Traceback" not in done.stderr
        return done.stderr if wrong else done.stdout

    assert "join" in run("dicegames-client", "--help")
    assert "drain" in run("dicegames-server", "--help")
    assert "connections_per_address = 20" in run("dicegames-server", "settings")
    for command in ("dicegames-client", "dicegames-server"):
        assert "complete" in run(command, "completion", "bash")
    host = "host double-or-nothing --bots 1 --name you --now --host 127.0.0.1 --port 0 --fast-bots --no-announce"
    played = run("dicegames-client", *host.split(), typed="add\n" * 3)
    assert "join with this line:" in played
    assert "pip install 'dicegames[tls]'" in run("dicegames-client", *host.split(), "--tls", "self", wrong=True)
    assert "pip install 'dicegames[tls]'" in run(
        "dicegames-server", *["--host", "127.0.0.1", "--port", "0", "--tls", "self"], wrong=True
    )
    install(f"{package}[speed,tls]")
    serve = ["--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path / "data"), "--tls", "self", "--admin", ""]
    server_command = [str(folder / "bin" / "dicegames-server"), *serve]
    with subprocess.Popen(server_command, stderr=subprocess.PIPE, text=True, env=environment) as server:  # on uvloop
        assert server.stderr
        port = next(line.split("port ")[1].strip() for line in server.stderr if "port " in line)
        try:
            for _ in range(3):
                assert "There are no open rooms" in run("dicegames-client", "rooms", f"wss://127.0.0.1:{port}")
        finally:
            server.terminate()
        assert "Traceback" not in server.stderr.read()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    ours = sum(path.stat().st_size for path in folder.rglob("dicegames_*/**/*.py"))
    print(f"  installed: {size / 2**20:.0f} MiB with all it needs, {ours / 1024:.0f} KiB of it ours")
