"""The architecture, read from the imports of all modules, so that the code keeps to it.

`LAYERS` is the architecture: each package, and which of our packages it may import. Everything else here checks a rule
of CONTRIBUTING.md: one importer for each library, pure decisions, no rule about a single game outside its files, one
meaning for each name. Imports inside functions and under TYPE_CHECKING count like all others.
"""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from dicegames_protocol.games import keys, types_of

ROOT = Path(__file__).parents[1]
PACKAGES = {"protocol": "dicegames_protocol", "server": "dicegames_server", "client": "dicegames_client"}

LAYERS = {
    # What both sides speak; knows nothing of either.
    "protocol": "",
    # The server, from the bottom up.
    "server.settings": "",
    "server.core": "settings",
    "server.games": "core",
    "server.bots": "core games",
    "server.table": "core games bots",
    "server.audit": "core games bots table",
    "server.storage": "settings core",
    "server.room": "settings core games bots table storage",
    "server.lobby": "settings core games bots table audit storage room",
    "server.net": "settings core room lobby",
    "server.ops": "settings core storage room lobby net",
    "server.app": "settings core games storage room lobby net ops",
    "server.__main__": "settings core bots storage ops app",
    # The client, from the bottom up.
    "client.base": "",
    "client.guest": "base",
    "client.play": "base guest",
    "client.widgets": "base",
    "client.views": "guest play widgets",
    "client.review": "base widgets",
    "client.enter": "base guest play review",
    "client.lines": "base guest play views review enter",
    "client.screens": "base guest play widgets views review enter",
    "client.cli": "base guest enter lines screens",
    "client.__main__": "base cli",
}
"""Package -> the packages of its own side that it may import. Everybody may import the protocol."""

ACROSS = {
    "client.cli.hosting": "server.app server.net server.settings server.storage",  # `host` runs a server
    "client.cli.dispatch": "server.app",
    "client.cli.arguments": "server.app",  # `dicegames completion` completes the server's arguments as well
    "client.__main__": "server.__main__",  # `dicegames server`
    "client.lines.log_lines": "server.audit",  # `verify` plays a log again with the rules
    "client.enter.log_reviewer": "server.audit",  # `review` and `replay` measure every decision with the rules
    "server.app.ssh_guests": "client.base",  # users over ssh have their client in this process
    "server.app.run": "client.base client.cli",
}
"""The few modules of one side that know the other."""

IMPORTERS = {
    "websockets": "server.net.* client.guest.web_socket",
    "prompt_toolkit": "client.screens.terminal.*",
    "zeroconf": "server.net.announce client.guest.nearby",
    "asyncssh": "server.net.ssh*",
    "psycopg": "server.storage.postgres*",
    "sqlite3": "server.storage.sqlite* server.storage.backup",
    "json": "protocol.codec",
    "pydantic_core": "protocol.codec protocol.patch",
    "prometheus_client": "server.ops.prometheus",
    "cryptography": "server.net.tls.certificate",
    "nacl": "protocol.network.signatures",
    "argparse": "protocol.system.* server.app.command_line client.cli.*arguments",
    "shtab": "protocol.system.completion",
    "platformdirs": "server.storage client.base.state.state_files",
    "ifaddr": "protocol.network.interfaces",
    "wcwidth": "protocol.text",
    "segno": "client.widgets.qr_code",
    "openskill": "server.lobby.played.skill",
}
"""Library -> who may import it; * stands for any ending."""

PURE = (
    "protocol",
    "server.games",
    "server.table",
    "server.audit",
    "client.play",
    "client.widgets",
    "client.views",
    "client.review",
)
PURE_IMPORTS = """
    abc base64 bisect collections dataclasses difflib enum fractions functools hashlib hmac ipaddress itertools json
    math operator re segno string types typing unicodedata urllib.parse pydantic pydantic_core wcwidth
"""
"""What pure modules may import besides ours: nothing that knows the time, chance, files, the network or the system."""
FIND_MODULES = {"protocol", "protocol.games", "server.games", "server.audit.review.judges", "client.views"}
"""Packages that find modules by the names of games: these import importlib and pkgutil as well."""
EXCEPT_PURE = {
    "protocol.system.private_files",  # what both sides ask of the system
    "protocol.system.failures",
    "protocol.system.pipes",
    "protocol.system.argument_parser",
    "protocol.system.completion",
    "protocol.network.interfaces",  # asks the system for its network cards
    "protocol.network.certificates",  # moments that are written in a certificate, not the time that it is
    "protocol.network.signatures",  # values all the same, but with a library that is not on the list
}

SAME_MEANING = {
    "what every view has": "VIEW",
    "one for each package": "__init__ __main__ base errors",
    "the same on both sides": "history command_line system USAGE NETWORK REFUSED CONNECT_SECONDS T",
    "the same in each store": "MIGRATIONS MOST_PER_COMMIT RESULT",
}
"""Why -> names that stand in several places and mean the same there. The files of games are a world of their own."""

