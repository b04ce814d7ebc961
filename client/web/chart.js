// The picture of a race: everyone's progress over time, one step line a participant.

import {colour, el} from "./dom.js";
import {GAMES} from "./protocol.js";
import {clock, t} from "./texts.js";

const LEFT = 30, TOP = 24, BELOW = 24, LINE = 17, NARROW = 480;
const MINUTE = 60_000;
const TICKS = [5_000, 15_000, 30_000, ...[1, 2, 5, 10, 15, 30, 60, 120, 480].map(count => count * MINUTE)];

const KEYS = 60;

/**
 * The picture, with `update`. lines: [{name, seat, points: [[ms, progress], …], own, solved, over, end_ms, gone: [ms, …]}],
 * the best first; until they are `over` they go on to until_ms. game: what progress counts. onpick(ms, seat): a choice.
 */
export function chart(told) {
	const {onpick, game} = told, {top} = GAMES[game];
	const element = el("div.picture", {role: onpick ? "slider" : "img", label: t("chart.label"), tabindex: onpick ? 0 : null});
	let chosen = told.lines.find(line => line.own) ?? told.lines[0];
	let cursor = null;
	let edge = 0;
	let bottom = 0;

	function draw() {
		const {clientWidth: width, clientHeight: height} = element;
		if (!width || !told.lines.length) return;
		[edge, bottom] = [width - (width < NARROW ? 78 : 124), height - BELOW];
		const lines = [...told.lines].reverse().sort((a, b) => !!a.own - !!b.own);
		const named = labels();
		const parts = [grid(), lines.map(drawn), lines.map(marks), named.map(({lead}) => lead)];
		element.replaceChildren(node("svg", {width, height, "aria-hidden": "true"}, parts.flat(2)), ...named.map(({name}) => name));
		point(cursor);
	}

	const xOf = ms => LEFT + (edge - LEFT) * Math.min(1, ms / Math.max(1, told.until_ms));
	const yOf = progress => bottom - ((bottom - TOP) * progress) / top;
	const endOf = ({end_ms, over, points}) =>
		Math.min(told.until_ms, end_ms ?? (over ? points.at(-1)?.[0] : told.until_ms) ?? 0);

	function grid() {
		const {until_ms} = told;
		const tick = TICKS.find(each => until_ms / each < (edge - LEFT) / 62) ?? TICKS.at(-1);
		const [key, unit] = tick < MINUTE ? ["chart.seconds", 1000] : ["chart.minutes", MINUTE];
		const parts = [0, 1, 2, 3, 4].flatMap(part => {
			const level = (top * part) / 4, y = yOf(level);
			return [node("path", {class: "grid", d: `M${LEFT} ${y}H${edge}`}), word(level, LEFT - 7, y + 4, "end")];
		});
		parts.push(word(t(`results.counts_${game}`), 0, TOP - 12, "start"));
		for (let ms = 0; ms <= until_ms; ms += tick) parts.push(word(t(key, {count: ms / unit}), xOf(ms), bottom + 18, "middle"));
		return parts;
	}

	function drawn(line) {
		const end = endOf(line), [[ms, progress] = [0, 0]] = line.points;
		const steps = line.points.filter(([at]) => at <= end).map(([at, to]) => `H${xOf(at).toFixed(1)}V${yOf(to).toFixed(1)}`);
		const d = `M${xOf(ms)} ${yOf(progress)}${steps.join("")}H${xOf(end)}`;
		return [line.own ? "line under" : "", `line ${kind(line)}`].filter(Boolean).map(name => node("path", {class: name, d}));
	}

	/** Small rings where a suit was gone; at the end a ring where it was solved, else a cross. */
	function marks(line) {
		const at = ms => [xOf(ms), yOf(progressAt(line, ms))];
		const ring = (ms, r) => node("circle", {class: `gone ${kind(line)}`, cx: at(ms)[0], cy: at(ms)[1], r});
		const cross = ([x, y]) => node("path", {class: `gone-not ${kind(line)}`, d: `M${x - 4} ${y - 4}l8 8m0-8l-8 8`});
		const end = endOf(line);
		return [...(line.gone ?? []).map(ms => ring(ms, 3.5)), ...(line.over ? [line.solved ? ring(end, 5.5) : cross(at(end))] : [])];
	}

	/** Names at the right edge: as many as there is room for, the own always. */
	function labels() {
		const most = Math.floor((bottom - TOP) / LINE);
		const named = told.lines.filter((line, place) => place < most || line.own).map(line => {
			const end = endOf(line);
			return {line, x: xOf(end) + 7, y: yOf(progressAt(line, end))};
		});
		named.sort((a, b) => a.y - b.y || a.x - b.x);
		const heights = spread(named.map(({y}) => y), bottom);
		return named.map(({line, x, y}, i) => ({
			lead: node("path", {class: "lead", d: `M${x} ${y}L${Math.max(x, edge + 4)} ${heights[i]}`}),
			name: el("span", {class: `name ${kind(line)}`, vars: {"--x": `${edge + 8}px`, "--y": `${heights[i]}px`}}, line.name),
		}));
	}

	function listen() {
		const at = ({clientX, clientY}) => {
			const {left, top} = element.getBoundingClientRect();
			return [told.until_ms * Math.min(1, Math.max(0, (clientX - left - LEFT) / (edge - LEFT))), clientY - top];
		};
		element.onpointermove = event => point(at(event)[0]);
		element.onpointerleave = () => point(null);
		element.onfocus = () => point(cursor ?? 0);
		element.onkeydown = key;
		element.onclick = event => {
			const [ms, y] = at(event);
			const far = line => Math.abs(yOf(progressAt(line, ms)) - y) + (endOf(line) < ms && bottom);
			onpick(Math.round(ms), told.lines.reduce((best, line) => (far(line) < far(best) ? line : best)).seat);
		};
	}

	function key(event) {
		const {lines, until_ms} = told;
		const at = cursor ?? 0;
		const by = {ArrowRight: 1, ArrowLeft: -1, PageUp: 5, PageDown: -5, Home: -KEYS, End: KEYS}[event.key];
		const other = {ArrowDown: 1, ArrowUp: -1}[event.key];
		if (event.key === "Enter" || event.key === " ") onpick(Math.round(at), chosen.seat);
		else if (!by && !other) return;
		if (other) chosen = lines.at((lines.indexOf(chosen) + other) % lines.length);
		point(Math.max(0, Math.min(until_ms, at + ((by ?? 0) * until_ms) / KEYS)));
		event.preventDefault();
	}

	/** Show the moment that would be chosen; null: none. */
	function point(to) {
		const ms = to ?? 0;
		if (!onpick) return;
		cursor = to;
		Object.assign(element, {ariaValueMin: 0, ariaValueMax: Math.round(told.until_ms), ariaValueNow: Math.round(ms)});
		element.ariaValueText = t("chart.moment", {time: clock(ms), name: chosen.name, progress: progressAt(chosen, ms)});
		element.querySelector(".cursor")?.remove();
		if (to !== null) element.firstChild?.append(node("path", {class: "cursor", d: `M${xOf(ms)} ${TOP - 4}V${bottom}`}));
	}

	if (onpick) listen();
	new ResizeObserver(draw).observe(element);
	element.update = more => {
		Object.assign(told, more);
		draw();
	};
	return element;
}

const progressAt = ({points}, ms) => points.findLast(([at]) => at <= ms)?.[1] ?? 0;

/** Heights near those *wanted*: apart from each other, none below *bottom*. */
function spread(wanted, bottom) {
	const heights = [];
	for (const y of wanted) heights.push(Math.max(y, (heights.at(-1) ?? -LINE) + LINE));
	for (let i = heights.length - 1, limit = bottom; heights[i] > limit; i--, limit -= LINE) heights[i] = limit;
	return heights;
}

const kind = ({seat, own}) => `${colour(seat)}${own ? " me" : ""}`;

function node(tag, attributes, children = []) {
	const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
	made.append(...children);
	return made;
}

const word = (text, x, y, anchor) => node("text", {class: "tick", x, y, "text-anchor": anchor}, [text]);
