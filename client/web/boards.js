// The leaderboards, and the pages of a deal and of a player.

import {laid} from "./attempt.js";
import {button, el, setTitle, tried} from "./dom.js";
import {cameTo, day, ending, isOwn, lineLink, listing, lookUp, marks, named, nothing, replayLink, rows} from "./listing.js";
import {GAMES} from "./protocol.js";
import {get} from "./server.js";
import {identity} from "./settings.js";
import {makeTable} from "./table.js";
import {clock, gameAndLevel, number, t, terms} from "./texts.js";

const PERIODS = ["day", "week", "all"];

const best = ({best_ms}) => (best_ms === null ? "–" : clock(best_ms));
const percent = ({share}) => new Intl.NumberFormat(document.documentElement.lang, {style: "percent"}).format(Math.floor(share / 10_000) / 100);

const BOARDS = {
	average: [
		["time", "t num", line => clock(line.average_ms)],
		["best", "num soft", best],
		["attempts", "num wide soft", line => number(line.attempts)],
	],
	single: [
		["time", "t num", best],
		["moves", "num soft", line => number(line.best_moves)],
		["when", "num wide soft", line => day(line.best_started)],
	],
	share: [
		["solved", "t num", percent],
		["of", "num soft", ({solved, attempts}) => `${number(solved)} / ${number(attempts)}`],
		["best", "num wide soft", best],
	],
};

export async function boards(root, {query}) {
	const asked = askedOf(query), list = el("div");
	setTitle(t("boards.title"));
	root.append(el("div.heading", el("h1", t("boards.title"))), el("div.rows", choices(asked)), list);
	await lookUp(list, () => [get(`leaderboards?${new URLSearchParams(asked)}`)], page => list.append(...drawn(asked, page)));
}

function askedOf(query) {
	const of = (name, known, usual = known[0]) => (known.includes(query.get(name)) ? query.get(name) : usual);
	const game = of("game", Object.keys(GAMES));
	const suits = of("suits", GAMES[game].suits.map(String));
	return {game, suits, board: of("board", Object.keys(BOARDS), "single"), period: of("period", PERIODS, "all")};
}

function choices(asked) {
	const games = Object.entries(GAMES).flatMap(([game, {suits}]) => suits.map(count => ({game, suits: String(count)})));
	const row = (label, changes, text) => {
		const chosen = change => Object.keys(change).every(key => change[key] === asked[key]);
		const link = change => el("a", {href: `/leaderboards?${new URLSearchParams({...asked, ...change})}`, "aria-current": chosen(change) ? "page" : null}, text(change));
		return el("nav.choice.tabs", {label: t(`boards.${label}`)}, changes.map(link));
	};
	return [
		row("games", games, ({game, suits}) => gameAndLevel({game, suits: Number(suits)})),
		row("boards", Object.keys(BOARDS).map(board => ({board})), ({board}) => t(`boards.${board}`)),
		row("periods", PERIODS.map(period => ({period})), ({period}) => t(`boards.${period}`)),
	];
}

/** A place among *lines*, shared or not: who is equal the server says. */
const placed = (lines, {place}, shown) => (lines.filter(line => line.place === place).length > 1 ? "=" : "") + number(shown);

function drawn({board, period}, {lines, own}) {
	if (!lines.length) return [nothing(t(`boards.empty_${board === "average" ? board : period}`), t("boards.emptyText"), el("a.button.go", {href: "/"}, t("boards.start")))];
	const columns = [
		["", "t", line => (line.place === null ? "–" : placed(lines, line, line.place))],
		[t("boards.player"), "name", ({name, player}) => named(name, `/player/${player}`)],
		...BOARDS[board].map(([key, kind, told]) => [t(`boards.${key}`), kind, told]),
		["", "", ({best: attempt, name}) => attempt && replayLink({attempt, name})],
	];
	const far = own && !lines.some(({player}) => player === own.player) ? [own] : [];
	return [listing(t(`boards.${board}`), columns, ["", lines], [t("boards.own"), far]), el("p.facts", t(`boards.about_${board}`))];
}

/** Show a deal; with `?line=1` a line that wins it. */
export async function deal(root, {parts, query, hash}) {
	const path = `deals/${encodeURIComponent(parts[1])}`;
	if (query.has("line")) return showLine(root, path, hash);
	await lookUp(root, () => [get(path)], deal => {
		setTitle(deal.code);
		root.append(head(deal), attempts(deal));
	});
}

async function showLine(root, path, hash) {
	const {watch, lineOf} = await import("./replay.js");
	let end = () => {};
	await lookUp(root, () => [get(`${path}?line=1`)], deal => {
		const toDeal = el("a.button.go", {href: `/deal/${deal.code}`}, t("deal.toDeal"));
		if (!deal.line) return root.append(nothing(t("deal.noLine"), t("deal.noLineText"), toDeal));
		document.body.className = "replay";
		end = watch(root, [lineOf(deal, t("deal.line"))], {hash, speed: 2});
	});
	return () => end();
}

