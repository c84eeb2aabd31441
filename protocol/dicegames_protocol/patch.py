"""JSON merge patch (RFC 7396), and the same difference taken between frozen models.

A merge patch says null for "removed", so a state never holds null: what is not there is left out. Lists are replaced
whole; that is why states key their seats and keep no list that grows.
"""

from typing import Any, TypeGuard

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


def changes(before: JsonObject | BaseModel, after: JsonObject | BaseModel) -> JsonObject:
    """diff(dump(before), dump(after)), at the cost of what changed.

    Frozen parts that both sides share are recognised by identity and never looked into, so a table of a thousand
    seats of which one moved costs one seat and a walk over pointers.
    """
    old_fields = before if type(before) is dict else before.__dict__
    new_fields = after if type(after) is dict else after.__dict__
    patch: JsonObject = {}
    same_model = type(before) is type(after) and type(before) is not dict
    if not same_model and old_fields.keys() != new_fields.keys():
        for key in old_fields:
            if key not in new_fields and old_fields[key] is not None:
                patch[key] = None
        old_fields = {**dict.fromkeys(new_fields), **old_fields}
    for key, new in new_fields.items():
        old = old_fields[key]
        if new is old:
            continue
        if new is None:
            patch[key] = None
        elif type(new) in _PLAIN:
            if old != new or type(old) is not type(new):
                patch[key] = new
        elif _is_object(old) and _is_object(new):
            if inner := changes(old, new):
                patch[key] = inner
        elif old is None or not _same(old, new):
            patch[key] = dump(new)
    return patch


_PLAIN = frozenset({int, str, bool})
"""What is its own JSON."""


def _is_object(value: Any) -> TypeGuard[JsonObject | BaseModel]:
    return type(value) is dict or isinstance(value, BaseModel)


def _same(old: Any, new: Any) -> bool:
    """Equal as JSON: Python takes True for 1, a client in another language does not."""
    return bool(old == new) and isinstance(old, bool) == isinstance(new, bool)
