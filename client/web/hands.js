// Hands on a table: mouse, finger or pen, and the keyboard.

import {moveText} from "./attempt.js";
import {ms, still, token} from "./cards.js";
import {el, say} from "./dom.js";
import {PILES} from "./protocol.js";

const STEADY_PX = {mouse: 4, pen: 5, touch: 7};
const DOUBLE_MS = 350;

const FLOAT_PX = 24;

/** So much of a card has to lie over a pile for it to be meant; less will do where it takes the run. */
const MEANT = 0.3;
const TAKEN = 0.12;

/** Mouse, finger or pen on *view*: *player* is asked what can be lifted, told what is tapped and dropped. */
export function pointer(view, player) {
	const {element} = view;
	const listening = new AbortController(), {signal} = listening;
	let grip = null;
	let last = {card: null, at: 0};

	function down(event) {
		if (event.button || grip) return;
		const place = view.place(under(event));
		grip = {id: event.pointerId, place, x: event.clientX, y: event.clientY, held: null, spent: !place};
		element.setPointerCapture(event.pointerId);
	}

	/** The card under way that was hit, or what lies there once all have arrived. */
	function under({target, clientX, clientY}) {
		const flies = target.closest(".card")?.getAnimations().some(({id}) => id);
		view.settle();
		return flies ? target : document.elementFromPoint(clientX, clientY);
	}

	function move({pointerId, pointerType, clientX, clientY}) {
		if (grip?.id !== pointerId || grip.spent) return;
		const [x, y] = [clientX - grip.x, clientY - grip.y];
		if (!grip.held && Math.hypot(x, y) > (STEADY_PX[pointerType] ?? 5)) lift(pointerType === "touch");
		if (!grip.held) return;
		grip.held.move(x, y);
		player.aim(grip.place, grip.held);
	}

	function lift(touch) {
		last.card = null;
		grip.spent = !grip.place.card || !player.lift(grip.place);
		if (!grip.spent) grip.held = hold(view, grip.place, touch);
	}

	function up(event) {
		if (grip?.id !== event.pointerId) return;
		const {held, place, spent} = grip;
		grip = null;
		if (held) player.drop(place, held);
		else if (!place) player.putDown();
		else if (!spent) tap(place, event.timeStamp);
	}

	function tap(place, at) {
		const twice = place.card && place.card === last.card && at - last.at < DOUBLE_MS;
		const moved = (twice && player.best(place)) || player.tap(place);
		last = {card: moved ? null : place.card, at};
	}

	function cancel() {
		const held = grip?.held;
		grip = null;
		last.card = null; // the next tap is no second one
		if (held) player.letGo(held);
		return Boolean(held);
	}

	function check() {
		const {held, place} = grip ?? {};
		if (held && !held.lies()) cancel();
		else if (held) player.lit(place, held);
		else if (place?.card && place.pile !== "h" && view.run(place.pile, place.count)[0] !== place.card) grip.spent = true;
	}

	const on = (name, listener) => element.addEventListener(name, listener, {signal});
	addEventListener("resize", cancel, {signal});
	on("pointerdown", down);
	on("pointermove", move);
	on("pointerup", up);
	on("pointercancel", event => grip?.id === event.pointerId && cancel());
	for (const name of ["contextmenu", "dragstart"]) on(name, event => event.preventDefault());
	return {cancel, check, end: () => (cancel(), listening.abort())};
}

/** A run in the hand: a copy that follows the pointer, while pale prints keep its place. */
function hold(view, {pile, count}, touch) {
	const cards = view.run(pile, count);
	const box = cards[0].getBoundingClientRect();
	const layout = view.layout.getBoundingClientRect();
	const origin = {x: box.left - layout.left, y: box.top - layout.top};
	const float = touch ? -FLOAT_PX : 0;
	const zones = view.piles.map(({name, element}) => ({name, zone: element.getBoundingClientRect()}));
	const vars = {"--n": Math.max(1, view.pile(pile).cards.length), "--k": cards.length};
	const copy = el("div.held", {inert: true, vars}, el("div.shade"), cards.map(copied));
	let [x, y] = [0, 0];

	function move(across, down) {
		[x, y] = [across, down + float];
		copy.style.translate = `${origin.x + x}px ${origin.y + y}px`;
	}

	/** The pile that is meant: one of *targets* rather than any other. */
	function over(targets) {
		const wide = zones.map(({name, zone}) => ({name, share: share(zone)})).sort((a, b) => b.share - a.share);
		const taking = wide.find(({name, share}) => share > TAKEN && targets?.includes(name));
		return (taking ?? wide.find(({share}) => share > MEANT))?.name ?? null;
	}

	function share(zone) {
		const {left, top, width, height} = box;
		const across = Math.min(left + x + width, zone.right) - Math.max(left + x, zone.left);
		const down = Math.min(top + y + height, zone.bottom) - Math.max(top + y, zone.top);
		return across > 0 && down > 0 ? (across * down) / (width * height) : 0;
	}

	function drop() {
		copy.remove();
		for (const card of cards) card.classList.remove("lifted");
	}

	function home() {
		if (still()) return drop();
		const end = {translate: `${origin.x}px ${origin.y}px`, rotate: "0deg", scale: 1};
		const options = {duration: ms("--move"), easing: token("--out"), fill: "forwards", id: "home"};
		copy.animate([{translate: copy.style.translate}, end], options).finished.finally(drop);
	}

	for (const card of cards) card.classList.add("lifted");
	move(0, 0);
	view.layout.append(copy);
	const lies = () => view.run(pile, count).every((card, place) => card === cards[place]);
	return {move, over, near: () => Math.hypot(x, y - float) < box.height, lies, drop, home};
}

