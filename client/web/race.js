// The race: for one who plays, the table, the standings, the clock, what can be done; and as others see it.

import {buzz, play, still} from "./cards.js";
import {announce, ask, button, deed, dot, el, icon, say, setTitle, sheet, showSettings, toast, tool} from "./dom.js";
import {nameOf, ownTable} from "./room.js";
import {settings} from "./settings.js";
import {raceClock, ranking, standings} from "./standings.js";
import {makeTable} from "./table.js";
import {clock, minutes, number, summary, t} from "./texts.js";

const TICK_MS = 100;
const PLACES_EVERY_MS = 4_000;
const SUN_MS = 700;

export const stage = room => (room.playing ? playing(room) : watching(room));

function playing(room) {
	const time = (room.time ??= raceClock());
	const face = clockFace(time, room);
	const acts = actions(room);
	const own = ownTable(room, acts.update);
	const ranks = ranking(room, time);
	const tellNews = newsOf(room);
	const letSleep = keepAwake();
	ranks.lines.addEventListener("click", () => all(room));
	room.root.replaceChildren(
		el(
			"header.head",
			el("span.menu", tool("menu", t("race.menu"), {onclick: () => openMenu(room)}), el("span.brand", {"aria-hidden": "true"}, icon("logo"), t("page.name"))),
			face.element,
			el("span.aside", own.tray, face.limit, face.net),
		),
		ranks.element,
		own.element,
		acts.element,
		room.notice,
	);
	const tick = () => (face.tick(), tellNews());
	const beat = setInterval(tick, TICK_MS);
	return {
		update(event) {
			time.update(room.view, event);
			ranks.update();
			acts.update();
			tick();
		},
		farewell: () => room.attempt.hand?.state === "solved" && solved(),
		end() {
			clearInterval(beat);
			letSleep();
			own.end();
			ranks.end();
		},
	};
}

function clockFace(time, room) {
	const [tenth, lag] = [el("i", ""), el("b")];
	const shown = el("time", "", tenth);
	const [of, limit] = [el("small"), el("span.of.soft.small")];
	const tick = () => {
		const hidden = settings.get("clockHidden");
		const text = hidden ? "" : clock(time.now());
		const own = ownRow(room.view);
		const lag_ms = room.connection.lag_ms;
		say(shown.firstChild, text.slice(0, -2));
		say(tenth.firstChild, text.slice(-2));
		for (const each of [of, limit]) say(each, hidden ? "" : t("race.of", {limit: limitOf(room.view)}));
		say(lag, lag_ms === null ? "" : t("race.lag", {ms: lag_ms}));
		setTitle(...[text.slice(0, -2), own?.place && t("race.placeShort", {place: own.place})].filter(Boolean));
	};
	const element = el("div.clock", {role: "timer"}, shown, of);
	return {element, limit, net: el("span.net", lag), tick};
}

function actions(room) {
	const {attempt} = room;
	const score = room.view.options.goal === "score";
	const act = (key, onclick, letter, sign = key) => {
		const parts = [icon(sign), el("span", t(`race.${key}`)), letter && el("kbd", {"aria-hidden": "true"}, letter)];
		return el(`button.tool.${sign}`, {type: "button", onclick}, ...parts);
	};
	const undo = act("undo", attempt.undo, "U");
	const redo = act("redo", attempt.redo, "R");
	const hint = act("hint", attempt.hint, "H");
	const gather = act("gather", attempt.gather, "G");
	const restart = act("restart", async () => (await sure("restart")) && attempt.restart());
	const preferences = act("settings", () => showSettings());
	const end = score ? "finishHere" : "resign";
	const resign = act(end, async () => (await sure(end)) && attempt.resign(), null, "flag");
	const element = el("nav.actions", {label: t("race.actions")}, undo, redo, hint, gather, restart, preferences, resign);
	let stuck = false;
	const update = () => {
		if (!attempt.table) return;
		const {can, hand} = attempt;
		const {options} = room.view;
		undo.disabled = !can.undo;
		redo.disabled = !can.redo;
		undo.hidden = redo.hidden = !options.undo;
		hint.hidden = !can.hint;
		gather.hidden = !can.gather;
		restart.hidden = !options.restart;
		if (hand.stuck && !stuck) toast(t(`race.stuck${options.undo ? "Undo" : ""}${options.restart ? "Restart" : ""}`), {ms: 8000});
		stuck = hand.stuck;
	};
	return {element, update};
}

const sure = key => ask(t(`race.${key}Ask`), t(`race.${key}Text`), t(`race.${key}`), t("race.keep"));

function openMenu(room) {
	const entry = (sign, key, done) => deed(t(key), done, {sign, kind: "button ghost"});
	return sheet(
		t("race.menu"),
		el(
			"div.menu-list",
			entry("people", "room.about", room.about),
			entry("settings", "page.settings", () => showSettings()),
			entry("help", "race.help", room.help),
			entry("close", "room.leave", () => room.leave()),
		),
	);
}

