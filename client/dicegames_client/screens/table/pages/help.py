"""What the rules page shows besides the rules: the options of the room, and the keys."""

from dicegames_client.play.picking import pickable
from dicegames_client.play.room_wording import unusual, word
from dicegames_client.play.scene import Scene
from dicegames_client.views import view_of
from dicegames_protocol.games import types_of
from dicegames_protocol.table import RoomInfo
from dicegames_protocol.text import strip

_REAL_DICE = [
    ("1-6", "the faces that you rolled; the last one ends the roll"),
    ("U", "take the last roll back"),
    ("X", "correct a roll of this round; you see what would change before you accept it"),
]


def option_rows(info: RoomInfo) -> list[tuple[str, str, str]]:
    """Name, value and meaning of every option of a room."""
    types = types_of(info.game)
    fields = types.options.model_fields if types else {}
    rows = []
    for name, value in (types.options.all_of(info.options) if types else info.options).items():
        about = fields[name].description or "" if name in fields else ""
        rows.append((name.replace("_", "-"), strip(word(value)), about))
    limit = f"{info.turn_limit} s" if info.turn_limit else "none"
    return [*rows, ("turn-limit", limit, "seconds for a turn")]


def options_first_changed(info: RoomInfo) -> list[tuple[str, str, str]]:
    """The same, with those first that are not the usual ones."""
    changed = {name.replace("_", "-") for name in unusual(info)}
    return sorted(option_rows(info), key=lambda row: row[0] not in changed)


def table_keys(scene: Scene) -> list[tuple[str, str]]:
    """Every key that does something at the table."""
    view, offers = view_of(scene.store.info.game), scene.offers
    moves = [(key.upper(), strip(view.label(scene, take, offers[take]))) for key, take in scene.keys if take in offers]
    picking = [("1-6", "pick a die by its face"), ("A", "pick all that scores"), ("Backspace", "put one back")]
    picks = pickable(offers)
    odds = [("O", "odds, while a game is on")] if view.with_odds else []
    real = scene.store.info.options.get("dice") == "entered"
    return [
        *moves,
        *(picking if picks else []),
        *(_REAL_DICE if real else []),
        ("T", "talk; Enter sends, Esc cancels"),
        ("/", "commands, such as /kick NAME, /set rounds=5, /host NAME; Tab completes"),
        *odds,
        ("K", "in the waiting room: how friends join, as a QR code"),
        ("C", "in the waiting room: copy the line with which friends join"),
        ("V", "when the game is over: how it went, on a page"),
        ("W", "when the game is over: how well everybody played, and what was luck"),
        ("F", "in the waiting room, for the host: free the seat of somebody who is away"),
        ("S", "when the game is over: save its log in a file; while watching, type /save"),
        ("Up, Down", "scroll the players"),
        ("PgUp, PgDn", "read back what has happened; End or Esc: the newest again"),
        ("Ctrl-F", "find a word in what has happened; Enter alone shows all. Also /find WORD, /feed"),
        ("Ctrl-L", "paint the screen anew"),
        ("Tab", "next player, where several share this keyboard"),
        ("Q, Ctrl-C", "leave; asks first where others would miss you"),
    ]
