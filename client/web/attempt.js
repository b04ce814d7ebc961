// The own attempt. Moves show at once and wait in a queue, each with its ply. What is shown is worked out anew from the
// confirmed table and the queue: no move is shown twice, and a refusal takes back just what hung on it.

import {PILES} from "./protocol.js";

const PLAYING = "playing";

/**
 * @typedef {{table: Position, joined: string[], past: {move: string, back: string[]}[], whole: boolean, undone: string[]}}
 * State what lies joined ("?" where only the server knows), the moves that undo takes back, the last one last, whether
 * these are all of them, and those for redo.
 */

/** *send* hands over a command and returns its id; *forget* is told ids that are never to be resent. */
export function makeAttempt(send, forget) {
	const listeners = new Set();
	let view = null;
	let race = "";
	let warming = false;
	let hand = null;
	let confirmed = null;
	let shown = null;
	let choices = null;
	let queue = [];

	const isPlaying = () => hand?.state === PLAYING;

	const isSettled = () => queue.every(item => item.still);

	function allowed() {
		const {undo = false, restart = false, hint = false, gather = false} = hand?.can ?? {};
		const settled = isSettled();
		return {
			undo: settled ? undo : view.options.undo && (shown.past.length > 0 || !shown.whole),
			redo: isPlaying() && shown.undone.length > 0,
			restart,
			hint,
			gather: gather && settled,
		};
	}

	const choice = (source, count) => choices.find(each => each.source === source && each.count === count);

	/** Where the run of *count* cards from *source* may go; null where that is not known. */
	const targets = (source, count) => (choices && isSettled() ? (choice(source, count)?.targets ?? []) : null);

	function isRun(source, count) {
		if (source === "h" || !isPlaying()) return false;
		const marks = shown.joined[PILES.indexOf(source)];
		return count === 1 || (marks !== undefined && !marks.slice(marks.length - count + 1).includes("0"));
	}

	/** Play *move*; *dropped*: its cards lie on the target already. what can't be legal is asked for its refusal. */
	function play(move, dropped = false) {
		const {source, target, count} = step(move);
		const legal = targets(source, count)?.includes(target) ?? true;
		return ask({kind: "move", move, dropped, ...unless(legal)}, {type: "Play", move});
	}

	function playBest(source, count) {
		const best = choices && isSettled() ? (choice(source, count)?.best ?? "") : null;
		const move = best && moveText(source, best, count);
		const item = {kind: "best", move, run: {source, count}, ...unless(best !== "")};
		return ask(item, {type: "PlayBest", source, count});
	}

	const undo = () => ask({kind: "undo", ...unless(allowed().undo)}, {type: "Undo"});

	function redo() {
		const move = shown?.undone.at(-1);
		return Boolean(move) && ask({kind: "move", move, redo: true}, {type: "Play", move});
	}

	const restart = () => ask({kind: "restart", blocks: true, ...unless(allowed().restart)}, {type: "Restart"});
	const hint = () => ask({kind: "hint", ...unless(allowed().hint), still: true}, {type: "Hint"});
	const gather = () => ask({kind: "gather", blocks: true, ...unless(allowed().gather)}, {type: "Gather"});
	const resign = () => ask({kind: "resign", blocks: true}, {type: "Resign"});

	/** What is sure to be refused is asked for the reason only: it takes no ply, and nothing hangs on it. */
	const unless = may => (may ? {} : {still: true, entries: 0, blocks: false});

	function ask(asked, command) {
		if (!isPlaying() || queue.some(waiting => waiting.blocks)) return false;
		const ply = queue.reduce((sum, {entries}) => sum + entries, hand.ply);
		const item = {move: null, still: false, entries: 1, blocks: false, dropped: false, redo: false, ...asked, ply};
		const before = shown;
		queue.push(item);
		item.id = send({...command, ply});
		shown = expected(shown, item);
		item.steps = shown === before ? [] : item.kind === "undo" ? before.past.at(-1).back : [item.move];
		tell("own", {steps: item.steps, item});
		return true;
	}

	const heard = {
		Snapshot: takeSnapshot,
		Configured: () => begin(),
		Countdown: () => begin(),
		Began: event => deal(event.race, false, event),
		Warming: event => deal(race, true, event),
		Played: takePlayed,
		Hinted: takeHinted,
		Choices: takeChoices,
		Refused: takeRefused,
		Standings: takeRows,
		Finished: takeRows,
	};

	function deal(ofRace, isWarmUp, event) {
		[race, warming] = [ofRace, isWarmUp];
		begin(event, "dealt");
	}

	function begin(told = {}, cause = "laid") {
		forget(queue.map(({id}) => id));
		queue = [];
		choices = null;
		hand = told.hand ?? null;
		confirmed = told.table ? fresh(told) : null;
		tell(cause);
	}

	/** What is not yet in the log goes on waiting. */
	function takeSnapshot(event) {
		const {table} = event;
		const known = event.race === race && (event.warming ?? false) === warming;
		const same = known && hand && table && event.hand.ply >= hand.ply;
		({race, warming = false} = event);
		if (!same) return begin(event);
		const logged = queue.filter(item => item.ply + item.entries <= event.hand.ply);
		const [likely, told] = [logged.reduce(expected, confirmed), fresh(event)];
		confirmed = JSON.stringify(likely.table) === JSON.stringify(told.table) ? likely : told;
		queue = queue.filter(item => !logged.includes(item));
		if (event.hand.ply > hand.ply) choices = null;
		hand = event.hand;
		tell("laid");
	}

	function takePlayed({id, hand: after, steps = [], table}) {
		const item = answered(id);
		if (!hand || after.ply <= hand.ply) return;
		confirmed = table ? fresh({table, hand: after}) : become(confirmed, item, steps, after.ply - hand.ply);
		hand = after;
		choices = null;
		const seen = item?.steps.every((each, place) => each === steps[place]) ? item.steps.length : 0;
		tell("answer", {steps: steps.slice(seen), item});
	}

	function takeHinted({id, hand: after, move}) {
		const item = answered(id);
		if (!hand || after.ply <= hand.ply) return;
		hand = after; // the table stays, and with it the choices
		tell("answer", {hinted: move, item});
	}

	function takeChoices({ply, joined, choices: told}) {
		if (!hand || ply !== hand.ply) return; // those of another table: what is on its way brings its own
		choices = told;
		confirmed = {...confirmed, joined};
		tell("answer");
	}

	/** Take back what was refused and, had it been an entry, all that was queued behind it. */
	function takeRefused(refused) {
		const place = queue.findIndex(item => item.id === refused.id);
		if (place < 0) return;
		const item = queue[place];
		const dropped = queue.splice(place, item.entries ? queue.length : 1).slice(1);
		forget(dropped.map(({id}) => id));
		tell(item.steps.length ? "taken-back" : "answer", {refused, item});
	}

	function takeRows({rows}) {
		const before = hand;
		hand = hand && ended(hand, rows.find(each => each.seat === view.seat));
		if (hand !== before) tell("answer");
	}

	function answered(id) {
		const place = queue.findIndex(item => item.id === id);
		return place < 0 ? null : queue.splice(place, 1)[0];
	}

	function tell(cause, {steps = [], refused = null, hinted = null, item = null} = {}) {
		shown = confirmed && queue.reduce(expected, confirmed);
		for (const listener of listeners) listener({cause, steps, refused, hinted, item});
	}

	return {
		on: listener => (listeners.add(listener), () => listeners.delete(listener)),
		/** Take in *event*; *now* is the view of the room with the event in it. */
		handle(event, now) {
			view = now;
			heard[event.type]?.(event);
		},
		get table() {return shown?.table ?? null;},
		get joined() {return shown?.joined ?? null;},
		get hand() {return hand;},
		get playing() {return isPlaying();},
		get waiting() {return queue.length;},
		get choices() {return isSettled() ? choices : null;},
		get can() {return allowed();},
		targets, isRun, play, playBest, undo, redo, restart, hint, gather, resign,
	};
}

