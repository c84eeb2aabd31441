// Double or Nothing: the number, and the line of numbers up to the target.
import { number as shown } from "../base/text.js";
import { numbers } from "../guest/store.js";
import generic from "./generic.js";

const MOST_STEPS = 40;
const MOST_DOTS = 20;

export default {
	...generic,
	tell: {
		tossed: ({ seat }, w) => `The coin says that ${w.whom(seat)} ${seat === w.me ? "begin" : "begins"}.`,
		began({ game, seat }, w) {
			const series = w.game.best_of > 1 ? [`Game ${game} of at most ${w.game.best_of}.`] : [];
			return game === 1 && w.room.game_no === 1 && w.room.options.first === "toss"
				? series
				: [...series, `${w.does(seat, "begin")}.`];
		},
		chose: ({ seat, what, number }, w) =>
			`${w.who(seat)} chose to ${what === "double" ? "double it" : "add one"}. New number is ${shown(number)}.`,
		won: ({ winner, loser, over }, w) => [
			over ? `The number exceeded ${shown(w.game.target)}!` : `That is exactly ${shown(w.game.target)}!`,
			`${w.does(loser, "lose")}. ${w.does(winner, "win")} the game!`,
		],
	},
	headline: ({ game, room }) => (game.best_of > 1 ? `game ${game.game} of ${game.best_of}` : `game ${room.game_no}`),
	slots: ["add", "double"],
	turn: (game) => game.turn,
	dice: () => [],
	lines({ game, event, words }) {
		const { number, target, start, trail } = game;
		const won = event("won");
		const made = numbers({ ...trail, [start]: 0, [number]: 0, [target]: 0 });
		const steps = made.flatMap((one, at) => {
			const between = at > 0 ? one - made[at - 1] - 1 : 0;
			const gap = between > 0 ? [["·".repeat(Math.min(between, MOST_DOTS)), "name"]] : [];
			return [...gap, [String(one), one === number ? "on" : one === target ? "goal" : ""]];
		});
		return [
			["big", `NUMBER ${number}`],
			["soft", `target exactly ${target}, over ${target} loses`],
			["", `The number is ${number}, the target ${target}.`, steps.slice(-MOST_STEPS)],
			won && ["hot", `${won.over ? "OVER" : "EXACTLY"} ${target}: ${words.does(won.winner, "win")}`],
		];
	},
	label: (scene, take, { label }) => String(label).replace("->", "→"),
	note: ({ game }, seat) => (seat === game.turn ? "to move" : ""),
	lap: (event) => ["chose", "began"].includes(event.kind),
	tally: (store) => ({ number: store.table.game.number }),
};
