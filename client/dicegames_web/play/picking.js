// Picking dice by tapping them, from the choices that the server offers. No rules here, only the choices.
import { asks } from "../guest/store.js";

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
