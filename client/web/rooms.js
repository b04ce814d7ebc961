// Rooms: how they are played, as the fields of a form; making one, coming by a link, and saying who one is.

import {el, go, say, setTitle, sheet, submit} from "./dom.js";
import {GAMES, OPTIONS} from "./protocol.js";
import {identity} from "./settings.js";
import {gameName, hasLevels, levelName, refusalText, t} from "./texts.js";

const LIMITS_MIN = [3, 5, 10, 15, 20, 30, 60];
const SEATS = [2, 3, 4, 6, 8, 12, 16, 32, 64];

/** Show the room of the path: its door to somebody without a name, else the room itself. */
export async function show(root, {parts}) {
	const code = parts[1].toUpperCase();
	let [room, gone] = [null, false];
	const enter = async () => {
		const {Room} = await import("./room.js");
		if (!gone) room = new Room(root, parts[1], door);
	};
	const door = refusal => {
		room?.end();
		root.replaceChildren(doorForm(code, refusal, enter));
	};
	setTitle(t("room.title", {room: code}));
	if (identity.get("name")) await enter();
	else door();
	const end = () => {
		gone = true;
		room?.end();
	};
	return Object.assign(end, {retell: () => room?.retell()});
}

function doorForm(room, refusal, enter) {
	const come = async form => {
		await rename(nameIn(form));
		await enter();
	};
	const form = trying(
		come,
		"form.door.panel",
		el("h1", t("room.door", {room})),
		el("p.soft", t("room.doorAbout")),
		nameField({autofocus: true}),
		submit(t("landing.join")),
	);
	if (refusal) say(form.lastChild, refusalText(refusal));
	form.addEventListener("input", () => import("./room.js").catch(() => {})); // it comes again when it is needed
	return form;
}

/** A form that does *deed* once at a time, and says in its last line what was refused. */
export function trying(deed, spec, ...fields) {
	const wrong = el("p.wrong", {role: "alert"});
	const onsubmit = async event => {
		const {target: form, submitter} = event;
		event.preventDefault();
		say(wrong, "");
		form.inert = true;
		try {
			await deed(form, submitter);
		} catch (refusal) {
			if (!refusal.reason) throw refusal;
			say(wrong, refusalText(refusal));
		} finally {
			form.inert = false;
		}
	};
	return el(spec, {onsubmit}, ...fields, wrong);
}

/**
 * Make a room with *options* and go there, asking for a name where there is none. Throws a Refusal. Returns the room;
 * null where the asking led to nothing.
 */
export async function makeRoom(options) {
	if (!identity.get("name") && !(await askName())) return null;
	const room = await create({type: "Create", nonce: nonce(), options});
	if (room) go(`/r/${room}`);
	return room;
}

async function create(command) {
	try {
		return (await askLobby(command)).room;
	} catch (refusal) {
		if (refusal.reason !== "WRONG_WORD") throw refusal;
		return (await askWord(refusal)) ? create(command) : null;
	}
}

const askLobby = async command => (await import("./server.js")).askLobby(command);

/** A resend finds the room that its first sending made. */
const nonce = () => crypto.getRandomValues(new Uint32Array(3)).join("");

/** Give this browser's player another *name*, known to the server or not yet; throws a Refusal. */
export async function rename(name) {
	if (name === identity.get("name")) return;
	if (identity.get("token")) await askLobby({type: "Rename", name});
	else identity.set("name", name);
}

export function nameField(props) {
	const field = {name: "name", value: identity.get("name"), required: true, maxlength: 40, autocomplete: "nickname"};
	return el("label.field", el("span", t("page.yourName")), el("input", {...field, spellcheck: "false", ...props}));
}

export const nameIn = form => form.elements.name.value.trim();

const askName = () => askFor(t("page.whoAreYou"), null, nameField(), form => identity.set("name", nameIn(form)));

function askWord(refusal) {
	const input = el("input", {required: true, maxlength: 256, autocomplete: "off"});
	const field = el("label.field", el("span", t("page.word")), input);
	return askFor(t("page.word"), refusalText(refusal), field, () => identity.set("word", input.value));
}

async function askFor(title, text, field, keep) {
	const send = submit(t("page.go"));
	const kept = form => {
		keep(form);
		form.closest("dialog").close("kept");
	};
	return (await sheet(title, trying(kept, "form.asks", text && el("p", text), field, send))) === "kept";
}

// How a race is played, as fields

export function choice(name, legend, chosen, entries, onpick) {
	const one = ([value, text, more]) => {
		const input = el("input", {type: "radio", name, value, checked: value === chosen, onchange: onpick && (() => onpick(value))});
		return el("label", input, el("span", text, more && el("small", more)));
	};
	return el("fieldset.setting", el("legend", legend), el("div.choice", entries.map(one)));
}

export function toggle(name, text, checked, onflip) {
	const onchange = onflip && (event => onflip(event.target.checked));
	return el("label.switch", el("span", text), el("input", {type: "checkbox", role: "switch", name, checked, onchange}));
}

function picker(name, chosen, usual, text) {
	const values = [...new Set([...usual, chosen])].sort((a, b) => a - b);
	const choices = values.map(value => el("option", {value, selected: value === chosen}, text(value)));
	return el("label.field", el("span", t(`options.${name}`)), el("select.input", {name}, choices));
}

export function gameFields(options) {
	const levels = el("div");
	const fill = game => levels.replaceChildren(...(hasLevels(game) ? [levelChoice(game, options.suits)] : []));
	const games = Object.keys(GAMES).map(game => [game, gameName(game)]);
	fill(options.game);
	return el("div.two", choice("game", t("options.game"), options.game, games, fill), levels);
}

function levelChoice(game, chosen) {
	const {suits} = GAMES[game];
	const entries = suits.map(count => [count, levelName(game, count), t("options.suits", {count})]);
	return choice("suits", t("options.level"), suits.includes(chosen) ? chosen : suits[0], entries);
}

export function moreFields(options) {
	const goals = [["time", t("options.goalTime")], ["score", t("options.goalScore")]];
	const flip = (name, on = options[name]) => toggle(name, t(`options.${name}`), on);
	const code = {name: "code", value: options.code ?? "", maxlength: 40, autocomplete: "off", spellcheck: "false"};
	return el(
		"div.more",
		choice("goal", t("options.goal"), options.goal, goals),
		el(
			"div.pair-fields",
			picker("limit", options.limit_ms / 60_000, LIMITS_MIN, count => t("options.minutes", {count})),
			picker("seats", options.seats, SEATS, String),
		),
		["undo", "restart", "hint", "public", "mixed"].map(name => flip(name)),
		flip("live", options.view === "live"),
		flip("any", options.deals === "any"),
		el("label.field", el("span", t("options.code")), el("input", code)),
		el("p.small.soft", t("options.rankedNote")),
	);
}

export function optionsOf(form) {
	const said = new FormData(form);
	const game = said.get("game");
	const flags = ["undo", "restart", "hint", "public"].map(name => [name, said.has(name)]);
	return {
		...OPTIONS,
		...Object.fromEntries(flags),
		game,
		suits: hasLevels(game) ? Number(said.get("suits")) : null,
		mixed: said.has("mixed") && hasLevels(game),
		goal: said.get("goal"),
		limit_ms: Math.round(said.get("limit") * 60_000),
		seats: Number(said.get("seats")),
		view: said.has("live") ? "live" : "after",
		deals: said.has("any") ? "any" : "pool",
		code: said.get("code").trim() || null,
	};
}
