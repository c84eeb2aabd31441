"""The protocol as Markdown tables for people: `dicegames-server schema --markdown`. docs/protocol.md contains them.

The tables are generated from the models. A test fails if a field was added, renamed or removed and the page was not
updated.
"""

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from dicegames_protocol.games import keys, types_of
from dicegames_protocol.messages.client import ChainLink, ClientMessage
from dicegames_protocol.messages.history import (
    CommitmentEntry,
    LeaderRow,
    MarksRow,
    MonthRow,
    OpponentRow,
    PlayedGame,
    SkillRow,
    StatsRow,
)
from dicegames_protocol.messages.review import CurvePoint, GameReview, ReviewedMove, ReviewedPlayer
from dicegames_protocol.messages.room_events import RoomEvent
from dicegames_protocol.messages.server import (
    Cause,
    Chance,
    Drawn,
    Limits,
    OptionEntry,
    ServerMessage,
    Worth,
)
from dicegames_protocol.table import (
    Choice,
    Fair,
    Listed,
    Move,
    Offer,
    Pending,
    Player,
    RoomEntry,
    RoomInfo,
    Table,
    Timer,
)

SHARED: tuple[type[BaseModel], ...] = (
    Table,
    RoomInfo,
    Player,
    Offer,
    Choice,
    Move,
    Timer,
    Fair,
    Pending,
    Listed,
    RoomEntry,
    Cause,
    Drawn,
    ChainLink,
    Limits,
    Worth,
    OptionEntry,
    Chance,
    GameReview,
    ReviewedPlayer,
    ReviewedMove,
    CurvePoint,
    CommitmentEntry,
    PlayedGame,
    StatsRow,
    MarksRow,
    MonthRow,
    SkillRow,
    OpponentRow,
    LeaderRow,
)


def markdown() -> str:
    """The whole reference, in the order of the page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "## From the client\n"
    yield from _union(ClientMessage, "type")
    yield "## From the server\n"
    yield from _union(ServerMessage, "type")
    yield "## What messages are made of\n"
    for model in SHARED:
        yield from _section(f"### {model.__name__}", model, ())
    yield "## Events of a room\n"
    yield from _union(RoomEvent, "kind")
    for key in keys():
        types = types_of(key)
        assert types
        yield f"## {types.title} (`{key}`)\n"
        yield from _section(f"### Options of {types.title}", types.options, ())
        yield from _section(f"### State of {types.title}", types.state, ())
        for inner in _inner_models(types.state):
            yield from _section(f"### {inner.__name__}", inner, ())
        yield f"### Events of {types.title}\n"
        yield from _union(types.event, "kind", level="####")


def _union(union: Any, tag: str, level: str = "###") -> Iterator[str]:
    for model in _members(union):
        name = model.model_fields[tag].default
        yield from _section(f"{level} `{name}`", model, (tag,))


def _members(union: Any) -> list[type[BaseModel]]:
    if get_origin(union) in (Union, UnionType):
        return [member for part in get_args(union) for member in _members(part)]
    if isinstance(union, type):
        return [union]
    return _members(get_args(union)[0])


def _section(heading: str, model: type[BaseModel], leave_out: tuple[str, ...]) -> Iterator[str]:
    yield f"{heading}\n"
    own = model.__doc__ if "__doc__" in vars(model) and model.__doc__ else ""
    if own:
        yield " ".join(own.split()) + "\n"
    fields = [(name, field) for name, field in model.model_fields.items() if name not in leave_out]
    if not fields:
        return
    yield "| field | type | |\n|---|---|---|"
    for name, field in fields:
        yield f"| `{name}` | {_type(field.annotation)} | {_note(field)} |"
    yield ""


def _note(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    parts = [field.description or ""]
    if not field.is_required() and default is not None:
        shown = {True: "true", False: "false"}.get(default, default) if isinstance(default, bool) else default
        parts.append(f"default {shown if shown != '' else 'empty'}" if shown not in ((), {}) else "may be left out")
    elif not field.is_required():
        parts.append("may be left out")
    return "; ".join(part for part in parts if part).replace("|", "\\|")


def _type(kind: Any) -> str:
    """A type in plain words."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return " or ".join(_type(part) for part in arguments if part is not NoneType)
    if origin is Literal:
        return ", ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in arguments)
    if origin is tuple:
        return f"list of {_type(arguments[0])}" if arguments[-1] is ... else f"[{', '.join(map(_type, arguments))}]"
    if origin is dict:
        value = _type(arguments[1])
        return "object" if value == "anything" else f"object of {value}"
    if hasattr(kind, "__metadata__"):
        return _type(arguments[0])
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.__name__
    return {str: "text", int: "number", float: "number", bool: "true or false", Any: "anything"}.get(kind, str(kind))


def _inner_models(state: type[BaseModel]) -> list[type[BaseModel]]:
    found: list[type[BaseModel]] = []

    def look(kind: Any) -> None:
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in found:
            found.append(kind)
        for part in get_args(kind):
            look(part)

    for field in state.model_fields.values():
        look(field.annotation)
    return found
