// Our hash chains: our part of the dice. Each link is shown for one draw only. How it works: docs/fair-dice.md.
import { MOST_SEEDS } from "../base/memory.js";
import { hex, sha256, unhex } from "../base/sha256.js";
import { mySeats, player, roomOf } from "./store.js";

export const LENGTH = 64;
const MOST_SHOWN = 64, made = new Map();

/** What the hash of a seat's next link must be. */
export const nextValue = (fair, seat) => fair?.tips?.[seat] || fair?.links?.[seat] || "";

/** All values of a chain in hex: the tip, link 1, link 2 and so on, and the seed at last. */
function chainOf(seed) {
	if (!made.has(seed)) {
		const values = [seed];
		for (let value = unhex(seed); values.length <= LENGTH; values.unshift(hex(value))) value = sha256(value);
		made.set(seed, values);
	}
	return made.get(seed);
}

/** `kept`: what is remembered: `seeds`, `shown` (link -> draw) and `tips` (tip -> seat). */
export function chains(kept, alarm) {
	const given = new Map();

	function fresh() {
		const seed = hex(crypto.getRandomValues(new Uint8Array(32)));
		kept.seeds = [seed, ...kept.seeds].slice(0, MOST_SEEDS);
		return chainOf(seed)[0];
	}
	function find(value) { // the number of the link whose hash this is, the link, and its chain; the seed is never shown
		for (const seed of kept.seeds) {
			const number = chainOf(seed).indexOf(value) + 1;
			if (number && number < LENGTH) return [number, chainOf(seed)[number], chainOf(seed)[0]];
		}
		return null;
	}

	/** Whether the table names a chain of ours for the next game, or for the one that is played. */
	function covers(store, seat) {
		const fair = store.table.fair ?? {};
		return find(player(store, seat).commit || (fair.scheme === 2 && !fair.out?.[seat] && nextValue(fair, seat)));
	}

	/** The same request, with a new tip if its seat needs one. */
	function withCommit(request, store) {
		const later = ["ready", "rematch", "start"].includes(request.type);
		if (!later && !["create", "join", "sit"].includes(request.type)) return request;
		const seat = later ? request.seat ?? roomOf(store).host : undefined;
		if (later && covers(store, seat)) return request;
		const commit = fresh();
		given.set(request.id, [seat, commit]);
		return { ...request, commit };
	}

	function answered({ id, type, seat }) {
		const [asked, tip] = given.get(id) ?? [];
		if (tip && (type === "joined" || type === "ack")) kept.tips[tip] = seat ?? asked;
		given.delete(id);
	}

	/** The links that the pending draw asks us for. */
	function toShow(store) {
		const { pending } = store.table.fair ?? {}, shows = [];
		kept.last ??= {}; // tip -> the highest number that was shown of its chain
		if (pending?.seq > store.seq) return []; // nobody has decided that yet
		for (const seat of mySeats(store).filter((one) => pending?.members.includes(one))) {
			const [number, link, chain] = find(nextValue(store.table.fair, seat)) ?? [], draw = [store.room, roomOf(store).game_no, pending.draw, pending.seq].join();
			const before = kept.shown[link];
			if (before ? before.draw !== draw : number <= (kept.last[chain] ?? 0)) alarm("The server asks a second time for a part of the dice that it has already got.");
			else if (link) {
				const tip = before?.tip ?? (number === LENGTH - 1 ? fresh() : undefined);
				kept.shown = Object.fromEntries([...Object.entries(kept.shown).slice(1 - MOST_SHOWN), [link, { draw, tip }]]);
				kept.last[chain] = Math.max(number, kept.last[chain] ?? 0);
				shows.push({ type: "show", seat, draw: pending.draw, link, tip });
			}
		}
		return shows;
	}
	return { withCommit, answered, toShow, covers };
}
