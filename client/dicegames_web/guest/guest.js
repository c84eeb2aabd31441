// A guest of a server: a connection that comes back by itself, and what is known of the table.
import { EMPTY, receive } from "./store.js";
import { newWitness } from "./witness.js";

const PROTOCOL = 3;
/** How long we wait for a greeting, for that of another node, for our seats, and for any other answer. */
const GREETING_MS = 10e3;
const NODE_MS = 3000;
const SEAT_MS = 15e3;
const LATE_MS = 20e3;
/** Pauses between two tries to come back: full jitter, doubling. After a connection that lasted they begin anew. */
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15e3;
const SETTLED_MS = 10e3;
const GIVE_UP_MS = 15 * 60e3;
/** So often in a row the server may send us on, make no sense, or tell a table that does not fit. */
const MOST_REDIRECTS = 3;
const MOST_NONSENSE = 3;
const MOST_CATCHES = 3;
/** A ping has so many calls of `check` for its answer. */
const ANSWER_CHECKS = 6;
const QUIET_MS = 2000;
const ROUND = "The server sends us from one machine to the next. Try again in a moment.";
const ANOTHER_SERVER = "Another server than before answers here. Your seat was not shown to it. Ask the host.";
const MOVED = "The room has moved to another machine meanwhile. If that was not done, do it again.";
/** Requests that a server sends on to the node of their room. */
const ENTERS = ["join", "watch", "rooms", "log"];
const FREED = "You were away for too long, so your seat became free.";
const LOST = "The connection was lost before the server answered.";
export const FINAL = {
	4001: "The server does not speak our version any more.",
	4002: "The server did not understand us. Is one of the two out of date?",
	4003: "The server does not let us in any more.",
	4004: "The room is no longer there.",
	4008: "The server closed the connection: too many messages.",
	4009: "Your seat was taken over in another window; it goes on there.",
};
const problem = (message, more) => Object.assign(new Error(message), more);
const refused = ({ message, code }) =>
	problem(String(message), { code, final: !["unavailable", "rate_limited"].includes(code) });

/** Where a server may send us: to the same host or a name below it, and never without the encryption that we had. */
export function sentTo(home, url) {
	const from = new URL(home);
	const to = new URL(url);
	const near = to.hostname === from.hostname || to.hostname.endsWith(`.${from.hostname}`);
	if (!near || !["wss:", from.protocol].includes(to.protocol))
		throw problem("The server sends us to another site, where we do not go.", { final: true });
	return to.href;
}

