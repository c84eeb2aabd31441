"""Options of a room. They are validated, with a sentence for the host if something is wrong.

Values may be strings that people type after a flag ("5", "8-12", "yes"). pydantic converts them to the type of the
field.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, get_args, get_origin

from pydantic import Field, SerializerFunctionWrapHandler, ValidationError, model_serializer

from dicegames_protocol.base import Model
from dicegames_protocol.text import did_you_mean, ungrouped


class OptionError(ValueError):
    """An invalid option. str() is a sentence for the host."""


class Options(Model):
    """Base of each game's options. Field descriptions are what `--help` shows."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    later: ClassVar[tuple[str, ...]] = ()
    """Options that earlier versions did not have. Where they are off, they are left out: so old rooms and logs fit."""

    @model_serializer(mode="wrap")
    def _leave_out(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        told: dict[str, Any] = handler(self)
        usual = {name: type(self).model_fields[name].default for name in self.later}
        return {name: value for name, value in told.items() if name not in usual or value != usual[name]}

    @classmethod
    def all_of(cls, told: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a room as it tells them, with those that it leaves out. In the order of the fields."""
        usual = {name: cls.model_fields[name].default for name in cls.later}
        names = [name for name in cls.model_fields if name in told or name in usual]
        return {name: told.get(name, usual.get(name)) for name in names} | dict(told)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Self:
        """The options from what a person typed. Raises OptionError."""
        try:
            return cls.model_validate(_with_names(raw))
        except ValidationError as error:
            raise OptionError(cls._sentence(error.errors(include_url=False)[0])) from None

    @classmethod
    def problems(cls, raw: Mapping[str, Any]) -> dict[str, str]:
        """What is wrong with what a person typed: option -> sentence. The option "" stands for no single one."""
        try:
            cls.model_validate(_with_names(raw))
        except ValidationError as error:
            found = [(one, cls._sentence(one)) for one in error.errors(include_url=False)]
            return {cls._option(one, sentence): sentence for one, sentence in reversed(found)}
        return {}

    def changed(self, raw: Mapping[str, Any]) -> Self:
        """A copy of these options with new values for some of them. Raises OptionError."""
        return self.read({**self.model_dump(mode="json", exclude_none=True), **raw})

    @classmethod
    def choices(cls, field: str) -> tuple[str, ...] | None:
        """All that an option can be, as people write it. None: that is no list."""
        kind = cls.model_fields[field].annotation
        if kind is bool:
            return ("yes", "no")
        return tuple(str(choice) for choice in get_args(kind)) if get_origin(kind) is Literal else None

    @classmethod
    def flag(cls, field: str) -> str:
        return field.replace("_", "-")

    @classmethod
    def _option(cls, error: Mapping[str, Any], sentence: str) -> str:
        """The option that is wrong. Where several do not fit together, the first that the sentence names."""
        if error["loc"]:
            return str(error["loc"][0])
        return next((field for word in sentence.split() if (field := word.replace("-", "_")) in cls.model_fields), "")

    @classmethod
    def _sentence(cls, first: Mapping[str, Any]) -> str:
        name = cls.flag(str(first["loc"][0])) if first["loc"] else "options"
        context = first.get("ctx", {})
        match first["type"]:
            case "extra_forbidden":
                known = [cls.flag(field) for field in cls.model_fields]
                meant = did_you_mean(name, known)
                return f"There is no option '{name[:32]}' here.{meant} The options are: {', '.join(known)}."
            case "greater_than_equal":
                return f"{name} must be at least {context['ge']:,}."
            case "less_than_equal":
                return f"{name} must be at most {context['le']:,}."
            case "literal_error":
                meant = did_you_mean(str(first["input"]), cls.choices(str(first["loc"][0])) or ())
                return f"{name} must be {_either(context['expected'])}.{meant}"
            case "int_parsing" | "int_type" | "int_from_float" | "int_parsing_size":
                return f"{name} must be a whole number."
            case "bool_parsing" | "bool_type":
                return f"{name} must be yes or no."
            case "value_error":
                return str(context["error"])
            case _:
                return f"{name} can't be read: {first['msg'].lower()}."


class DiceOptions(Options):
    """Options of the games that are played with dice."""

    dice: Literal["server", "entered"] = Field(
        "server", description="who rolls: the server, or you with real dice, typing the faces (entered)"
    )


def _with_names(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Options as typed, by the names of their fields."""
    return {str(key).replace("-", "_"): _read(value) for key, value in raw.items()}


def _read(value: Any) -> Any:
    """What was typed, with 2,000 as 2000. Lists such as 111=300,222=500 stay as they are."""
    return ungrouped(value) if isinstance(value, str) and "=" not in value else value


def _either(expected: str) -> str:
    return expected.replace("'", "")
