"""Important moments of games, made by real play against the rules with chosen dice."""

from collections.abc import Awaitable, Callable, Mapping
from weakref import WeakKeyDictionary

from dicegames_client.base.address import Address
from dicegames_client.base.glyphs import Glyphs
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.enter.entering import ELSEWHERE
from dicegames_client.enter.finding import Found
from dicegames_client.enter.invitation import invitation
from dicegames_client.enter.new_table import NewTable
from dicegames_client.guest.events import Lost, News
from dicegames_client.screens.forms.confirm_screen import ConfirmScreen, OfferScreen
from dicegames_client.screens.forms.menu import Menu
from dicegames_client.screens.forms.question_screen import QuestionScreen
from dicegames_client.screens.forms.table_form import TableForm
from dicegames_client.screens.replay_screen import ReplayScreen
from dicegames_client.screens.room_list import RoomListScreen
from dicegames_client.screens.screen import Prompt, Screen
from dicegames_client.screens.table.painting.panels import LARGE_SIZE
from dicegames_client.screens.table.stage.interlude import MOMENT_SECONDS
from dicegames_protocol.codec import decode_update
from dicegames_protocol.games import keys, types_of
from dicegames_protocol.messages.client import FetchLog
from dicegames_protocol.messages.server import Presence, Update
from dicegames_protocol.table import RoomEntry
from support.hall import Hall
from support.sitting import Sitting, begin, catch_up, pass_time, sit_down

Scene = Callable[[DisplayOptions], Awaitable[tuple[Screen, float]]]
THIRD_SEVEN = ((4, 4), (3, 4), (6, 1), (5, 2))


async def start(display: DisplayOptions) -> tuple[Screen, float]:
    lobby = RoomListScreen(
        "dicegames",
        display.glyphs,
        name="bo",
        rename=lambda name: None,
        intro=("dicegames: dice games for the terminal, played together", "N opens a table on this machine."),
    )
    lobby.looking = False
    return lobby, 0.0


async def lobby(display: DisplayOptions) -> tuple[Screen, float]:
    screen = RoomListScreen("Rooms on 192.168.1.23:8765", display.glyphs, name="bo", rename=lambda name: None)
    server = Address("192.168.1.23", 8765)

    def room(code: str, title: str, summary: str, seated: int, capacity: int, phase: str, host: str) -> Found:
        fields = {"code": code, "game": "x", "title": title, "summary": summary, "seated": seated}
        fields |= {"capacity": capacity, "phase": phase, "locked": code == "PH3D", "host": host}
        return Found(server, RoomEntry.model_validate(fields))

    screen.found = [
        room("KQ7M", "Doubles", "10 rounds", 3, 8, "waiting", "ana"),
        room("TX2P", "Sevens", "5 rounds", 3, 3, "playing", "deb"),
        room("PH3D", "Farkle", "to 10,000, table multiplier", 3, 6, "playing", "金木水火土日月山"),
    ]
    return screen, 0.0


async def menu(display: DisplayOptions) -> tuple[Screen, float]:
    games = [types for key in keys() if (types := types_of(key))]
    return Menu("Which game?", [(types.title, types.blurb) for types in games], display.glyphs), 0.0


async def ask(display: DisplayOptions) -> tuple[Screen, float]:
    return QuestionScreen(
        Prompt("> ", text="bo2"), display.glyphs, before=['"bo" is already at this table. Another name:']
    ), 0.0


async def full(display: DisplayOptions) -> tuple[Screen, float]:
    text = ["Room KQ7M is full (8 of 8). Press W to watch."]
    return OfferScreen(text, display.glyphs, key="W", verb="watch", leave="Back"), 0.0


async def resume(display: DisplayOptions) -> tuple[Screen, float]:
    return ConfirmScreen([f"Resume KQ7M as bo? {ELSEWHERE}"], display.glyphs), 0.0


async def new_table(display: DisplayOptions) -> tuple[Screen, float]:
    """Some rows were changed, and two of them do not fit together."""
    typed = {"bots": "2", "password": "dice", "preset": "zilch", "four-and-pair": "yes", "three-pairs": "0"}
    return TableForm(NewTable("farkle", typed=typed), display.glyphs), 0.0


async def new_table_of_doubles(display: DisplayOptions) -> tuple[Screen, float]:
    return TableForm(NewTable("doubles"), display.glyphs), 0.0


async def waiting(display: DisplayOptions) -> tuple[Screen, float]:
    hall = Hall()
    peer = await hall.peer()
    room = (await peer.create("doubles", "ana", seats=6)).room
    ways = [Address("192.168.1.23", 8765, room="KQ7M")]
    host = Sitting(hall, peer, display, invited=invitation(ways, announced=True, hosted_here=True))
    bo = await hall.peer()
    await bo.join(room, "bo")
    await host.press("b", "y")
    return _at(host)


