// The live standings, the time, and the race so far.

import {glide, still} from "./cards.js";
import {colour, el, looking, say, toasts} from "./dom.js";
import {GAMES} from "./protocol.js";
import {nameOf} from "./room.js";
import {clock, number, stateName, t} from "./texts.js";

export function standings(view) {
	const list = el("ol.standings", {label: t("race.standings")});
	const lines = new Map();
	list.update = now => {
		const before = new Map([...lines].map(([seat, line]) => [seat, line.offsetTop]));
		const close = near(now);
		for (const row of now.rows) {
			if (!lines.has(row.seat)) lines.set(row.seat, makeLine(now, row.seat));
			fill(lines.get(row.seat), row, now, close);
		}
		const order = now.rows.map(({seat}) => lines.get(seat));
		if (order.every((line, index) => list.children[index] === line)) return;
		list.replaceChildren(...order);
		if (!still()) for (const [seat, top] of before) glide(lines.get(seat), {left: 0, top}, {left: 0, top: lines.get(seat).offsetTop});
	};
	list.update(view);
	return list;
}

/** The seat just ahead of one's own; for the leader the one behind. */
function near({rows, seat}) {
	const own = rows.findIndex(row => row.seat === seat);
	return rows[own > 0 ? own - 1 : 1]?.seat;
}

function makeLine(view, seat) {
	const own = seat === view.seat;
	return el(
		`li.row.${colour(seat)}${own ? ".me" : ""}`,
		{vars: {"--of": GAMES[view.options.game].top}},
		el("span.place"),
		el("span.who", nameOf(view, seat), own && el("span.gone-sr", ` (${t("page.you")})`)),
		el("span.nums", el("b"), el("small", el("span"), el("span.full"))),
		el("span.bar", el("i")),
	);
}

function fill(line, {seat, place, state, score, moves, progress, elapsed_ms}, view, close) {
	const [placed, , nums, bar] = line.children;
	const [best, more] = nums.children;
	const ended = ["solved", "playing"].includes(state) ? "" : stateName(state);
	line.classList.toggle("ahead", seat === close);
	line.classList.toggle("away", !view.seats.some(each => each.seat === seat && each.connected));
	say(placed, place === null ? "–" : number(place));
	say(best, state === "solved" ? clock(elapsed_ms) : number(score));
	say(more.children[0], ` · ${ended || number(moves)}`);
	say(more.children[1], ended ? "" : ` ${t("race.movesWord", {count: moves})}`);
	bar.firstChild.style.setProperty("--v", progress);
}

/** The standings of *room* and, by the clock *time*, the race so far. */
export function ranking(room, time) {
	const lines = standings(room.view);
	const soFar = picture(room, time);
	const update = () => (lines.update(room.view), soFar.update());
	return {element: el("div.ranking", lines, toasts(), soFar.element), lines, update, end: soFar.end};
}

// Race time, as it was last told and has gone on since

const NEWS = ["Shown", "Snapshot", "Began", "Standings"];

/** So far apart two clocks may be by the way between them. */
const NEAR_MS = 1_000;

export function raceClock() {
	let [told_ms, at, paused] = [0, performance.now(), false];
	const now = () => told_ms + (paused ? 0 : performance.now() - at);

	/** A clock that is a little ahead does not go back for what it is told. */
	function update(view, {type}) {
		if (!NEWS.includes(type)) return;
		const [now_ms, {elapsed_ms}] = [now(), view];
		told_ms = Math.abs(elapsed_ms - now_ms) < NEAR_MS ? Math.max(elapsed_ms, now_ms) : elapsed_ms;
		[at, paused] = [performance.now(), view.paused];
	}

	return {now, update};
}

// The race so far, as the standings have told it; where the screen has space

const DRAWN_EVERY_MS = 1_000;
const LEAST_MS = 30_000;

/** What has been told of the race that is on. */
let course = {};

function picture(room, time) {
	if (course.race !== room.view.race) course = {race: room.view.race, points: new Map()};
	const {points} = course;
	const drawing = el("div");
	let chart = null;

	function update() {
		for (const {seat, progress} of room.view.rows) {
			const line = points.get(seat) ?? [];
			if (line.at(-1)?.[1] !== progress) points.set(seat, [...line, [Math.round(time.now()), progress]]);
		}
	}

	function told() {
		const {view} = room;
		const lines = view.rows.map(({seat, state}) => ({
			name: nameOf(view, seat),
			seat,
			points: points.get(seat) ?? [],
			own: seat === view.seat,
			solved: state === "solved",
			over: state !== "playing",
		}));
		return {lines, game: view.options.game, until_ms: Math.max(LEAST_MS, time.now())};
	}

	async function draw() {
		if (!drawing.offsetWidth || !room.view.rows.length) return;
		if (!chart) {
			const [module] = await Promise.all([import("./chart.js"), looking()]);
			chart = module.chart(told());
			drawing.replaceChildren(chart);
		}
		chart.update(told());
	}

	const beat = setInterval(() => draw().catch(() => {}), DRAWN_EVERY_MS); // what can't be loaded now may be later
	return {element: el("section.sofar.panel", el("h2", t("race.soFar")), drawing), update, end: () => clearInterval(beat)};
}
