// What the player may do now: buttons from the offers, and what still has to be chosen or tapped for a move.
import { h } from "../base/dom.js";
import { number } from "../base/text.js";
import { asks, name, offersOf } from "../guest/store.js";
import { choicesOf, keyOf, placesOf } from "../play/picking.js";
import { die } from "./dice.js";
import { button, field, form } from "./enter.js";

const MOST_DICE = 20;
const MOST_CHOICES = 200;
const MOST_SLOTS = 6;
const MOST_SIDES = 100;
const MOST_REAL_DICE = 16;

/** The dice of the picture. Those that can be picked are buttons. */
export function diceRow(ui, scene) {
	const choices = Object.keys(choicesOf(scene.offers));
	const all = ui.view.dice(scene).slice(0, MOST_DICE);
	return (
		all.length > 0 &&
		h(
			"div.dice",
			all.map((face, at) => {
				const picked = ui.picked.includes(at);
				const more = picked ? ui.picked.filter((one) => one !== at) : [...ui.picked, at];
				const [look = "", word] = ui.view.look(scene, face, at);
				if (!choices.length) return die(face, word, { key: at, class: look });
				if (!picked && !choices.some((key) => placesOf(key, all, more)))
					return die(face, word, { key: at, class: look, onclick: () => ui.say(`${face} can't be kept.`) });
				return die(face, picked ? "PICKED" : choices.includes(String(face)) ? "scores" : "in a set", {
					key: at,
					class: picked ? "picked" : "good",
					"aria-pressed": `${picked}`,
					onclick: () => ui.set({ picked: more, notice: null }),
				});
			}),
		)
	);
}

export function moves(ui, scene) {
	const { offers, seats, seat, store } = scene;
	if (ui.fill) return fill(ui, scene, ui.fill);
	const able = seats.filter((one) => Object.keys(offersOf(store, one)).length);
	const whose = (one) =>
		button(name(store, one), () => ui.set({ seat: one, picked: [] }), {
			key: `seat ${one}`,
			"aria-pressed": `${one === seat}`,
		});
	const offered = (take) =>
		button(ui.view.label(scene, take, offers[take]), () => begin(ui, scene, take, offers[take]), {
			class: offers[take].needed && choiceOf(scene, offers[take]) !== null ? "main" : "",
		});
	return [
		seats.length > 1 && !ui.lostAt && able.length > 0 && h("p.seats", "For ", able.map(whose)),
		picking(ui, scene),
		slots(
			Object.fromEntries(slotsOf(ui, offers).map((take, at) => [take || `none ${at}`, offers[take] && offered(take)])),
		),
	];
}

/** Places for buttons, two in a row: name -> what is there now, if anything is. */
export const slots = (places) =>
	h(
		"div.slots",
		Object.entries(places).map(([key, shown]) => h("div", { key }, shown)),
	);

/** Each offer keeps its place while others come and go, so that no finger hits another one than it aimed at. */
function slotsOf(ui, offers) {
	const fresh = Object.keys(offers).filter((take) => !ui.slots.includes(take));
	const odd = fresh.length % 2 ? [""] : []; // two in a row
	ui.slots = ui.slots.length + fresh.length > MOST_SLOTS ? Object.keys(offers) : [...odd, ...fresh, ...ui.slots];
	return ui.slots;
}

/** The choice that the picked dice are, or the only one. Undefined: none is needed. Null: it is not there yet. */
function choiceOf({ picked }, offer) {
	const keys = Object.keys(offer.choices ?? {});
	if (asks(offer) !== "faces") return undefined;
	const choice = picked.length ? keyOf(picked) : keys.length === 1 ? keys[0] : null;
	return keys.includes(choice) ? choice : null;
}

