// What opens over a page: the settings, the help, and a room's people and options.

import {ask, deed, el, go, save, sheet, shut, submit, toast, tried} from "./dom.js";
import {GAMES} from "./protocol.js";
import {choice, optionFields, optionsOf, toggle} from "./options.js";
import {nameField, nameIn, rename, trying} from "./rooms.js";
import {askLobby, get} from "./server.js";
import {LOOKS, SWITCHES, forgetIdentity, identity, settings} from "./settings.js";
import {LANGUAGES, gameName, summary, t} from "./texts.js";

/** How the page looks, plays, sounds and speaks, and who one is. *at*: what to begin with. */
export function openSettings(at) {
	const looks = Object.entries(LOOKS).map(([key, values]) => {
		const entries = values.map(value => [value, t(`settings.${key}_${value || "device"}`)]);
		return choice(key, t(`settings.${key}`), settings.get(key), entries, value => settings.set(key, value));
	});
	const speak = language => {
		content.closest("dialog").close();
		settings.set("language", language);
	};
	const flips = Object.keys(SWITCHES).map(key => toggle(key, t(`settings.${key}`), settings.get(key), on => settings.set(key, on)));
	const languages = choice("language", t("page.language"), document.documentElement.lang, Object.entries(LANGUAGES), speak);
	const content = el("div.hosting", languages, looks, el("div", flips), identity.get("token") && self());
	const shown = sheet(t("page.settings"), content);
	if (at) content.querySelector(`[name="${at}"]:checked`)?.focus();
	return shown;
}

function self() {
	return el(
		"section.self.two-up",
		el("p", t("settings.playing", {name: identity.get("name")})),
		el("a.button", {href: `/player/${identity.get("player")}`, onclick: event => shut(event)}, t("settings.attempts")),
		deed(t("settings.rename"), askNewName),
		deed(t("settings.export"), takeAlong),
		deed(t("settings.forget"), askForget),
	);
}

function askNewName() {
	const take = async form => {
		await rename(nameIn(form));
		form.closest("dialog").close();
		toast(t("settings.renamed", {name: identity.get("name")}));
	};
	return sheet(t("settings.rename"), trying(take, "form.asks", nameField(), submit(t("settings.rename"))));
}

const takeAlong = () => tried(async () => save("samedeal.json", await get("players/me/export")));

const askForget = () => tried(async () => {
	if (!(await ask(t("settings.forgetAsk"), t("settings.forgetText"), t("settings.forget"), t("page.no")))) return;
	await askLobby({type: "Forget"});
	forgetIdentity();
	identity.set("name", "");
	go("/");
});

const KEYS = {
	"← ↑ → ↓": "help.arrows",
	"␣ ↵": "help.choose",
	"1…0 a…d h": "help.type",
	Esc: "help.escape",
	U: "race.undo",
	R: "race.redo",
};

export function openHelp(game) {
	const keys = {...KEYS, ...(GAMES[game].hints && {H: "race.hint", G: "race.gather"}), "?": "race.help"};
	const ways = ["help.drag", "help.tap", "help.double"].map(key => el("li", t(key)));
	const rows = Object.entries(keys).flatMap(([key, does]) => [el("dt", el("kbd", key)), el("dd", t(does))]);
	const rules = el("a.button", {href: `/rules/${game}`, target: "_blank"}, t("race.rulesOf", {game: gameName(game)}));
	const typed = el("details", {open: matchMedia("(any-hover: hover)").matches}, el("summary", t("help.keys")), el("dl.keys", rows));
	return sheet(t("race.help"), el("div.hosting", el("ul", ways), rules, typed));
}

/** What is played in *room*, who is here, and what its host can do. */
export async function openRoom(room) {
	const {invitation} = await import("./waiting.js");
	const {view, host} = room;
	const {phase, options} = view;
	const content = el(
		"div.hosting",
		el("p.soft", summary(options)),
		phase !== "open" && invitation(view.room),
		here(room),
		host && toggle("locked", t("host.lock"), view.locked, locked => room.ask({type: "Lock", locked})),
		host && ["open", "finished"].includes(phase) && deed(t("host.close"), () => close(room), {kind: "button line"}),
		host && phase === "open" && optionsForm(room),
	);
	return sheet(t("room.title", {room: view.room}), content);
}

function here(room) {
	const {view, host} = room;
	const own = ({player}) => player === view.player;
	const tag = who => [who.host && el("span.tag", t("room.host")), own(who) && el("span.tag.you", t("page.you"))];
	const line = who => el("li", el("span.name", who.name), tag(who), host && !own(who) && deeds(room, who));
	return el("ul.people", {label: t("room.here")}, [...view.seats, ...view.watchers].map(line));
}

export const openPerson = (room, who) => sheet(who.name, deeds(room, who));

function deeds(room, {player, name, connected}) {
	const power = (key, type) => {
		const done = async () => (await sure(key, {name})) && room.ask({type, player});
		return deed(t(`host.${key}`), done, {label: `${t(`host.${key}`)}: ${name}`});
	};
	return el("span.two-up", connected && power("makeHost", "HandOver"), power("kick", "Kick"));
}

const close = async room => (await sure("close")) && room.ask({type: "Close"});

const sure = (key, named) => ask(t(`host.${key}Ask`, named), t(`host.${key}Text`), t(`host.${key}`), t("page.no"));

/** Ask how the next race is played, over the results of this one. */
export const openOptions = room => sheet(t("room.rematchOther"), optionsForm(room));

/** A step of its own: changing options takes every ready mark back. */
function optionsForm(room) {
	const {options, phase, race} = room.view;
	const onsubmit = async event => {
		event.preventDefault();
		const chosen = optionsOf(event.target);
		shut(event);
		if (phase === "finished" && !(await room.ask({type: "Rematch", race}))) return;
		if (await room.ask({type: "Configure", options: chosen})) settings.set("options", {...chosen, code: null});
	};
	const apply = submit(t("options.apply"));
	return el("form.hosting", {onsubmit}, el("h3", t("options.title")), optionFields(options), apply);
}
