"""The mutants of a module: found by cosmic-ray, without those that tell nothing about the tests."""

import ast
import random
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

Place = tuple[int, int]
"""Line and column."""

LEFT_OUT = {
    "types": "annotations, aliases and protocols: they decide nothing, and most can't even be imported",
    "decorators": "@dataclass, @lru_cache and @abstractmethod: speed, and what mypy checks",
    "identity": "== and != made `is` and `is not`, or the other way: the same for whatever Python keeps once",
    "order": "== and != made < or > before a word: words are compared, never ordered",
    "syntax": "what is not Python any more",
}
_QUIET = {"dataclass", "lru_cache", "abstractmethod"}
_SAME_THING = {"Eq_Is", "Eq_IsNot", "NotEq_Is", "NotEq_IsNot", "Is_Eq", "Is_NotEq", "IsNot_Eq", "IsNot_NotEq"}
_ORDER = {f"{one}_{two}" for one in ("Eq", "NotEq") for two in ("Lt", "LtE", "Gt", "GtE")}


@dataclass(frozen=True, slots=True)
class Mutant:
    line: int
    change: str
    """The changed line, as it was and as it is."""
    source: str


def mutants(source: str, many: int | None, rng: random.Random) -> tuple[list[Mutant], int, Counter[str]]:
    """The mutants to try: all, or so many by chance; of how many; and how many were left out, by why."""
    left_out: Counter[str] = Counter()
    quiet = dict(_quiet_spans(ast.parse(source)))
    found: list[tuple[Any, int, Place]] = []
    for name, operator, occurrence, at in _all(source):
        if why := _why_not(name.partition("ReplaceComparisonOperator_")[2], at, source, quiet):
            left_out[why] += 1
        else:
            found.append((operator, occurrence, at))
    if many is not None:
        rng.shuffle(found)
    taken: list[Mutant] = []
    for operator, occurrence, at in found:
        if len(taken) == many:
            break
        changed = str(mutate_code(source, operator, occurrence))
        try:
            with warnings.catch_warnings(action="ignore"):
                compile(changed, "mutant", "exec")
        except SyntaxError:
            left_out["syntax"] += 1
            continue
        taken.append(Mutant(*_change(source, changed, at[0]), changed))
    return sorted(taken, key=lambda mutant: mutant.line), len(found) - left_out["syntax"], left_out


def _all(source: str) -> Iterator[tuple[str, Any, int, Place]]:
    nodes = list(ast_nodes(get_ast(source)))
    for name in operator_names():
        kind = get_operator(name)
        if kind.arguments():
            continue  # those want to be told what to replace
        operator = kind()
        places = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, at in enumerate(places):
            yield name, operator, occurrence, at


def _why_not(compares: str, at: Place, source: str, quiet: dict[tuple[Place, Place], str]) -> str | None:
    if compares in _SAME_THING:
        return "identity"
    if compares in _ORDER and source.splitlines()[at[0] - 1][at[1] :].lstrip("=! ").startswith(('"', "'")):
        return "order"
    return next((why for (start, end), why in quiet.items() if start <= at < end), None)


def _quiet_spans(tree: ast.Module) -> Iterator[tuple[tuple[Place, Place], str]]:
    for node in ast.walk(tree):
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(annotation, ast.expr):
                yield _span(annotation), "types"
        if isinstance(node, ast.ClassDef) and any(isinstance(b, ast.Name) and b.id == "Protocol" for b in node.bases):
            yield ((node.lineno, 0), (node.end_lineno or 0, 999)), "types"
        for decorator in getattr(node, "decorator_list", ()):
            named = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(named, ast.Name) and named.id in _QUIET:
                start, end = _span(decorator)
                yield ((start[0], start[1] - 1), end), "decorators"
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and _is_union(statement.value):
            yield _span(statement.value), "types"


def _is_union(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
        return all(isinstance(side, ast.Name) or _is_union(side) for side in (value.left, value.right))
    return False


def _span(node: ast.expr) -> tuple[Place, Place]:
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)


def _change(before: str, after: str, line: int) -> tuple[int, str]:
    """Where two sources differ first, and both lines there."""
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    for number, (old, new) in enumerate(pairs, start=1):
        if old != new:
            return number, f"{old.strip()}  ->  {new.strip()}"
    return line, "a line is gone"