async def invited(display: DisplayOptions) -> tuple[Screen, float]:
    screen, now = await waiting(display)
    screen.press("k", now)
    return screen, now


async def doubles(display: DisplayOptions) -> tuple[Screen, float]:
    _, table = await _doubles(display, (4, 4), (4, 4))
    await _roll(table, 2)
    return _at(table[0])


async def third_seven(display: DisplayOptions) -> tuple[Screen, float]:
    hall, table = await _doubles(display, *THIRD_SEVEN)
    await _roll(table, 4)
    await table[1].press("h")
    await pass_time(hall, 4, *table)
    return _at(table[0])


async def sealed(display: DisplayOptions) -> tuple[Screen, float]:
    """Ana and bo have decided in secret, cy has not."""
    hall, table = await _doubles(display, *THIRD_SEVEN, sealed=True)
    await _roll(table, 4)
    await table[0].press("c")
    await table[1].press("h")
    await pass_time(hall, 4, *table)
    return _at(table[0])


async def sealed_shown(display: DisplayOptions) -> tuple[Screen, float]:
    """All have decided: two cash out at once, and the dice roll for the third."""
    _, table = await _doubles(display, *THIRD_SEVEN, (1, 2), sealed=True)
    await _roll(table, 4)
    await table[0].press("c")
    await table[1].press("h")
    await table[2].press("c")
    catch_up(*table)
    return _at(table[1])


async def bust(display: DisplayOptions) -> tuple[Screen, float]:
    hall, table = await _doubles(display, *THIRD_SEVEN, (1, 6))
    await _roll(table, 4)
    await table[2].press("c")
    await pass_time(hall, 10, *table)
    return _at(table[0])


async def spectator(display: DisplayOptions) -> tuple[Screen, float]:
    hall, table = await _doubles(display, *THIRD_SEVEN)
    await _roll(table, 4)
    peer = await hall.peer()
    await peer.watch(table[0].peer.store.room or "")
    looker = Sitting(hall, peer, display)
    await table[1].press("h")
    await table[0].press("t")
    await table[0].type("run away!!")
    catch_up(looker)
    return _at(looker)


async def lost(display: DisplayOptions) -> tuple[Screen, float]:
    hall, table = await _doubles(display, *THIRD_SEVEN)
    await _roll(table, 4)
    catch_up(*table)
    table[0].table.hear(Lost(), hall.clock.now())
    return table[0].table, hall.clock.now() + 6


async def doubles_over(display: DisplayOptions) -> tuple[Screen, float]:
    _, table = await _doubles(display, *THIRD_SEVEN, (1, 6), (5, 5), (2, 2), (3, 4), rounds=2)
    await _roll(table, 4)
    await table[1].press("h")
    await table[2].press("c")
    await table[0].press("h")
    await _roll(table, 2)
    await table[0].press("c")
    await _roll(table, 1)
    await table[1].press("c")
    await table[2].press("c")
    return _later(table[0], *table)


async def sevens_start(display: DisplayOptions) -> tuple[Screen, float]:
    hall = Hall((6, 5, 4, 3, 2, 1))
    table = await sit_down(hall, "sevens", "ana", "bo", display=display)
    await begin(table)
    await table[1].press("r")
    return _at(table[0], *table)


async def sevens(display: DisplayOptions) -> tuple[Screen, float]:
    hall = Hall((6, 6, 6, 6, 6, 6), (1, 1, 1, 1, 1, 1), (1, 2, 4, 6, 3, 3))
    table = await sit_down(hall, "sevens", "ana", "bo", display=display)
    await begin(table)
    await table[0].press("r")
    await table[1].press("r")
    catch_up(*table)
    await table[0].press("r")
    return _at(table[0], *table)


async def sevens_over(display: DisplayOptions) -> tuple[Screen, float]:
    hall = Hall((6, 6, 6, 6, 6, 6), (1, 1, 1, 1, 1, 1))
    hall.dice.then((6, 6, 6, 2, 2, 4), (1, 6, 2, 2, 3, 3), (5, 5, 6, 6))
    hall.dice.then((4, 4, 4, 1, 1, 1), (6, 6, 6, 6, 6, 6))
    table = await sit_down(hall, "sevens", "ana", "bo", display=display, options={"rounds": 2})
    await begin(table)
    await table[0].press("r")
    await table[1].press("r")
    for sitting, pressed in ((0, "rk"), (1, "rrk"), (0, "rk"), (1, "rk")):
        catch_up(*table)
        await table[sitting].press(*pressed)
    return _later(table[1], *table)


