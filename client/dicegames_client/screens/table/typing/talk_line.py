"""The typing line at the table: chat, and commands after a slash. Checked before it is sent. Pure."""

from collections.abc import Callable

from dicegames_client.guest.store import Store
from dicegames_client.play.parse_input import ParsedInput, parse_input
from dicegames_client.play.typed_commands import COMMANDS, LOCAL_COMMANDS, ON_SCREEN_COMMANDS, QUIT_WORDS
from dicegames_client.screens.screen import Word
from dicegames_client.views import idle_at
from dicegames_protocol.messages.client import Chat
from dicegames_protocol.text import check_chat, strip


def meaning(text: str, store: Store, seat: int | None, picked: str, new_id: Callable[[], str]) -> ParsedInput:
    """What a typed line asks for. Raises TextError, Unclear or NotUnderstood, with a sentence."""
    text = f"/{text.lstrip('/')}" if text.startswith("/") else text
    if not text.startswith("/"):
        return ParsedInput((Chat(id=new_id(), seat=seat, text=check_chat(text)),))
    word, _, rest = text[1:].partition(" ")
    if word.lower() in QUIT_WORDS:
        return ParsedInput(local="quit")
    if word.lower() in ON_SCREEN_COMMANDS:
        return ParsedInput(local=word.lower(), rest=rest.strip() if word.lower() == "find" else "")
    mine = {seat: picked} if seat is not None and picked else {}
    return parse_input(text, store, mine, new_id, idle_at(store))


def completions(text: str, store: Store, seat: int | None) -> list[Word]:
    """Commands and moves after the slash. After some commands: names or options."""
    if not text.startswith("/"):
        return []
    word, blank, rest = text[1:].partition(" ")
    if not blank:
        moves = {take: offer.label for take, offer in store.offers(seat).items()} if seat is not None else {}
        words = moves | {name: command.help for name, command in COMMANDS.items()} | LOCAL_COMMANDS
        found = {name: strip(about) for name, about in words.items() if name.startswith(word.lower())}
        return [Word(name, len(word), about) for name, about in found.items()]
    if word.lower() in ("kick", "free", "host", "drop"):
        names = [store.name(int(seat)) for seat in store.table["seats"] if int(seat) not in store.seats]
        return [Word(name, len(rest)) for name in names if name.lower().startswith(rest.lower())]
    if word.lower() == "set" and "=" not in rest:
        flags = [name.replace("_", "-") for name in store.info.options]
        return [Word(f"{flag}=", len(rest)) for flag in flags if flag.startswith(rest.lower())]
    return []
