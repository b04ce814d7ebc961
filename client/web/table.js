// The picture of a table: a position drawn, without a rule of any game, and cards that glide from where they were. They
// keep their elements from one position to the next, so identical cards are told apart.

import {CELLS, RANKS, SUITS, moved, step} from "./attempt.js";
import {card, glide, ms, rest, shake, slot, still, toTray} from "./cards.js";
import {el} from "./dom.js";
import {GAMES, PILES} from "./protocol.js";
import {number, t} from "./texts.js";

const REFUSED_MS = 600;
const HINTED_MS = 2500;

const ofSuit = (pile, suit) => !suit || !pile.suit || pile.suit === suit;
const isCell = ({name}) => CELLS.includes(name);
const isColumn = ({name}) => name !== "h" && !CELLS.includes(name);

/** *live*: it can be played on; *label*: what a screen reader calls it. */
export function makeTable({game, live = false, label = t("table.table")}) {
	const {foundations, leaves} = GAMES[game];
	const layout = el("div.layout");
	const element = el(`div.table${live ? ".live" : ""}`, {role: "group", label}, layout);
	const tray = foundations ? null : el("span.tray", {role: "img"}, [...SUITS].map(() => el("span")));
	let piles = [];
	let shown = null;
	let marks = null;
	let later = [];
	let timer = 0;
	let due = 0;

	/**
	 * Draw *position*; *joined* has for each column a "1" for each joined card. *steps*, those from what is shown, are seen
	 * one by one. *cause*: "laid" at once, "dealt" in rows, else it glides; *dropped*: what moves lies there already.
	 */
	function show(position, {joined = null, steps = [], cause = steps.length ? "answer" : "laid", dropped = false} = {}) {
		finishSteps();
		layOut(position);
		if (position !== shown) unhint();
		const stages = shown && cause !== "laid" && !still() ? stagesTo(shown, position, steps) : [position];
		shown = position;
		marks = joined;
		later = stages.slice(1);
		arrange(stages[0], {moving: cause !== "laid" && cause !== "dealt", dropped});
		if (later.length) timer = setTimeout(next, ms("--move"));
		if (cause === "dealt") deal(piles);
	}

	function settle() {
		finishSteps();
		for (const animation of layout.getAnimations({subtree: true})) if (animation.id) animation.finish();
	}

	/** Light the piles *names*, of the foundations only that of *suit*, *aimed* above all; none: put the light out. */
	function light(names = [], suit = "", aimed = "") {
		for (const each of piles) {
			const lit = names.includes(each.name) && ofSuit(each, suit);
			each.element.classList.toggle("lit", lit);
			each.element.classList.toggle("aimed", lit && each.name === aimed);
		}
	}

	function choose(name, count) {
		const chosen = name ? run(name, count) : [];
		for (const each of [...layout.querySelectorAll(".chosen"), ...chosen]) {
			each.classList.toggle("chosen", chosen.includes(each));
			each.ariaPressed = chosen.includes(each);
		}
	}

	function refuse(name, count = 1) {
		const cards = run(name, count);
		for (const each of cards.length ? cards : [pile(name)?.slot ?? layout]) {
			shake(each);
			each.classList.add("refused");
			setTimeout(() => each.classList.remove("refused"), REFUSED_MS);
		}
	}

	function hint(move) {
		const {source, target, count} = step(move);
		unhint();
		const cards = run(source, count);
		const onto = pile(target, cards[0]?.dataset.card[1]);
		for (const each of [...cards, onto?.element]) each?.classList.add("hinted");
		setTimeout(unhint, HINTED_MS);
	}

	function unhint() {
		for (const each of layout.querySelectorAll(".hinted")) each.classList.remove("hinted");
	}

	const pile = (name, suit = "") => piles.find(each => each.name === name && ofSuit(each, suit));

	function run(name, count) {
		const cards = name === "h" ? [] : (pile(name)?.cards ?? []);
		return cards.slice(Math.max(0, cards.length - count));
	}

	function place(target) {
		const found = target?.closest?.("[data-pile]");
		const {name, cards} = piles.find(each => each.element === found) ?? {};
		if (!cards) return null;
		const index = cards.indexOf(target.closest(".card"));
		if (index < 0) return {pile: name, index: 0, count: 0, card: null};
		return {pile: name, index, count: cards.length - index, card: cards[index]};
	}

	/** From now on the tab key reaches *target*, a card or a slot. */
	function focus(target) {
		for (const each of layout.querySelectorAll('[tabindex="0"]')) each.tabIndex = -1;
		target.tabIndex = 0;
		if (document.activeElement !== target) target.focus({preventScroll: true});
	}

	function layOut({columns, cells}) {
		if (piles.filter(isColumn).length === columns.length && piles.filter(isCell).length === cells.length) return;
		const row = (kind, made) => el(`div.${kind}`, made.map(each => each.element));
		const tableau = columns.map((_, at) => makePile(live, PILES[at], "col"));
		const free = cells.map((_, at) => makePile(live, CELLS[at], "pile"));
		const home = foundations ? [...SUITS].map(suit => makePile(live, "h", "pile", suit)) : [];
		const topped = free.length + home.length > 0;
		piles = [...free, ...home, ...tableau];
		layout.classList.toggle("topped", topped);
		layout.style.setProperty("--cols", columns.length);
		const tops = topped ? [el("div.tops", row("piles", free), row("piles", home))] : [];
		layout.replaceChildren(...tops, row("columns", tableau));
		shown = null;
	}

	/** Let the elements lie as *position* says; *moving*: they glide there. */
	function arrange(position, {moving = false, dropped = false} = {}) {
		const wanted = piles.map(each => textsOf(position, each));
		const changed = piles.filter((each, at) => kept(each, wanted[at]) < Math.max(each.cards.length, wanted[at].length));
		const focused = layout.contains(document.activeElement) ? document.activeElement : null;
		const before = moving && !still() ? boxes(changed) : null;
		const pool = takeUp(piles, wanted);
		const fresh = putDown(piles, wanted, pool, live);
		const left = [...pool.values()].flat();
		if (marks && position === shown) join(piles, marks);
		if (before) move(before, {changed, dropped, left, fresh, layout, tray});
		for (const each of left) each.remove();
		fillTray(position, left.length && before ? ms("--scene") : 0);
		keepTabStop();
		// the focus goes with the card that had it, or to what lies near
		if (focused) (focused.isConnected && canFocus(focused) ? focused : tabStop()).focus({preventScroll: true});
	}

	/** One card or place is reached by the tab key; arrows go on from there. */
	function keepTabStop() {
		const stop = tabStop();
		if (!live || (stop && !stop.hidden && !stop.inert)) return;
		if (stop) stop.tabIndex = -1;
		const near = piles.find(each => each.element.contains(stop)) ?? piles.find(isColumn);
		(near.cards.at(-1) ?? near.slot).tabIndex = 0;
	}

	const tabStop = () => layout.querySelector('[tabindex="0"]');

	function next() {
		arrange(later.shift(), {moving: true});
		if (later.length) timer = setTimeout(next, ms("--move") / 2);
	}

	function finishSteps() {
		clearTimeout(timer);
		const last = later.at(-1);
		later = [];
		if (last) arrange(last);
	}

	function fillTray({home}, delay) {
		if (!tray) return;
		clearTimeout(due);
		due = setTimeout(() => fill(tray, home, leaves), delay);
	}

	return {element, layout, tray, get piles() {return piles;}, show, settle, light, choose, refuse, hint, pile, run, place, focus};
}

