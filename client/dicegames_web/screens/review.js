// How well everybody played, and what was luck. The server tells it when a game is over.
import { h } from "../base/dom.js";
import { plot } from "./dice.js";

const AS_GOOD = 0.0005; // what costs no more is as good as the best
const MOST_PLAYERS = 40;
const MOST_COSTLY = 6;
const MOST_POINTS = 400;
const CHANCE = "Chance to win, in percent";
export const FEW = 8; // at a larger table nobody asks by themselves

const list = (value, most) => (Array.isArray(value) ? value.slice(0, most) : []);
/** A figure within its bounds, whatever came. */
const within = (value, low = -99, high = 99) => Math.min(high, Math.max(low, Number(value) || 0));

/** A chance, such as "43 %". Only what is certain is 0 or 100 %. */
export function percent(share) {
	const all = 100 * within(share, 0, 1);
	const near = all > 0 && all < 100 && (all < 0.5 || all >= 99.5);
	return `${near ? Math.max(0.1, Math.min(all, 99.9)).toFixed(1) : Math.round(all)} %`;
}
/** What a chance gained or lost, such as "+12 %" or "-4.1 %". */
export function change(part) {
	const of = within(part);
	if (Math.abs(of) < AS_GOOD) return "0 %";
	return `${of > 0 ? "+" : ""}${(100 * of).toFixed(Math.abs(of) < 0.0995 ? 1 : 0)} %`;
}
export function accuracy({ accuracy: part, lost }) {
	if (part === undefined || part === null) return "-";
	const all = 100 * within(part, 0, 1);
	return `${within(lost) > AS_GOOD ? Math.floor(all + 1e-7) : Math.round(all)} %`;
}
export const average = ({ start, lost, away, given }) =>
	percent(within(start) - within(lost) - within(away) + within(given));

const begin = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
export function explained({ why, cost, took, best }) {
	if (why) return begin(/[.!?]$/.test(why) ? why : `${why}.`);
	return within(cost) < AS_GOOD
		? `${begin(took)}.`
		: `${begin(took)}; ${best} was better by ${change(cost).replace("+", "")}.`;
}
const called = ({ name, bot }) => (bot && !/bot/i.test(name) ? `${name} (bot)` : `${name}`);
/** The decisions that cost most, of all players together. */
export function costliest({ players, moves }) {
	const found = list(players, MOST_PLAYERS).flatMap((one) =>
		list(one.costliest, 3).flatMap((at) => (moves?.[at] ? [[one, moves[at]]] : [])),
	);
	return found
		.sort(([, a], [, b]) => within(b.cost) - within(a.cost))
		.slice(0, MOST_COSTLY)
		.map(([one, move]) => `${called(one)}, ${move.mark} ${change(-move.cost)}: ${explained(move)}`);
}

/** The review if it can be shown, else null: a server may send anything. */
export function shown(found) {
	try {
		return review(found, []) && found;
	} catch {
		return null;
	}
}

/** The section of a recap. `mine`: the names of my seats, whose curves come first. */
export function review({ players, curve, exact, ...more }, mine) {
	const row = (one) => [called(one), accuracy(one), change(-one.lost), change(one.luck), average(one)];
	const all = list(players, MOST_PLAYERS);
	const rows = [...all].sort((a, b) => within(b.end) - within(a.end) || within(a.lost) - within(b.lost)).map(row);
	const laps = list(curve, MOST_POINTS).map(({ chances }) =>
		Object.fromEntries(all.map(({ name }, at) => [name, Math.round(100 * within(chances?.[at], 0, 1))])),
	);
	const heads = ["Player", "Accuracy", "Given away", "Luck", "Average dice"];
	const line = ([name, ...told]) => [h("th", { scope: "row" }, h("bdi", name)), told.map((text) => h("td", text))];
	return h(
		"section.review",
		h("h2", "How well did you play?"),
		h(
			"table",
			h(
				"thead",
				h(
					"tr",
					heads.map((head) => h("th", { scope: "col" }, head)),
				),
			),
			h(
				"tbody",
				rows.map((told) => h("tr", line(told))),
			),
		),
		costliest({ players, ...more }).map((text) => h("p", text)),
		laps.length > 1 && h("p.soft", CHANCE),
		plot(laps, mine, CHANCE),
		h("p.soft", "Average dice: the chance to win that the same decisions would have led to without luck."),
		!exact && h("p.soft", "The chances are close, not exact."),
	);
}
