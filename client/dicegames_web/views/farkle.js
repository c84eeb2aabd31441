// Farkle: dice to pick from, and points at risk.
import { number } from "../base/text.js";
import { keyOf } from "../play/picking.js";
import generic from "./generic.js";

const nothing = (seat, w) => `${w.who(seat)} had nothing at risk`;

function missed({ seat, lost, penalty }, w) {
	return lost + penalty ? `${w.does(seat, "lose")} ${number(lost + penalty)}` : nothing(seat, w);
}

export default {
	...generic,
	tell: {
		rolled: ({ seat, faces }, w) => `${w.does(seat, "roll")} ${faces.join(" ")}.`,
		kept({ seat, dice, worth, points, hot }, w) {
			const free = hot ? " Hot dice: all six are free again." : "";
			return `${w.does(seat, "keep")} ${dice.join(" ")} for ${number(worth)}. This turn: ${number(points)}.${free}`;
		},
		farkled({ seat, lost, penalty }, w) {
			const third = penalty ? ` It is the third in a row, which costs ${number(penalty)}.` : "";
			const told = lost ? `${w.does(seat, "lose")} ${number(lost)} points` : nothing(seat, w);
			return `FARKLE! ${told}.${third}`;
		},
		banked: ({ seat, points, score }, w) =>
			`${w.does(seat, "bank")} ${number(points)}. That makes ${number(score)}.`,
		turn_began: ({ seat }, w) => (w.game.turn_no === 1 ? `${w.does(seat, "begin")}.` : []),
		last_turns: ({ seat, score }, w) =>
			`${w.does(seat, "have")} ${number(score)}: everyone else has one last turn.`,
	},
	headline: ({ game, room }) => `to ${number(room.options.target)}${"closer" in game ? " LAST TURNS" : ""}`,
	slots: ["undo", "correct", "bank", "roll"],
	turn: (game) => game.turn,
	dice: ({ game, event }) => game.dice ?? event("rolled")?.faces ?? [0, 0, 0, 0, 0, 0],
	look: ({ game }) => (game.dice ? [] : ["gone"]),
	lines({ game, event, words }) {
		const farkled = event("farkled");
		const banked = event("banked");
		const kept = event("kept");
		return [
			["soft", game.roll ? `roll ${game.roll}, kept this turn ${number(game.points)}` : ""],
			farkled && ["bad", `FARKLE! ${missed(farkled, words)}`],
			banked && [
				"good",
				`${words.does(banked.seat, "bank")} ${number(banked.points)}, that makes ${number(banked.score)}`,
			],
			kept?.hot && ["hot", `HOT DICE! all six are free again, ${number(kept.points)} at risk`],
		];
	},
	label({ game, picked }, take, { label, choices }) {
		const keys = Object.keys(choices ?? {});
		const key = picked.length ? keyOf(picked) : keys.length === 1 ? keys[0] : "";
		const choice = choices?.[key];
		if (!choices || !game.dice) return label;
		if (take === "bank") return choice ? `Bank ${number(game.points + choice.worth)}` : "Bank";
		return choice ? `Roll ${game.dice.length > key.length ? "other" : "all"} ${choice.rolls}` : "Roll the others";
	},
	note: ({ game }, seat) =>
		seat === game.turn
			? game.points
				? `turn +${number(game.points)}`
				: "turn"
			: seat === game.closer
				? "reached the target"
				: "",
	lap: (event, { turn_no, seats }) =>
		event.kind === "game_over" || // once around the table is a round
		(event.kind === "turn_began" && turn_no > 1 && (turn_no - 1) % Object.keys(seats).length === 0),
};
