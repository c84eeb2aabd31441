"""The page and the terminal say the same, hold the same table and see the same offers, through whole games."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from dicegames_client.guest.server_link import FINAL
from dicegames_client.guest.store import Store
from dicegames_client.play.room_wording import of_room, tell_presence, tell_room, waiting_for
from dicegames_client.play.wording import Wording
from dicegames_client.views import view_of
from dicegames_protocol.bot_levels import LEVELS
from dicegames_protocol.codec import decode_update, encode, state_hash
from dicegames_protocol.games import keys
from dicegames_protocol.messages.server import Presence
from fair.tables import OPTIONS, FairTable
from support import sentences
from support.node import WEB, needs_node, run
from support.pure_table import PureTable

pytestmark = [needs_node, pytest.mark.usefixtures("luck")]

FOLLOW = """
import { EMPTY, mySeats, offersOf, receive, stateHash } from "./guest/store.js";
import { tell, wording } from "./play/words.js";
const told = [];
for (const { game, lines, tokens } of given) {
  const view = (await import(`./views/${game}.js`)).default, rows = [];
  let store = { ...EMPTY, tokens };
  for (const line of lines) {
    const update = JSON.parse(line);
    store = receive(store, update);
    const words = wording(store);
    rows.push({ hash: stateHash(store.table), seats: mySeats(store),
      told: update.events.flatMap((event) => tell(event, words, view)),
      offers: Object.fromEntries(mySeats(store).map((seat) => [seat, Object.keys(offersOf(store, seat))])) });
  }
  told.push(rows);
}
console.log(JSON.stringify(told));
"""


def in_the_terminal(game: str, lines: list[bytes], tokens: dict[int, str]) -> list[dict[str, Any]]:
    """The same with the terminal's own modules."""
    store, view, rows = Store(tokens=tokens), view_of(game), []
    for line in lines:
        update = decode_update(line)
        store, _ = store.receive(update)
        wording = Wording(store)
        told = [
            text for event in update.events for text in (tell_room if of_room(event) else view.tell)(event, wording)
        ]
        told = [tapped(text) for text in told]
        offers = {str(seat): list(store.offers(seat)) for seat in store.seats}
        rows.append({"hash": state_hash(store.table), "seats": store.seats, "told": told, "offers": offers})
    return rows


def tapped(sentence: str) -> str:
    """The one kind of sentence that differs: nobody types on a phone."""
    sentence = sentence.replace("You are in. Type 'cash' or 'hold'.", "You are in: cash out or hold.")
    return sentence.replace("can choose: type 'cash' or 'hold'.", "can choose: cash out or hold.")


async def evening(game: str, seed: int, **options: Any) -> list[bytes]:
    """Two games with all that happens around them."""
    bots = 0 if game == "double-or-nothing" else 1
    table = await FairTable.open(game, "ana", "bo", bots=bots, options={**OPTIONS[game], **options})
    await (await table.start()).play(random.Random(seed))
    await table.rematch()
    await table.play(random.Random(seed + 1))
    return await table.log()


SEALED = ("doubles", {"sealed": True, "window": 30})


@pytest.mark.parametrize(("game", "options"), [*((key, {}) for key in keys()), SEALED])
async def test_a_whole_evening_reads_the_same(game: str, options: dict[str, Any]) -> None:
    cases = []
    for seed in range(2):
        lines = await evening(game, seed, **options)
        cases += [(lines, tokens) for tokens in ({}, {0: "t"}, {1: "t"}, {0: "t", 1: "u"})]
    given = [{"game": game, "lines": [line.decode() for line in lines], "tokens": tokens} for lines, tokens in cases]
    for (lines, tokens), rows in zip(cases, run(FOLLOW, given), strict=True):
        expected = in_the_terminal(game, lines, tokens)
        for row, wanted in zip(rows, expected, strict=True):
            row["offers"] = {seat: sorted(found) for seat, found in row["offers"].items()}
            wanted["offers"] = {seat: sorted(found) for seat, found in wanted["offers"].items()}
            assert row == wanted


