// A server that plays a small game of Doubles with the page's own guest, and cheats as a scenario wishes.
// There is no network: the guest gets a socket of ours. test_cheating_server.py runs it; `given` is the scenario.
import { canonical, merged } from "./base/canonical.js";
import { memory as newMemory } from "./base/memory.js";
import { hex, sha256, unhex } from "./base/sha256.js";
import { newGuest } from "./guest/guest.js";
import { LENGTH, hashOf, roll as rollOf } from "./guest/scheme.js";
import { EMPTY, stateHash } from "./guest/store.js";

const ROOM = "KQ7M";
const NO_COMMIT = { commit: null };
const turn = () => new Promise((done) => setImmediate(done));

// What a browser has and Node has not.
const held = new Map();
let full = false;
globalThis.localStorage = {
	getItem: (key) => held.get(key) ?? null,
	setItem(key, value) {
		if (full && value.length > 500) throw new Error("quota");
		held.set(key, value);
	},
	removeItem: (key) => held.delete(key),
};
globalThis.sessionStorage = { getItem: () => null, setItem() {} };
let drawn = 0; // the same luck in every run: a lie could be the truth by chance
const getRandomValues = (bytes) => bytes.fill(++drawn);
Object.defineProperty(globalThis, "crypto", { value: { getRandomValues } });
globalThis.WebSocket = class {
	readyState = 1;
	constructor() {
		server.socket = this;
		setImmediate(() => this.onopen());
	}
	send(text) {
		server.hear(JSON.parse(text));
	}
	close() {
		this.readyState = 3;
	}
};

function chain(seed) {
	const values = [seed];
	for (let value = unhex(seed); values.length <= LENGTH; values.unshift(hex(value))) value = sha256(value);
	return values;
}
const seed = (number) => hashOf(`seed ${number}`);

const server = {
	secret: seed(1),
	mine: chain(seed(1)),
	bo: chain(seed(2)),
	lines: [],
	table: {},
	head: "",
	seq: 0,
	r: 0,
	shows: [],
	answers: {},

	say(message) {
		const text = typeof message === "string" ? message : JSON.stringify(message);
		this.socket.onmessage({ data: text });
	},
	hear(message) {
		const { type, id } = message;
		if (type === "show") this.shows.push(message);
		if (this.answers[type]) return this.answers[type](message);
		if (type === "hello") return this.say({ type: "welcome", id: "server", heartbeat_ms: 6e4, limits: {} });
		if (type === "join") return this.sit(message);
		if (type === "log") return this.say({ type: "log", id, lines: this.lines.slice(message.after) });
		if (type === "resume") {
			this.say(this.snapshot());
			const hash = stateHash(this.table);
			return this.say({ type: "caught_up", id, seq: this.seq, epoch: 1, head: this.head, hash });
		}
		return this.say({ type: "ack", id, seq: this.seq });
	},
	snapshot(more) {
		const { seq, head, table } = this;
		return { type: "snapshot", room: ROOM, seq, epoch: 1, head, snapshot: table, ...more };
	},
	update(cause, patch, events = [], hidden = false) {
		const message = { type: "update", seq: ++this.seq, epoch: 1, cause, events, patch };
		if (this.head) message.prev = this.head;
		const line = JSON.stringify(message);
		this.lines.push(line);
		this.head = hashOf(line);
		this.table = merged(this.table, patch);
		if (!hidden) this.say(line);
	},
	create() {
		const room = { id: "id", code: ROOM, title: "Doubles", game: "doubles", rules: "doubles-1", phase: "waiting", host: 1, game_no: 0, options: { dice: "server" } };
		const cause = { kind: "create", seat: 1, args: { commit: this.bo[0] } };
		this.update(cause, { room, seats: { 1: { name: "bo", commit: this.bo[0] } }, offers: {} }, [], true);
	},
	sit({ id, name, commit }) {
		if (!this.lines.length) this.create();
		this.update({ kind: "join", seat: 0, args: { commit } }, { seats: { 0: { name, commit } } }, [], true);
		this.say({ ...this.snapshot(), type: "joined", id, seat: 0, seat_token: "token" });
	},
	begin(hidden = false) {
		const { seats } = this.table;
		const links = { 0: seats[0].commit, 1: seats[1].commit };
		const fair = { scheme: 2, epoch: 1, commit: this.mine[0], committee: [0, 1], links };
		const game = { round: 1, pot: 0, sevens: 0, rolls: 0, roll_no: 1, roller: 0, inside: 2, seats: { 0: { score: 0 }, 1: { score: 0 } } };
		const patch = { room: { phase: "playing", game_no: 1 }, fair, game, seats: { 0: NO_COMMIT, 1: NO_COMMIT } };
		this.update({ kind: "start", seat: 1 }, patch, [{ kind: "game_started" }], hidden);
	},
	pending: (draw, seq, members = [0, 1]) => ({ draw, seq, members, count: 2, sides: 6 }),
	decide(members) {
		const draw = this.r + 1;
		const cause = { kind: "move", seat: 0, move: { take: "roll" }, draw };
		this.update(cause, { fair: { pending: this.pending(draw, this.seq + 1, members) } });
	},
	/** The dice that would follow, if the page showed this link. */
	dice(link, { r = this.r + 1, chain = this.mine, members = [0, 1] } = {}) {
		const shown = members.map((seat) => [seat, seat ? this.bo[r] : link]);
		const decides = { commit: chain[0], epoch: 1, game: "doubles", game_no: 1, links: shown, room: ROOM, rules: "doubles-1" };
		return { faces: rollOf(chain[r], decides, { r, count: 2, sides: 6 }), links: Object.fromEntries(shown) };
	},
	roll(link, { told, lie, members, game = {} } = {}) {
		const { faces, links } = this.dice(link, { members });
		const r = ++this.r;
		const fair = { pending: null, links, link: this.mine[r] };
		const drawn = { r, count: 2, sides: 6, faces };
		const last = { seat: 0, faces: lie ?? faces, before: 0 };
		this.update({ kind: "roll", drawn }, { fair, game: { pot: r, last, ...game } }, [{ kind: "rolled", seat: 0, faces: told ?? lie ?? faces, sevens: 0, pot: r }]);
	},
	/** A whole draw, as it should be. */
	play() {
		this.decide();
		this.roll(this.shows.at(-1).link);
	},
	/** A secret with which the page's link leads to these faces. */
	ground(link, wanted, r = 1) {
		for (let number = 100; ; number++) {
			const chosen = chain(seed(number));
			if (canonical(this.dice(link, { r, chain: chosen }).faces) === canonical(wanted)) return chosen;
		}
	},
	take(chosen) {
		[this.mine, this.secret] = [chosen, chosen.at(-1)];
	},
	over() {
		const patch = { room: { phase: "over", winners: [1] }, fair: { secret: this.secret } };
		this.update({ kind: "move", seat: 1 }, patch, [{ kind: "game_over", winners: [1] }]);
	},
	/** The same log, with updates that were changed. The chain of hashes is made anew. */
	rewrite(change) {
		const old = this.lines.map((line) => JSON.parse(line));
		Object.assign(this, { lines: [], head: "", seq: 0, table: {} });
		for (const update of old) {
			const { cause, patch, events } = { ...update, ...change(update) };
			this.update(cause, patch, events, true);
		}
	},
	/** The log says that the server was always bound to what it is bound to now. */
	rewriteCommit() {
		this.rewrite(({ patch }) => (patch.fair?.commit ? { patch: merged(patch, { fair: { commit: this.mine[0] } }) } : {}));
	},
};

