// SHA-256 and HMAC (FIPS 180-4, RFC 2104). WebCrypto has them only on pages that came over https, and only as promises.
const START = [];
const ROUND = [];
for (let n = 2; ROUND.length < 64; n++) {
	let prime = true;
	for (let d = 2; d * d <= n; d++) prime &&= n % d !== 0;
	if (prime && START.length < 8) START.push(fraction(n ** (1 / 2)));
	if (prime) ROUND.push(fraction(n ** (1 / 3)));
}

function fraction(root) {
	// the first 32 bits behind the point; doubles have at least 17 more
	return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

export const bytes = (data) => (typeof data === "string" ? new TextEncoder().encode(data) : data);
export const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export function sha256(text) {
	const data = bytes(text);
	const blocks = (data.length + 72) >> 6;
	const padded = new Uint8Array(blocks * 64);
	padded.set(data);
	padded[data.length] = 128;
	const view = new DataView(padded.buffer);
	const state = [...START];
	const w = new Int32Array(64);
	view.setUint32(padded.length - 8, data.length / 2 ** 29);
	view.setUint32(padded.length - 4, data.length << 3);
	const turn = (x, by) => (x >>> by) | (x << (32 - by));
	for (let block = 0; block < blocks; block++) {
		for (let i = 0; i < 64; i++) {
			if (i < 16) {
				w[i] = view.getInt32(block * 64 + i * 4);
				continue;
			}
			const a = w[i - 15];
			const b = w[i - 2];
			w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
		}
		let [a, b, c, d, e, f, g, h] = state;
		for (let i = 0; i < 64; i++) {
			const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i] + w[i]) | 0;
			const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
			[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
		}
		[a, b, c, d, e, f, g, h].forEach((value, i) => {
			state[i] = (state[i] + value) | 0;
		});
	}
	const digest = new DataView(new ArrayBuffer(32));
	state.forEach((value, i) => digest.setInt32(i * 4, value));
	return new Uint8Array(digest.buffer);
}

export function hmac(key, data) {
	const block = new Uint8Array(64);
	block.set(key.length > 64 ? sha256(key) : key);
	const inner = sha256(Uint8Array.of(...block.map((byte) => byte ^ 0x36), ...bytes(data)));
	return sha256(Uint8Array.of(...block.map((byte) => byte ^ 0x5c), ...inner));
}
