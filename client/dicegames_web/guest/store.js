// What is known of a table: a value. Only messages of the server lead to the next one.
import { canonical, isObject, merged } from "../base/canonical.js";
import { hex, sha256 } from "../base/sha256.js";

export const EMPTY = {
	room: null,
	epoch: 0,
	seq: 0,
	table: {},
	tokens: {},
	private: {},
	coming: {},
	away: {},
	watching: 0,
};
export const stateHash = (table) => hex(sha256(canonical(table))).slice(0, 16);

/**
 * The next value. Null: there is a gap before this message, or, if it has our own seq, we hold something wrong.
 * Throws where no table has this form.
 */
export function receive(store, message) {
	switch (message.type) {
		case "update":
			if (message.seq <= store.seq) return store;
			return message.seq === store.seq + 1 ? updated(store, message) : null;
		case "joined":
		case "snapshot":
			return begun(store, message);
		case "private":
			return withPrivate({ ...store, coming: { ...store.coming, [message.seat]: message } });
		case "caught_up":
		case "heartbeat":
			return compared(store, message);
		case "presence":
			return { ...store, watching: message.watching, away: { ...without(store.away, message.here), ...message.away } };
		case "left": // without a seat: all of ours
			return { ...store, tokens: message.seat === undefined ? {} : without(store.tokens, [message.seat]) };
		default:
			return store;
	}
}

function without(bySeat, seats = []) {
	return Object.fromEntries(Object.entries(bySeat).filter(([seat]) => !seats.includes(Number(seat))));
}

function whole(table) {
	if (![table?.room, table?.seats, table?.offers].every(isObject)) throw new Error("A part of the table is missing.");
	return table;
}

function begun(store, { type, room = store.room, seat, seat_token, seq, epoch, timer_ms, snapshot }) {
	const here = type === "snapshot" || store.room === room;
	const tokens = here ? { ...store.tokens } : {};
	if (seat_token) tokens[seat] = seat_token;
	const away = here ? store.away : {};
	return {
		...store,
		room,
		tokens,
		seq,
		epoch,
		timer_ms,
		away,
		private: {},
		coming: {},
		table: whole(merged({}, snapshot)),
	};
}

function updated(store, { seq, events, patch }) {
	if (!Array.isArray(events) || !isObject(patch)) throw new Error("An update makes no sense.");
	const table = whole(merged(store.table, patch));
	const timer = patch.room?.timer;
	const timer_ms = timer === undefined ? store.timer_ms : timer?.ms;
	const anew = Object.entries(patch.seats ?? {}).filter(([, change]) => !change || "name" in change || change.left);
	const away = without(
		store.away,
		anew.map(([seat]) => Number(seat)),
	); // who comes next is not absent
	return withPrivate({ ...store, seq, table, away, timer_ms });
}

/** What only my seats see comes right before its update. */
function withPrivate(store) {
	const due = Object.values(store.coming).filter(({ seq }) => seq <= store.seq);
	const seen = Object.fromEntries(due.map(({ seat, patch }) => [seat, patch]));
	return {
		...store,
		coming: without(
			store.coming,
			due.map(({ seat }) => seat),
		),
		private: { ...store.private, ...seen },
	};
}

function compared(store, { type, seq, epoch, timer_ms, hash }) {
	if (seq > store.seq || (seq === store.seq && stateHash(store.table) !== hash)) return null;
	return { ...store, timer_ms, epoch: type === "caught_up" || seq === store.seq ? epoch : store.epoch };
}

// What views read.

export const roomOf = (store) => store.table.room ?? {};
export const numbers = (of) =>
	Object.keys(of ?? {})
		.map(Number)
		.sort((a, b) => a - b);
export const mySeats = (store) => numbers(store.tokens).filter((seat) => store.table.seats?.[seat]);
export const player = (store, seat) => store.table.seats?.[seat] ?? {};
export const name = (store, seat) => String(player(store, seat).name ?? `seat ${Number(seat) + 1}`);
export const isHost = (store) => mySeats(store).includes(roomOf(store).host);
/** The state of the game, with what only my seats see. */
export const gameOf = (store) =>
	Object.values(store.private).reduce((game, part) => merged(game, part.game ?? {}), store.table.game ?? {});

/** Offers that a seat may take now, those first that the game waits for. */
export function offersOf(store, seat) {
	const entry = gameOf(store).seats?.[seat];
	const all = merged(store.table.offers ?? {}, store.private[seat]?.offers ?? {});
	const fits = ([key, value]) => entry[key] === value;
	const mine = Object.entries(all).filter(
		([, offer]) =>
			entry &&
			(offer.seat !== undefined
				? offer.seat === seat
				: Object.entries(offer.where ?? {}).every(fits) && !Object.entries(offer.unless ?? {}).some(fits)),
	);
	const chosen = mine.map(([take, offer]) => [take, forSeat(offer, seat)]).filter(([, offer]) => offer);
	return Object.fromEntries(chosen.sort(([, a], [, b]) => Boolean(b.needed) - Boolean(a.needed)));
}

/** An offer without the choices of other seats. Null: no choice is left. */
function forSeat(offer, seat) {
	const others = ([, choice]) => (choice.seat ?? null) !== null && choice.seat !== seat;
	const all = Object.entries(offer.choices ?? {});
	if (!all.some(others)) return offer;
	const mine = all.filter((one) => !others(one));
	return mine.length ? { ...offer, choices: Object.fromEntries(mine) } : null;
}

/** What an offer asks for besides: "faces", "name", "number", or nothing. */
export const asks = (offer) =>
	offer.choice_kind === "number" ? "number" : offer.choices && (offer.choice_kind ?? "faces");
