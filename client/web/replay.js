// The replay: one attempt, or two at the same deal side by side, played again.

import {back, laid, moved, wholeSuits} from "./attempt.js";
import {colour, dot, el, go, icon, save, say, setTitle, setTools, sheet, shut, toast, tool, tried} from "./dom.js";
import {ending, linkTool, lookUp} from "./listing.js";
import {PILES} from "./protocol.js";
import {get} from "./server.js";
import {makeTable} from "./table.js";
import {clock, gameAndLevel, minutes, t} from "./texts.js";

const JUMP_MS = 10_000;
const SPEEDS = [1, 2, 4, 8, 16, 32];

const GLIDE = 3;

const STAY_MS = 250;

/** The last speed that was chosen: the next replay begins with it. */
let chosenSpeed = null;

export async function show(root, {parts, query, hash}) {
	const ids = [...new Set([parts[1], query.get("with")])].filter(Boolean);
	let end = () => {};
	await lookUp(root, () => ids.map(id => get(`records/${encodeURIComponent(id)}`)), (...records) => {
		const attempts = records.map((record, place) => attemptOf(record, records.length > 1 ? place : record.attempt.seat));
		const shown = attempts.filter(attempt => sameDeal(attempts[0], attempt));
		if (shown.length < attempts.length) toast(t("replay.otherDeal"));
		end = watch(root, shown, {hash, tools: moment => [compare(shown, moment), download(shown[0])]});
	});
	return () => end();
}

