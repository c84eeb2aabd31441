// Where we are decides what is shown: a table where this tab holds a seat, the door of a room, or the list of rooms.
import { memory as newMemory } from "./base/memory.js";
import { newGuest } from "./guest/guest.js";
import { EMPTY, mySeats, name, roomOf } from "./guest/store.js";
import { CODE, aboutRoom, door, lobby, page } from "./screens/enter.js";
import { newTable } from "./screens/table.js";

const CHECK_MS = 500;

/** What an address asks for: a room, or the list. `wrong`: what was typed for a code and is none. */
function placeOf(path) {
	const parts = path.split("/").filter(Boolean); // two slashes in a row would name another host
	const last = parts.at(-1) ?? "";
	const room = CODE.test(last) ? last.toUpperCase() : "";
	const wrong = room || path.endsWith("/") ? "" : last;
	if (room || wrong) parts.pop();
	if (room && parts.at(-1) === "r") parts.pop();
	return { room, wrong, prefix: parts.map((part) => `/${part}`).join("") };
}

const root = document.getElementById("page");
const { room, wrong, prefix } = placeOf(location.pathname);
const scheme = location.protocol.replace("http", "ws");
const memory = newMemory(room);
let table = null;
const early = []; // what was heard before the table was there

const guest = newGuest(`${scheme}//${location.host}${prefix}/${room && `r/${room}`}`, memory, (heard) => {
	for (const seat of mySeats(guest.store)) memory.kept.names[seat] = name(guest.store, seat);
	if (table) table(heard);
	else if (heard.kind === "ended") page(root, "Dice games", heard.sentence);
	else if (["news", "alarm"].includes(heard.kind)) early.push(heard);
});

/** The view of a game. One that has none of its own is drawn by the generic one. */
async function viewOf(game) {
	const own = /^[a-z0-9-]{1,40}$/.test(game) ? await import(`./views/${game}.js`).catch(() => null) : null;
	return (own ?? (await import("./views/generic.js"))).default;
}

async function sit() {
	const { game, title } = roomOf(guest.store);
	const view = await viewOf(game);
	document.title = `${title} ${room} · dicegames`;
	table = newTable(root, guest, view, prefix);
	early.splice(0).forEach(table);
}

async function comeBack(seats) {
	const tokens = Object.fromEntries(seats.map((seat) => [seat, memory.kept.tokens[seat]]));
	await guest.open({ ...EMPTY, room, tokens });
	await sit();
}

async function start(said = "") {
	await guest.open(EMPTY);
	if (!room) return lobby(root, guest, prefix, decodeURIComponent(wrong).slice(0, 12));
	const seats = Object.keys(memory.kept.tokens);
	const names = seats.map((seat) => memory.kept.names[seat]);
	let tried = false;
	async function enter(request) {
		tried = true;
		if (!request) return comeBack(seats).catch(refused);
		const answer = await guest.ask(request).catch((error) => error);
		return answer.type === "joined" ? sit() : answer;
	}
	door(root, room, names, enter, said);
	const { rooms = [] } = await guest.ask({ type: "rooms" }).catch(() => ({}));
	const listed = rooms.find(({ code }) => code === room); // only public ones are
	if (!listed || tried) return;
	const about = `${listed.title}, ${aboutRoom(listed)}`;
	door(root, room, names, enter, said, { about, locked: listed.locked, sure: listed.locked });
}

/** Only a server that knows the seats can say that they are no longer ours. */
function refused(error) {
	if (["unauthorized", "no_such_room"].includes(error.code)) Object.keys(memory.kept.tokens).forEach(memory.forget);
	return start(error.message);
}

setInterval(guest.check, CHECK_MS);
const look = () => (document.hidden ? guest.save() : guest.check(true));
addEventListener("online", look);
addEventListener("pageshow", look);
document.addEventListener("visibilitychange", look);

const here = memory.here();
(here.length ? comeBack(here).catch(refused) : start()).catch((error) =>
	page(root, "Dice games", `${error.message} Reload the page to try again.`),
);
