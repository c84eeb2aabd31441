// What this browser remembers of a room: its seats, the seeds of its chains, what it showed, what it heard last.
// A tab takes its own seats back by itself. Those of other tabs, or of last week, are offered.
export const MOST_SEEDS = 32;
const MOST_ROOMS = 30;

function storage(kind, key, value) {
	try {
		if (value === undefined) return JSON.parse(globalThis[kind].getItem(key));
		globalThis[kind].setItem(key, JSON.stringify(value));
	} catch { /* no storage, or it is full: then only this page knows the seat */ }
	return null;
}

export const savedName = (name) => storage("localStorage", "dicegames name", name) ?? "";

export function memory(room) {
	const key = `dicegames ${room}`, read = () => ({ tokens: {}, names: {}, seeds: [], shown: {}, last: {}, tips: {}, heads: [], ...storage("localStorage", key) }), kept = read();
	function write() { // another tab may have written meanwhile: nothing of it is lost
		const there = read(), both = (part) => ({ ...there[part], ...kept[part] });
		kept.seeds = [...new Set([...kept.seeds, ...there.seeds])].slice(0, MOST_SEEDS);
		Object.assign(kept, { shown: both("shown"), last: both("last"), tips: both("tips"), names: both("names") });
		storage("localStorage", key, { ...kept, tokens: both("tokens"), at: Date.now() });
	}
	try { // rooms of long ago are forgotten
		const others = Object.keys(localStorage).filter((one) => /^dicegames [A-Z0-9-]+$/.test(one) && one !== key), age = (one) => storage("localStorage", one)?.at ?? 0;
		others.sort((a, b) => age(b) - age(a)).slice(MOST_ROOMS).forEach((one) => localStorage.removeItem(one));
	} catch { /* no storage */ }
	return {
		kept,
		/** The seats that this tab held before it was loaded anew. */
		here: () => (storage("sessionStorage", key) ?? []).filter((seat) => kept.tokens[seat]),
		save(tokens) {
			if (!room) return; // the list of rooms
			Object.assign(kept.tokens, tokens);
			storage("sessionStorage", key, Object.keys(tokens));
			write();
		},
		forget(seat) {
			delete kept.tokens[seat];
			const { [seat]: gone, ...others } = read().tokens;
			storage("localStorage", key, { ...kept, tokens: others });
		},
	};
}
