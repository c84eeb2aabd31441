// How dice follow from the links that a committee and the server have shown. How it works: docs/fair-dice.md.
import { canonical } from "../base/canonical.js";
import { bytes, hex, hmac, sha256, unhex } from "../base/sha256.js";

export const SCHEME = 2;
/** How often a seed is hashed to get the tip of its chain. */
export const LENGTH = 64;
/** Up to so many seats, all of them are in the committee. */
const MOST_MEMBERS = 8;
const LARGE_COMMITTEE = 7;
const MOST_SIDES = 256;
const MOST_DICE = 1000;
/** There is one spelling of a link: with several, somebody could choose among them. */
const HEX = /^[0-9a-f]{64}$/;

export const hashOf = (data) => hex(sha256(data));
export const follows = (link, before) => HEX.test(link) && hashOf(unhex(link)) === before;
export const inOrder = (seats) => [...seats].sort((a, b) => a - b);

/** Whether this is the secret that a server was committed to: the seed of its first chain. */
export function opens(secret, commit) {
	if (!HEX.test(secret)) return false;
	let value = unhex(secret);
	for (let step = 0; step < LENGTH; step++) value = sha256(value);
	return hex(value) === commit;
}

/** What the hash of a seat's next link must be. Empty: it has no chain. */
export const nextValue = (fair, seat) => fair?.tips?.[seat] || fair?.links?.[seat] || "";

/** The number of the game that is played, or dealt. */
export const gameNumber = ({ game_no, phase }) => (game_no ?? 0) + (phase !== "playing");

/**
 * Everything that all are bound to when a draw is decided, as a hash. A link is shown for one such state only, and is a
 * part of the dice only if they were rolled from it.
 */
export function bindingOf({ room, fair }) {
	const { commit, epoch, pending } = fair;
	const server = fair.tip ?? fair.link ?? "";
	const next = pending.members.map((seat) => [seat, nextValue(fair, seat)]);
	const game = [room.id ?? "", room.code, room.game, room.rules, gameNumber(room)];
	return hashOf(canonical([game, commit, epoch, server, pending, next]));
}

/** The seats whose links decide the dice of a game. `tips`: seat -> tip, of all seats that gave one. */
export function committee(commit, tips) {
	const seats = inOrder(Object.keys(tips).map(Number));
	if (seats.length <= MOST_MEMBERS) return seats;
	const drawn = hashOf(canonical([commit, seats.map((seat) => [seat, tips[seat]])]));
	const ranks = new Map(seats.map((seat) => [seat, hashOf(`committee|${drawn}|${seat}`)]));
	const ranked = [...seats].sort((a, b) => (ranks.get(a) < ranks.get(b) ? -1 : 1));
	return inOrder(ranked.slice(0, LARGE_COMMITTEE));
}

export const possible = ({ count, sides }) => sides >= 1 && sides <= MOST_SIDES && count >= 0 && count <= MOST_DICE;

/** The faces of a draw. `decides`: everything that decides it, besides the server's link. */
export function roll(link, decides, { r, count, sides }) {
	const key = hmac(unhex(link), sha256(canonical({ ...decides, r, v: SCHEME })));
	const fair = 256 - (256 % sides);
	const label = bytes(`roll|${r}|${count}|${sides}|`);
	const faces = [];
	for (let at = 0; faces.length < count; at++) {
		const block = hmac(key, Uint8Array.of(...label, at >> 24, at >> 16, at >> 8, at));
		for (const byte of block) if (byte < fair) faces.push((byte % sides) + 1);
	}
	return faces.slice(0, count);
}