/** Put what plays *attempts* again into *root*, from the moment of a link on: `#t=221200`. @returns what ends it. */
export function watch(root, attempts, {hash, speed = 4, tools = () => []}) {
	const [{race, code}] = attempts;
	const title = t("replay.title", {name: attempts.map(attempt => attempt.name).join(" · ")});
	const playback = makePlayback(Math.max(...attempts.map(attempt => attempt.end_ms)), chosenSpeed ?? speed, update);
	const step = by => stepped(playback, attempts, by);
	const sides = attempts.map(attempt => makeSide(attempt, playback.seek));
	const deck = makeDeck(playback, attempts, step);
	let staying = 0;

	function update() {
		for (const side of sides) side.show(playback.at_ms);
		deck.update();
		clearTimeout(staying);
		if (!playback.playing) staying = setTimeout(() => history.replaceState(null, "", momentHash(playback)), STAY_MS);
	}

	const onkey = event => key(event, playback, step);
	const link = linkTool(t("replay.link"), () => new URL(momentHash(playback), location.href).href);
	setTitle(title, code);
	setTools(link, ...tools(() => momentHash(playback)), tool("close", t("replay.close"), {onclick: () => go(race ? `/race/${race}` : `/deal/${code}`)}));
	root.replaceChildren(
		el("h1.gone-sr", title),
		el("p.which", gameAndLevel(attempts[0]), " · ", el("a.mono", {href: `/deal/${code}`}, code)),
		el(sides.length > 1 ? "div.pair.two" : "div.pair", sides.map(side => side.element)),
		deck.element,
	);
	document.addEventListener("keydown", onkey);
	playback.seek(Number(/^#t=(\d+(\.\d+)?)$/.exec(hash)?.[1] ?? 0));
	return () => {
		playback.toggle(false);
		clearTimeout(staying);
		document.removeEventListener("keydown", onkey);
	};
}

const momentHash = ({at_ms}) => `#t=${Math.ceil(at_ms * 1000) / 1000}`;

function stepped(playback, attempts, by) {
	const ahead = attempts.flatMap(({moments}) => moments.map(({time}) => time)).filter(time => by * (time - playback.at_ms) > 0);
	playback.toggle(false);
	if (ahead.length) playback.seek(by * Math.min(...ahead.map(time => by * time)));
}

function key(event, playback, step) {
	const jump = by => () => playback.seek(playback.at_ms + by);
	const deed = {
		" ": () => playback.toggle(), ArrowRight: () => step(1), ArrowLeft: () => step(-1), PageDown: jump(JUMP_MS),
		PageUp: jump(-JUMP_MS), Home: jump(-Infinity), End: jump(Infinity), "+": () => playback.hurry(1), "-": () => playback.hurry(-1),
	}[event.key];
	const own = event.target.closest(event.key === " " ? "button, a, select, dialog" : "select, dialog");
	if (!deed || own || event.ctrlKey || event.metaKey || event.altKey) return;
	event.preventDefault();
	deed();
}

function download({attempt, record: {format, code, player, started, entries, result}}) {
	const onclick = () => save(`${attempt}.json`, {format, code, player, started, entries, result});
	return tool("download", t("replay.download"), {onclick});
}

/** Put another attempt beside *first*, at the same *moment*. */
function compare([first, second], moment) {
	const choose = () => tried(async () => {
		const {attempts} = await get(`deals/${first.code}`);
		const way = query => ({href: `/replay/${first.attempt}${query}${moment()}`, onclick: event => shut(event)});
		const link = (query, ...words) => el("li", el("a.button.line", way(query), ...words));
		const others = attempts.filter(({attempt}) => ![first.attempt, second?.attempt].includes(attempt));
		const links = others.map(each => link(`?with=${each.attempt}`, el("span", each.name), el("small", ending(each))));
		if (second) links.unshift(link("", t("replay.alone")));
		sheet(t("replay.beside"), links.length ? el("ul.rivals", links) : el("p", t("replay.noOther")));
	});
	return tool("people", t("replay.beside"), {onclick: choose});
}

function makePlayback(end_ms, speed, onchange) {
	let frame = 0;
	let last = 0;

	function toggle(playing = !state.playing) {
		cancelAnimationFrame(frame);
		state.playing = playing;
		if (playing) {
			if (state.at_ms >= end_ms) state.at_ms = 0;
			last = performance.now();
			frame = requestAnimationFrame(tick);
		}
		onchange();
	}

	function seek(ms) {
		state.at_ms = Math.min(end_ms, Math.max(0, ms));
		onchange();
	}

	function hurry(by) {
		chosenSpeed = state.speed = SPEEDS[SPEEDS.indexOf(state.speed) + by] ?? state.speed;
		onchange();
	}

	function tick(now) {
		const at_ms = state.at_ms + Math.max(0, now - last) * state.speed;
		last = now;
		frame = requestAnimationFrame(tick);
		seek(at_ms);
		if (at_ms >= end_ms) toggle(false);
	}

	const state = {at_ms: 0, end_ms, speed, playing: false, toggle, seek, hurry};
	return state;
}

function makeDeck(playback, attempts, onstep) {
	const {end_ms} = playback;
	const slider = {role: "slider", tabindex: "0", label: t("replay.time"), "aria-valuemin": 0, "aria-valuemax": Math.round(end_ms)};
	const step = (sign, by) => tool(sign, t(`replay.${sign}`), {onclick: () => onstep(by)});
	const choose = ({target}) => playback.hurry(target.selectedIndex - SPEEDS.indexOf(playback.speed));
	const seek = ({clientX}) => {
		const {left, width} = line.getBoundingClientRect();
		playback.seek((end_ms * (clientX - left)) / width);
	};
	const line = el("div.line-time", slider, attempts.map(attempt => lane(attempt, end_ms)), el("span.head-now"));
	const time = el("b");
	const play = tool("play", "", {class: "tool play", onclick: () => playback.toggle()});
	const options = SPEEDS.map(value => el("option", {value}, `${value}×`));
	const speed = el("select.speed", {label: t("replay.speed"), onchange: choose}, options);
	const times = el("span.t", time, el("small", ` / ${minutes(end_ms)}`));
	const keys = el("div.keys", times, el("span.mid", step("prev", -1), play, step("next", 1)), speed);

	function update() {
		const {at_ms, playing} = playback;
		const sign = playing ? "pause" : "play";
		line.style.setProperty("--v", share(at_ms, end_ms));
		line.ariaValueNow = Math.round(at_ms);
		line.ariaValueText = t("replay.moment", {time: clock(at_ms), of: minutes(end_ms)});
		say(time, clock(at_ms));
		speed.value = playback.speed;
		if (play.dataset.sign === sign) return;
		play.dataset.sign = sign;
		play.replaceChildren(icon(sign));
		play.title = play.ariaLabel = t(`replay.${sign}`);
	}

	line.addEventListener("pointermove", event => line.hasPointerCapture(event.pointerId) && seek(event));
	line.addEventListener("pointerdown", event => {
		line.setPointerCapture(event.pointerId);
		seek(event);
	});
	return {element: el("div.deck", line, keys), update};
}

const share = (ms, end_ms) => (100 * ms) / Math.max(1, end_ms);

function lane({seat, moments, end_ms: own, won}, end_ms) {
	const place = kind => time => el(`i.${kind}`, {vars: {"--v": share(time, end_ms)}});
	const times = found => found.map(({time}) => time);
	const undone = times(moments.filter(moment => moment.undone));
	return el(
		`div.lane.${colour(seat)}`,
		place("end")(own),
		undone.map(place("undone")),
		times(milestones(moments)).map(place("mark")),
		won && place("mark.fin")(own),
	);
}

function makeSide({moments, game, name, player, seat}, onpick) {
	const table = makeTable({game, label: t("replay.tableOf", {name})});
	const [nums, remark, moves] = [el("span.nums"), el("span.tag"), list(moments, onpick)];
	const who = el("a.who", {href: player && `/player/${player}`}, name);
	const head = el("header", dot(seat, name), who, remark, nums, table.tray);
	const element = el(`section.side.${colour(seat)}`, head, el("div.spot", table.element), moves);
	let shown = null;

	function show(time) {
		const ply = plyAt(moments, time);
		if (ply === shown) return;
		const {position, joined, progress, moves: count, entry, undone} = moments[ply];
		table.show(position, {joined, ...movement(ply)});
		shown = element.dataset.ply = ply;
		say(nums, `${t(`replay.progress_${game}`, {count: progress})} · ${t("replay.move", {count})}`);
		say(remark, entry && !isMove(entry) ? t(`replay.entry_${entry}`) : undone ? t("replay.undone") : "");
		remark.hidden = !remark.textContent;
		mark(moves.children[ply]);
	}

	/** The steps from what is shown to *ply*; none where it is far or a deal is laid anew on the way. */
	function movement(ply) {
		const from = shown ?? ply;
		const between = moments.slice(Math.min(from, ply) + 1, Math.max(from, ply) + 1);
		if (!between.length || between.length > GLIDE || between.some(({entry}) => entry === "restart")) return {cause: "laid"};
		const steps = between.flatMap(each => each.steps);
		return {steps: ply > from ? steps : back(moments[ply].position, steps)};
	}

	function mark(entry) {
		moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
		entry.ariaCurrent = "step";
		moves.scrollTop = entry.offsetTop - moves.clientHeight / 2;
	}

	return {element, show};
}

function list(moments, onpick) {
	const entries = moments.map(({entry, undone}) => {
		if (!isMove(entry)) return el("li.word", t(entry ? `replay.entry_${entry}` : "replay.deal"));
		return el("li", el(undone ? "s" : "span", entry));
	});
	const onclick = ({target}) => {
		const moment = moments[entries.indexOf(target.closest("li"))];
		if (moment) onpick(moment.time);
	};
	return el("ol.moves", {label: t("replay.moves"), tabindex: "0", onclick}, entries);
}

// An attempt as it is watched: what lay there after each of its entries

const LINE_STEP_MS = 1000;

const WORDS = ["undo", "restart", "hint", "resign"];

const isMove = entry => entry !== "" && !WORDS.includes(entry);

const attemptOf = (record, seat) => watched({...record.attempt, code: record.code, record, seat}, record);

/** A line to watch, from /api/deals. */
export const lineOf = (deal, name) => watched({name, game: deal.game, suits: deal.suits, code: deal.code, won: true, seat: 0}, deal);

function watched(attempt, told) {
	const moments = momentsOf(told);
	return {...attempt, moments, end_ms: Math.max(told.result?.elapsed_ms ?? 0, moments.at(-1).time)};
}

function sameDeal(one, other) {
	const number = code => code.slice(code.lastIndexOf("-"));
	return one.game === other.game && number(one.code) === number(other.code);
}

/** The deal, and a moment for each entry; `full`: suits gone whole, `undone`: taken back later. Times ascend. */
function momentsOf(told) {
	const deal = {position: laid(told.table), joined: told.joined, ...told.start};
	const moments = [{...deal, time: 0, entry: "", steps: [], moves: 0, full: 0}];
	const entries = entriesOf(told), times = apart(entries.map(([at_ms]) => at_ms));
	entries.forEach(([, entry], i) => {
		const {joined, ...ply} = told.plies[i], before = moments[i];
		const position = entry === "restart" ? deal.position : moved(before.position, ply.steps);
		moments.push({...ply, time: times[i], entry, position, full: wholeSuits(position), joined: before.joined.map((text, column) => joined?.[PILES[column]] ?? text)});
	});
	markUndone(moments);
	return moments;
}

/** What has no times of its own, as a line, goes on by a move a second. */
function entriesOf({line, entries = line.map(move => [0, move])}) {
	return entries.at(-1)?.[0] ? entries : entries.map(([, entry], i) => [(i + 1) * LINE_STEP_MS, entry]);
}

/** Stamps, which never fall, as times of which none is twice. */
function apart(stamps) {
	const [count, seen] = [{}, {}];
	for (const ms of stamps) count[ms] = (count[ms] ?? 0) + 1;
	return stamps.map(ms => ms + ((seen[ms] = (seen[ms] ?? 0) + 1) - 1) / count[ms]);
}

function markUndone(moments) {
	const standing = [];
	for (const moment of moments) {
		if (isMove(moment.entry)) standing.push(moment);
		const gone = {undo: 1, restart: standing.length}[moment.entry] ?? 0;
		for (const each of standing.splice(standing.length - gone)) each.undone = true;
	}
}

function plyAt(moments, ms) {
	let [low, high] = [0, moments.length - 1];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (moments[middle].time <= ms) low = middle;
		else high = middle - 1;
	}
	return low;
}

const milestones = moments => moments.filter(({full}, i) => full > moments[i - 1]?.full);
