// What is known of a table: a value. Only messages of the server lead to the next one.
import { canonical, isObject, merged } from "../base/canonical.js";
import { hex, sha256 } from "../base/sha256.js";

export const EMPTY = { room: null, epoch: 0, seq: 0, table: {}, tokens: {}, private: {}, coming: {}, away: {}, watching: 0 };
export const stateHash = (table) => hex(sha256(canonical(table))).slice(0, 16);

function whole(table) {
	if (![table?.room, table?.seats, table?.offers].every(isObject)) throw new Error("A part of the table is missing.");
	return table;
}

/** The next value. Null: something is missing before this message. Throws where no table has this form. */
export function receive(store, message) {
	const { type, seat, seq, epoch, timer_ms } = message;
	if (type === "update") return seq <= store.seq ? store : seq > store.seq + 1 ? null : update(store, message);
	if (type === "joined" || type === "snapshot") {
		const here = type === "snapshot" || store.room === message.room, tokens = here ? { ...store.tokens } : {};
		if (message.seat_token) tokens[seat] = message.seat_token;
		return { ...store, tokens, seq, epoch, timer_ms, private: {}, coming: {}, room: message.room ?? store.room, away: here ? store.away : {}, table: whole(merged({}, message.snapshot)) };
	}
	if (type === "private") return withPrivate({ ...store, coming: { ...store.coming, [seat]: message } });
	if (type === "caught_up" || type === "heartbeat") {
		if (seq > store.seq) return null;
		if (seq === store.seq && stateHash(store.table) !== message.hash) return void (store.wrong = true) ?? null;
		return { ...store, timer_ms, epoch: type === "caught_up" || seq === store.seq ? epoch : store.epoch };
	}
	if (type === "presence") {
		const away = Object.fromEntries(Object.entries(store.away).filter(([one]) => !message.here?.includes(Number(one))));
		return { ...store, watching: message.watching, away: { ...away, ...message.away } };
	}
	if (type === "left")
		return { ...store, tokens: Object.fromEntries(Object.entries(store.tokens).filter(([one]) => seat !== undefined && Number(one) !== seat)) };
	return store;
}

function update(store, { seq, events, patch }) {
	if (!Array.isArray(events) || !isObject(patch)) throw new Error("An update makes no sense.");
	const table = whole(merged(store.table, patch)), timer = patch.room?.timer;
	const away = Object.fromEntries(Object.entries(store.away).filter(([seat]) => {
		const change = patch.seats?.[seat]; // another player has no part in the absence of the one before
		return change === undefined || (change && !("name" in change) && !change.left);
	}));
	return withPrivate({ ...store, seq, table, away, timer_ms: timer === undefined ? store.timer_ms : timer?.ms });
}

function withPrivate(store) { // what only my seats see comes right before its update
	const due = Object.entries(store.coming).filter(([, told]) => told.seq <= store.seq), coming = { ...store.coming };
	for (const [seat] of due) delete coming[seat];
	return { ...store, coming, private: { ...store.private, ...Object.fromEntries(due.map(([seat, told]) => [seat, told.patch])) } };
}

// What views read.

export const roomOf = (store) => store.table.room ?? {};
export const numbers = (of) => Object.keys(of ?? {}).map(Number).sort((a, b) => a - b);
export const mySeats = (store) => numbers(store.tokens).filter((seat) => store.table.seats?.[seat]);
export const player = (store, seat) => store.table.seats?.[seat] ?? {};
export const name = (store, seat) => String(player(store, seat).name ?? `seat ${Number(seat) + 1}`);
export const isHost = (store) => mySeats(store).includes(roomOf(store).host);
/** The state of the game, with what only my seats see. */
export const gameOf = (store) => Object.values(store.private).reduce((game, part) => merged(game, part.game ?? {}), store.table.game ?? {});

/** Offers that a seat may take now, those first that the game waits for. */
export function offersOf(store, seat) {
	const entry = gameOf(store).seats?.[seat], all = merged(store.table.offers ?? {}, store.private[seat]?.offers ?? {});
	const fits = ([key, value]) => entry[key] === value;
	const mine = Object.entries(all).filter(([, offer]) => entry && (offer.seat !== undefined ? offer.seat === seat
		: Object.entries(offer.where ?? {}).every(fits) && !Object.entries(offer.unless ?? {}).some(fits)));
	return Object.fromEntries(mine.sort(([, a], [, b]) => Boolean(b.needed) - Boolean(a.needed)));
}

/** What an offer asks for besides: "faces", "name", "number", or nothing. */
export const asks = (offer) => (offer.choice_kind === "number" ? "number" : offer.choices && (offer.choice_kind ?? "faces"));
