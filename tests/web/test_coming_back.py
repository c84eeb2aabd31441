"""A page that comes back to a waiting room after its seat has become free: a phone that slept for too long."""

from typing import Any

import pytest

from support.node import needs_node, run

pytestmark = needs_node

SCRIPT = """
import { newGuest } from "./guest/guest.js";
import { EMPTY, mySeats } from "./guest/store.js";

const turn = () => new Promise((done) => setImmediate(done));
const heard = [];
const sent = [];
const seats = { 0: { name: "ana" } };
const forgotten = [];
let socket;
let answers = {
	hello: () => ({ type: "welcome", id: "s", heartbeat_ms: 6e4,
		limits: { seat_seconds: 900, ...(given.waiting && { waiting_seat_seconds: given.waiting }) } }),
	join: ({ id, name }) => joined(id, name, 1, "first"),
};
const room = { code: "KQ7M", title: "Doubles", game: "doubles", phase: "waiting", host: 0, game_no: 0, options: {} };
const table = (name, seat) => ({ room, offers: {}, seats: { ...seats, [seat]: { name } } });
const joined = (id, name, seat, seat_token) =>
	({ type: "joined", id, room: "KQ7M", seat, seat_token, seq: 1, epoch: 1, snapshot: table(name, seat) });
globalThis.WebSocket = class {
	readyState = 1;
	constructor() {
		socket = this;
		setImmediate(() => this.onopen());
	}
	send(text) {
		const message = JSON.parse(text);
		const answer = answers[message.type](message);
		sent.push(message);
		if (answer) setImmediate(() => this.onmessage({ data: JSON.stringify(answer) }));
		else this.onclose({ code: 1006 });
	}
	close() {
		this.readyState = 3;
	}
};
Math.random = () => 0; // no pause before a try
const nothing = { tokens: {}, names: {}, seeds: [], shown: {}, last: {}, tips: {}, heads: [], alarms: [] };
const forget = (seat) => forgotten.push(seat);
const memory = { kept: nothing, save() {}, sync: () => nothing, forget, takeSeatAt() {} };
const guest = newGuest("ws://here/r/KQ7M", memory, (one) => heard.push(one));
await guest.open(EMPTY);
await guest.ask({ type: "join", room: "KQ7M", name: "bo", password: "dice" });
const held = guest.holdMs();
if (given.playing) guest.store.table.room.phase = "playing";
const inGame = guest.holdMs();

const refused = (code, message) => ({ id }) => ({ type: "error", id, code, message });
let tries = 0;
seats[1] = { name: "cy" }; // somebody else sits there by now
answers.resume = refused("unauthorized", "That seat is no longer yours.");
answers.join = (message) =>
	given.full ? refused("room_full", "Room KQ7M is full (2 of 2).")(message)
	: given.cut && !tries++ ? null
	: joined(message.id, message.name, 2, "second");
sent.length = heard.length = 0;
socket.onclose({ code: 1006 });
while (!heard.some(({ kind }) => ["back", "ended"].includes(kind))) await new Promise((go) => setTimeout(go, 1));
const { kind, said, sentence } = heard.at(-1);
const joins = sent.filter(({ type }) => type === "join").map(({ room, name, password }) => ({ room, name, password }));
console.log(JSON.stringify({
	held, inGame, kind, said, sentence, joins, forgotten, tokens: guest.store.tokens, mine: mySeats(guest.store) }));
process.exit(0);
"""
FREED = "You were away for too long, so your seat became free."
AGAIN = {"room": "KQ7M", "name": "bo", "password": "dice"}


def came_back(**given: Any) -> dict[str, Any]:
    found: dict[str, Any] = run(SCRIPT, given)
    return found


@pytest.mark.parametrize("cut", [False, True])
def test_it_sits_down_again_under_the_same_name(cut: bool) -> None:
    """Also where the connection fails once more in the middle of it."""
    found = came_back(waiting=60, cut=cut)
    assert found["kind"] == "back" and found["said"] == f"{FREED} You have sat down again."
    assert found["joins"] == ([AGAIN, AGAIN] if cut else [AGAIN])
    assert found["tokens"] == {"2": "second"} and found["mine"] == [2]
    assert found["forgotten"] == [1]


def test_where_there_is_no_seat_it_says_so() -> None:
    found = came_back(waiting=60, full=True)
    assert (found["kind"], found["sentence"]) == ("ended", f"{FREED} Room KQ7M is full (2 of 2).")


def test_in_a_game_it_takes_no_other_seat() -> None:
    found = came_back(waiting=60, playing=True)
    assert (found["kind"], found["sentence"], found["joins"]) == ("ended", "That seat is no longer yours.", [])


@pytest.mark.parametrize(("waiting", "held"), [(60, 60_000), (None, 900_000)])
def test_how_long_the_seat_is_held(waiting: int | None, held: int) -> None:
    found = came_back(waiting=waiting, playing=True)
    assert (found["held"], found["inGame"]) == (held, 900_000)
