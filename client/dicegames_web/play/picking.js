// Picking dice by tapping them, from the choices that the server offers. No rules here, only the choices.
import { number } from "../base/text.js";
import { asks } from "../guest/store.js";

const MOST_NAMES = 3;
/** Whether the names of a choice are few words, which can stand for moves of their own. */
function isShort(offer, offers) {
	const choices = Object.entries(offer.choices ?? {});
	const word = ([key, { seat }]) => /^\p{L}+$/u.test(key) && (seat ?? null) === null && !(key in offers);
	const plain = asks(offer) === "name" && offer.enter === undefined && !offer.loses;
	return plain && choices.length > 1 && choices.length <= MOST_NAMES && choices.every(word);
}
/** The offers, with the names of short choices in place of those that ask for them. `as` is the move that is meant. */
export const spelledOut = (offers) =>
	Object.fromEntries(
		Object.entries(offers).flatMap(([take, offer]) =>
			isShort(offer, offers)
				? Object.entries(offer.choices).map(([choice, { label, worth }]) => [
						choice,
						{
							label: label ?? `${offer.label} ${choice} (${number(worth)})`,
							needed: offer.needed,
							as: { take, choice },
						},
					])
				: [[take, offer]],
		),
	);

export const keyOf = (faces) => [...faces].sort().join("");
export const choicesOf = (offers) =>
	Object.assign(
		{},
		...Object.values(offers)
			.filter((offer) => asks(offer) === "faces")
			.map((offer) => offer.choices),
	);

/** Positions of dice with the faces of a choice, those first that are in `places`. Null: it has not all of them. */
export function placesOf(key, dice, places = []) {
	const left = [...key];
	const order = [...places, ...dice.keys()];
	const found = order.filter((place, at) => {
		const here = order.indexOf(place) === at ? left.indexOf(String(dice[place])) : -1;
		return here >= 0 && left.splice(here, 1);
	});
	return places.every((place) => found.includes(place)) && !left.length ? found : null;
}
