// Lists of attempts and of players: one's own line lit, and what is said of an attempt in a word or two.

import {bones, copyLink, el, icon, notice, toast, tool, unreached} from "./dom.js";
import {GAMES} from "./protocol.js";
import {identity} from "./settings.js";
import {clock, has, number, refusalText, stateName, t} from "./texts.js";

/** *columns*: heading, classes and content of each; *parts*: title and items of each, left out where there are none. */
export function listing(label, columns, ...parts) {
	const head = columns.map(([text, kind]) => el(text ? "th" : "td", {class: kind, scope: text ? "col" : null}, text));
	const title = text => text && el("tr", el("td"), el("th", {scope: "rowgroup", colspan: columns.length - 1}, text));
	const bodies = parts.filter(([, items]) => items.length).map(([text, items]) => el("tbody", title(text), rows(columns, items)));
	return el("section.board.panel", el("table", {label}, el("thead", el("tr", head)), bodies));
}

export const rows = (columns, items) =>
	items.map(item => el(isOwn(item) ? "tr.me" : "tr", columns.map(([, kind, told]) => el("td", {class: kind}, told(item)))));

export const isOwn = ({player}) => player !== undefined && player === identity.get("player");

export const nothing = (title, text, action) => el("section.nothing.panel", el("h2", title), el("p.soft", text), action);

export const named = (text, href, ...more) => el("span", el("a", {href}, text), ...more);

export const marks = ({won, clean, practice, imported, bot}) => [
	won && clean && el("span.tag.good", icon("check"), t("results.clean")),
	...Object.entries({practice, imported, bot}).map(([key, holds]) => holds && el("span.tag", t(`results.${key}`))),
];

export const cameTo = ({game, progress}) => el("span", {title: came(game, progress)}, `${number(progress)} / ${number(GAMES[game].top)}`);

export const came = (game, progress) => t(`results.progress_${game}`, {count: progress, of: GAMES[game].top});

export const ending = ({won, elapsed_ms, state}) => (won ? clock(elapsed_ms) : stateName(state));

export const lineLink = ({code, has_line}) =>
	has_line && el("a.button", {href: `/deal/${code}?line=1`}, icon("play"), t("deal.line"));

export function replayLink({attempt, name}) {
	const label = t("results.replayOf", {name});
	return el("a.tool", {href: `/replay/${attempt}`, label, title: label}, icon("play"));
}

/** The day of UTC text, near ones by their names. */
export function day(text) {
	const [date, now, {lang}] = [new Date(text), new Date(), document.documentElement];
	const midnight = each => Date.UTC(each.getFullYear(), each.getMonth(), each.getDate());
	const ago = (midnight(now) - midnight(date)) / 86_400_000;
	if (ago < 2) return new Intl.RelativeTimeFormat(lang, {numeric: "auto"}).format(-ago, "day");
	const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
	return new Intl.DateTimeFormat(lang, {day: "numeric", month: "short", year}).format(date);
}

/** Hand what *ask* is answered to *draw*, which fills *root*; where that fails say so, with a way to ask again. */
export async function lookUp(root, ask, draw) {
	let answers;
	root.replaceChildren(bones());
	try {
		answers = await Promise.all(ask());
	} catch (error) {
		const again = () => lookUp(root, ask, draw);
		const said = error.reason && error.reason !== "UNREACHED";
		return root.replaceChildren(said ? await refused(error, again) : unreached(again));
	}
	if (!root.isConnected) return; // another page is there by now
	root.replaceChildren();
	draw(...answers);
}

/** Why not, in words made for it where there are such. */
async function refused(refusal, retry) {
	const key = `lookup.${refusal.reason}`, again = refusal.reason === "NOT_FOUND" ? null : retry;
	if (has(key)) return notice(t(key), t(`${key}Text`), {again});
	return notice(t("lookup.other"), await refusalText(refusal), {again});
}

export function linkTool(label, address) {
	const onclick = async () => (await copyLink(address(), label)) && toast(t("room.copied"));
	return tool("link", label, {onclick});
}
