"""Values that a JSON Schema of ours allows, for hypothesis. It knows just what our messages use."""

from typing import Any

from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def values(schema: dict[str, Any], definitions: dict[str, Any] | None = None) -> st.SearchStrategy[Any]:
    """All that `schema` allows, with its limits more often than by chance."""
    known = schema.get("$defs", {}) if definitions is None else definitions
    if "$ref" in schema:
        return st.deferred(lambda: values(known[schema["$ref"].rpartition("/")[2]], known))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            return st.one_of([values(part, known) for part in schema[choice]])
    match schema.get("type"):
        case "object":
            return _objects(schema, known)
        case "array":
            return _arrays(schema, known)
        case "string":
            return _texts(schema)
        case "integer":
            low = schema.get("minimum", schema.get("exclusiveMinimum"))
            high = schema["maximum"] if "maximum" in schema else schema["exclusiveMaximum"] - 1
            return st.sampled_from([low, high]) | st.integers(low, high)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "number":
            return st.floats(allow_nan=False, allow_infinity=False)
    return ANYTHING


def _objects(schema: dict[str, Any], known: dict[str, Any]) -> st.SearchStrategy[Any]:
    fields = {name: values(part, known) for name, part in schema.get("properties", {}).items()}
    needed = {name: fields.pop(name) for name in schema.get("required", ())}
    if "properties" in schema:
        if "type" in fields:  # it may be left out of a model, but not of a message
            needed["type"] = fields.pop("type")
        return st.fixed_dictionaries(needed, optional=fields)
    more = schema.get("additionalProperties", True)
    return st.dictionaries(TEXT, values(more, known) if isinstance(more, dict) else ANYTHING, max_size=3)


def _arrays(schema: dict[str, Any], known: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "prefixItems" in schema:
        return st.tuples(*(values(part, known) for part in schema["prefixItems"])).map(list)
    return st.lists(values(schema.get("items", {}), known), max_size=min(schema.get("maxItems", 4), 20))


def _texts(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True)
    least, most = schema.get("minLength", 0), schema.get("maxLength", 100)
    whole = st.integers(least, most).map(lambda size: "x" * size)
    return whole | st.text(st.characters(exclude_categories=["Cs"]), min_size=least, max_size=min(most, 200))
