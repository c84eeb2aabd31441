"""The modules of the page, run by Node without a browser: those that draw nothing are the same there."""

import functools
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

WEB = Path(__file__).parents[2] / "client" / "dicegames_web"

needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="no node command here; install nodejs (18 or newer) to run this"
)


@functools.cache
def modules() -> Path:
    """A copy of the page's files that Node takes for modules."""
    folder = Path(tempfile.mkdtemp(prefix="dicegames-web-"))
    shutil.copytree(WEB, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def run(script: str, given: Any = None) -> Any:
    """What a script prints as JSON. It finds what was given, parsed, as `given`, and the modules as `./base/…`."""
    code = f'import {{ readFileSync }} from "node:fs";\nconst given = JSON.parse(readFileSync(0, "utf8"));\n{script}'
    file = modules() / f"test-{abs(hash(script))}.mjs"
    file.write_text(code)
    done = subprocess.run(["node", str(file)], input=json.dumps(given), capture_output=True, text=True, timeout=60)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)
