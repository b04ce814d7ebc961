// A race that is over: who won, everyone's places, the picture of it. In its room, and for ever at /race/ID.

import {chart} from "./chart.js";
import {button, colour, el, go, looking, setTitle, setTools, sheets, toasts} from "./dom.js";
import {came, ending, isOwn, lineLink, linkTool, lookUp, marks, replayLink} from "./listing.js";
import {GAMES} from "./protocol.js";
import {get} from "./server.js";
import {clock, gameAndLevel, levelName, listed, number, t, terms} from "./texts.js";

export async function show(root, {parts}) {
	await lookUp(root, () => [fetched(parts[1])], race => {
		setTitle(headline(race.attempts, race.options.goal));
		setTools(linkTool(t("results.link"), () => location.href));
		root.append(el("div.outcome", drawn(race)));
	});
}

/** The stage of *room* when its race is over. */
export function stage(room) {
	const {view} = room;
	const own = view.seat !== null || !view.seats.some(seat => seat.connected);
	const again = () => room.ask({type: "Rematch", race: view.race});
	const change = async () => (await sheets()).openOptions(room);
	const rematch = own && button(t("room.rematch"), {kind: "button go", onclick: again});
	const other = button(t("room.rematchOther"), {kind: "button ghost other", hidden: !room.host, onclick: change});
	const place = el("div");
	const element = el("div.outcome", place, el("div.after.act", rematch));
	document.body.classList.add("page");
	setTitle(t("room.results"), t("room.title", {room: view.room}));
	room.root.replaceChildren(element, toasts(), room.notice);
	const ask = () => [fetched(view.race), looking()];
	lookUp(place, ask, race => element.replaceChildren(...drawn(race, rematch), other));
	return {
		update: () => (other.hidden = !room.host),
		end: () => document.body.classList.remove("page"),
	};
}

const fetched = id => get(`races/${encodeURIComponent(id)}?points=1`);

function drawn(race, rematch) {
	const {attempts, options, code} = race;
	const about = el("p.sub", gameAndLevel({...race, mixed: options.mixed}), " · ", el("a.mono", {href: `/deal/${code}`}, code));
	return [
		el("div.title", el("h1", headline(attempts, options.goal)), about),
		el("ol.places", attempts.map(attempt => placeRow(attempt, race))),
		picture(race),
		el(rematch ? "div.after.act" : "div.after", rematch, lineLink(race)),
		el("p.facts", facts(race).map(fact => fact && el("span", fact))),
	];
}

function picture({attempts, game}) {
	const onpick = (ms, seat) => {
		const {attempt, start_ms} = attempts.find(each => each.seat === seat);
		go(`/replay/${attempt}#t=${Math.max(0, ms - start_ms)}`);
	};
	const until_ms = Math.max(...attempts.map(endOf));
	const drawing = chart({lines: attempts.map(attempt => lineOf(attempt, GAMES[game])), game, until_ms, onpick});
	return el("section.picture-box.panel", el("h2", t("results.race"), el("small.soft", t("results.tap"))), drawing);
}

const endOf = ({start_ms, elapsed_ms}) => start_ms + elapsed_ms;

function lineOf(attempt, {leaves}) {
	const {name, seat, points, won} = attempt;
	const grew = ([, , home], i) => leaves > 1 && home > points[i - 1]?.[2];
	const gone = points.filter(grew).map(([ms]) => ms);
	return {name, seat, points, gone, own: isOwn(attempt), over: true, solved: won, end_ms: endOf(attempt)};
}

function placeRow(attempt, race) {
	const {name, player, place, seat, won} = attempt, own = isOwn(attempt);
	const who = [el("a", {href: `/player/${player}`}, name), own && el("span.gone-sr", t("page.you"))];
	return el(
		`li.place-row.${colour(seat)}${own ? ".me" : ""}${won && place === 1 ? ".won" : ""}`,
		el("span.n", place === null ? "–" : number(place)),
		el("span", el("span.name", who), el("span.more", more(attempt, race).map(words => words && el("span", words)), marks(attempt))),
		time(attempt, race),
		replayLink(attempt),
	);
}

const more = ({game, suits, moves, score, won, progress, hints, lag_ms}, {options: {goal, mixed}}) => [
	mixed && levelName(game, suits),
	t("results.moves", {count: moves}),
	won ? goal === "time" && score !== GAMES[game].top && t("results.points", {count: score}) : came(game, progress),
	hints > 0 && t("results.hints", {count: hints}),
	lag_ms !== null && t("results.lag", {ms: lag_ms}),
];

function time(attempt, {attempts: [winner], options}) {
	const {won, score, elapsed_ms, place} = attempt;
	if (options.goal === "score") return el("span.time", t("results.points", {count: score}), el("small", ending(attempt)));
	if (!won) return el("span.time.none", ending(attempt));
	return el("span.time", clock(elapsed_ms), el("small", place === 1 ? t("results.winner") : behind(elapsed_ms - winner.elapsed_ms)));
}

function facts({options, attempts, game}) {
	const {goal, code, deals} = options;
	const seen = attempts.filter(({practice}) => practice);
	const unranked = code ? "unrankedCode" : seen.length ? "unrankedSeen" : "unranked";
	const ranked = attempts.some(attempt => attempt.ranked) ? "ranked" : unranked;
	return [
		goal === "time" && t("options.goalTime"),
		...terms({...options, code: null}),
		t(`results.${ranked}`, {names: listed(names(seen)), count: seen.length}),
		t(`results.${code ? "chosen" : deals}`),
		t(`table.counts_${game}`),
	];
}

const MINUTE = 60_000;

const CLOSE_MS = 10_000;

/** Who won and by how much: to the winner in other words than to others. */
export function headline(attempts, goal) {
	const [first, second] = attempts, best = attempts.filter(({place}) => place === 1);
	const name = listed(names(best));
	const own = best.length === 1 && isOwn(first) ? "Own" : "";
	const told = (key, more) => t(`results.${key}${own}`, {name, ...more});
	if (!second) return first.won ? t("results.alone", {time: clock(first.elapsed_ms)}) : t("results.unsolved");
	if (!first.won) return name ? told("furthest") : t("results.nobody");
	if (second.place === 1) return t("results.shared", {names: name});
	return second.won ? told("by", {margin: margin(first, second, goal)}) : told("only");
}

function margin(first, second, goal) {
	const ms = second.elapsed_ms - first.elapsed_ms;
	const moves = second.moves - first.moves;
	const told = (key, count) => t(`results.${key}`, {count});
	if (goal === "score" && first.score > second.score) return told("points", first.score - second.score);
	if (goal === "score" ? moves : !ms) return told("fewer", moves);
	if (ms < 100) return told("milliseconds", ms);
	if (ms < 2 * MINUTE) return told("seconds", ms < CLOSE_MS ? Math.floor(ms / 100) / 10 : Math.floor(ms / 1000));
	return clock(ms);
}

const names = attempts => attempts.map(({name}) => name);

/** How far behind the winner someone solved it: "+29.4". */
const behind = ms => `+${ms < MINUTE ? number(Math.floor(ms / 100) / 10) : clock(ms)}`;