async def recap(display: DisplayOptions) -> tuple[Screen, float]:
    """A whole game of Sevens for three players, played with simple decisions."""
    hall = Hall()
    table = await sit_down(hall, "sevens", "ana", "bo", "cy", display=display, options={"rounds": 6})
    await begin(table)
    for _ in range(400):
        catch_up(*table)
        if table[0].store.phase == "over":
            break
        for sitting in table:
            if sitting.store.wanted() is not None:
                left = sitting.store.game.get("left") or ()
                good = sum(left) > 10 and "keep" in sitting.store.offers(sitting.peer.seat)
                await sitting.press("k" if good else "r")
                break
    return _later(table[1], *table)


async def reviewed(display: DisplayOptions) -> tuple[Screen, float]:
    """How well everybody played the game of the recap, on its page."""
    screen, now = await recap(display)
    await answer_panels(screen)
    await _sittings[screen].press("w")
    return screen, now


async def farkle(display: DisplayOptions) -> tuple[Screen, float]:
    _, table = await _farkle(display, (1, 1, 2, 3, 4, 5))
    await table[0].press("r", "1", "1")
    return _at(table[0], *table)


async def farkled(display: DisplayOptions) -> tuple[Screen, float]:
    _, table = await _farkle(display, (1, 1, 2, 3, 4, 5), (2, 3, 4, 6))
    await table[0].press("r", "1", "1", "r")
    return _at(table[1], *table)


async def hot_dice(display: DisplayOptions) -> tuple[Screen, float]:
    _, table = await _farkle(display, (1, 1, 1, 5, 5, 5), (1, 2, 3, 4, 6, 6))
    await table[0].press("r", "a", "r")
    return _at(table[0], *table)


async def farkle_over(display: DisplayOptions) -> tuple[Screen, float]:
    _, table = await _farkle(
        display,
        (1, 1, 1, 5, 2, 3),
        (1, 5, 2, 2, 3, 4),
        (1, 1, 1, 1, 2, 3),
        (2, 2, 3, 4, 6, 6),
        options={"target": 2000},
    )
    for sitting, pressed in ((0, "rab"), (1, "rab"), (0, "rab"), (1, "r")):
        catch_up(*table)
        await table[sitting].press(*pressed)
    return _later(table[1], *table)


async def double_or_nothing(display: DisplayOptions) -> tuple[Screen, float]:
    table = await _numbers(display, "d", "a", "d", "d")
    return _at(table[0], *table)


async def double_or_nothing_over(display: DisplayOptions) -> tuple[Screen, float]:
    table = await _numbers(display, "d", "a", "d", "d", "a")
    await table[1].press("d")
    table[1].hall.clock.advance(1)
    await table[1].press("y")
    return _later(table[0], *table)


async def series(display: DisplayOptions) -> tuple[Screen, float]:
    """A game of a series has just been won."""
    hall = Hall((1,))
    table = await sit_down(hall, "double-or-nothing", "ana", "bo", display=display, options={"best_of": 3})
    await begin(table)
    for number, key in enumerate(("d", "a", "d", "d", "a")):
        catch_up(*table)
        await table[number % 2].press(key)
    catch_up(*table)
    await table[1].press("d")
    hall.clock.advance(1)
    await table[1].press("y")
    return _at(table[1], *table)


async def banked(display: DisplayOptions) -> tuple[Screen, float]:
    _, table = await _farkle(display, (1, 1, 2, 3, 4, 5))
    await table[0].press("r", "1", "1", "b")
    return _at(table[1], *table)


async def last_turns(display: DisplayOptions) -> tuple[Screen, float]:
    options = {"target": 1000}
    _, table = await _farkle(display, (1, 1, 1, 5, 2, 3), (1, 5, 2, 2, 3, 4), options=options)
    await table[0].press("r", "a", "b")
    catch_up(*table)
    await table[1].press("r", "1")
    return _at(table[1], *table)


async def asked(display: DisplayOptions) -> tuple[Screen, float]:
    table = await _numbers(display, "d", "a", "d", "d")
    await table[0].press("d")
    return _at(table[0])


async def rules(display: DisplayOptions) -> tuple[Screen, float]:
    _, table = await _farkle(display, (1, 1, 2, 3, 4, 5))
    await table[0].press("?")
    return _at(table[0])


async def odds(display: DisplayOptions) -> tuple[Screen, float]:
    _, table = await _doubles(display, *THIRD_SEVEN)
    await _roll(table, 2)
    await table[0].press("o")
    return _at(table[0])


