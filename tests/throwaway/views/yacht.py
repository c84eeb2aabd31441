"""Yacht in words; its picture is the generic one."""

from dicegames_client.play.wording import Wording, dice
from dicegames_client.views.generic import GenericView
from dicegames_protocol.base import JsonObject


class YachtView(GenericView):
    def tell(self, event: JsonObject, wording: Wording) -> list[str]:
        match event:
            case {"kind": "threw", "seat": seat, "faces": faces}:
                return [f"{wording.does(seat, 'roll')} {dice(faces)}."]
            case {"kind": "wrote", "seat": seat, "category": category, "points": points}:
                return [f"{wording.does(seat, 'score')} {points} for {category}."]
        return []


VIEW = YachtView()
