// Checks the dice of a log of dicegames: node verify.mjs FILE
//
// A second opinion, written from docs/fair-dice.md and docs/protocol.md only. It needs Node 18 and no library. It knows no
// rules of any game: it checks hashes, chains, committees, dice and secrets. Exit code 0: all dice follow from what was
// shown. 1: something is wrong. 6: nothing is wrong, but it is not proven; the last line says why.
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const LENGTH = 64, MOST_MEMBERS = 8, LARGE_COMMITTEE = 7;
const sha = (data) => createHash("sha256").update(data).digest();
const shaHex = (data) => sha(data).toString("hex");
const hmac = (key, data) => createHmac("sha256", key).update(data).digest();
const bytes = (hex) => Buffer.from(hex, "hex");
const follows = (link, before) => /^[0-9a-f]{64}$/.test(link ?? "") && shaHex(bytes(link)) === before;

function canonical(value) { // sorted keys, no blanks, ASCII
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value && typeof value === "object")
    return `{${Object.keys(value).sort().map((key) => `${canonical(key)}:${canonical(value[key])}`).join(",")}}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function merged(target, patch) { // RFC 7396
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const result = { ...(target && typeof target === "object" && !Array.isArray(target) ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

function commitment(secret) {
  let value = secret;
  for (let i = 0; i < LENGTH; i++) value = sha(value);
  return value.toString("hex");
}

function roll(key, r, count, sides) {
  const fair = 256 - (256 % sides), faces = [];
  for (let counter = 0; faces.length < count; counter++) {
    const block = Buffer.alloc(4);
    block.writeUInt32BE(counter);
    for (const byte of hmac(key, Buffer.concat([Buffer.from(`roll|${r}|${count}|${sides}|`), block])))
      if (byte < fair && faces.length < count) faces.push((byte % sides) + 1);
  }
  return faces;
}

function committee(commit, tips) {
  const seats = Object.keys(tips).map(Number).sort((a, b) => a - b);
  if (seats.length <= MOST_MEMBERS) return seats;
  const drawn = shaHex(canonical([commit, seats.map((seat) => [seat, tips[seat]])]));
  const rank = Object.fromEntries(seats.map((seat) => [seat, shaHex(`committee|${drawn}|${seat}`)]));
  const chosen = [...seats].sort((a, b) => (rank[a] < rank[b] ? -1 : 1)).slice(0, LARGE_COMMITTEE);
  return chosen.sort((a, b) => a - b);
}

const same = (one, other) => canonical(one ?? null) === canonical(other ?? null);
const nextOf = (fair, seat) => fair.tips?.[seat] ?? fair.links?.[seat] ?? "";

let table = {}, head = "", r = 0, draws = 0, game = null;
const wrong = [], doubts = new Set();

function tipsOf(cause, fair) {
  const tips = {};
  for (const [seat, player] of Object.entries(table.seats ?? {})) {
    if (player.bot || player.left) continue;
    const given = Number(seat) === cause.seat ? cause.args?.commit : undefined;
    const goesOn = fair.scheme === 2 && table.game?.seats?.[seat] && !fair.out?.[seat] ? nextOf(fair, seat) : "";
    const tip = given || player.commit || goesOn;
    if (tip) tips[seat] = tip;
  }
  return tips;
}

function begins(update, fair, after, say) {
  const goesOn = update.events.some((event) => event.kind === "game_goes_on");
  if (fair.scheme === 2 && fair.secret === undefined) say("the commitment was exchanged");
  if (!goesOn && !["start", "ready", "rematch"].includes(update.cause.kind)) say("the commitment was exchanged");
  if (game && !game.ended) doubts.add(`game ${game.number} has no end`);
  game = { number: (table.room.game_no ?? 0) + (goesOn ? 0 : 1), ended: false };
  if (after.scheme !== 2) return doubts.add(`game ${game.number} is of scheme 1, which this program does not check`);
  if (goesOn && table.room.options?.dice !== "entered") say("a game that was over goes on");
  if (goesOn) return undefined;
  r = 0;
  const tips = tipsOf(update.cause, fair), chosen = committee(after.commit, tips);
  if (!same(after.committee ?? [], chosen)) say("the committee is not the one that follows from the tips");
  if (!same(after.links ?? {}, Object.fromEntries(chosen.map((seat) => [seat, tips[seat]])))) say("wrong tips");
  if (after.link !== undefined && !follows(after.link, after.commit)) say("the server's link does not follow");
  const names = (after.without ?? []).map((seat) => table.seats[seat].name);
  if (names.length) doubts.add(`game ${game.number}: without a part in the dice: ${names.join(", ")}`);
  return undefined;
}

function shown(update, fair, after, say) {
  for (const [seat, link] of Object.entries(after.links ?? {}))
    if (link !== fair.links?.[seat] && !follows(link, nextOf(fair, seat))) say(`the link of seat ${seat} does not follow`);
  if (after.link !== fair.link && !follows(after.link, fair.tip ?? fair.link ?? fair.commit))
    say("the server's link does not follow");
  const rolled = update.cause.drawn?.r !== undefined, uses = ["roll", "redraw", "abandon"];
  if (!same(after.links, fair.links) && !rolled && !uses.includes(update.cause.kind)) say("links without a roll");
  if (after.link !== fair.link && !rolled) say("a link of the server without a roll");
  const { kind, seat, args } = update.cause, left = kind === "leave" ? seat : kind === "kick" ? args?.target : null;
  const gone = (fair.committee ?? []).filter((member) => !(after.committee ?? []).includes(member));
  if ((after.committee ?? []).some((member) => !(fair.committee ?? []).includes(member))) say("the committee has grown");
  if (gone.some((member) => member !== left && !after.out?.[member])) say("a member is gone without a reason");
  if (kind === "redraw")
    doubts.add(`game ${game?.number}: drawn anew because ${Object.values(after.out ?? {}).join(", ")} did not answer`);
}

function drawn(update, fair, after, say) {
  const dice = update.cause.drawn;
  if (fair.pending && ["move", "time"].includes(update.cause.kind)) say("a move while the dice were rolling");
  if (after.pending && !same(after.pending, fair.pending) && !same(after.pending.members, after.committee ?? []))
    say("not all members are asked");
  if (fair.pending && !after.pending && !["roll", "abandon"].includes(update.cause.kind)) say("dice were never rolled");
  if (after.pending && !same(after.pending, fair.pending) && update.cause.draw !== after.pending.draw)
    say("links are asked for, though nobody has decided to roll");
  if (dice?.r === undefined) return;
  const begun = update.patch.fair?.commit !== undefined, members = fair.pending?.members ?? after.committee ?? [];
  if (fair.pending && (dice.count !== fair.pending.count || dice.sides !== fair.pending.sides)) say("other dice than decided");
  if (dice.r !== ++r) say("a draw is missing");
  if (members.some((seat) => after.links?.[seat] === fair.links?.[seat])) say("dice before all links were shown");
  if (!members.length) doubts.add(`game ${game?.number}: no player had a part in some dice`);
  draws += 1;
  if (!(dice.sides >= 1 && dice.sides <= 256 && dice.count >= 0 && dice.count <= 1000)) return say("there are no such dice");
  if (dice.faces === undefined) return; // hidden: worked out from the secret by those who know the rules
  if (after.link === undefined || (after.link === fair.link && !begun)) return say("the server has shown no link");
  const { code, game: key, rules, game_no = 0, phase } = table.room;
  const links = [...members].sort((a, b) => a - b).map((seat) => [seat, after.links[seat]]);
  const text = canonical({ commit: after.commit, epoch: after.epoch, game: key, links, r: dice.r, room: code, rules, v: 2,
    game_no: game_no + (phase === "playing" ? 0 : 1) });
  const faces = roll(hmac(bytes(after.link), sha(text)), dice.r, dice.count, dice.sides);
  if (!same(faces, dice.faces)) say(`the dice should be ${faces.join(" ")}`);
}

function look(line, expected) {
  const update = JSON.parse(line), fair = table.fair ?? {};
  const say = (sentence) => wrong.push(`update ${update.seq}: ${sentence}`);
  if (update.seq !== expected) say(`update ${expected} is missing`);
  if (update.prev === undefined && expected > 1) {
    if (table.room?.id) say("it does not name the update before it");
    doubts.add("not every update names the one before");
  }
  else if (expected > 1 && update.prev !== head) say("it does not follow the update before it");
  const after = "fair" in update.patch ? merged(fair, update.patch.fair) ?? {} : fair;
  if (update.patch.fair?.commit !== undefined) begins(update, fair, after, say);
  else if (after.scheme === 2) shown(update, fair, after, say);
  if (after.scheme === 2) {
    drawn(update, fair, after, say);
    if (after.secret !== undefined && fair.secret === undefined) {
      if (commitment(bytes(after.secret)) !== after.commit) say("the secret is not the one that was promised");
      if (game && !update.events.some((event) => ["game_over", "not_dealt"].includes(event.kind)))
        doubts.add(`game ${game.number} was abandoned`);
      if (game) game.ended = true;
    } else if (after.secret !== undefined && ["move", "time", "roll", "redraw"].includes(update.cause.kind) &&
      update.cause.move?.faces === undefined) say("it is played on after the secret was shown");
    if (game && update.events.some((event) => event.kind === "game_over") && after.secret === undefined)
      say("the game is over, and the secret was not shown");
  }
  if (update.cause.kind === "roll" && update.cause.drawn?.r === undefined && !update.events.some((e) => e.kind === "not_dealt"))
    say("a roll without dice");
  if (table.room?.id && update.events.some((e) => e.kind === "game_started") && after.scheme !== 2) say("no fair dice");
  table = merged(table, update.patch);
  head = shaHex(line);
}

if (!process.argv[2]) {
  console.log("usage: node verify.mjs FILE");
  process.exit(2);
}
try {
  readFileSync(process.argv[2], "utf8").split(/\r?\n/).filter((line) => line.trim()).forEach((line, at) => look(line, at + 1));
} catch (error) {
  wrong.push(`this is no log: ${error.message}`);
}
if (!head) wrong.push("this is no log: there is no update in it");
if (game && !game.ended) doubts.add(`game ${game.number} is not over`);
if (wrong.length) console.log(`WRONG: ${wrong[0]}`);
else if (doubts.size) console.log(`Nothing is wrong, but it is not proven: ${[...doubts].join("; ")}.`);
else console.log(`All ${draws} draws follow from what was shown.`);
process.exit(wrong.length ? 1 : doubts.size ? 6 : 0);