/** *hand* with nothing to ask for, if *row* of the standings says that the attempt has ended. */
export function ended(hand, row) {
	if (!row || hand.state !== PLAYING || row.state === PLAYING) return hand;
	return {...hand, state: row.state, can: {}, stuck: false};
}

function fresh({table, hand}) {
	const position = laid(table);
	const joined = position.columns.map(column => column.map((_, place) => (place ? "?" : "0")).join(""));
	return {table: position, joined, past: [], whole: !hand?.can?.undo, undone: []};
}

function entered(state, steps, redo) {
	return {
		...state,
		table: moved(state.table, steps),
		joined: joinedAfter(state.joined, steps),
		past: [...state.past, {move: steps[0], back: back(state.table, steps)}],
		undone: redo ? state.undone.slice(0, -1) : [],
	};
}

function undone(state, steps) {
	const last = state.past.at(-1);
	return {
		...state,
		table: moved(state.table, steps),
		joined: joinedAfter(state.joined, steps),
		past: state.past.slice(0, -1),
		undone: last ? [...state.undone, last.move] : [],
	};
}

/** What *item* is expected to make of *state*: the same where only the server can tell. */
function expected(state, item) {
	if (item.still) return state;
	if (item.kind === "undo") return state.past.length ? undone(state, state.past.at(-1).back) : state;
	if (!item.move || !fits(state.table, item.move)) return state;
	return entered(state, [item.move], item.redo);
}

