"""The texts in source files, with `*` for each place that is filled in: to compare what two clients say."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HOLE = "*"


def in_python(folder: Path) -> Iterator[str]:
    """All texts of the modules below a folder."""
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield re.sub(r"\{[^}]*\}", HOLE, node.value)
            if isinstance(node, ast.JoinedStr):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)


def in_javascript(folder: Path) -> Iterator[str]:
    """All texts of the modules below a folder, also those inside of others: `a ${b ? "c" : ""}` has two."""
    for file in folder.rglob("*.js"):
        yield from _texts(file.read_text(encoding="utf-8"))


_TOKEN = re.compile(
    r"""
    //[^\n]* | /\*.*?\*/                                 # comments
    | (?P<text>"(?:[^"\\\n]|\\.)*")
    | (?<=[(,=:?]\s)/(?![*/])(?:[^/\\\n]|\\.)+/           # a regular expression may contain quotes
    | (?P<open>`)
    """,
    re.VERBOSE | re.DOTALL,
)


def _texts(code: str) -> Iterator[str]:
    at = 0
    while found := _TOKEN.search(code, at):
        at = found.end()
        if found["text"]:
            yield found["text"][1:-1]
        elif found["open"]:
            at, text, inside = _template(code, at)
            yield text
            for part in inside:
                yield from _texts(part)


def _template(code: str, at: int) -> tuple[int, str, list[str]]:
    """A template literal, from behind its first backtick: where it ends, its text, and the code in its holes."""
    text, inside = "", []
    while code[at] != "`":
        if code.startswith("${", at):
            begin = at = at + 2
            depth = 1
            while depth:
                if code[at] == "`":
                    at, _, _ = _template(code, at + 1)
                    continue
                depth += {"{": 1, "}": -1}.get(code[at], 0)
                at += 1
            inside.append(code[begin : at - 1])
            text += HOLE
        else:
            text += code[at]
            at += 1
    return at + 1, text, inside
