"""Three keys are compared: the one that a server shows, the one in the join line, and the one that we know.

The verdict is a sentence that says what was compared with what. Whoever reads it must not be led to forget a key that
two of three agree upon.
"""

from dataclasses import dataclass

from dicegames_client.base.command_line import program


@dataclass(frozen=True, slots=True)
class Keys:
    """Fingerprints. None: there is no such key."""

    shown: str
    line: str | None
    known: str | None
    authority: bool = False
    """An authority vouched for this server when we were here before."""


def verdict(keys: Keys, place: str, server: str) -> str:
    """Why we must not connect; empty if we may. `server` is what `forget` takes."""
    if keys.authority:
        return _after_authority(keys, place, server)
    if keys.known is None:
        if keys.line in (None, keys.shown):
            return ""
        return (
            f"Your join line names the key {keys.line}, but {place} shows {keys.shown}. Somebody may be in between: "
            "ask the host for the line again."
        )
    if keys.shown == keys.known:
        if keys.line in (None, keys.shown):
            return ""
        return (
            f"Your join line names the key {keys.line}, but {place} shows {keys.shown}, by which this machine knows "
            "it. The line is old or for another server: ask the host for it again."
        )
    shows = f"STOP: {place} shows the key {keys.shown}."
    if keys.line == keys.known:
        return (
            f"STOP: {place} shows the key {keys.shown}, but your join line and this machine both name {keys.known}. "
            "Somebody is probably in between. Do not go on; ask the host."
        )
    if keys.line is None:
        return (
            f"{shows} This machine knows it by {keys.known}. Either the host has made a new key, or somebody is in "
            "between. Ask the host which key is right, not over this network. "
            f"{_only_then('it is the new one', server)}"
        )
    if keys.line == keys.shown:
        return (
            f"{shows} Your join line names the same one, but this machine knows {keys.known}. Somebody in between "
            "could have sent you the line as well. Ask the host which key is right, not over this network. "
            f"{_only_then('it is the new one', server)}"
        )
    return (
        f"{shows} Your join line names {keys.line}, and this machine knows {keys.known}: no two of them agree. "
        "Do not go on; ask the host."
    )


def _after_authority(keys: Keys, place: str, server: str) -> str:
    shows = f"STOP: {place} shows the key {keys.shown}, which it has made itself. Before, an authority vouched for it."
    if keys.line == keys.shown:
        return (
            f"{shows} Your join line names the same key, but somebody in between could have sent you the line as well. "
            f"Ask the host, not over this network. {_only_then('it is right', server)}"
        )
    if keys.line:
        return f"{shows} Your join line names another key, {keys.line}. Do not go on; ask the host."
    return (
        f"{shows} Somebody may be in between. Ask the host, not over this network. {_only_then('it is right', server)}"
    )


def _only_then(what: str, server: str) -> str:
    return f"Only if {what}: {program()} forget {server}"
