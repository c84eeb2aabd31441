// Where we are decides what is shown: a table where this tab holds a seat, the door of a room, or the list of rooms.
import { memory as newMemory } from "./base/memory.js";
import { newGuest } from "./guest/guest.js";
import { EMPTY, mySeats, name, roomOf } from "./guest/store.js";
import { CODE, door, lobby, page } from "./screens/enter.js";
import { newTable } from "./screens/table.js";

const root = document.getElementById("page");
const [, before, last] = location.pathname.match(/^(.*)\/([^/]*)\/?$/);
const early = [];
const room = CODE.test(last) ? last.toUpperCase() : "";
const wrong = room || location.pathname.endsWith("/") ? "" : last;
const prefix = (room || wrong ? before.replace(/\/r$/, "") : location.pathname.slice(0, -1)).replace(/\/{2,}/g, "/"); // never another host
const memory = newMemory(room);
const url = `${location.protocol.replace("http", "ws")}//${location.host}${prefix}/${room && `r/${room}`}`;
let table = null;

const guest = newGuest(url, memory, (heard) => {
	for (const seat of mySeats(guest.store)) memory.kept.names[seat] = name(guest.store, seat);
	if (table) table(heard);
	else if (heard.kind === "ended") page(root, "Dice games", heard.sentence);
	else if (["news", "alarm"].includes(heard.kind)) early.push(heard);
});

async function sit() {
	// a game that has no view of its own is drawn by the generic one
	const { game, title } = roomOf(guest.store);
	const known = /^[a-z0-9-]{1,40}$/.test(game) && (await import(`./views/${game}.js`).catch(() => null));
	document.title = `${title} ${room} · dicegames`;
	table = newTable(root, guest, (known || (await import("./views/generic.js"))).default, prefix);
	early.splice(0).forEach(table);
}
async function comeBack(seats) {
	await guest.open({
		...EMPTY,
		room,
		tokens: Object.fromEntries(seats.map((seat) => [seat, memory.kept.tokens[seat]])),
	});
	await sit();
}
async function start(said = "") {
	await guest.open(EMPTY);
	if (!room) return lobby(root, guest, prefix, decodeURIComponent(wrong).slice(0, 12));
	const held = Object.fromEntries(Object.keys(memory.kept.tokens).map((seat) => [seat, memory.kept.names[seat]]));
	return door(
		root,
		room,
		held,
		async (request) => {
			if (!request) return comeBack(Object.keys(held)).catch(forget);
			return guest
				.ask(request)
				.then((answer) => (answer.type === "joined" ? sit() : answer))
				.catch((error) => error);
		},
		said,
	);
}
function forget(error) {
	// only a server that knows the seats can say that they are no longer ours
	if (["unauthorized", "no_such_room"].includes(error.code)) Object.keys(memory.kept.tokens).forEach(memory.forget);
	return start(error.message);
}

setInterval(guest.check, 500);
for (const [target, event] of [
	[window, "online"],
	[window, "pageshow"],
	[document, "visibilitychange"],
])
	target.addEventListener(event, () => (document.hidden ? guest.save() : guest.check(true)));
(memory.here().length ? comeBack(memory.here()).catch(forget) : start()).catch((error) =>
	page(root, "Dice games", `${error.message} Reload the page to try again.`),
);
