"""How the user wants to see the game, as chosen on the settings page. Flags on the command line come first."""

from typing import Literal

from dicegames_client.base.state.state_files import Records
from dicegames_protocol.base import Model

Theme = Literal["default", "dark", "light", "high-contrast", "colour-blind", "mono"]


class Looks(Model):
    """What was chosen. None: nothing was, so the usual holds."""

    theme: Theme | None = None
    ascii: bool | None = None
    motion: bool | None = None
    bell: bool | None = None
    hints: bool | None = None
    mouse: bool | None = None


_saved: Records[Looks] = Records("looks.jsonl", Looks, aftermath="The usual colours are used.")


def remembered_looks() -> Looks:
    return next(reversed(_saved.read()), Looks())


def remember_looks(looks: Looks) -> None:
    _saved.change(lambda _: [looks])