function all(room) {
	const lines = standings(room.view);
	const live = setInterval(() => lines.update(room.view), 500);
	const legend = el("p.small.soft", `${t("race.legend")} ${t(`table.counts_${room.view.options.game}`)}`);
	sheet(t("race.standings"), el("div.all-rows", lines, legend)).then(() => clearInterval(live));
}

/** Says politely what has changed: one's own place, and rivals who have solved the deal. */
function newsOf(room) {
	const over = new Set(room.view.rows.filter(row => row.state !== "playing").map(row => row.seat));
	let [place, said] = [null, 0];
	return () => {
		const {rows, seat: self} = room.view;
		for (const {seat, state, elapsed_ms} of rows) {
			if (seat === self || state !== "solved" || over.has(seat)) continue;
			over.add(seat);
			play("rival");
			const told = {name: nameOf(room.view, seat), time: clock(elapsed_ms), until: limitOf(room.view)};
			toast(t("race.rivalSolved", told), {ms: 5000});
		}
		const own = ownRow(room.view);
		if (rows.length < 2 || !own?.place || own.place === place || performance.now() - said < PLACES_EVERY_MS) return;
		if (place !== null) announce(t("race.yourPlace", {place: own.place, of: number(rows.length)}));
		[place, said] = [own.place, performance.now()];
	};
}

async function solved() {
	const sun = el("div.solved-sun", {"aria-hidden": "true"});
	const wait = () => new Promise(resolve => setTimeout(resolve, SUN_MS));
	play("solved");
	buzz([30, 60, 30]);
	announce(t("race.solved"));
	if (still()) return;
	document.body.append(sun);
	await wait();
	sun.classList.add("fades");
	wait().then(() => sun.remove());
}

/** Keep the screen on while the page is seen; return what ends that. */
function keepAwake() {
	let lock = null;
	let over = false;
	const hold = async () => {
		if (!document.hidden) lock = (await navigator.wakeLock?.request("screen").catch(() => null)) ?? lock;
		if (over) lock?.release();
	};
	document.addEventListener("visibilitychange", hold);
	hold();
	return () => {
		over = true;
		document.removeEventListener("visibilitychange", hold);
		lock?.release();
	};
}

function watching(room) {
	const time = (room.time ??= raceClock());
	const ranks = ranking(room, time);
	const [shown, of, heading] = [el("time"), el("small"), el("h1")];
	const tables = el("section.tables", {label: t("race.tables")});
	const seen = new Map();
	room.root.replaceChildren(
		el("div.watch-head", heading, el("div.clock", {role: "timer"}, shown, of)),
		el("p.soft.watch-why", why(room.view)),
		ranks.element,
		tables,
		room.notice,
	);
	const beat = setInterval(() => {
		say(shown, clock(time.now()));
		say(of, t("race.of", {limit: limitOf(room.view)}));
		setTitle(minutes(time.now()), t("room.title", {room: room.view.room}));
	}, TICK_MS);
	return {
		update(event) {
			time.update(room.view, event);
			ranks.update();
			say(heading, headingOf(room.view));
			drawTables(room.view, tables, seen, event);
		},
		end() {
			clearInterval(beat);
			ranks.end();
		},
	};
}

const limitOf = ({closes_ms, options}) => minutes(closes_ms ?? options.limit_ms);

const ownRow = ({rows, seat}) => rows.find(row => row.seat === seat);

function headingOf(view) {
	const own = ownRow(view);
	if (own?.state === "solved") return t("race.solvedIn", {time: clock(own.elapsed_ms)});
	return own ? t("race.overForYou") : t("race.watch", {game: summary(view.options)});
}

function why(view) {
	if (view.options.view === "live") return t("race.tablesLive");
	return t(ownRow(view) ? "race.othersRace" : "race.late");
}

function drawTables(view, place, seen, event) {
	for (const [seat, {table, hand}] of Object.entries(view.seen)) {
		const before = seen.get(seat) ?? addTable(view, Number(seat), place);
		if (before.ply === hand.ply && before.state === hand.state) continue;
		const news = event.type === "Watched" && event.seat === Number(seat) && before.ply !== undefined;
		before.table.show(table, {steps: (news && event.steps) || []});
		say(before.nums, t("race.scoreMoves", {score: number(hand.score), moves: number(hand.moves), count: hand.moves}));
		seen.set(seat, {...before, ply: hand.ply, state: hand.state});
	}
}

function addTable(view, seat, place) {
	const name = nameOf(view, seat);
	const table = makeTable({game: view.options.game, label: t("race.tableOf", {name})});
	const nums = el("span.nums");
	place.append(el("article", el("header", dot(seat, name), el("span.who", name), nums), table.element));
	return {table, nums};
}
