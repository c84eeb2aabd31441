"""Which hints the user has understood, on this machine. They are not shown again."""

from dicegames_client.base.state.state_files import Records
from dicegames_protocol.base import Model

_MOST = 500


class UnderstoodHint(Model):
    game: str
    id: str


_saved: Records[UnderstoodHint] = Records("hints.jsonl", UnderstoodHint, aftermath="Hints are shown again.")


def understood_hints() -> set[tuple[str, str]]:
    """Game and id of each."""
    return {(hint.game, hint.id) for hint in _saved.read()}


def remember_understood(game: str, id: str) -> None:
    hint = UnderstoodHint(game=game, id=id)
    _saved.change(lambda hints: [*(other for other in hints[-_MOST:] if other != hint), hint])
