// How cards look, what they are called, how they glide and what they sound like.

import {el, icon} from "./dom.js";
import {settings} from "./settings.js";
import {number, t} from "./texts.js";

const COURT = "JQK";

export function cardName(text) {
	const rank = "23456789".includes(text[0]) ? number(Number(text[0])) : t(`table.rank${text[0]}`);
	return t("table.card", {rank, suit: t(`table.suit${text[1]}`)});
}

const made = new Map();

export function card(text, live = false) {
	const key = `${text}${live}`;
	if (!made.has(key)) made.set(key, draw(text, live));
	const element = made.get(key).cloneNode(true);
	element.ariaLabel = cardName(text); // in the language of now
	return element;
}

function draw(text, live) {
	const [rank, suit] = text;
	const court = COURT.includes(rank);
	const kind = court ? "court" : rank === "A" ? "ace" : "number";
	return el(`${tagOf(live)}.card.${suit}.${kind}`, {...ROLES[live], data: {card: text}}, index(rank, suit), court ? block(rank, suit) : icon(suit, "face"));
}

const tagOf = live => (live ? "button" : "span");
const ROLES = {true: {type: "button", tabindex: -1}, false: {role: "img"}};

const index = (rank, suit) =>
	el("span.index", icon(`r${rank}`, rank === "T" ? "rank ten" : "rank"), icon(suit, "pip"));

const block = (rank, suit) => el("span.block", icon(`crown${rank}`, "crown"), icon(suit, "pip"));

export const slot = (live, suit = "") => el(`${tagOf(live)}.slot`, ROLES[live], suit && icon(suit, "pip"));

// How cards move: by transforms only, each from where it is seen to where it lies

const TO_TRAY_GAP_MS = 18;

const calm = matchMedia("(prefers-reduced-motion: reduce)");

export const still = () => calm.matches;

const tokens = new Map();

/** The value of a token of page.css. */
export function token(name) {
	if (!tokens.has(name)) tokens.set(name, getComputedStyle(document.documentElement).getPropertyValue(name));
	return tokens.get(name);
}

export const ms = name => parseFloat(token(name)) || 1;

calm.addEventListener("change", () => tokens.clear());

export function glide(element, from, to, delay = 0, opacity = 1) {
	const [x, y] = [from.left - to.left, from.top - to.top];
	const scale = to.width ? from.width / to.width : 1;
	if (Math.abs(x) < 0.5 && Math.abs(y) < 0.5) return;
	for (const running of element.getAnimations()) if (running.id === "glide") running.cancel();
	const start = {transform: `translate(${x}px, ${y}px) scale(${scale})`, transformOrigin: "0 0", opacity};
	const options = {id: "glide", duration: ms("--move"), delay, easing: token("--out"), fill: "backwards"};
	element.animate([start, {transform: "none", transformOrigin: "0 0", opacity: 1}], options);
}

/** Let cards fly one after the other into the *tray*. */
export function toTray(layout, flights, tray) {
	const origin = layout.getBoundingClientRect();
	flights.forEach(([card, from], place) => {
		const copy = card.cloneNode(true);
		copy.classList.add("leaving");
		copy.inert = true;
		const [left, top] = [from.left - origin.left, from.top - origin.top];
		Object.assign(copy.style, {left: `${left}px`, top: `${top}px`, zIndex: 60 + place});
		layout.append(copy);
		const end = `translate(${tray.left - from.left}px, ${tray.top - from.top}px) scale(${tray.height / from.height})`;
		const options = {id: "leave", duration: ms("--move"), delay: place * TO_TRAY_GAP_MS, easing: token("--out"), fill: "both"};
		copy.animate([{transform: "none"}, {transform: end}], options).finished.finally(() => copy.remove());
	});
}

export function rest(element) {
	if (still()) return;
	const options = {id: "rest", duration: ms("--settle"), easing: token("--spring")};
	element.animate([{transform: "scale(1.045)"}, {transform: "none"}], options);
}

export function shake(element) {
	if (still()) return;
	const steps = [0, -5, 5, -5, 5, -3, 0].map(x => ({transform: `translateX(${x}px)`}));
	element.animate(steps, {id: "shake", duration: ms("--settle"), easing: "ease-in-out", composite: "add"});
}

// Sounds made on the spot, and buzzes. Silent until the first touch of the page, as browsers ask.

const TICK_HZ = 520;
const THIRD = 5 / 4;
const FIFTH = 3 / 2;
const LOUDEST = 0.14;

let context = null;

function wake() {
	context ??= new AudioContext();
	if (context.state === "suspended") context.resume();
}
for (const event of ["pointerup", "keydown"]) addEventListener(event, wake, {once: true, capture: true});

function note(hz, {after = 0, seconds = 0.12, volume = 1, type = "sine"} = {}) {
	const [begin, gain, tone] = [context.currentTime + after, context.createGain(), context.createOscillator()];
	tone.type = type;
	tone.frequency.value = hz;
	gain.gain.setValueAtTime(0, begin);
	gain.gain.linearRampToValueAtTime(LOUDEST * volume, begin + 0.006);
	gain.gain.exponentialRampToValueAtTime(0.0001, begin + seconds);
	tone.connect(gain).connect(context.destination);
	tone.start(begin);
	tone.stop(begin + seconds + 0.02);
}

const rising = (steps, gap, volume = 0.8) =>
	steps.forEach((step, place) => note(TICK_HZ * step, {after: place * gap, seconds: 0.3, volume}));

const varied = () => 2 ** ((Math.random() * 2 - 1) / 12);

const SOUNDS = {
	down: () => note(TICK_HZ * varied(), {seconds: 0.07, volume: 0.5, type: "triangle"}),
	joined: () => note(TICK_HZ * THIRD * varied(), {seconds: 0.09, volume: 0.5, type: "triangle"}),
	gone: () => rising([1, THIRD, FIFTH], 0.09),
	refused: () => note(110, {seconds: 0.12, volume: 0.9, type: "triangle"}),
	count: () => note(TICK_HZ, {seconds: 0.16}),
	go: () => note(TICK_HZ * FIFTH, {seconds: 0.5}),
	rival: () => note(TICK_HZ * 2, {seconds: 0.6, volume: 0.25}),
	solved: () => rising([1, THIRD, FIFTH, 2, 2 * THIRD], 0.11),
};

export function play(name) {
	if (settings.get("sound") && context?.state === "running") SOUNDS[name]();
}

/** Buzz in *pattern* (ms on, ms off, …), where the device can and may. */
export function buzz(pattern) {
	if (settings.get("buzz") && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(pattern);
}