let guest;
const alarms = [];
async function visit(seats) {
	const memory = newMemory(ROOM);
	guest = newGuest("ws://dice.example/r/KQ7M", memory, ({ kind, sentence }) => kind === "alarm" && alarms.push(sentence));
	if (!seats) {
		await guest.open(EMPTY);
		return guest.ask({ type: "join", room: ROOM, name: "ana" });
	}
	return guest.open({ ...EMPTY, room: ROOM, tokens: memory.kept.tokens });
}
/** What a page does that was loaded anew, when the game is over. */
async function readLog() {
	const study = guest.witness.study();
	const { lines } = await guest.ask({ type: "log", room: ROOM, after: 0 });
	for (const line of lines) alarms.push(...study.see(line, JSON.parse(line)));
	study.end();
}

const SCENARIOS = {
	honest() {
		server.begin();
		for (let draw = 0; draw < 3; draw++) server.play();
		server.over();
	},
	async honest_and_loaded_anew() {
		server.begin();
		server.play();
		await visit(true);
		server.play();
		server.over();
		await readLog();
	},
	other_dice() {
		server.begin();
		server.decide();
		server.roll(server.shows[0].link, { lie: [6, 6] });
		server.over();
	},
	dice_as_text() {
		server.begin();
		server.decide();
		server.roll(server.shows[0].link, { told: "34" });
		server.over();
	},
	other_dice_in_the_picture_only() {
		server.begin();
		server.decide();
		const { faces } = server.dice(server.shows[0].link);
		server.roll(server.shows[0].link, { told: faces, lie: faces[0] === 6 ? [1, 1] : [6, 6] });
		server.over();
	},
	a_member_is_dropped_by_a_leave_that_was_none() {
		server.begin();
		server.play();
		server.update({ kind: "leave", seat: 0 }, { fair: { committee: [1] } });
		server.decide([1]);
		server.roll("", { members: [1] });
		server.over();
	},
	links_are_asked_for_in_advance() {
		server.begin();
		const future = { fair: { pending: server.pending(1, 20) } };
		server.say(server.snapshot({ seq: 20, head: hashOf("20"), snapshot: merged(server.table, future) }));
		server.say(server.snapshot());
		while (server.seq < 19) server.update({ kind: "x" }, { game: { sevens: 0 } });
		server.decide();
		server.roll(server.shows[0].link);
		server.over();
	},
	links_are_asked_for_in_advance_without_a_hash() {
		server.begin();
		const future = { fair: { pending: server.pending(1, 20) } };
		server.say(server.snapshot({ seq: 20, head: undefined, snapshot: merged(server.table, future) }));
		if (server.shows.length) throw new Error("a link was shown");
		server.over();
	},
	another_commitment_by_snapshots() {
		server.begin();
		server.decide();
		server.take(server.ground(server.shows[0].link, [1, 6]));
		server.rewriteCommit();
		const dealing = merged(server.table, { room: { phase: "dealing" } });
		for (let at = 1; at < 8; at++) server.say(server.snapshot({ seq: 5000 + at, head: hashOf(`${at}`), snapshot: dealing }));
		server.say(server.snapshot());
		server.roll(server.shows[0].link);
		server.over();
	},
	another_commitment_by_a_game_that_goes_on() {
		server.begin();
		server.decide();
		const chosen = server.ground(server.shows[0].link, [1, 6]);
		server.update({ kind: "options" }, { room: { options: { dice: "entered" } }, fair: { secret: server.secret } });
		const back = { room: { options: { dice: "server" } }, fair: { secret: null, commit: chosen[0] } };
		server.update({ kind: "options" }, back, [{ kind: "game_goes_on" }]);
		server.take(chosen);
		server.roll(server.shows[0].link);
		server.over();
	},
	another_epoch_with_the_roll() {
		server.begin();
		server.decide();
		server.update({ kind: "x" }, { fair: { epoch: 2 } });
		server.over();
	},
	dice_that_somebody_is_said_to_have_typed() {
		server.begin();
		server.play();
		server.update({ kind: "x" }, { room: { options: { dice: "entered" } } });
		const event = { kind: "rolled", seat: 0, faces: [3, 4], special: "bust", sevens: 4, pot: 0 };
		const patch = { room: { options: { dice: "server" } }, game: { last: { seat: 0, faces: [3, 4] } } };
		server.update({ kind: "move", seat: 0, move: { take: "roll", faces: [3, 4] } }, patch, [event]);
		server.over();
	},
	async an_alarm_is_not_forgotten() {
		server.begin();
		server.decide();
		server.roll(server.shows[0].link, { lie: [6, 6] });
		for (let at = 1; at < 50; at++) server.say({ type: "heartbeat", seq: -at, epoch: 1, head: hashOf(`${at}`), hash: "" });
		server.rewrite(({ cause, patch, events }) => {
			const faces = cause.drawn?.faces;
			return faces ? { patch: merged(patch, { game: { last: { faces } } }), events: [{ ...events[0], faces }] } : {};
		});
		alarms.length = 0;
		guest.save(); // the page is hidden
		await visit(true);
		server.over();
		await readLog();
	},
	async the_history_is_told_anew_to_a_page_that_was_loaded_anew() {
		server.begin();
		server.decide();
		server.take(server.ground(server.shows[0].link, [1, 6]));
		server.rewriteCommit();
		await visit(true);
		server.roll(server.shows[0].link);
		server.over();
		await readLog();
	},
	async a_full_storage_does_not_make_us_show_twice() {
		server.begin();
		full = true;
		server.decide();
		const first = server.shows[0].link;
		server.take(server.ground(first, [1, 6]));
		server.rewriteCommit();
		server.shows.length = 0;
		await visit(true);
		if (server.shows.length) throw new Error("a link was shown twice");
		server.roll(first);
		server.over();
		await readLog();
	},
	async seats_that_nobody_asked_for() {
		const none = server.table.seats; // the seat of the page has a tip of the server
		server.say({ ...server.snapshot(), type: "joined", seat: 1, seat_token: "other" });
		if (guest.store.tokens[1] || !none) throw new Error("it took a seat");
		process.exit(console.log(JSON.stringify({ verdict: "refused", alarms })));
	},
	async one_tap_is_one_move() {
		let sent = 0;
		server.answers.move = ({ id }) => {
			sent += 1;
			server.say({ type: "redirect", id, url: "ws://dice.example/r/KQ7M" });
		};
		server.begin();
		const told = await guest.ask({ type: "move", seq: 3, move: { take: "roll" } }).catch((error) => error.message);
		process.exit(console.log(JSON.stringify({ verdict: `${sent} sent. ${told}`, alarms })));
	},
};

await visit();
await SCENARIOS[given]();
await turn();
console.log(JSON.stringify({ verdict: guest.witness.verdict(guest.store), alarms, lines: server.lines }));
process.exit(0);
