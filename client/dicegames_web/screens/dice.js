// Drawings: dice, and the plot of a recap.
import { h } from "../base/dom.js";
import { number } from "../base/text.js";

const PIPS = ["", "4", "08", "048", "0268", "02468", "023568"];
const SIZE = 100;
const MOST_CURVES = 6;

/** A die; with `onclick` it is a button. Face 0 was not rolled. */
export function die(face, word, { onclick, ...more }) {
	const pips =
		PIPS[face] === undefined
			? h("text", { x: 50, y: 66 }, face)
			: [...PIPS[face]].map((at) => h("circle", { cx: 24 + 26 * (at % 3), cy: 24 + 26 * Math.floor(at / 3), r: 9 }));
	return h(
		onclick ? "button.die" : "span.die",
		{
			...more,
			onclick,
			type: onclick && "button",
			role: onclick ? undefined : "img",
			"aria-label": `${face || "not rolled"} ${word ?? ""}`,
		},
		h(
			"svg",
			{ viewBox: "0 0 100 100", "aria-hidden": "true" },
			h("rect", { x: 3, y: 3, width: 94, height: 94, rx: 16 }),
			pips,
		),
		word && h("small", { "aria-hidden": "true" }, word),
	);
}

/** How the curve with this number is drawn. */
const sample = (at) =>
	h("svg", { viewBox: "0 0 30 8", "aria-hidden": "true" }, h(`polyline.p${at}`, { points: "0,4 30,4" }));

/** A row of marks, each a text and how it looks. `label` says the same in words. */
export const track = (label, marks) =>
	h(
		"p.track",
		{ role: "img", "aria-label": label },
		marks.map(([text, look]) => h("span", { class: look }, text)),
	);

/** Curves over the rounds: my own, then the highest at the end, each with its name and a dash of its own. */
export function plot(laps, mine = [], label = `Scores over ${laps.length} rounds`) {
	const last = laps.at(-1) ?? {};
	const names = Object.keys(last)
		.sort((a, b) => mine.includes(b) - mine.includes(a) || last[b] - last[a])
		.slice(0, MOST_CURVES);
	const values = [0, 1, ...laps.flatMap((lap) => names.map((name) => lap[name] ?? 0))];
	const low = Math.min(...values);
	const high = Math.max(...values);
	const points = (name) =>
		laps
			.map((lap, x) => `${(x * 300) / (laps.length - 1)},${SIZE - (((lap[name] ?? 0) - low) / (high - low)) * 96}`)
			.join(" ");
	return (
		laps.length > 1 &&
		h(
			"figure",
			h(
				"svg",
				{ viewBox: "0 0 300 104", role: "img", "aria-label": label },
				names.map((name, at) => h(`polyline.p${at}`, { points: points(name) })),
			),
			h(
				"figcaption",
				names.map((name, at) => h(`span.p${at}`, sample(at), `${name} ${number(last[name])}`)),
			),
		)
	);
}
