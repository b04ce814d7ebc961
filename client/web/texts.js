// What people read, in the language of the page: i18next's JSON, version 4.

import {GAMES} from "./protocol.js";

let words = {};
let parts = {};
let plurals = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

export const LANGUAGES = {en: "English", ru: "Русский", id: "Bahasa Indonesia", ca: "Català"};

const SIGNS = {S: "♠", H: "♥", D: "♦", C: "♣"};
const CARD = /^([A2-9TJQK])([SHDC])$/;

/** Fetch the texts of *language*, from now on those of the page. */
export async function load(language) {
	words = await read(language);
	parts = {};
	plurals = new Intl.PluralRules(language);
	numbers = new Intl.NumberFormat(language);
	document.documentElement.lang = language;
}

/** Fetch the texts of a *part* of the page too, once. */
export function more(part) {
	const [known, wanted] = [words, parts];
	const taken = found => Object.assign(known, found);
	const failed = error => {
		delete wanted[part]; // to be asked for again
		throw error;
	};
	return (wanted[part] ??= read(`${part}/${document.documentElement.lang}`).then(taken, failed));
}

export async function read(name) {
	const answer = await fetch(`/locales/${name}.json`);
	if (!answer.ok) throw new Error(`no texts: ${name}`);
	return answer.json();
}

function find(key) {
	const dot = key.indexOf(".");
	return words[key.slice(0, dot)]?.[key.slice(dot + 1)];
}

export const has = key => find(key) !== undefined;

/** The text of *key*, with *params* put in; `count` chooses the plural. */
export function t(key, params = {}) {
	const text = (params.count !== undefined && find(`${key}_${plurals.select(params.count)}`)) || find(key) || key;
	return text.replace(/\{\{(\w+)\}\}/g, (whole, name) => (name in params ? shown(params[name]) : whole));
}

const shown = value => (typeof value === "number" ? number(value) : String(value));

export const number = value => numbers.format(value);

/** Minutes, seconds and tenths, the rest cut off: the same in every language. */
export const clock = ms => `${minutes(ms)}.${Math.floor((ms % 1000) / 100)}`;

export function minutes(ms) {
	const seconds = Math.floor(ms / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function cardText(text) {
	const found = CARD.exec(text);
	return found ? (found[1] === "T" ? "10" : found[1]) + SIGNS[found[2]] : text;
}

/** The sentence that says what was wrong and what would be right; what is no refusal is thrown on. */
export async function refusalText(refusal) {
	const {reason, rule = "", params = {}} = refusal;
	if (!reason) throw refusal;
	await more("refusal").catch(() => {}); // where the server is away, what is here has to do
	const key = [`refusal.${reason}_${rule}`, `refusal.${reason}`, `error.${reason}`].find(has);
	const readable = Object.entries(params).map(([name, value]) => [name, find(`param.${name}_${value}`) ?? cardText(value)]);
	return key ? t(key, Object.fromEntries(readable)) : t("error.unknown", {reason});
}

export const listed = names => new Intl.ListFormat(document.documentElement.lang).format(names);

// What is played

export const hasLevels = game => GAMES[game]?.suits.length > 1;

export const gameName = game => t(`game.${game}`);

export const levelName = (game, suits) => (hasLevels(game) ? t(`options.level${suits ?? GAMES[game].suits[0]}`) : "");

export const stateName = state => t(`race.state_${state}`);

export const gameAndLevel = ({game, suits, mixed}) =>
	[gameName(game), mixed ? t("options.mixedShort") : levelName(game, suits)].filter(Boolean).join(", ");

/** What is played, how long, and what is not as usual: "Simple Simon, Hard · 15 min". */
export const summary = options => [gameAndLevel(options), ...terms(options)].join("\u00a0· ");

export function terms(options) {
	const {code, goal, undo, restart, hint, view, game, limit_ms} = options;
	const unusual = [
		[code, code],
		[goal === "score", "options.goalScore"],
		[!undo, "options.noUndo"],
		[!restart, "options.noRestart"],
		[hint && GAMES[game]?.hints, "options.withHints"],
		[view === "live", "options.liveShort"],
	];
	const notes = unusual.filter(([holds]) => holds).map(([, key]) => t(key));
	return [t("options.minutes", {count: limit_ms / 60_000}).replace(" ", "\u00a0"), ...notes];
}
