// What this browser remembers of a room: its seats, the seeds of its chains, what it showed, what it heard last.
// A tab takes its own seats back by itself. Those of other tabs, or of last week, are offered.
const MOST_SEEDS = 32;
/** The longest game whose dice can be proven by a page that was loaded anew in the middle. */
const MOST_SHOWN = 256;
const MOST_CHARACTERS = 200; // of any text that a server has sent
const MOST_ROOMS = 30;
const nothing = () => ({
	tokens: {},
	names: {},
	seeds: [],
	shown: {},
	last: {},
	tips: {},
	heads: [],
	alarms: [],
	seq: 0,
});

function read(kind, key) {
	try {
		return JSON.parse(globalThis[kind].getItem(key));
	} catch {
		return null; // no storage
	}
}

/** False: there is no storage, or it is full. */
function write(kind, key, value) {
	try {
		const short = (_, part) => (typeof part === "string" ? part.slice(0, MOST_CHARACTERS) : part);
		globalThis[kind].setItem(key, JSON.stringify(value, short));
		return true;
	} catch {
		return false;
	}
}

export const savedName = () => read("localStorage", "dicegames name") ?? "";
export const saveName = (name) => write("localStorage", "dicegames name", name);

function highest(one, other) {
	const both = { ...one };
	for (const [key, value] of Object.entries(other)) both[key] = Math.max(value, both[key] ?? 0);
	return both;
}

function forgetOldRooms(but) {
	try {
		const rooms = Object.keys(localStorage).filter((key) => /^dicegames [A-Z0-9-]+$/.test(key) && key !== but);
		const age = (key) => read("localStorage", key)?.at ?? 0;
		rooms.sort((a, b) => age(b) - age(a));
		for (const key of rooms.slice(MOST_ROOMS)) localStorage.removeItem(key);
	} catch {
		/* no storage */
	}
}

/**
 * `kept` has: tokens and names (by seat), seeds (newest first), shown (link -> its draw), last (tip -> number of the
 * last link that was shown of its chain), tips (tip -> seat), heads (hashes of the newest updates), seq (the newest one
 * of all), alarms, and the ids of the room (id) and of its server (server).
 */
export function memory(room) {
	const key = `dicegames ${room}`;
	const stored = () => ({ ...nothing(), ...read("localStorage", key) });
	const kept = stored();
	forgetOldRooms(key);

	/** Another tab may have written meanwhile: nothing of it is lost, and no link is shown by both. */
	function sync() {
		const there = stored();
		kept.seeds = [...new Set([...kept.seeds, ...there.seeds])].slice(0, MOST_SEEDS);
		kept.shown = Object.fromEntries(Object.entries({ ...there.shown, ...kept.shown }).slice(-MOST_SHOWN));
		kept.last = highest(there.last, kept.last);
		for (const part of ["tips", "names"]) kept[part] = { ...there[part], ...kept[part] };
		return there;
	}

	/** If there is too little room, the seat is kept. Seeds without what was shown of them would be a trap. */
	const WITHOUT_CHAINS = { seeds: [], shown: {}, last: {}, tips: {}, heads: [] };
	function put(tokens) {
		const all = { ...kept, tokens, at: Date.now() };
		if (!write("localStorage", key, all) && !write("localStorage", key, { ...all, ...WITHOUT_CHAINS })) drop();
	}
	function drop() {
		try {
			localStorage.removeItem(key);
		} catch {
			/* no storage */
		}
	}

	return {
		kept,
		sync,
		/** The seats that this tab held before it was loaded anew. */
		here: () => (read("sessionStorage", key) ?? []).filter((seat) => kept.tokens[seat]),
		/** Who only looks leaves nothing behind: a site that leads somebody through many rooms could push seats out. */
		save(tokens) {
			Object.assign(kept.tokens, tokens);
			const all = { ...sync().tokens, ...kept.tokens };
			if (!room || !Object.keys(all).length) return;
			write("sessionStorage", key, Object.keys(tokens));
			put(all);
		},
		forget(seat) {
			const { tokens } = sync();
			for (const known of [tokens, kept.tokens, kept.names]) delete known[seat];
			if (Object.keys(tokens).length) put(tokens);
			else drop();
		},
		/** A server gives us a seat. What another one gave us before is not for it. */
		takeSeatAt(server) {
			if (kept.server && kept.server !== server) {
				Object.assign(kept, nothing(), { seeds: kept.seeds });
				drop();
			}
			kept.server = server;
		},
	};
}