function head(deal) {
	const {game, code} = deal;
	const table = makeTable({game, label: t("deal.table")});
	table.show(laid(deal.table), {joined: deal.joined});
	return el(
		"div.deal-head",
		el("div.name", el("p.soft.small", gameAndLevel(deal)), el("h1", code)),
		el("div.deeds", button(t("deal.play"), {kind: "button go", sign: "right", onclick: () => play(deal)}), lineLink(deal)),
		el("div.mini", table.element),
	);
}

const play = ({game, suits, code}) => tried(async () => (await import("./landing.js")).makeRoom({game, suits, code}));

function attempts({game, attempts: all}) {
	if (!all.length) return nothing(t("deal.empty"), t("deal.emptyText"));
	const imported = all.filter(attempt => attempt.imported);
	const practice = all.filter(attempt => attempt.practice && !attempt.imported);
	const counted = all.filter(attempt => !attempt.practice && !attempt.imported);
	const first = ({place}) => counted.findIndex(attempt => attempt.place === place) + 1; // of those that count alone
	const text = key => t(`deal.${key}`);
	const columns = [
		["", "t", attempt => counted.includes(attempt) && placed(counted, attempt, first(attempt))],
		[text("player"), "name", attempt => named(attempt.name, `/player/${attempt.player}`, ...marks({...attempt, practice: false, imported: false}))],
		[text("time"), "t num", attempt => (attempt.won ? ending(attempt) : cameTo({game, ...attempt}))],
		[text("moves"), "num soft", ({moves}) => number(moves)],
		[text("score"), "num wide soft", ({score}) => number(score)],
		[text("how"), "wide soft small", how],
		[text("when"), "num wide soft", ({started}) => day(started)],
		["", "", replayLink],
	];
	return listing(text("attempts"), columns, ["", counted], [text("practice"), practice], [text("imported"), imported]);
}

const how = ({won, ranked, state, options}) =>
	[!won && ending({state}), ranked && t("deal.ranked"), ...(options ? terms({...options, code: null}) : [])].filter(Boolean).join(" · ");

const PAGE = 50;

/** Show a player; "me" is whoever asks, who may be nobody yet. */
export async function player(root, {parts}) {
	const who = parts[1] === "me" ? identity.get("player") : parts[1];
	const path = `players/${encodeURIComponent(who)}`;
	await lookUp(root, () => [who ? get(path) : {attempts: []}], ({id, name, attempts}) => {
		const own = !id || isOwn({player: id}), heading = own ? t("player.replays") : name;
		const start = own && el("a.button.go", {href: "/"}, t("player.start"));
		const list = attempts.length ? pages(path, name, attempts) : nothing(t("player.empty"), t(own ? "player.emptyOwn" : "player.emptyText"), start);
		const others = own && el("p.facts", el("a", {href: "/leaderboards"}, t("player.others")));
		setTitle(heading);
		root.append(el("div.heading", own && name && el("p.soft.small", name), el("h1", heading)), list, others || "");
	});
}

function pages(path, name, attempts) {
	const columns = columnsOf(name), list = listing(t("player.attempts"), columns, ["", attempts]);
	const add = async () => {
		const {attempt, started} = attempts.at(-1);
		more.disabled = true;
		await tried(async () => {
			({attempts} = await get(`${path}?${new URLSearchParams({started, before: attempt})}`));
			list.querySelector("tbody").append(...rows(columns, attempts));
			more.hidden = attempts.length < PAGE;
		});
		more.disabled = false;
	};
	const more = button(t("player.more"), {kind: "button more", onclick: add, hidden: attempts.length < PAGE});
	list.append(more);
	return list;
}

function columnsOf(name) {
	const text = key => t(`player.${key}`);
	const inRace = (race, ...words) => (race ? el("a", {href: `/race/${race}`}, ...words) : el("span", ...words));
	return [
		[text("deal"), "name", each => named(gameAndLevel(each), `/deal/${each.code}`, el("small.soft", el("span.mono", each.code), ...marks(each)))],
		[text("result"), "t num", each => (each.won ? ending(each) : [el("span.wide.soft", `${ending(each)} · `), cameTo(each)])],
		[text("moves"), "num wide soft", ({moves}) => number(moves)],
		[text("score"), "num wide soft", ({score}) => number(score)],
		[text("place"), "num wide", ({place, race}) => place !== null && inRace(race, number(place))],
		[text("when"), "num soft", ({started, race}) => inRace(race, day(started))],
		["", "", each => replayLink({...each, name})],
	];
}