function become(state, item, steps, entries) {
	if (!steps.length) return state;
	if (item?.kind === "undo") return undone(state, steps);
	if (entries === 1) return entered(state, steps, item?.redo);
	return steps.reduce((each, step) => entered(each, [step], false), state);
}

// Cards moved as the server's steps say: pure, without a rule of any game, the same as client/moving.py

export const RANKS = "A23456789TJQK";
export const SUITS = "SHDC";
export const CELLS = "abcd";

const FIRST_CELL = PILES.indexOf(CELLS[0]);
const HOME = PILES.indexOf("h");
const STEP = /^([0-9a-dh])([0-9a-dh])(?:v([1-9a-d]))?([SHDC])?$/;

/**
 * @typedef {{columns: string[][], cells: string[], home: number[]}} Position Cards as texts ("KH"), the free one last
 * in its column; "" for an empty cell; cards gone home of spades, hearts, diamonds, clubs. Never changed in place.
 */

export function laid({columns, cells = [], home}) {
	return {columns: columns.map(column => column.split(" ").filter(Boolean)), cells: [...cells], home: [...home]};
}

/** Read a step: move text, with the suit behind it of cards that come back from home. */
export function step(text) {
	const found = STEP.exec(text);
	if (!found) throw new Error(`no step: ${text}`);
	return {source: found[1], target: found[2], count: parseInt(found[3] ?? "1", 16), suit: found[4] ?? ""};
}

export const moveText = (source, target, count) => source + target + (count > 1 ? `v${count.toString(16)}` : "");

export const moved = (position, steps) => steps.reduce(after, position);

/** How many suits have gone home whole. */
export const wholeSuits = ({home}) => home.reduce((sum, cards) => sum + Math.floor(cards / RANKS.length), 0);

function after(position, text) {
	const {source, target, count, suit} = step(text);
	const [rest, run] = taken(position, source, count, suit);
	return put(rest, target, run);
}

/** The cards of *pile*, "h" excepted: there they lie by suit. */
export function cardsOf(position, pile) {
	const place = PILES.indexOf(pile);
	if (place < FIRST_CELL) return position.columns[place] ?? [];
	return position.cells[place - FIRST_CELL] ? [position.cells[place - FIRST_CELL]] : [];
}

/** The last *count* cards of *suit* gone home, the last first; one sequence lies on another. */
function runHome(position, suit, count) {
	const top = (position.home[SUITS.indexOf(suit)] - 1) % RANKS.length;
	return Array.from({length: count}, (_, below) => RANKS[top - below] + suit);
}

export function fits(position, text) {
	const {source, target, count} = step(text);
	const place = PILES.indexOf(target);
	const there =
		place === HOME || (place < FIRST_CELL ? place < position.columns.length : position.cells[place - FIRST_CELL] === "");
	return there && source !== target && cardsOf(position, source).length >= count;
}

function taken(position, pile, count, suit) {
	if (pile === "h") return [withHome(position, suit, -count), runHome(position, suit, count)];
	const cards = cardsOf(position, pile);
	return [withPile(position, pile, cards.slice(0, cards.length - count)), cards.slice(cards.length - count)];
}

function put(position, pile, run) {
	if (pile === "h") return withHome(position, run[0][1], run.length);
	return withPile(position, pile, [...cardsOf(position, pile), ...run]);
}

function withPile(position, pile, cards) {
	const place = PILES.indexOf(pile);
	if (place < FIRST_CELL) return {...position, columns: position.columns.with(place, cards)};
	return {...position, cells: position.cells.with(place - FIRST_CELL, cards[0] ?? "")};
}

function withHome(position, suit, more) {
	const place = SUITS.indexOf(suit);
	return {...position, home: position.home.with(place, position.home[place] + more)};
}

/** The steps that take *steps*, made from *position*, back again. */
export function back(position, steps) {
	const found = [];
	for (const text of steps) {
		const {source, target, count} = step(text);
		const suit = target === "h" ? cardsOf(position, source).at(-1)[1] : "";
		found.unshift(moveText(target, source, count) + suit);
		position = after(position, text);
	}
	return found;
}

/** For each column which of its cards lie joined, after *steps*: "?" where only the server knows. */
function joinedAfter(joined, steps) {
	const columns = [...joined];
	for (const text of steps) {
		const {source, target, count} = step(text);
		const [from, to] = [PILES.indexOf(source), PILES.indexOf(target)];
		const run = from < FIRST_CELL ? columns[from].slice(columns[from].length - count) : "?".repeat(count);
		if (from < FIRST_CELL) columns[from] = columns[from].slice(0, columns[from].length - count);
		if (to < FIRST_CELL) columns[to] += (columns[to] ? "?" : "0") + run.slice(1);
	}
	return columns;
}
