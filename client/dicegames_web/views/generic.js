// A view for any game, from state and offers alone. Views of known games have better words and pictures.
import { number } from "../base/text.js";
import { gameOf, name } from "../guest/store.js";
import { keyOf } from "../play/picking.js";
import { plain } from "../play/words.js";

const SCORES = ["score", "total", "points", "wins"];
const facts = (of, hidden) =>
	Object.entries(of)
		.filter(([key]) => !hidden.includes(key))
		.map(([key, value]) => `${key.replaceAll("_", " ")} ${plain(value)}`);

export default {
	/** kind of event -> sentences */
	tell: {},
	other(event, w) {
		const told = facts(event, ["kind", "seat", "entered"]).join(", ");
		const who = "seat" in event ? `${w.who(event.seat)}: ` : "";
		return `${who}${String(event.kind).replaceAll("_", " ")}${told && ` (${told})`}.`;
	},
	headline: ({ room }) => room.summary,
	turn: (game, store) =>
		Object.values(store.table.offers).find((offer) => offer.needed && offer.seat !== undefined)?.seat,
	/** Dice on the table, which can be picked; 0 is one that was not rolled. */
	dice: ({ game }) =>
		["dice", "faces", "roll"]
			.map((key) => game[key])
			.find((faces) => Array.isArray(faces) && faces.every(Number.isInteger)) ?? [],
	/** Class and word of a die. */
	look: () => [],
	/** Offers in the order of their places, two in a row. The lowest row is the one for the thumb. */
	slots: [],
	/** Lines of the picture: class and text. A line may have marks besides, which are drawn instead of the text. */
	lines({ game, store, seat }) {
		const mine = facts(store.private[seat]?.game ?? {}, ["seats"]);
		return [
			["you", mine.length ? `Only you see: ${mine.join(", ")}.` : ""],
			["soft", facts(game, ["seats", "dice", "faces"]).join(" · ").slice(0, 600)],
		];
	},
	label({ picked }, take, { label, choices }) {
		const choice = choices?.[keyOf(picked)];
		return choice ? `${label} (${number(choice.worth)})` : label;
	},
	score: (entry) => entry[SCORES.find((key) => Number.isInteger(entry[key]))] ?? 0,
	note: (scene, seat, entry) => facts(entry, SCORES).join(", ").slice(0, 120),
	/** Whether the plot gets a point after this event, and what it shows then. */
	lap: (event) => SCORES.some((key) => key in event),
	tally(store) {
		return Object.fromEntries(
			Object.entries(gameOf(store).seats ?? {}).map(([seat, entry]) => [name(store, seat), this.score(entry)]),
		);
	},
};
