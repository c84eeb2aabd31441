"""A moment that matters, on the stage: what happened, with which dice, and how it stands now. Pure."""

from collections.abc import Mapping, Sequence

from dicegames_client.play.moment import Moment
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import with_mine
from dicegames_client.views import view_of
from dicegames_client.widgets.die import Die, row_of
from dicegames_client.widgets.lines import Line, fit, inside, line, width_of, wrap
from dicegames_protocol.text import strip

_MOST_STANDINGS = 12


def moment_picture(scene: Scene, moment: Moment, width: int, rows: int) -> list[Line]:
    spaced = " ".join(moment.title) if len(moment.title) * 2 + 4 < width - 6 else moment.title
    lines: list[Line] = [line(f" {spaced} ", moment.style)]
    lines += [line(part, "big") for part in wrap(strip(moment.sentence), width - 6)]
    standing = standings(scene, width - 6, 2)
    free = rows - len(lines) - len(standing) - 1
    if moment.faces and free >= 3:
        dice = row_of([Die(face) for face in moment.faces], scene.glyphs, width - 6, free + 1)
        lines += [*([[]] if free > len(dice) else []), *dice]
    lines += [[]] if rows - len(lines) > len(standing) else []
    return inside([*lines, *standing][:rows], 3)


def standings(scene: Scene, width: int, most_lines: int) -> list[Line]:
    """The scores, best first, in a line or two."""
    scores = view_of(scene.store.info.game).scores_of(scene.store)
    best = sorted(scores, key=lambda seat: -scores[seat])
    lines: list[Line] = []
    for most in range(min(len(best), _MOST_STANDINGS), 0, -1):
        lines = _in_lines(scene, with_mine(best, most, scene.store.seats), scores, width)
        if len(lines) <= most_lines:
            break
    return [fit(one, width) for one in lines[:most_lines]]


def _in_lines(scene: Scene, seats: Sequence[int], scores: Mapping[int, int], width: int) -> list[Line]:
    lines: list[Line] = []
    current: Line = []
    for seat in seats:
        part: Line = [("you" if scene.mine(seat) else "", f"{scene.name(seat)} {scores[seat]:,}"), ("", "    ")]
        if current and width_of([*current, *part]) > width:
            lines.append(current)
            current = []
        current = [*current, *part]
    return [*lines, current] if current else lines
