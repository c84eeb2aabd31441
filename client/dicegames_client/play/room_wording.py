"""Sentences about what happens outside the game: who sits down, who leaves, who is away, who wins."""

from collections import Counter
from collections.abc import Sequence

from dicegames_client.guest.store import Store
from dicegames_client.play.wording import Wording, dice, listed, with_mine
from dicegames_protocol.base import JsonObject
from dicegames_protocol.games import types_of
from dicegames_protocol.messages.checking import room_events
from dicegames_protocol.table import RoomInfo
from dicegames_protocol.text import strip

_MOST_TALLIED = 6
"""Most players in the tally of the evening."""
_LISTED_WINNERS = 12
"""Most winners in a sentence about the end of a game."""
_NAMED = 3
"""Most names in a sentence about who is missing."""


def table_name(info: RoomInfo) -> str:
    """The game and the code, such as: Farkle KQ7M."""
    return f"{strip(info.title)} {strip(info.code)}"


def waiting_for(store: Store) -> str:
    """What a waiting room waits for."""
    info, seats = store.info, store.table["seats"]
    people = {int(seat): player for seat, player in seats.items() if not player.get("bot")}
    missing = info.least - len(seats)
    if missing > 0:
        return f"{missing} more {'player is' if missing == 1 else 'players are'} needed (or a bot)."
    if not store.seats:
        return "The game has not begun yet."
    late = [seat for seat, player in people.items() if not player["ready"]]
    if not late and len(seats) == 1:
        return "Nobody else is here yet. Wait for somebody, add a bot, or start alone."
    names = [Wording(store).whom(seat) for seat in late[:_NAMED]]
    more = len(late) - len(names)
    whom = listed([*names, f"{more} more"] if more else names)
    ready = f"{len(people) - len(late)} of {len(people)} ready"
    are = "is" if len(late) == 1 and names != ["you"] else "are"
    return f"{ready}: {whom} {are} missing. The host can start without." if late else f"{ready}."


def evening(store: Store) -> str:
    """The tally of the evening: wins and points over all games in this room. Empty before a second game is begun.

    In the waiting room one game is enough: nothing else tells of it there.
    """
    games = store.table.get("room", {}).get("game_no", 0)
    players = {int(seat): player for seat, player in store.table.get("seats", {}).items()}
    if games < (1 if store.phase in ("waiting", "dealing") else 2) or not any(
        player.get("won") for player in players.values()
    ):
        return ""
    order = sorted(players, key=lambda seat: (-(players[seat].get("won") or 0), -(players[seat].get("points") or 0)))
    told = [f"{store.name(seat)} {_won(players[seat])}" for seat in with_mine(order, _MOST_TALLIED, store.seats)]
    more = [f"{len(order) - _MOST_TALLIED} more"] if len(order) > _MOST_TALLIED else []
    return f"This evening, {games} game{'' if games == 1 else 's'}: {', '.join([*told, *more])}."


def _won(player: JsonObject) -> str:
    won, points = player.get("won") or 0, player.get("points") or 0
    return f"won {won}{f' ({points:,} points)' if points else ''}"


def of_room(event: JsonObject) -> bool:
    """Whether an event is about the room. All other events are about the game."""
    return event["kind"] in room_events()


def tell_room(event: JsonObject, wording: Wording) -> list[str]:
    """Sentences about an event of the room; none for events of the game."""
    match event:
        case {"kind": "took_seat", "seat": seat, "name": name}:
            return [f"You sit down as {strip(name)}."] if seat == wording.me else [f"{strip(name)} sits down."]
        case {"kind": "left_seat", "name": name, "why": why, "bot_plays": bot_plays}:
            how = {"kicked": "was removed by the host", "expired": "did not come back"}.get(why, "has left")
            return [f"{strip(name)} {how}.{' A bot plays on.' if bot_plays else ''}"]
        case {"kind": "host_changed", "seat": seat}:
            return [f"{wording.does(seat, 'are')} the host now."]
        case {"kind": "ready_changed", "seat": seat, "ready": ready}:
            return [f"{wording.does(seat, 'are')} {'ready' if ready else 'not ready'}."]
        case {"kind": "options_changed"}:
            return ["The host has changed the options."]
        case {"kind": "wants_rematch", "seat": seat, "votes": votes, "of": of}:
            return [f"{wording.does(seat, 'want')} a rematch ({votes} of {of})."]
        case {"kind": "dealt", "missing": missing} if missing:
            whose = listed("yours" if seat == wording.me else f"that of {wording.store.name(seat)}" for seat in missing)
            return [f"The dice are dealt without {'a seed' if len(missing) == 1 else 'some seeds'}: {whose}."]
        case {"kind": "drawn_anew", "names": names}:
            return [f"The dice were drawn anew because {listed(strip(name) for name in names)} did not answer."]
        case {"kind": "not_dealt"}:
            return ["Too few are left at the table; the game waits again."]
        case {"kind": "game_started"}:
            return ["The game begins.", *_without_a_part(wording)]
        case {"kind": "time_up", "seat": seat}:
            return [f"{wording.who(seat)} took too long."]
        case {"kind": "over_ssh", "seat": seat, "on": on}:
            return [_over_ssh(seat, wording) if on else f"{wording.does(seat, 'have')} a client of their own now."]
        case {"kind": "stand_in", "seat": seat, "on": on}:
            return [
                f"A bot plays for {wording.whom(seat)}." if on else f"{wording.does(seat, 'are')} back at the dice."
            ]
        case {"kind": "corrected", "seat": seat, "faces": faces, "undone": undone}:
            which = "an earlier roll" if (event.get("back") or 1) > 1 else "the last roll"
            was = f" from {dice(event['was'])}" if event.get("was") else ""
            right = f"{wording.does(seat, 'correct')} {which}{was} to {dice(faces)}."
            return [f"{right} {taken_back(undone, wording)}".rstrip()]
        case {"kind": "taken_back", "seat": seat, "faces": faces, "undone": undone}:
            roll = f"{wording.does(seat, 'take')} {dice(faces)} back, to type it again."
            return [f"{roll} {taken_back(undone, wording)}".rstrip()]
        case {"kind": "game_goes_on"}:
            return ["So the game is not over: it goes on."]
        case {"kind": "game_over", "winners": winners}:
            return _game_over(winners, wording)
    return []