function makePile(live, name, kind, suit = "") {
	const empty = slot(live, suit);
	return {name, suit, element: el(`div.${kind}`, {role: "group", data: {pile: name, ...(suit && {suit})}}, empty), slot: empty, cards: []};
}

function takeUp(piles, wanted) {
	const pool = new Map();
	piles.forEach((each, at) => {
		for (const taken of each.cards.splice(kept(each, wanted[at])))
			pool.set(taken.dataset.card, [...(pool.get(taken.dataset.card) ?? []), taken]);
	});
	return pool;
}

function putDown(piles, wanted, pool, live) {
	const fresh = [];
	piles.forEach((each, at) => {
		for (const text of wanted[at].slice(each.cards.length)) {
			const found = pool.get(text)?.shift() ?? card(text, live);
			if (!found.isConnected) fresh.push(found);
			found.classList.remove("joined");
			found.style.setProperty("--i", each.cards.length);
			each.cards.push(found);
			each.element.append(found);
		}
		name(each);
	});
	return fresh;
}

function name(each) {
	const {element: whole, slot: empty, suit, cards} = each;
	if (whole.dataset.held === String(cards.length) && !suit) return;
	whole.dataset.held = cards.length;
	whole.style.setProperty("--n", Math.max(1, cards.length));
	whole.ariaLabel = pileName(each.name, suit, cards.length);
	empty.hidden = cards.length > 0;
	empty.ariaLabel = t("table.empty", {pile: pileName(each.name, suit)});
	if (suit) cards.forEach((one, at) => (one.inert = at < cards.length - 1));
}

