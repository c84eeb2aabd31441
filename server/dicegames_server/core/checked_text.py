"""Checks names and chat lines from clients. Gives the text tidied, or raises Refused with a sentence."""

from collections.abc import Callable

from dicegames_protocol.text import TextError, check_chat, check_name
from dicegames_server.core.errors import Refused
from dicegames_server.settings import Settings


def name_from(raw: str, settings: Settings) -> str:
    return _checked(check_name, raw, settings.name_columns)


def chat_from(raw: str, settings: Settings) -> str:
    return _checked(check_chat, raw, settings.chat_length)


def _checked(check: Callable[[str, int], str], raw: str, most: int) -> str:
    try:
        return check(raw, most)
    except TextError as error:
        raise Refused("bad_message", str(error)) from None