def test_events_that_no_game_above_has() -> None:
    """Real dice, a correction, a third farkle, an extra round, somebody who is removed, and so on."""
    table = PureTable("doubles", "ana", "bo", "cy", entered=True)
    table.start()
    events: list[dict[str, Any]] = [
        {"kind": "left_seat", "seat": 1, "name": "bo", "why": why, "bot_plays": plays}
        for why in ("left", "kicked", "expired", "dropped")
        for plays in (False, True)
    ]
    events += [
        {"kind": "host_changed", "seat": 0},
        {"kind": "ready_changed", "seat": 1, "ready": False},
        {"kind": "options_changed", "summary": "3 rounds"},
        {"kind": "wants_rematch", "seat": 1, "votes": 1, "of": 2},
        {"kind": "drawn_anew", "seats": [0, 1], "names": ["ana", "bo"]},
        {"kind": "not_dealt"},
        {"kind": "time_up", "seat": 0},
        {"kind": "over_ssh", "seat": 1, "on": True},
        {"kind": "over_ssh", "seat": 0, "on": False},
        {"kind": "stand_in", "seat": 1, "on": True},
        {"kind": "stand_in", "seat": 0, "on": False},
        {"kind": "corrected", "seat": 1, "faces": [3, 4], "undone": [0]},
        {"kind": "corrected", "seat": 0, "faces": [3, 4], "undone": []},
        {"kind": "corrected", "seat": 0, "faces": [3, 4], "was": [3, 3], "back": 1, "undone": []},
        {"kind": "corrected", "seat": 1, "faces": [3, 4], "was": [3, 3], "back": 3, "undone": [0, 1, 0]},
        {"kind": "taken_back", "seat": 0, "faces": [3, 4], "undone": []},
        {"kind": "taken_back", "seat": 1, "faces": [3, 4], "undone": [0, 2]},
        {"kind": "game_goes_on"},
        {"kind": "game_over", "winners": [0, 1]},
        {"kind": "window_opened", "ms": 10_000, "roller": 0},
        {"kind": "window_closed", "roller": 1},
    ]
    script = """
import { EMPTY } from "./guest/store.js";
import { tell, wording } from "./play/words.js";
import view from "./views/doubles.js";
console.log(JSON.stringify(given.tokens.map((tokens) => {
  const words = wording({ ...EMPTY, table: given.table, tokens });
  return given.events.map((event) => tell(event, words, view));
})));
"""
    tokens: list[dict[int, str]] = [{}, {0: "t"}, {0: "t", 1: "u"}]
    public = json.loads(encode(table.state.public()))
    got = run(script, {"table": public, "events": events, "tokens": tokens})
    for mine, rows in zip(tokens, got, strict=True):
        wording = Wording(Store(table=public, tokens=mine))
        for event, row in zip(events, rows, strict=True):
            teller = tell_room if of_room(event) else view_of("doubles").tell
            assert row == [tapped(text) for text in teller(event, wording)], event


def test_who_comes_and_goes() -> None:
    table = PureTable("doubles", "ana", "bo", "cy")
    public = json.loads(encode(table.state.public()))
    before = Store(table=public, tokens={0: "t"}, away={2: 50_000})
    after, _ = before.receive(Presence(away={"1": 900_000, "0": 5}, here=(2,), watching=0))
    script = """
import { EMPTY, receive } from "./guest/store.js";
import { tellPresence } from "./play/words.js";
const before = { ...EMPTY, table: given.table, tokens: { 0: "t" }, away: { 2: 50000 } };
console.log(JSON.stringify(tellPresence(before, receive(before, given.message))));
"""
    message = {"type": "presence", "away": {"1": 900_000, "0": 5}, "here": [2], "watching": 0}
    assert run(script, {"table": public, "message": message}) == tell_presence(before, after)


def test_what_a_waiting_room_waits_for() -> None:
    script = """
import { EMPTY } from "./guest/store.js";
import { waitingFor } from "./play/words.js";
console.log(JSON.stringify(given.map(({ table, tokens }) => waitingFor({ ...EMPTY, table, tokens }))));
"""
    cases = []
    for game, names in (("doubles", ["ana"]), ("sevens", ["ana"]), ("doubles", ["ana", "bo", "cy", "di", "ed", "flo"])):
        table = json.loads(encode(PureTable(game, *names).state.public()))
        for ready in range(len(names) + 1):
            for seat, player in table["seats"].items():
                player["ready"] = int(seat) < ready
            cases += [{"table": json.loads(json.dumps(table)), "tokens": tokens} for tokens in ({}, {"0": "t"})]
    expected = [
        waiting_for(Store(table=case["table"], tokens={int(seat): t for seat, t in case["tokens"].items()}))
        for case in cases
    ]
    assert run(script, cases) == expected
    assert "2 of 6 ready: cy, di, ed and 1 more are missing. The host can start without." in expected
    assert "Nobody else is here yet. Wait for somebody, add a bot, or start alone." in expected