function copied(card, place) {
	const copy = card.cloneNode(true);
	copy.classList.remove("chosen", "lifted", "refused", "hinted");
	copy.classList.toggle("joined", place > 0 && card.classList.contains("joined"));
	copy.style.setProperty("--i", place);
	return copy;
}

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
const LINE = /^(?:[0-9a-d][0-9a-dh](?:v[1-9a-d])?)*(?:[0-9a-d](?:[0-9a-dh]v)?)?$/;
const RUN = /^[1-9a-d]$/;
const FIELDS = "input, textarea, select, [contenteditable]";

/** The keyboard: arrows, space and enter; moves typed as in move text; letters for what else can be asked. */
export function keys(view, attempt, player, hand, help) {
	const listening = new AbortController();
	const chip = el("output.typed");
	const commands = {u: attempt.undo, r: attempt.redo, h: attempt.hint, g: attempt.gather, "?": help};
	let typed = "";
	// A move is played as soon as it is the only one: a count typed behind it is none of the next.
	let swallows = "";

	function heard(event) {
		if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
		if (event.target.closest?.(FIELDS) || document.querySelector("dialog[open]")) return;
		if (handles(event)) event.preventDefault();
	}

	function handles(event) {
		const {key, target, repeat} = event;
		const inside = view.element.contains(target);
		if (key === "Escape") return escape();
		if (key === "Backspace") return type(typed.slice(0, -1), typed !== "");
		if (key === "Enter" && typed) return enter();
		if (key === "Enter" && swallows) return swallow(key) || true;
		if (inside && (key === "Enter" || key === " ")) return !repeat && press(target);
		if (ARROWS.includes(key) && (inside || target.contains(view.element))) return swallow(key) || go(key);
		return take(character(event), repeat);
	}

	function escape() {
		const any = typed !== "";
		type("");
		return [hand.cancel(), player.putDown(), any].some(Boolean);
	}

	function press(element) {
		const place = view.place(element);
		if (place) player.tap(place);
		return Boolean(place);
	}

	function go(key) {
		const here = view.place(document.activeElement);
		const goal = here ? next(here, key) : view.layout.querySelector('[tabindex="0"]');
		if (goal) view.focus(goal);
		return true;
	}

	function next({card, index}, key) {
		const pile = view.piles.find(({element}) => element.contains(document.activeElement));
		const [above, columns] = [false, true].map(low => view.piles.filter(({name}) => PILES.indexOf(name) < 10 === low));
		const inColumn = columns.includes(pile);
		const row = inColumn ? columns : above;
		if (key === "Home") return first(pile);
		if (key === "End") return free(pile);
		if (key === "ArrowLeft") return free(row.at(row.indexOf(pile) - 1));
		if (key === "ArrowRight") return free(row[(row.indexOf(pile) + 1) % row.length]);
		const near = inColumn && card && pile.cards[index + (key === "ArrowUp" ? -1 : 1)];
		if (near) return near;
		if (inColumn && key === "ArrowUp" && above.length) return free(opposite(pile, columns, above));
		if (!inColumn && key === "ArrowDown") return first(opposite(pile, above, columns));
		return document.activeElement;
	}

	function take(key, repeated) {
		if (swallow(key)) return true;
		if (continues(key)) return type(typed + key);
		const command = commands[key];
		if (!command || repeated) return false;
		type("");
		command();
		return true;
	}

	function swallow(key) {
		const count = swallows === "count" && RUN.test(key);
		const mark = swallows === "mark" && key === "v";
		swallows = mark ? "count" : "";
		return mark || count;
	}

	function continues(key) {
		const known = key === "h" || key === "v" || typed.at(-1) === "v" || view.pile(key) !== undefined;
		return known && LINE.test(typed + key);
	}

	function type(text, handled = true) {
		typed = text;
		read();
		return handled;
	}

	function enter() {
		if (typed.length === 2) play(typed, "");
		return true;
	}

	/** Play what is typed; it waits for the choices of a table that is on its way. */
	function read() {
		const {choices} = attempt;
		const [source, target, mark, count] = typed;
		const behind = typed.slice(2);
		if (!choices || !target || (mark === "v" && !count)) return show();
		if (mark === "v") return play(typed.slice(0, 4), typed.slice(4));
		const counts = choices.filter(each => each.source === source && each.targets.includes(target)).map(each => each.count);
		if (counts.length < 2) return play(moveText(source, target, counts[0] ?? 1), behind, "mark");
		return mark ? play(moveText(source, target, Math.min(...counts)), behind) : show();
	}

	const show = () => say(chip, typed);

	function play(move, rest, swallowed = "") {
		typed = rest;
		swallows = rest ? "" : swallowed;
		player.type(move);
		show();
	}

	const {signal} = listening;
	view.element.append(chip);
	document.addEventListener("keydown", heard, {signal});
	view.element.addEventListener("focusin", ({target}) => view.place(target) && view.focus(target), {signal});
	// A click without a pointer is a screen reader's.
	view.element.addEventListener("click", event => event.detail === 0 && press(event.target), {signal});
	return {read, end: () => (listening.abort(), chip.remove())};
}

const free = ({cards, slot}) => cards.at(-1) ?? slot;
const first = ({cards, slot}) => cards[0] ?? slot;

function opposite(pile, row, other) {
	const share = row.indexOf(pile) / Math.max(1, row.length - 1);
	return other[Math.round(share * (other.length - 1))];
}

/** The key as in Latin letters: on other keyboards by its place. */
function character({key, code}) {
	if (key.length !== 1) return "";
	return /[ -~]/.test(key) ? key.toLowerCase() : code.replace(/^(Key|Digit)/, "").toLowerCase();
}
