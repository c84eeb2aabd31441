"""JSON merge patch (RFC 7396), for JSON objects and for frozen models.

In a merge patch null means "removed". So a state never contains null: an absent value is left out. A patch replaces a
list as a whole. So states keep their seats in an object with seat numbers as keys, and have no list that grows.
"""

from typing import Any, TypeGuard

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from dicegames_protocol.base import JsonObject


def apply(target: Any, patch: Any) -> Any:
    """The target with the patch applied. The target itself is not changed."""
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
    """The smallest patch for which apply(before, patch) == after. Both are JSON objects without nulls."""
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
    """A model, or a mapping of models, as plain JSON values. Absent (None) values are left out."""
    return to_jsonable_python(value, exclude_none=True)


def changes(before: JsonObject | BaseModel, after: JsonObject | BaseModel) -> JsonObject:
    """The same as diff(dump(before), dump(after)), but the cost depends on what changed.

    Frozen parts that both sides share are recognised by identity and are not compared further. If one seat of a
    thousand has changed, the cost is that of one seat and a thousand pointer comparisons.
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
"""Types whose values are JSON values as they are."""


def _is_object(value: Any) -> TypeGuard[JsonObject | BaseModel]:
    return type(value) is dict or isinstance(value, BaseModel)


def _same(old: Any, new: Any) -> bool:
    """Whether two values are equal as JSON. In Python True == 1; for a client in another language it is not."""
    return bool(old == new) and isinstance(old, bool) == isinstance(new, bool)