function join(piles, marks) {
	piles.filter(isColumn).forEach(({cards}, at) =>
		cards.forEach((each, index) => each.classList.toggle("joined", marks[at]?.[index] === "1")),
	);
}

// Cards that glide

const boxes = changed =>
	new Map(changed.flatMap(pile => pile.cards.map(each => [each, {pile, box: each.getBoundingClientRect()}])));

/** Let cards glide from where they were *before*. */
function move(before, {changed, dropped, left, fresh, layout, tray}) {
	const end = tray?.isConnected ? tray.getBoundingClientRect() : null;
	const after = boxes(changed); // all at once: an animation between would have the layout made again
	const arrived = new Set();
	for (const [each, {pile, box}] of after) {
		const from = before.get(each);
		const came = fresh.includes(each) || from?.pile !== pile;
		if (came) arrived.add(pile.element);
		if (came && dropped) rest(each);
		else if (from ?? end) glide(each, from?.box ?? end, box);
	}
	arrived.forEach(raise);
	if (end) toTray(layout, left.map(each => [each, before.get(each).box]).reverse(), end);
}

function deal(piles) {
	if (still()) return;
	const gap = ms("--scene") / 1.4 / 8;
	for (const {cards} of piles)
		cards.forEach((each, at) => glide(each, {left: 0, top: -24, width: 0}, {left: 0, top: 0, width: 0}, at * gap, 0));
}

const canFocus = ({hidden, inert}) => !hidden && !inert;

/** What is seen on the way to *position*, where the steps lead there. */
function stagesTo(from, position, steps) {
	if (steps.length < 2) return [position];
	let each = from;
	try {
		const stages = steps.map(step => (each = moved(each, [step])));
		return JSON.stringify(each) === JSON.stringify(position) ? [...stages.slice(0, -1), position] : [position];
	} catch {
		return [position]; // steps of another table: what is shown was not what they began with
	}
}

function textsOf({columns, cells, home}, {name, suit}) {
	if (suit) return [...RANKS.slice(0, home[SUITS.indexOf(suit)])].map(rank => rank + suit);
	if (CELLS.includes(name)) return [cells[CELLS.indexOf(name)]].filter(Boolean);
	return columns[PILES.indexOf(name)];
}

function kept({cards}, texts) {
	const first = texts.findIndex((text, at) => cards[at]?.dataset.card !== text);
	return Math.min(cards.length, first < 0 ? texts.length : first);
}

function fill(tray, home, leaves) {
	const gone = home.flatMap((count, suit) => Array(Math.floor(count / leaves)).fill(SUITS[suit]));
	[...tray.children].forEach((each, at) => {
		const suit = gone[at] ?? "";
		if (each.dataset.suit === suit) return;
		each.dataset.suit = suit;
		each.replaceChildren(...(suit ? [slot(false, suit).firstChild] : []));
		each.className = suit ? `full ${suit}` : "";
	});
	tray.ariaLabel = t("table.gone", {count: gone.length, of: tray.children.length});
}

function raise(element) {
	clearTimeout(element.lowered);
	element.classList.add("raised");
	element.lowered = setTimeout(() => element.classList.remove("raised"), ms("--move") + 40);
}

/** "Column 3", "Cell b", "Foundation of spades"; with *count* also how many cards lie there. */
export function pileName(name, suit = "", count = null) {
	const pile = CELLS.includes(name)
		? t("table.cell", {name})
		: name === "h"
			? suit ? t("table.foundation", {suit: t(`table.suit${suit}`)}) : t("table.foundations")
			: t("table.column", {name: number(PILES.indexOf(name) + 1)});
	return count === null ? pile : t("table.cards", {pile, count});
}
