"""The typing line at the table: chat, and commands after a slash. Checked before it is sent. Pure."""

from collections.abc import Callable, Mapping, Sequence

from dicegames_client.guest.store import Store
from dicegames_client.play.parse_input import ParsedInput, parse_input
from dicegames_client.play.parse_move import KEEP_WORD
from dicegames_client.play.picking import pickable, spelled_out
from dicegames_client.play.typed_commands import COMMANDS, LOCAL_COMMANDS, ON_SCREEN_COMMANDS, QUIT_WORDS
from dicegames_client.screens.screen import Word
from dicegames_client.screens.table.typing.fill_in import choice_words
from dicegames_client.views import reasons_at
from dicegames_protocol.bot_levels import LEVELS
from dicegames_protocol.games import types_of
from dicegames_protocol.messages.client import Chat
from dicegames_protocol.table import Offer
from dicegames_protocol.text import check_chat, strip

_WITH_MORE = ("bot", "drop", "kick", "free", "host", "set", "say", "sit", "find")
"""Commands that something may follow."""


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
    return parse_input(text, store, mine, new_id, reasons_at(store))


def completions(text: str, store: Store, seat: int | None, name: str) -> list[Word]:
    """Commands and moves after the slash, and what can follow them. `name`: the user's own, for a seat."""
    if not text.startswith("/"):
        return []
    word, blank, rest = text[1:].partition(" ")
    offers = spelled_out(store.offers(seat)) if seat is not None else {}
    if blank:
        return _that_follow(word.lower(), rest, store, offers, name)
    picks = {KEEP_WORD: "pick dice"} if pickable(offers) else {}
    moves = picks | {take: offer.label for take, offer in offers.items()}
    commands = {command: known.help for command, known in COMMANDS.items()} | LOCAL_COMMANDS | ON_SCREEN_COMMANDS
    asking = {take for take, offer in offers.items() if offer.asks or offer.enter} | {KEEP_WORD, *_WITH_MORE}
    return [
        Word(f"{found} " if found in asking else found, len(word), strip(about))
        for found, about in (moves | commands).items()
        if found.startswith(word.lower())
    ]


def _that_follow(word: str, rest: str, store: Store, offers: Mapping[str, Offer], name: str) -> list[Word]:
    """What can follow a command or a move."""
    if word in offers or (word == KEEP_WORD and pickable(offers)):
        offer = offers.get(word) or next(offer for offer in offers.values() if offer.asks == "faces")
        return choice_words(offer, rest) if offer.asks in ("name", "faces") else []
    if word == "set":
        return _options(rest, store)
    others = {int(seat): player for seat, player in store.table["seats"].items() if int(seat) not in store.seats}
    follow: dict[str, Sequence[str]] = {
        "bot": LEVELS,
        "kick": [store.name(seat) for seat in others],
        "free": [store.name(seat) for seat in others if seat in store.away],
        "host": [store.name(seat) for seat, player in others.items() if not player.get("bot")],
        "drop": [store.name(seat) for seat, player in others.items() if player.get("bot")],
        "sit": [strip(name)] if name and not store.seats else [],
    }
    return [Word(each, len(rest)) for each in follow.get(word, ()) if each.lower().startswith(rest.lower())]


def _options(rest: str, store: Store) -> list[Word]:
    """The last of several options: its name, or its value where that is one of a list."""
    option, equals, value = rest.rpartition(" ")[2].partition("=")
    types = types_of(store.info.game)
    if not equals:
        fields = types.options.model_fields if types else store.info.options
        flags = [field.replace("_", "-") for field in fields]
        return [Word(f"{flag}=", len(option)) for flag in flags if flag.startswith(option.lower())]
    field = option.lower().replace("-", "_")
    known = types.options.choices(field) if types and field in types.options.model_fields else None
    return [Word(choice, len(value)) for choice in known or () if choice.startswith(value.lower())]
