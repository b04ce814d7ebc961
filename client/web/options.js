// How a race is played, as the fields of a form.

import {el} from "./dom.js";
import {GAMES, OPTIONS} from "./protocol.js";
import {gameName, hasLevels, levelName, t} from "./texts.js";

const LIMITS_MIN = [3, 5, 10, 15, 20, 30, 60];
const SEATS = [2, 3, 4, 6, 8, 12, 16, 32, 64];

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

/** The fields of game and level, and all others; what does not apply to the game is hidden. */
export function optionFields(options) {
	const levels = el("div");
	const more = moreFields(options);
	const applies = (name, holds) => (more.querySelector(`[name=${name}]`).parentElement.hidden = !holds);
	const fill = game => {
		levels.replaceChildren(...(hasLevels(game) ? [levelChoice(game, options.suits)] : []));
		applies("hint", GAMES[game].hints);
		applies("mixed", hasLevels(game));
	};
	const games = Object.keys(GAMES).map(game => [game, gameName(game)]);
	fill(options.game);
	return [el("div.two", choice("game", t("options.game"), options.game, games, fill), levels), more];
}

function levelChoice(game, chosen) {
	const {suits} = GAMES[game];
	const entries = suits.map(count => [count, levelName(game, count), t("options.suits", {count})]);
	return choice("suits", t("options.level"), suits.includes(chosen) ? chosen : suits[0], entries);
}

function moreFields(options) {
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
	return {
		...OPTIONS,
		undo: said.has("undo"),
		restart: said.has("restart"),
		public: said.has("public"),
		game,
		suits: hasLevels(game) ? Number(said.get("suits")) : null,
		mixed: said.has("mixed") && hasLevels(game),
		hint: said.has("hint") && GAMES[game].hints,
		goal: said.get("goal"),
		limit_ms: Math.round(said.get("limit") * 60_000),
		seats: Number(said.get("seats")),
		view: said.has("live") ? "live" : "after",
		deals: said.has("any") ? "any" : "pool",
		code: said.get("code").trim() || null,
	};
}
