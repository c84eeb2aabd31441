"""deploy/build: its parts that can be tried without building. test_installing.py tries what it has built."""

import ast
import platform
import re
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from environments import BuildError, project, surroundings
from gate import complaint, suffix_here
from measuring import told
from package_page import page, repository
from pyz import PYTHONS, _merge, suffixes
from single_program import MOST, check_size

ROOT = Path(__file__).parents[2]
FORGE = "https://forge.example/a"
LINUX = [f".cpython-3{minor}-x86_64-linux-gnu.so" for minor in (11, 12, 13, 14)]


def test_the_pyz_is_for_all_pythons_that_we_support() -> None:
    assert PYTHONS[0] == project()["requires-python"].removeprefix(">=")
    named = {line.rpartition(" ")[2] for line in project()["classifiers"] if "Python :: 3." in line}
    assert named == set(PYTHONS)
    assert suffix_here() == EXTENSION_SUFFIXES[0]
    assert suffix_here() in suffixes()


@pytest.mark.parametrize(
    ("this", "suffix", "sentence"),
    [
        ("3.12", LINUX[1], ""),
        ("3.14", LINUX[3], ""),
        (
            "3.10",
            ".cpython-310-x86_64-linux-gnu.so",
            "x wants Python 3.11, 3.12, 3.13 or 3.14, and this is Python 3.10.",
        ),
        ("2.7", "", "x wants Python 3.11, 3.12, 3.13 or 3.14, and this is Python 2.7."),
        (
            "3.15",
            ".cpython-315-x86_64-linux-gnu.so",
            "x wants Python 3.11, 3.12, 3.13 or 3.14, and this is Python 3.15.",
        ),
        ("3.13", ".cpython-313t-x86_64-linux-gnu.so", "x is for another kind of Python: CPython on x86_64-linux-gnu."),
        ("3.12", ".cpython-312-x86_64-linux-musl.so", "This one is cpython-312-x86_64-linux-musl."),
        ("3.11", ".pypy311-pp73-x86_64-linux-gnu.so", "This one is pypy311-pp73-x86_64-linux-gnu."),
        ("3.11", ".cp311-win_amd64.pyd", "This one is cp311-win_amd64. Try: pipx install dicegames"),
    ],
)
def test_another_python_gets_a_sentence(this: str, suffix: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["downloads/x"])
    told = complaint(this, suffix, LINUX, PYTHONS)
    assert sentence in told
    assert bool(told) is bool(sentence)


@pytest.mark.skipif(sys.platform == "win32", reason="only asked for on a Mac")
def test_a_mac_of_another_kind_gets_a_sentence() -> None:
    mac = [".cpython-311-darwin.so"]
    assert "CPython on darwin other" in complaint("3.11", mac[0], mac, PYTHONS, "other")
    assert not complaint("3.11", mac[0], mac, PYTHONS, platform.uname().machine)


def test_the_gate_is_readable_for_every_python() -> None:
    """No older Python may stumble over its first step: it is written in what all of them know."""
    text = (ROOT / "deploy" / "making" / "gate.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        assert not isinstance(node, ast.JoinedStr | ast.AnnAssign | ast.NamedExpr)
        if isinstance(node, ast.FunctionDef):
            every = [*node.args.args, *node.args.kwonlyargs]
            assert node.returns is None and not any(argument.annotation for argument in every)


def test_files_for_several_pythons_lie_side_by_side(tmp_path: Path) -> None:
    for version, text in (("311", "same"), ("312", "same")):
        package = tmp_path / version / "package"
        package.mkdir(parents=True)
        (package / "code.py").write_text(text)
        (package / f"fast.cpython-{version}.so").write_text(version)
        (package.parent / "package.dist-info").mkdir()
        (package.parent / "package.dist-info" / "METADATA").write_text(version)
        (package.parent / "package.dist-info" / "RECORD").write_text(version)
        _merge(tmp_path / version, tmp_path / "all")
    found = sorted(path.relative_to(tmp_path / "all").as_posix() for path in (tmp_path / "all").rglob("*.*"))
    assert "package.dist-info/RECORD" not in found
    assert [name for name in found if name.startswith("package/")] == [
        "package/code.py",
        "package/fast.cpython-311.so",
        "package/fast.cpython-312.so",
    ]
    (tmp_path / "312" / "package" / "code.py").write_text("other")
    with pytest.raises(BuildError, match=r"package/code.py is not the same for all of Python 3.11"):
        _merge(tmp_path / "312", tmp_path / "all")


def test_a_program_that_is_too_large_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "dicegames"
    for size in (MOST, MOST + 1):
        with file.open("wb") as out:
            out.truncate(size)
        if size == MOST:
            check_size(file)
    with pytest.raises(BuildError, match=r"dicegames has 30.0 MB. It must not have more than 30."):
        check_size(file)


def test_what_is_measured_is_told(tmp_path: Path) -> None:
    file = tmp_path / "dicegames.pyz"
    file.write_bytes(b"x" * 2_500_000)
    line = told(file, [sys.executable, "-m", "dicegames_client"], "carries ssh")
    assert line.startswith("dicegames.pyz: 2.5 MB, --version ")
    assert line.endswith("; carries ssh")


def test_the_same_files_on_each_day() -> None:
    assert surroundings()["SOURCE_DATE_EPOCH"].isdecimal()
    assert surroundings()["PYTHONHASHSEED"] == "1"


def test_mistakes_get_a_sentence() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "deploy" / "making"), "wheels"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "there is no 'wheels'; there are: wheel, sdist, pyz, program" in done.stderr


def test_nothing_on_the_page_of_the_package_leads_to_a_file() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for home in ("", "https://forge.example/ana/dicegames"):
        text = page(readme, home, "v1")
        targets = re.findall(r"\]\(([^)]+)\)", text)
        assert all(target.startswith(("https://", "#")) for target in targets)
        assert ("![" in text) is bool(home)
        assert "# dicegames\n" in text
        assert "| | |\n|---|---|\n\n" not in text  # no table without rows
    assert page("![Farkle](docs/f.svg)", FORGE, "v1") == "![Farkle](https://forge.example/a/raw/v1/docs/f.svg)"
    assert page("[how](docs/bots.md#a) [x](https://y)", FORGE, "v1") == (
        "[how](https://forge.example/a/blob/v1/docs/bots.md#a) [x](https://y)"
    )
    assert page("see [how](docs/bots.md), [x](https://y)\n", "", "") == "see how, [x](https://y)\n"


def test_the_repository_is_known_only_where_somebody_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA"):
        monkeypatch.delenv(name, raising=False)
    assert repository() == ("", "")
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://forge.example")
    monkeypatch.setenv("GITHUB_REPOSITORY", "ana/dicegames")
    monkeypatch.setenv("GITHUB_SHA", "1234")
    assert repository() == ("https://forge.example/ana/dicegames", "1234")


def test_pictures_written_as_html_lead_somewhere_or_are_left_out() -> None:
    text = 'Look: <picture><source srcset="docs/a-light.svg"><img src="docs/a.svg" alt="a"></picture>\n'
    assert "docs/a" not in page(text, "", "")
    assert page(text, "https://example.org/x", "v1").count("https://example.org/x/raw/v1/docs/a") == 2
