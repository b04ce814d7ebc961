// The front page: a name and a race, a room or a game code, public rooms, ways to what has been.

import {button, el, go, icon, refill, sheet, submit} from "./dom.js";
import {optionFields, optionsOf} from "./options.js";
import {GAMES, OPTIONS} from "./protocol.js";
import {askLobby, nameField, nameIn, rename, trying} from "./rooms.js";
import {identity, like, settings} from "./settings.js";
import {gameAndLevel, refusalText, summary, t} from "./texts.js";

const ROOMS_EVERY_MS = 5_000;
const FAN = ["KS", "QH", "TC", "7D", "AS"];

export async function show(root) {
	const rooms = el("section.rooms", {hidden: true}, el("h2", t("landing.public")), el("ul"));
	root.append(
		el("div.hero", el("h1", t("landing.headline")), el("p", t("landing.about"))),
		fans(),
		startForm(),
		el("div.second", joinForm(), ways(), rooms),
	);
	const watch = setInterval(() => document.hidden || list(rooms), ROOMS_EVERY_MS);
	list(rooms);
	return () => clearInterval(watch);
}

/** Two hands of the same cards, dealt once there is space. */
function fans() {
	const sides = ["you", "friend"].map(key => el("figure", el("div.fan"), el("figcaption", t(`landing.${key}`))));
	const same = el("div.same", {"aria-hidden": "true"}, sides[0], el("div.equals", el("i"), el("i")), sides[1]);
	const space = new ResizeObserver(async () => {
		if (!same.offsetWidth) return;
		space.disconnect();
		const {card} = await import("./cards.js");
		for (const side of sides) side.firstChild.append(...FAN.map(text => el("div", card(text))));
	});
	space.observe(same);
	return same;
}

/** What was chosen last, as far as there is such a choice. */
function lastChosen() {
	const kept = settings.get("options");
	const options = {...like(OPTIONS, kept), suits: kept?.suits};
	return Object.hasOwn(GAMES, options.game) && ["time", "score"].includes(options.goal) ? options : OPTIONS;
}

function startForm() {
	const options = lastChosen();
	const [game, others] = optionFields(options);
	const more = el("div", {id: "more-options", hidden: true}, others);
	const onclick = () => fold.setAttribute("aria-expanded", String(!(more.hidden = !more.hidden)));
	const fold = button(t("landing.options"), {kind: "button ghost fold", sign: "down", "aria-expanded": "false", "aria-controls": more.id, onclick});
	const alone = button(t("landing.alone"), {kind: "button ghost fold", type: "submit"});
	const start = async (form, submitter) => {
		const chosen = optionsOf(form);
		settings.set("options", {...chosen, code: null});
		await rename(nameIn(form));
		await makeRoom(submitter === alone ? {...chosen, seats: 1, public: false} : chosen);
	};
	return trying(
		start,
		"form.start.panel",
		nameField({id: "own-name"}),
		game,
		submit(t("landing.start")),
		el("div.foot", fold, alone),
		more,
	);
}

function joinForm() {
	const field = {name: "where", placeholder: t("landing.where"), autocomplete: "off", spellcheck: "false", maxlength: 200};
	return trying(
		form => enter(form.elements.where.value.trim()),
		"form.join",
		el("label.field", el("span.gone-sr", t("landing.where")), el("input", {...field, required: true})),
		button(t("landing.join"), {kind: "button line", type: "submit"}),
	);
}

async function enter(text) {
	const own = document.getElementById("own-name").value.trim();
	if (own && !identity.get("token")) identity.set("name", own);
	const link = /\/(r|deal|race|replay)\/\S+$/.exec(text);
	if (link) go(link[0]);
	else if (isCode(text)) await makeRoom({...OPTIONS, code: /^\d+$/.test(text) ? `#${text}` : text});
	else go(`/r/${encodeURIComponent(text.replace(/\s/g, ""))}`);
}

function isCode(text) {
	const begins = Object.entries(GAMES).flatMap(([name, {prefix}]) => [`${prefix}\\s*\\d`, `${name}\\s`]);
	return new RegExp(`^(#|\\d+$|${begins.join("|")})`, "i").test(text);
}

function ways() {
	const way = (href, sign, key) => el("a", {href}, icon(sign), t(`landing.${key}`));
	return el(
		"nav.also",
		{label: t("landing.more")},
		way("/leaderboards", "trophy", "leaderboards"),
		way("/player/me", "play", "replays"),
		way(`/rules/${Object.keys(GAMES)[0]}`, "help", "rules"),
	);
}

/** Show the public rooms; offline what was known stays. */
async function list(section) {
	const answer = await fetch("/api/rooms").catch(() => null);
	if (!answer?.ok) return;
	const {rooms} = await answer.json();
	section.hidden = !rooms.length;
	refill(section.lastChild, ...rooms.slice(0, 8).map(roomLine));
}

function roomLine({room, host, phase, seats, options: told}) {
	const options = {...OPTIONS, ...told};
	const about = phase === "open" ? t("landing.seats", {taken: seats, of: options.seats}) : t("landing.racing");
	const link = {href: `/r/${room}`, title: summary(options)};
	return el("li", el("a", link, el("b", host), el("span.small.soft", gameAndLevel(options)), el("span.tag", about)));
}

// Making a room

/** Make a room and go there, asking for a name where there is none; return it, null for none. Throws a Refusal. */
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

/** A resend finds the room that its first sending made. */
const nonce = () => crypto.getRandomValues(new Uint32Array(3)).join("");

const askName = () => askFor(t("page.whoAreYou"), null, nameField(), form => identity.set("name", nameIn(form)));

async function askWord(refusal) {
	const input = el("input", {required: true, maxlength: 256, autocomplete: "off"});
	const field = el("label.field", el("span", t("page.word")), input);
	return askFor(t("page.word"), await refusalText(refusal), field, () => identity.set("word", input.value));
}

async function askFor(title, text, field, keep) {
	const send = submit(t("page.go"));
	const kept = form => {
		keep(form);
		form.closest("dialog").close("kept");
	};
	return (await sheet(title, trying(kept, "form.asks", text && el("p", text), field, send))) === "kept";
}