/** `hear` is called with all that happens: { kind: "news" | "alarm" | "lost" | "back" | "ended", ... }. */
export function newGuest(home, memory, hear) {
	const waiting = new Map(); // id of a request -> its promise
	const witness = newWitness(memory);
	const prefix = Math.random().toString(36).slice(2, 10); // of our ids
	let count = 0; // requests so far
	let link = null; // the connection, while there is one
	let target = home; // where it leads
	let limits = {}; // of the server
	let watched = []; // the request with which a spectator comes back
	let password; // with which we have come in
	let said = ""; // what the player is told besides, when we are back
	let catching = null; // id of the request for what we missed
	let moves = 0; // how often in a row the room has moved
	let nonsense = 0; // messages in a row that made no sense
	let delay = FIRST_DELAY_MS;
	let hurry = () => {}; // ends the pause before the next try
	let over = false; // we do not come back any more
	const me = {
		store: EMPTY,
		witness,
		ask,
		open,
		leave,
		forget,
		check,
		save: () => memory.save(me.store.tokens),
		up: () => Boolean(link?.ready),
		holdMs,
	};

	/** Send a request, once. The promise is its answer, which may be an `error`; it fails where nobody knows. */
	async function ask(request, hops = 0) {
		if (!link?.ready) {
			hurry();
			throw problem("There is no connection at the moment; nothing was sent.");
		}
		if (request.type === "watch") watched = [request];
		if (["join", "watch"].includes(request.type)) password = request.password;
		const on = link;
		const late = setTimeout(() => on === link && drop(problem("The server has not answered.")), LATE_MS);
		const answer = await send(request, true).finally(() => clearTimeout(late));
		if (answer.type !== "redirect") return answer;
		if (hops >= MOST_REDIRECTS) throw problem(ROUND);
		await open(me.store, sentTo(home, answer.url));
		if (!ENTERS.includes(request.type)) throw problem(MOVED); // nothing is sent twice by itself
		return ask(request, hops + 1);
	}
	const send = (request, answers) =>
		new Promise((answer, fail) => {
			const message = witness.withCommit({ ...request, id: `${prefix}-${++count}` }, me.store);
			me.save(); // before a tip or a link is shown
			if (answers) waiting.set(message.id, { answer, fail });
			if (link.socket.readyState === 1) link.socket.send(JSON.stringify(message));
		});

	const connect = () =>
		new Promise((done, fail) => {
			const socket = new WebSocket(target);
			const on = (link = { socket, fail, heard: Date.now() });
			on.timer = setTimeout(
				() => drop(problem("The server does not answer.")),
				target === home ? GREETING_MS : NODE_MS,
			);
			socket.onopen = () =>
				socket.send(JSON.stringify({ type: "hello", protocol: [PROTOCOL, PROTOCOL], client: "dicegames-web" }));
			socket.onclose = ({ code }) => on === link && drop(problem(LOST), code);
			socket.onmessage = ({ data }) => {
				if (on !== link) return;
				Object.assign(on, { heard: Date.now(), asked: 0 });
				const { store } = me;
				try {
					const message = JSON.parse(data);
					const { type, id } = message;
					if (on.welcome) return received(message, data, store);
					clearTimeout(on.timer);
					on.timer = setTimeout(() => drop(problem("The server does not give our seat back.")), SEAT_MS);
					if (type === "redirect") return drop(problem("", { to: message.url }));
					if (type !== "welcome") return drop(refused(message));
					if (Object.keys(store.tokens).length && memory.kept.server && memory.kept.server !== id)
						return drop(problem(ANOTHER_SERVER, { final: true }));
					on.welcome = message;
					done();
				} catch (error) {
					absurd(error.message, store);
				}
			};
		});

	/** Connect, and take our seats back. Redirects are followed. */
	async function open(store, url = home) {
		me.store = store;
		let hops = 0;
		for (target = url; ; target = sentTo(home, target)) {
			try {
				if (link) link.ready = false; // we leave it ourselves
				drop();
				await connect();
				catching = null;
				await takeSeats();
				clearTimeout(link.timer);
				Object.assign(link, { ready: true, readyAt: Date.now() });
				limits = link.welcome.limits ?? {};
				return;
			} catch (error) {
				if (!error.to) throw error;
				if (++hops > MOST_REDIRECTS) throw problem(ROUND);
				target = error.to;
			}
		}
	}
	/** Our seats, or our place as a spectator. A seat that is no longer ours does not cost us the others. */
	async function takeSeats() {
		const requests = returning();
		const gone = [];
		for (const request of requests) {
			const answer = await send(request, true);
			if (answer.type === "redirect") throw problem("", { to: answer.url });
			if (answer.type !== "error") continue;
			if (answer.code !== "unauthorized") throw refused(answer);
			gone.push([request, answer]);
		}
		// Seats that were left alone become free together. If one is still ours, the host has removed the others.
		const all = gone.length === requests.length;
		for (const [at, [request, answer]] of gone.entries()) {
			if (all && me.store.table.room?.phase === "waiting") await sitAnew(request);
			else if (all && at === gone.length - 1) throw refused(answer);
			else lose(request.seat_token, answer.message);
		}
	}
	/** Before a game a seat is soon free for others. Who comes back later gets a new one, under the same name. */
	async function sitAnew({ room, seat_token }) {
		const before = me.store;
		const seat = Number(Object.keys(before.tokens).find((one) => before.tokens[one] === seat_token));
		const name = String(before.table.seats?.[seat]?.name ?? memory.kept.names[seat]);
		me.store = receive(before, { type: "left", seat });
		const answer = await send({ type: "join", room, name, password }, true).catch((error) => error);
		if (answer.type === "joined") {
			if (answer.seat !== seat) memory.forget(seat);
			said = `${FREED} You have sat down again.`;
			return;
		}
		me.store = before; // if only the connection failed, it is asked for again
		if (answer.type === "redirect") throw problem("", { to: answer.url });
		if (answer.type !== "error") throw answer;
		throw refused({ ...answer, message: `${FREED} ${answer.message}` });
	}
	/** For how long the server holds the seat of somebody who is away. */
	function holdMs() {
		const { seat_seconds = 0, waiting_seat_seconds } = limits;
		return 1000 * ((me.store.table.room?.phase === "waiting" && waiting_seat_seconds) || seat_seconds);
	}
	/** A seat is no longer ours. */
	function forget(seat) {
		memory.forget(seat);
		me.store = receive(me.store, { type: "left", seat });
		me.save();
	}
	function lose(token, message) {
		const seat = Number(Object.keys(me.store.tokens).find((one) => me.store.tokens[one] === token));
		const before = me.store;
		const names = memory.kept.names[seat] ?? "";
		forget(seat);
		const said = { type: "left", seat, message: names ? `${names}: ${message}` : message };
		hear({ kind: "news", message: said, before, after: me.store });
	}
	function returning() {
		const { room, epoch, seq, tokens } = me.store;
		const seats = Object.values(tokens);
		if (!seats.length) return watched;
		return seats.map((seat_token) => ({ type: "resume", room, seat_token, epoch, last_seq: seq }));
	}
	async function comeBack(url) {
		const since = Date.now();
		for (; !over; url = undefined) {
			await new Promise((go) => {
				hurry = go;
				setTimeout(go, url ? 0 : Math.random() * delay);
			});
			delay = Math.min(2 * delay, LONGEST_DELAY_MS);
			if (link?.ready) return; // the player was faster
			try {
				await open(me.store, url);
				hear({ kind: "back", said });
				said = "";
				return;
			} catch (error) {
				if (error.final || Date.now() - since > Math.max(GIVE_UP_MS, holdMs())) return end(error.message);
			}
		}
	}

	function received(message, line, before) {
		const { type, id } = message;
		if (message.seat_token && !waiting.has(id)) throw new Error("It gives a seat that nobody asked for.");
		if (message.seat_token) memory.takeSeatAt(link.welcome.id);
		const after = receive(before, message);
		if (type === "joined" || type === "caught_up") catching = null;
		for (const sentence of witness.hear(message, line, after ?? before)) hear({ kind: "alarm", sentence });
		if (type === "error" && id === catching) return drop();
		if (!after) return catchUp(message.seq === before.seq);
		me.store = after;
		if (type === "redirect" && !id)
			return drop(problem("The room goes on at another machine.", { to: sentTo(home, message.url) }));
		if (type === "left")
			Object.keys(before.tokens)
				.filter((seat) => !(seat in after.tokens))
				.forEach(memory.forget);
		if (type === "joined" || type === "left") me.save();
		if (after !== before || type === "chat" || type === "notice") hear({ kind: "news", message, before, after });
		waiting.get(id)?.answer(message);
		waiting.delete(id);
		const { pending } = after.table.fair ?? {};
		if (pending && (pending !== before.table.fair?.pending || ["joined", "caught_up"].includes(type)))
			for (const show of witness.toShow(after)) send(show);
		if (type === "left" && message.reason === "closed") end(message.message);
		nonsense = 0;
	}
	/** Something is missing: ask for it once, and for everything if what we hold is wrong. */
	function catchUp(wrong) {
		if (wrong) me.store = { ...me.store, epoch: 0 };
		if (catching) return;
		link.catches = (link.catches ?? 0) + 1;
		if (link.catches > MOST_CATCHES) return drop(problem("The server tells a table that does not fit."));
		for (const request of returning().slice(0, 1)) send(request);
		catching = `${prefix}-${count}`;
	}
	/** Go back to what made sense, and come back for the whole table. */
	function absurd(why, before) {
		me.store = { ...before, epoch: 0 };
		if (++nonsense > MOST_NONSENSE) end(`The server said something that this page does not know: ${why}`);
		else drop(problem(`The server said something that makes no sense: ${why}`));
	}

	/** The connection ends here. If it was ready, we come back. */
	function drop(why = problem(LOST), code = 4000) {
		if (!link) return;
		const { socket, ready, readyAt, fail, timer } = link;
		link = null;
		if (ready && Date.now() - readyAt > SETTLED_MS) [moves, delay] = [0, FIRST_DELAY_MS]; // else it may be a circle
		clearTimeout(timer);
		socket.close(4000); // any code but 1000 keeps the seat
		fail(why);
		for (const asked of waiting.values()) asked.fail(Object.assign(why, { unsure: true }));
		waiting.clear();
		if (!ready || over) return;
		if (FINAL[code]) return end(FINAL[code]);
		hear({ kind: "lost", why: why.message === LOST ? "" : why.message });
		comeBack(why.to && ++moves <= MOST_REDIRECTS ? why.to : undefined);
	}
	/** Called twice a second, and when somebody looks at the page again (`wake`): is the server still there?
	 * The answer has so many calls, not so much time: a page that was busy or asleep has not heard it yet. */
	function check(wake) {
		if (!link?.ready) return wake && hurry();
		if (link.asked) return ++link.asked > ANSWER_CHECKS && drop();
		if (!wake && Date.now() - link.heard < link.welcome.heartbeat_ms + QUIET_MS) return;
		link.asked = 1;
		send({ type: "ping" });
	}
	function end(sentence) {
		over = true;
		drop();
		hear({ kind: "ended", sentence });
	}
	/** Leave for good. */
	async function leave() {
		over = true;
		if (!link?.ready) return; // the table does not hear it: the seat stays ours
		Object.keys(me.store.tokens).forEach(memory.forget);
		me.store = { ...me.store, tokens: {} };
		memory.save({});
		await new Promise((gone) => {
			link.socket.onclose = gone;
			link.socket.close(1000);
			setTimeout(gone, 1000);
		});
	}
	return me;
}
