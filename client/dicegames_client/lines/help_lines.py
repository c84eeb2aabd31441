"""The list of commands in line mode."""

from dicegames_client.guest.store import Store
from dicegames_client.play.parse_input import speaker
from dicegames_client.play.parse_move import words
from dicegames_client.play.typed_commands import COMMANDS, LOCAL_COMMANDS, WITH_REAL_DICE
from dicegames_client.play.wording import quoted


def help_lines(store: Store) -> list[str]:
    """What can be typed now, a line each."""
    real = WITH_REAL_DICE if store.info.options.get("dice") == "entered" else {}
    helps = {name: command.help for name, command in COMMANDS.items()} | real | LOCAL_COMMANDS
    seat, _ = speaker(store, "")
    offers = store.offers(seat) if seat is not None else {}
    now = [f"Your moves now: {quoted(words(offers))}."] if offers else []
    usage = {name for name, text in helps.items() if text.startswith(f"{name} ") and ":" in text}  # kick NAME: …
    return [*now, *(text if name in usage else f"{name}: {text}" for name, text in helps.items())]
