"""The picture after a game: who has won, how it went, and what was remarkable. Pure."""

from dicegames_client.play.room_wording import evening
from dicegames_client.play.scene import Scene
from dicegames_client.screens.table.keys.phase_keys import all_want_a_rematch, is_host
from dicegames_client.screens.table.painting.recap import Recap
from dicegames_client.screens.text_page import TextPage
from dicegames_client.views import view_of
from dicegames_client.widgets.lines import Line, beside, inside, line, text_of, width_of, wrap
from dicegames_client.widgets.plot import plot
from dicegames_protocol.text import strip

MOST_CURVES = 6
FEW_WINNERS, MOST_WINNERS = 4, 24
"""Winners that are named in a line, and on a page of their own."""
STORY_KEY = "v"
"""Opens a page with everything that is remarkable, where it does not fit."""


def recap_head(scene: Scene, width: int) -> list[Line]:
    """Who has won, who wants to play again, and the tally of the evening."""
    tally = evening(scene.store)
    head: list[Line] = [[*headline(scene), ("", "   "), ("dim", votes(scene))]]
    if width_of(head[0]) > width - 6:
        won = [line(f" {part} ", headline(scene)[0][0]) for part in wrap(text_of(headline(scene)).strip(), width - 8)]
        head = [*won, *([line(f" {votes(scene)}", "dim")] if votes(scene) else [])]
    return inside([*head, *(line(part, "dim") for part in wrap(tally, width - 6) if part)], 3)


def recap_picture(scene: Scene, recap: Recap, width: int, rows: int) -> list[Line]:
    """The headline, and below it the plot beside the story."""
    head = recap_head(scene, width)
    head += [[]] if len(head) == 1 else []
    below = rows - len(head)
    graph_width = min(width - 6, 46 if width < 110 else 72) if width >= 72 else 0
    graph = curves(scene, recap, graph_width, below) if graph_width and len(recap.laps) > 1 else []
    room = width - 8 - (graph_width + 2 if graph else 0)
    told = told_in(recap, room, below)
    return [*head, *inside(beside(graph, told, graph_width + 2 if graph else 0), 3)]


def story_page(scene: Scene, recap: Recap) -> TextPage:
    """All of it on a page: who has won, the tally, the plot in full width, and everything that was remarkable."""

    def lines(width: int, rows: int) -> list[Line]:
        told = [part for fact in facts(recap) for part in wrap(fact, width, indent="  ")]
        graph = curves(scene, recap, width, max(6, rows - len(told) - 6)) if len(recap.laps) > 1 else []
        tally = [line(part, "dim") for part in wrap(evening(scene.store), width) if part]
        style = headline(scene)[0][0]
        won = [line(f" {part} ", style) for part in wrap(text_of(headline(scene, MOST_WINNERS)).strip(), width - 2)]
        return [[], *won, *tally, [], *graph, [], *(line(part) for part in told)]

    return TextPage(STORY_KEY, "How it went", lines)


def headline(scene: Scene, most: int = FEW_WINNERS) -> Line:
    """Who has won. Of many winners a few are named."""
    winners = [int(seat) for seat in scene.store.info.winners or ()]
    wording = scene.wording
    if len(winners) == 1:
        said = f"{wording.does(winners[0], 'win')}!"
    else:
        said = f"{wording.all_of(winners, most)} share the win." if winners else "The game is over."
    mine = any(seat in scene.store.seats for seat in winners)
    return line(f" {said} ", "hot" if mine else "title")


def curves(scene: Scene, recap: Recap, width: int, rows: int) -> list[Line]:
    """The scores over the rounds."""
    target = view_of(scene.store.info.game).target(scene.store)
    mine = {scene.store.name(seat) for seat in scene.store.seats}
    return plot(recap.series(MOST_CURVES, mine), width, rows, scene.glyphs, target)


def facts(recap: Recap) -> list[str]:
    """What was remarkable, the strongest first."""
    told_first = sorted(recap.best, key=lambda found: not found.kind.startswith(("Where", "Boldest", "Luckiest")))
    return [f"{found.kind}: {strip(found.sentence)}" for found in told_first]


def told_in(recap: Recap, width: int, rows: int) -> list[Line]:
    """The facts in so many lines. If they do not all fit, the last line says which key shows them."""
    wrapped = [wrap(fact, width, indent="  ") for fact in facts(recap)]
    if sum(len(fact) for fact in wrapped) <= rows:
        return [line(part) for fact in wrapped for part in fact]
    told: list[Line] = []
    for number, fact in enumerate(wrapped):
        if len(told) + len(fact) > rows - 1:
            more = len(wrapped) - number
            return [*told, [("key", f"[{STORY_KEY.upper()}]"), ("dim", f" {more} more")]]
        told += [line(part) for part in fact]
    return told


def votes(scene: Scene) -> str:
    """Who wants to play again."""
    people = [player for player in scene.store.table["seats"].values() if not player.get("bot") and not player["left"]]
    votes = sum(player["rematch"] for player in people)
    if all_want_a_rematch(scene.store):
        missing = scene.store.info.least > len([p for p in scene.store.table["seats"].values() if not p["left"]])
        more = (
            "more players are needed" + (": B adds a bot" if is_host(scene.store) else "") if missing else "M starts it"
        )
        return f"all want a rematch; {more}"
    return f"{votes} of {len(people)} want a rematch" if votes else ""
