"""JSON merge patch (RFC 7396), and the same difference taken between frozen models.

A merge patch says null for "removed", so a state never holds null: what is not there is left out. Lists are replaced
whole; that is why states key their seats and keep no list that grows.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from dicegames_protocol.base import JsonObject


def apply(target: Any, patch: Any) -> Any:
    """The target after the patch. The target is left as it was."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply(result.get(key), value)
    return result


def diff(before: JsonObject, after: JsonObject) -> JsonObject:
    """The smallest patch with apply(before, patch) == after, for two JSON objects without nulls."""
    patch: JsonObject = {key: None for key in before if key not in after}
    for key, new in after.items():
        old = before.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            if inner := diff(old, new):
                patch[key] = inner
        elif key not in before or not _same(old, new):
            patch[key] = new
    return patch


def dump(value: Any) -> Any:
    """A model, or a mapping of models, as the JSON that travels: without what is not there."""
    return to_jsonable_python(value, exclude_none=True)


def changes(before: Mapping[str, Any] | BaseModel, after: Mapping[str, Any] | BaseModel) -> JsonObject:
    """diff(dump(before), dump(after)), at the cost of what changed.

    Frozen parts that both sides share are recognised by identity and never looked into, so a table of a thousand
    seats of which one moved costs one seat and a walk over pointers.
    """
    old_fields, new_fields = _fields(before), _fields(after)
    patch: JsonObject = {}
    for key, old in old_fields.items():
        if old is not None and new_fields.get(key) is None:
            patch[key] = None
    for key, new in new_fields.items():
        old = old_fields.get(key)
        if new is old or new is None:
            continue
        if isinstance(old, BaseModel | Mapping) and isinstance(new, BaseModel | Mapping):
            if inner := changes(old, new):
                patch[key] = inner
        elif old is None or not _same(old, new):
            patch[key] = dump(new)
    return patch


def _fields(value: Mapping[str, Any] | BaseModel) -> Mapping[str, Any]:
    return value.__dict__ if isinstance(value, BaseModel) else value


def _same(old: Any, new: Any) -> bool:
    """Equal as JSON: Python takes True for 1, a client in another language does not."""
    return bool(old == new) and isinstance(old, bool) == isinstance(new, bool)