async def many(display: DisplayOptions) -> tuple[Screen, float]:
    """Two hundred players at one table, some with wide names."""
    hall = Hall(max_seats=300)
    names = [f"{'名前' if number % 7 == 0 else 'guest'}-{number}" for number in range(200)]
    peers = [await hall.peer() for _ in names]
    room = (await peers[0].create("doubles", names[0], seats=200)).room
    for peer, name in zip(peers[1:], names[1:], strict=True):
        await peer.join(room, name)
    me = Sitting(hall, peers[120], display)
    await peers[0].tell('{"type": "start", "id": "s"}')
    await hall.settle()
    for number, roll in enumerate(((4, 4), (5, 6), (2, 3))):
        hall.dice.then(roll)
        await peers[number].move("roll")
    await peers[60].move("cash")
    await hall.settle()
    me.catch_up()
    gone = Presence(away={"3": 41_000}, watching=2)
    before = me._store
    me._store, _ = before.receive(gone)
    me.table.hear(News(gone, before, me._store), me.now)
    return _at(me)


async def replay(display: DisplayOptions) -> tuple[Screen, float]:
    hall, table = await _doubles(display, *THIRD_SEVEN)
    peer = await hall.peer()
    await _roll(table, 3)
    code = table[0].peer.store.room or ""
    await peer.tell(FetchLog(id="log", room=code))
    updates: list[Update] = [
        decode_update(line) for message in peer.seen if message.type == "log" for line in message.lines
    ]
    screen = ReplayScreen(updates, display, 0.0, speed=1, start=1)
    screen.press("end", 0.0)
    return screen, 0.0


SCENES: Mapping[str, Scene] = {
    scene.__name__.replace("_", "-"): scene
    for scene in (
        start,
        lobby,
        menu,
        ask,
        full,
        resume,
        new_table,
        new_table_of_doubles,
        waiting,
        invited,
        doubles,
        third_seven,
        sealed,
        sealed_shown,
        bust,
        spectator,
        lost,
        doubles_over,
        sevens_start,
        sevens,
        sevens_over,
        recap,
        reviewed,
        farkle,
        farkled,
        banked,
        last_turns,
        series,
        hot_dice,
        farkle_over,
        double_or_nothing,
        double_or_nothing_over,
        asked,
        rules,
        odds,
        many,
        replay,
    )
}


async def _doubles(
    display: DisplayOptions, *rolls: tuple[int, ...], rounds: int = 10, sealed: bool = False
) -> tuple[Hall, list[Sitting]]:
    hall = Hall(*rolls)
    options = {"rounds": rounds, "sealed": sealed}
    table = await sit_down(hall, "doubles", "ana", "bo", "cy", display=display, options=options)
    await begin(table)
    return hall, table


async def _roll(table: list[Sitting], times: int) -> None:
    """The player who has to roll, rolls."""
    for _ in range(times):
        catch_up(*table)
        for sitting in table:
            if "roll" in sitting.store.offers(sitting.peer.seat):
                await sitting.press("r")
                break
    catch_up(*table)


async def _farkle(display: DisplayOptions, *rolls: tuple[int, ...], **fields: object) -> tuple[Hall, list[Sitting]]:
    hall = Hall(*rolls)
    table = await sit_down(hall, "farkle", "ana", "bo", display=display, **fields)
    await begin(table)
    return hall, table


async def _numbers(display: DisplayOptions, *keys: str) -> list[Sitting]:
    hall = Hall((1,))
    table = await sit_down(hall, "double-or-nothing", "ana", "bo", display=display)
    await begin(table)
    for number, key in enumerate(keys):
        catch_up(*table)
        await table[number % 2].press(key)
    catch_up(*table)
    return table


def _at(sitting: Sitting, *table: Sitting) -> tuple[Screen, float]:
    catch_up(sitting, *table)
    _sittings[sitting.table] = sitting
    return sitting.table, sitting.now


def _later(sitting: Sitting, *table: Sitting) -> tuple[Screen, float]:
    """The same when the last moment on the stage is over."""
    screen, now = _at(sitting, *table)
    sitting.hall.clock.advance(MOMENT_SECONDS)
    sitting.table.stage.tick(sitting.now)
    return screen, now + MOMENT_SECONDS


_sittings: WeakKeyDictionary[Screen, Sitting] = WeakKeyDictionary()


async def answer_panels(screen: Screen) -> None:
    """In a large window a table asks the server for what its panels show. Let the answers come."""
    if sitting := _sittings.get(screen):
        sitting.lines(*LARGE_SIZE)
        await sitting.deliver()


def in_glyphs(glyphs: Glyphs) -> DisplayOptions:
    return DisplayOptions(glyphs=glyphs, motion=False)
