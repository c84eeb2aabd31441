"""`deploy/build`: makes what people install, and prints the size and the start-up time of each.

It needs Python 3.11 or newer and the package registry, and nothing else: the tools are in the extra `build` of
pyproject.toml and are installed into the folder build/, where they stay for the next time.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

import pyz
import single_program
from environments import BUILD, DIST, ROOT, BuildError, Environment, project, tools
from measuring import told

KINDS = ("wheel", "sdist", "pyz", "program")


def main() -> int:
    parser = argparse.ArgumentParser(prog="deploy/build", description="Make what people install, into dist/.")
    parser.add_argument("kind", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)} (default: all)")
    parser.add_argument(
        "--named", action="store_true", help="the files that are for one system say in their names for which"
    )
    asked = parser.parse_args()
    kinds = asked.kind or list(KINDS)
    for kind in kinds:
        if kind not in KINDS:
            parser.error(f"there is no '{kind}'; there are: {', '.join(KINDS)}")
    os.environ["SHIV_ROOT"] = str(BUILD / "shiv")  # where the .pyz unpacks itself while it is measured
    shutil.rmtree(BUILD / "shiv", ignore_errors=True)
    try:
        make(kinds, named=asked.named)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def make(kinds: list[str], *, named: bool) -> None:
    DIST.mkdir(exist_ok=True)
    wheel = _distributions(kinds)
    if "wheel" in kinds:
        installed = Environment("installed", [])
        installed.install(str(wheel))
        print(told(DIST / wheel.name, [str(installed.script("dicegames"))]), flush=True)
    if "sdist" in kinds:
        print(told(next(iter(DIST.glob("*.tar.gz")))), flush=True)
    extras = [extra for extra in ("tls", "ssh") if extra in project()["optional-dependencies"]]
    wanted = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
    carries = f"carries {' and '.join(extras)}" if extras else "carries no extra"
    if "pyz" in kinds:
        file = pyz.make(wanted, DIST, named=named)
        print(told(file, [sys.executable, str(file)], carries), flush=True)
    if "program" in kinds:
        file = single_program.make(wanted, DIST, named=named)
        print(told(file, [str(file)], carries), flush=True)
        single_program.check_size(file)


def _distributions(kinds: list[str]) -> Path:
    """Build wheel and sdist, and put those that were asked for into dist/. Returns the wheel, which all others need."""
    target = BUILD / "distributions"
    shutil.rmtree(target, ignore_errors=True)
    flags = [] if "sdist" in kinds else ["--wheel"]  # without a flag the wheel is made from the sdist
    tools().run("python", "-m", "build", "--no-isolation", "--outdir", str(target), *flags, str(ROOT))
    tools().run("twine", "check", "--strict", *map(str, sorted(target.iterdir())))  # as the registry will
    (wheel,) = target.glob("*.whl")
    for kind, pattern in (("wheel", "*.whl"), ("sdist", "*.tar.gz")):
        if kind in kinds:
            for old in DIST.glob(pattern):
                old.unlink()
            (made,) = target.glob(pattern)
            shutil.copy(made, DIST)
    return wheel


if __name__ == "__main__":
    sys.exit(main())