def taken_back(undone: Sequence[int], wording: Wording) -> str:
    """Whose later moves no longer fit a corrected roll. Empty: all do."""
    whose = listed(f"{count} of {wording.whom(seat)}" for seat, count in Counter(undone).items())
    return f"Moves that are taken back: {whose}." if undone else ""


def _without_a_part(wording: Wording) -> list[str]:
    """Who has no part in the dice, though others have."""
    fair = wording.store.table.get("fair") or {}
    if not fair.get("without"):
        return []
    over_ssh = [seat for seat in fair["without"] if wording.store.player(seat).get("over_ssh")]
    if not fair.get("committee"):
        return ["All play over ssh: the dice come from the server alone."] if len(over_ssh) > 1 else []
    others = [seat for seat in fair["without"] if seat not in over_ssh]
    told = [f"Without a part in the dice: {listed(wording.store.name(seat) for seat in others)}."] if others else []
    return told + [_over_ssh(seat, wording) for seat in over_ssh]


def _over_ssh(seat: int, wording: Wording) -> str:
    return f"{wording.does(seat, 'play')} over ssh: that share of the dice comes from the server."


def _game_over(winners: list[int], wording: Wording) -> list[str]:
    if len(winners) == 1:
        return [f"The game is over. {wording.does(winners[0], 'win')}!"]
    return [f"The game is over. {wording.all_of(winners, _LISTED_WINNERS)} share the win."]


def tell_options(before: Store, after: Store) -> list[str]:
    """A sentence with the options that have changed."""
    types = types_of(after.info.game)
    whole = types.options.all_of if types else dict
    old, new = whole(before.info.options), whole(after.info.options)
    changed = [f"{name_of(key)} {word(value)}" for key, value in new.items() if old.get(key) != value]
    return [strip(f"Now: {', '.join(changed)}.")] if changed else []


def tell_presence(before: Store, after: Store) -> list[str]:
    wording = Wording(after)
    gone = [seat for seat in after.away if seat not in before.away and seat not in after.tokens]
    back = [seat for seat in before.away if seat not in after.away and after.player(seat) and seat not in after.tokens]
    lines = [
        f"{wording.who(seat)} lost the connection. The seat is held for {_minutes(after.away[seat])}." for seat in gone
    ]
    return lines + [f"{wording.does(seat, 'are')} here again." for seat in back]


def tell_table(store: Store) -> list[str]:
    """Who sits here, and under which rules. Everyone who comes in reads this."""
    info = store.info
    seated = []
    for key, player in sorted(store.table["seats"].items(), key=lambda item: int(item[0])):
        seat = int(key)
        marks = [
            "host" if seat == info.host else "",
            "you" if seat in store.seats else "",
            "bot" if player.get("bot") or player.get("program") else "",
            "over ssh" if player.get("over_ssh") else "",
            "left" if player["left"] else "",
            "away" if seat in store.away else "",
            "ready" if player["ready"] and info.phase == "waiting" and not player.get("bot") else "",
        ]
        marked = ", ".join(mark for mark in marks if mark)
        seated.append(f"{store.name(seat)} ({marked})" if marked else store.name(seat))
    watching = [f"{store.watching} watching."] if store.watching else []
    shown = f"At the table: {listed(seated)}." if len(seated) <= 20 else f"{len(seated)} are at the table."
    changed = unusual_options(info)
    options = f"Options: {changed}." if changed else "The usual options."
    return [f"Room {info.code}: {info.title}, {strip(info.summary)}.", options, shown, *watching]


def unusual_options(info: RoomInfo) -> str:
    """The options that differ from their defaults, in one text. Empty: none."""
    shown = [f"{name_of(key)} {word(value)}" for key, value in unusual(info).items()]
    limit = [f"turn limit {info.turn_limit} s"] if info.turn_limit else []
    return strip(", ".join(shown + limit))


def unusual(info: RoomInfo) -> JsonObject:
    """The options that differ from their defaults."""
    types = types_of(info.game)
    usual = types.options.read({}).model_dump(mode="json") if types else {}
    return {key: value for key, value in info.options.items() if usual.get(key) != value}


def name_of(option: str) -> str:
    """An option as it is typed."""
    return option.replace("_", "-")


def word(value: object) -> str:
    if isinstance(value, dict):
        return ",".join(f"{key}={points}" for key, points in value.items()) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _minutes(ms: int) -> str:
    minutes = round(ms / 60_000)
    return f"{minutes} minute{'s' if minutes != 1 else ''}" if minutes else f"{ms // 1000} seconds"
