// Draws a tree of plain values into the page. Nodes that stay are kept, so nobody loses the focus by a redraw.
// Text becomes text nodes and is cleaned here, whoever wrote it. There is no way from a string to markup.
import { clean } from "./text.js";

const NODE = Symbol("node");
const SVG = ["svg", "rect", "circle", "text", "polyline"];
const known = new WeakMap();

/** h("p.soft", { key, onclick }, child, ...). Attributes may be left out; children that are false or empty are. */
export function h(spec, ...children) {
	const [tag, ...classes] = spec.split(".");
	const given = children[0];
	const named = given && typeof given === "object" && !given[NODE] && !Array.isArray(given);
	const { key, ...attributes } = named ? children.shift() : {};
	if (attributes.class) classes.push(attributes.class);
	if (classes.length) attributes.class = classes.join(" ");
	return { [NODE]: true, tag, key, attributes, children: children.flat(9).filter(Boolean) };
}

export function draw(parent, ...wanted) {
	wanted = wanted
		.flat(9)
		.filter(Boolean)
		.map((value) => (value[NODE] ? value : String(value))); // a foreign object is no node
	const free = [...parent.childNodes];
	const used = wanted.map((value) => {
		const at = free.findIndex((node) => known.get(node)?.tag === value.tag && known.get(node)?.key === value.key);
		return at < 0 ? made(value) : free.splice(at, 1)[0];
	});
	for (const node of free) node.remove();
	used.forEach((node, at) => {
		if (parent.childNodes[at] !== node) parent.insertBefore(node, parent.childNodes[at] ?? null);
		fill(node, wanted[at]);
	});
}

function made({ tag, key }) {
	const node = !tag
		? document.createTextNode("")
		: SVG.includes(tag)
			? document.createElementNS("http://www.w3.org/2000/svg", tag)
			: document.createElement(tag);
	if (tag) known.set(node, { tag, key, attributes: {} });
	return node;
}

function fill(node, value) {
	if (!value.tag) {
		const text = clean(value);
		if (node.data !== text) node.data = text;
		return;
	}
	const before = known.get(node);
	const now = value.attributes;
	for (const [name, is] of Object.entries({ ...before.attributes, ...now })) {
		if (name.startsWith("on")) node[name] = typeof now[name] === "function" ? now[name] : null;
		else if (before.attributes[name] === now[name]) continue;
		else if (["value", "checked"].includes(name)) node[name] = is;
		else if (name === "share")
			node.style.width = `${is}%`; // by script: the policy forbids style attributes
		else if (now[name] === undefined || now[name] === false) node.removeAttribute(name);
		else node.setAttribute(name, clean(now[name]));
	}
	before.attributes = now;
	draw(node, value.children);
}