def test_why_a_connection_ended_for_good() -> None:
    script = 'import { FINAL } from "./guest/guest.js";\nconsole.log(JSON.stringify(FINAL));'
    assert run(script) == {str(int(code)): sentence for code, sentence in FINAL.items()}


ONLY_IN_A_BROWSER = {
    # doors and panels of a page: the terminal has keys and screens of its own for them
    "Another player here", "Come back as *", "Go to the table", "Leave the table", "Look again", "Make host",
    "Only watch", "Open tables", "Other tables", "Password, if it has one", "Play in a terminal", "Take it",
    "There is no open table now.", "This table again", "waiting for players", "Friends join here:",
    "If it has a password, type it.", "Free the seat", "Remove from the table", "All leave the table", "Stay", "Undo",
    "The page could not be loaded. Reload it, or try another browser: it has to be from 2022 or newer.",
    "* Reload the page to try again.",
    # who has a finger taps
    "* can't be kept like that: tap more dice, or tap one again to put it back.", "*: cash out or hold. *",
    "Pick dice first: tap them, or All.", "The table has moved on. Begin again.", "Tap the dice that you keep.",
    "Tap the faces that you rolled: *",
    "How well did you play?",
    # what the terminal shows as a moment on the stage
    "THE FOURTH SEVEN: * ARE GONE",
    # names for screen readers
    "SEVENS: * of 4", "Scores over * rounds", "The number is *, the target *.", "What you can do", "not rolled",
    # pieces that the terminal puts together in another way, or shows in columns of their own
    "A bot plays on for you.", "AWAY, a bot plays", "CASH OUT OR HOLD?", "HOT DICE! all six are free again, * at risk",
    "Everyone rolls for the start: the highest sum begins", "The dice are rolling…", "Waiting room, *", "YOUR TURN, *",
    "The log of the room is being read…", "You want a rematch.", "Your seat becomes free.", "roll *, kept this turn *",
    "in, rolls next", "this round: *",
    # the verdict about the dice, which in a terminal is a command of its own (verify)
    "* had no part in the dice", "No dice were rolled in this game.", "The dice are WRONG: *",
    "Nothing was wrong with the dice, but they are not proven to you: *.", "the server has not shown its secret",
    "The dice are proven: *, and your part was in each.", "These were real dice: nobody can prove them.",
    "all draws (*) follow from what * and the server showed", "dice were hidden in * draws",
    "dice were drawn anew, because * did not answer", "no part of them was yours", "your part was in * of * draws",
    "this page has not seen it from the start", "you were watching, so no part of them was yours",
    # a browser tells less about a lost connection than a socket
    "An update makes no sense.", "It gives a seat that nobody asked for.", "The room goes on at another machine.",
    "The server does not answer.",
    "Another server than before answers here. Your seat was not shown to it. Ask the host.",
    "The server has not answered.", "The server said something that this page does not know: *",
    "The server sends us to another site, where we do not go.", "The server tells a table that does not fit.",
}  # fmt: skip
"""What the page says and the terminal does not. A new sentence stands here, or is said by both."""
KEYS = {"dicegames name", "dicegames tries"}
"""Names in the storage of the browser."""


def test_no_other_sentences_than_in_the_terminal() -> None:
    root = Path(__file__).parents[2]
    folders = (root / "client" / "dicegames_client", root / "protocol", root / "server")
    known = "\n".join(text for folder in folders for text in sentences.in_python(folder))

    def said_by_both(text: str) -> bool:
        parts = [part.strip() for part in text.split(sentences.HOLE)]
        return all(part in known for part in parts if len(part) > 3)

    texts = {text.strip() for text in sentences.in_javascript(WEB)} - KEYS
    prose = {text for text in texts if re.search(r"[a-z]{2,} [a-zA-Z*]{2,}|[A-Z]{3}|^[A-Z][a-z]+$", text)}
    assert len(prose) > 150  # the search finds them
    assert {text for text in prose if not said_by_both(text)} == ONLY_IN_A_BROWSER


def test_levels_of_bots() -> None:
    assert run('import { LEVELS } from "./screens/panels.js";\nconsole.log(JSON.stringify(LEVELS));') == list(LEVELS)


def test_lines_of_the_page_fit() -> None:
    """120 columns, as everywhere here. No formatter runs over these files, so a test looks."""
    long = [
        f"{file.relative_to(WEB)}:{number}"
        for file in sorted(WEB.rglob("*.*"))
        if file.suffix in (".js", ".css", ".html")
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line.expandtabs(2)) > 120
    ]
    assert long == []
