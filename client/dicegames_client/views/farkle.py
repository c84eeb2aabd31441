"""Farkle in words."""

from dicegames_client.store import Store
from dicegames_client.story import Story, dice
from dicegames_client.views.generic import GenericView
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer


class FarkleView(GenericView):
    def tell(self, event: JsonObject, story: Story) -> list[str]:
        match event:
            case {"kind": "rolled", "seat": seat, "faces": faces}:
                return [f"{story.does(seat, 'roll')} {dice(faces)}."]
            case {"kind": "kept", "seat": seat, "dice": kept, "worth": worth, "points": points, "hot": hot}:
                fire = " Hot dice: all six are free again." if hot else ""
                return [f"{story.does(seat, 'keep')} {dice(kept)} for {worth}. This turn: {points}.{fire}"]
            case {"kind": "farkled", "seat": seat, "lost": lost, "penalty": penalty}:
                third = f" It is the third in a row, which costs {penalty}." if penalty else ""
                return [f"FARKLE! {story.does(seat, 'lose')} {lost} points.{third}"]
            case {"kind": "banked", "seat": seat, "points": points, "score": score}:
                return [f"{story.does(seat, 'bank')} {points}. That makes {score}."]
            case {"kind": "turn_began", "seat": seat} if story.store.game["turn_no"] == 1:
                return [f"{story.does(seat, 'begin')}."]
            case {"kind": "last_turns", "seat": seat, "score": score}:
                return [f"{story.does(seat, 'have')} {score}: everyone else has one last turn."]
        return []

    def invite(self, store: Store, seat: int, offers: dict[str, Offer]) -> tuple[list[str], str]:
        name, roll = store.name(seat), offers["roll"]
        if roll.choices is None:
            how = f"roll {roll.enter} dice and type 'roll' and the faces" if roll.enter else "'roll'"
            return [], f"{name}, it is your turn: {how}: "
        example = max(roll.choices, key=lambda key: roll.choices[key].worth if roll.choices else 0)
        scoring = f"Scoring: {', '.join(_scoring(roll))}."
        bank = " or 'bank'" if "bank" in offers else ""
        scoring += "" if bank else f" {roll.label}."
        typed = "'roll' and the faces" if roll.enter is not None else "'roll'"
        return [scoring], f"{name}, type for example 'keep {' '.join(example)}', then {typed}{bank}: "

    def state_of_play(self, story: Story) -> list[str]:
        state = story.store.game
        lines = [f"The target is {story.store.info.options['target']}. This turn: {state['points']}."]
        return lines + ([f"The last roll: {dice(state['dice'])}."] if "dice" in state else [])

    def scores(self, story: Story) -> list[str]:
        state = story.store.game
        playing = story.store.info.phase == "playing"
        lines = []
        for seat, entry in state["seats"].items():
            turn = ", to play" if int(seat) == state["turn"] and playing else ""
            lines.append(f"{story.does(int(seat), 'have')} {entry['score']}{turn}.")
        return lines


def _scoring(offer: Offer) -> list[str]:
    """The dice that can be kept, in one way or another."""
    most: dict[str, int] = {}
    for key in offer.choices or {}:
        for face in key:
            most[face] = max(most.get(face, 0), key.count(face))
    return [face for face in sorted(most) for _ in range(most[face])]


VIEW = FarkleView()
