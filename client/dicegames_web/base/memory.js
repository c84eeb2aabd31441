// What this browser remembers of a room: its seats, the seeds of its chains, what it showed, what it heard last.
// A tab takes its own seats back by itself. Those of other tabs, or of last week, are offered.
const MOST_SEEDS = 32;
const MOST_SHOWN = 64;
const MOST_ROOMS = 30;
const NOTHING = { tokens: {}, names: {}, seeds: [], shown: {}, last: {}, tips: {}, heads: [] };

function storage(kind, key, value) {
	try {
		if (value === undefined) return JSON.parse(globalThis[kind].getItem(key));
		globalThis[kind].setItem(key, JSON.stringify(value));
	} catch {
		/* no storage, or it is full: then only this page knows the seat */
	}
	return null;
}

export const savedName = (name) => storage("localStorage", "dicegames name", name) ?? "";

function highest(one, other) {
	const both = { ...one };
	for (const [key, value] of Object.entries(other)) both[key] = Math.max(value, both[key] ?? 0);
	return both;
}

function forgetOldRooms(but) {
	try {
		const rooms = Object.keys(localStorage).filter((key) => /^dicegames [A-Z0-9-]+$/.test(key) && key !== but);
		const age = (key) => storage("localStorage", key)?.at ?? 0;
		rooms.sort((a, b) => age(b) - age(a));
		for (const key of rooms.slice(MOST_ROOMS)) localStorage.removeItem(key);
	} catch {
		/* no storage */
	}
}

/**
 * `kept` has: tokens and names (by seat), seeds (newest first), shown (link -> its draw), last (tip -> number of the
 * last link that was shown of its chain), tips (tip -> seat), heads (hashes of the newest updates), and the ids of the
 * room (id) and of its server (server).
 */
export function memory(room) {
	const key = `dicegames ${room}`;
	const read = () => ({ ...NOTHING, ...storage("localStorage", key) });
	const kept = structuredClone(read());
	forgetOldRooms(key);

	/** Another tab may have written meanwhile: nothing of it is lost, and no link is shown by both. */
	function sync() {
		const there = read();
		kept.seeds = [...new Set([...kept.seeds, ...there.seeds])].slice(0, MOST_SEEDS);
		kept.shown = Object.fromEntries(Object.entries({ ...there.shown, ...kept.shown }).slice(-MOST_SHOWN));
		kept.last = highest(there.last, kept.last);
		for (const part of ["tips", "names"]) kept[part] = { ...there[part], ...kept[part] };
		return there;
	}
	return {
		kept,
		sync,
		/** The seats that this tab held before it was loaded anew. */
		here: () => (storage("sessionStorage", key) ?? []).filter((seat) => kept.tokens[seat]),
		save(tokens) {
			if (!room) return; // the list of rooms
			Object.assign(kept.tokens, tokens);
			storage("sessionStorage", key, Object.keys(tokens));
			storage("localStorage", key, { ...kept, tokens: { ...sync().tokens, ...kept.tokens }, at: Date.now() });
		},
		forget(seat) {
			delete kept.tokens[seat];
			const { tokens } = read();
			delete tokens[seat];
			storage("localStorage", key, { ...kept, tokens, at: Date.now() });
		},
	};
}