MOST_ENTRIES = 14
MOST_LINES = 400


@cache
def modules() -> dict[str, tuple[Path, ast.Module]]:
    """All modules by short name, such as server.room.moves."""
    found = {}
    for side, package in PACKAGES.items():
        top = ROOT / side / package
        for path in sorted(top.rglob("*.py")):
            parts = path.relative_to(top).with_suffix("").parts
            name = ".".join([side, *parts]).removesuffix(".__init__")
            found[name] = (path, ast.parse(path.read_text(encoding="utf-8")))
    return found


def imports(name: str) -> Iterator[str]:
    """Everything that a module imports: modules of ours by short name, others by their own."""
    for node in ast.walk(modules()[name][1]):
        if isinstance(node, ast.Import):
            yield from (_short(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{name}: imports are written in full"
            for alias in node.names:
                inner = _short(f"{node.module}.{alias.name}")
                yield inner if inner in modules() else _short(node.module)


def _short(module: str) -> str:
    for side, package in PACKAGES.items():
        if module == package or module.startswith(f"{package}."):
            return side + module[len(package) :]
    return module


def package(name: str) -> str:
    """The layer that a module is in."""
    side, _, rest = name.partition(".")
    return side if side == "protocol" or not rest else f"{side}.{rest.partition('.')[0]}"


def ours(name: str) -> bool:
    return name.partition(".")[0] in PACKAGES


def test_the_table_names_every_package() -> None:
    there = {package(name) for name in modules()} - {"server", "client"}
    assert there == set(LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_downwards(layer: str) -> None:
    side = layer.partition(".")[0]
    allowed = {layer, "protocol", *(f"{side}.{lower}" for lower in LAYERS[layer].split())}
    wrong = [
        f"{name} imports {target}"
        for name in modules()
        if package(name) == layer
        for target in imports(name)
        if ours(target) and package(target) not in allowed | set(ACROSS.get(name, "").split())
    ]
    assert not wrong


def test_what_a_package_exports_is_looked_up_when_it_is_asked_for() -> None:
    """`import dicegames_client` loads nothing. So `--help` stays fast, and the import ties no layer to another."""
    for side in PACKAGES:
        eager = [
            target
            for node in modules()[side][1].body
            if isinstance(node, ast.ImportFrom) and node.module
            for target in [_short(node.module)]
            if ours(target)
        ]
        assert not eager, side


@pytest.mark.parametrize("package_name", ["dicegames_client", "dicegames_protocol"])
def test_what_others_build_upon_is_importable_from_one_place(package_name: str) -> None:
    module = importlib.import_module(package_name)
    page = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert f"`{name}`" in page, f"docs/bots.md does not name {name}"
    with pytest.raises(AttributeError):
        _ = module.NoSuchName


def test_examples_use_nothing_but_that() -> None:
    for path in (ROOT / "docs" / "examples").glob("*.py"):
        found = [
            node.module
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dicegames_")
        ]
        assert found and set(found) <= {"dicegames_client", "dicegames_protocol"}, path.name


def test_no_module_imports_itself_by_a_detour() -> None:
    edges = {name: {target for target in imports(name) if target in modules()} for name in modules()}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name not in done:
            for target in edges[name] - {name}:
                visit(target, (*path, name))
            done.add(name)

    for name in edges:
        if name not in PACKAGES:  # what a package exports comes from its own modules
            visit(name, ())


@pytest.mark.parametrize("library", IMPORTERS)
def test_a_library_has_one_importer_on_each_side(library: str) -> None:
    patterns = [re.escape(allowed).replace(r"\*", r".*") for allowed in IMPORTERS[library].split()]
    found = [name for name in modules() if any(t.partition(".")[0] == library for t in imports(name))]
    assert found, f"nobody imports {library}: take it out of the table"
    assert not [name for name in found if not any(re.fullmatch(pattern, name) for pattern in patterns)]


def test_rules_decisions_and_pictures_are_pure() -> None:
    wrong = []
    for name, (_, tree) in modules().items():
        if not name.startswith(PURE) or name in EXCEPT_PURE:
            continue
        allowed = {*PURE_IMPORTS.split(), *(("importlib", "pkgutil") if name in FIND_MODULES else ())}
        wrong += [
            f"{name} imports {target}"
            for target in imports(name)
            if not ours(target) and not {target, target.partition(".")[0]} & allowed
        ]
        calls = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        wrong += [f"{name} calls {call}" for call in calls & {"open", "print", "input", "exec", "eval"}]
    assert not wrong


def of_a_game(path: Path) -> bool:
    names = tuple(key.replace("-", "_") for key in keys())
    return path.stem.startswith(names) or path.parent.name in names


ENGLISH = {"hold", "kept", "won", "began", "starts"}
"""Words that games use and that mean something without them; the names of fields are more of these."""


def game_words() -> dict[str, set[str]]:
    """Word -> the games that it belongs to: their names, their events, and what players type in the golden games."""
    words: dict[str, set[str]] = defaultdict(set)
    for key in keys():
        types = types_of(key)
        assert types
        for word in (key, key.replace("-", "_"), types.title):
            words[word].add(key)
        for event in get_args(types.event):
            words[event.model_fields["kind"].default].add(key)
    for path in (ROOT / "tests" / "golden").glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        key = re.findall(r"^# game: (\S+)", text, re.MULTILINE)[0]
        for take in re.findall(r"^> (?!start|time|correct)\w+ ([a-z]+)", text, re.MULTILINE):
            words[take].add(key)
    known = [types.state for key in keys() if (types := types_of(key))]
    fields = {
        name for state in known for name in re.findall(r'"(\w+)"', str(state.model_json_schema()).replace("'", '"'))
    }
    return {word: games for word, games in words.items() if word not in ENGLISH | fields or word in keys()}


OWN_WORDS = {
    "client.play.parse_move": {"keep"},  # the word for picking dice, in line mode, whatever the game
    "server.__main__": {"doubles"},  # `tables` works out the table of its bots
}


def test_no_word_of_a_single_game_stands_outside_its_files() -> None:
    words = game_words()
    assert {"farkled", "cash", "bank", "sevens", "Double or Nothing"} <= set(words)
    wrong = []
    for name, (path, tree) in modules().items():
        if of_a_game(path):
            continue
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in docs:
                continue
            if node.value in words and node.value not in OWN_WORDS.get(name, ()):
                wrong.append(f"{name}:{node.lineno} says '{node.value}'")
    assert not wrong, "\n".join(wrong)


def test_nobody_imports_a_single_game() -> None:
    """Games are found by their names. Only the files of a game know it."""
    wrong = [
        f"{name} imports {target}"
        for name, (path, _) in modules().items()
        if not of_a_game(path) and name != "server.__main__"  # `tables` works out the table of one game's bots
        for target in imports(name)
        if target in modules() and of_a_game(modules()[target][0])
    ]
    assert not wrong


def test_nobody_reaches_into_a_room() -> None:
    """A session and the lobby may use the public names of a room, whatever the variable is called."""
    room = next(node for node in modules()["server.room.room"][1].body if isinstance(node, ast.ClassDef))
    own = {
        node.attr
        for node in ast.walk(room)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self" and node.attr.startswith("_")
    }
    assert {"_audience", "_mailbox", "_moves"} <= own
    wrong = []
    for name, (_, tree) in modules().items():
        if not name.startswith("server.") or package(name) == "server.room":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in own and ast.unparse(node.value) != "self":
                wrong.append(f"{name}:{node.lineno} uses {ast.unparse(node)}")
            if isinstance(node, ast.Constant) and node.value in own:
                wrong.append(f"{name}:{node.lineno} names {node.value}")
    assert not wrong


def test_one_name_has_one_meaning() -> None:
    """Files, classes and constants: a name that exists twice means the same in both places, and is listed."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, (path, tree) in modules().items():
        places[path.stem].append(name)
        for node in () if of_a_game(path) else tree.body:
            targets: list[ast.expr] = []
            if isinstance(node, ast.ClassDef):
                places[node.name].append(name)
            elif isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, ast.AnnAssign):
                targets = [node.target]
            for found in (inner for target in targets for inner in ast.walk(target)):
                if isinstance(found, ast.Name) and found.id.isupper() and not found.id.startswith("_"):
                    places[found.id].append(name)
    same = {name for names in SAME_MEANING.values() for name in names.split()}
    same |= {key.replace("-", "_") for key in keys()}
    twice = {name: where for name, where in places.items() if len(where) > 1 and name not in same}
    assert not {name: where for name, where in twice.items() if not name.startswith("_")}


def test_one_look_per_level_tells_the_parts() -> None:
    for side, top in PACKAGES.items():
        for folder in [ROOT / side / top, *(path.parent for path in (ROOT / side / top).rglob("__init__.py"))]:
            entries = [path.name for path in folder.iterdir() if path.name not in ("__pycache__", "py.typed")]
            assert len(entries) <= MOST_ENTRIES, f"{folder.name} has {len(entries)} entries"


def test_a_file_is_one_idea() -> None:
    long = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, (path, _) in modules().items()}
    assert not {name: lines for name, lines in long.items() if lines > MOST_LINES}


def test_every_module_says_what_it_is() -> None:
    assert not [name for name, (_, tree) in modules().items() if not ast.get_docstring(tree)]