/** What is picked and what it is worth, and a button for the best choice. */
function picking(ui, scene) {
	const choices = choicesOf(scene.offers);
	const all = ui.view.dice(scene);
	const worth = (key) => choices[key]?.worth;
	const best = Object.keys(choices).sort((a, b) => worth(b) - worth(a) || b.length - a.length)[0];
	const places = best && placesOf(best, all);
	if (!places) return null;
	const takeAll = () => ui.set({ picked: places, notice: null });
	const key = keyOf(scene.picked);
	const possible = Object.keys(choices).filter((one) => placesOf(one, all, ui.picked));
	const least = Math.min(...possible.map((one) => one.length));
	const told = worth(key) ? `= ${number(worth(key))}` : `needs ${least - key.length} more`;
	return h(
		"p.seats",
		h("span", { role: "status" }, key ? `PICKED ${scene.picked.join(" ")} ${told}` : "Tap the dice that you keep."),
		" ",
		key !== best && button(`All ${number(worth(best))}`, takeAll, { key: "all" }),
	);
}

function begin(ui, scene, take, offer) {
	const { picked, seat, store } = scene;
	const keys = Object.keys(offer.choices ?? {});
	const choice = choiceOf(scene, offer);
	if (choice === null) {
		if (picked.length)
			return ui.say(`${picked.join(" ")} can't be kept like that: tap more dice, or tap one again to put it back.`);
		if (keys.some((key) => placesOf(key, ui.view.dice(scene)))) return ui.say("Pick dice first: tap them, or All.");
	}
	return step(ui, { move: offer.as ?? (choice ? { take, choice } : { take }), offer, seat, seq: store.seq });
}

/** Ask for the next thing that is missing, or send the move. */
function step(ui, filled) {
	const { move, offer, seat, seq, sure } = filled;
	const count = Math.min(offer.enter || offer.choices?.[move.choice]?.rolls || 0, MOST_REAL_DICE);
	const dice = offer.enter !== undefined && move.faces?.length !== count;
	const missing = (asks(offer) && move.choice === undefined) || dice || (offer.loses && !sure);
	ui.set({ fill: missing ? { ...filled, count } : null, notice: null });
	if (!missing) ui.act({ type: "move", seq, seat, move });
}

function fill(ui, scene, filled) {
	const { move, offer, count } = filled;
	const label = h("p", ui.view.label(scene, move.take, offer));
	const cancel = button("Cancel", () => ui.set({ fill: null }), { key: "cancel" });
	const next = (more) => step(ui, { ...filled, move: { ...move, ...more } });
	const asked = move.choice === undefined && asks(offer);
	if (asked === "number") {
		const range = { type: "number", min: offer.least, max: offer.most, required: true };
		return [
			label,
			form(
				(data) => next({ choice: `${Number(data.choice)}` }),
				field(`${number(offer.least)} to ${number(offer.most)}`, "choice", range),
				h("button.main", "Take it"),
			),
			cancel,
		];
	}
	if (asked)
		return [
			label,
			Object.entries(offer.choices)
				.slice(0, MOST_CHOICES)
				.map(([key, choice]) =>
					button(choiceLabel(key, choice), () => next({ choice: key }), { key }),
				),
			cancel,
		];
	if (offer.enter !== undefined && move.faces?.length !== count)
		return [label, realDice(next, move.faces ?? [], count, offer.sides ?? 6), cancel];
	return [
		h("p.bad", ui.view.label(scene, move.take, offer), " loses at once. Really?"),
		button("Yes", () => step(ui, { ...filled, sure: true }), { key: "yes" }),
		cancel,
	];
}

/** A choice of points tells how many. A roll to be corrected tells its number. */
function choiceLabel(key, { label, worth, seat }) {
	if ((seat ?? null) !== null) return `${key}: ${label ?? ""}`;
	return `${label ?? key} (${number(worth)})`;
}

function realDice(next, faces, count, sides) {
	const rolled = Array.from({ length: count }, (_, at) => faces[at] ?? "·").join(" ");
	return [
		h("p", { role: "status" }, `Tap the faces that you rolled: ${rolled}`),
		h(
			"div.dice",
			Array.from({ length: Math.min(sides, MOST_SIDES) }, (_, at) =>
				die(at + 1, "", { key: at, onclick: () => next({ faces: [...faces, at + 1] }) }),
			),
		),
		faces.length > 0 && button("Undo", () => next({ faces: faces.slice(0, -1) }), { key: "undo" }),
	];
}
