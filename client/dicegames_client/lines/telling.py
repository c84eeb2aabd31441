"""An event in sentences, as line mode and `replay` tell it."""

from dicegames_client.play.room_wording import of_room, tell_room
from dicegames_client.play.wording import Wording
from dicegames_client.views import view_of
from dicegames_protocol.base import JsonObject


def tell_event(event: JsonObject, wording: Wording) -> list[str]:
    """What has happened. Where a round or a game has ended, also how it stands: the feed on the screen has no need of
    that.
    """
    store = wording.store
    view = view_of(store.info.game)
    if of_room(event):
        return tell_room(event, wording) + (view.standings(wording) if event["kind"] == "game_over" else [])
    told = view.tell(event, wording)
    if not view.says_rounds or store.phase != "playing" or not view.round_ends(event, store):
        return told
    stands = view.short_standings(wording)
    return [*stands, *told] if view.round_begun(event) else [*told, *stands]
