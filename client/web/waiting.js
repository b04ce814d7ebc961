// A room before its race: the invitation, who is here, a table to warm up at, ready marks, the countdown.

import {buzz, ms, play} from "./cards.js";
import {announce, ask, button, closeSheets, copyLink, dot, el, icon, refill, refocus, say, sheet, sheets, toasts, tool} from "./dom.js";
import {GAMES} from "./protocol.js";
import {ownTable, racing, sitter} from "./room.js";
import {levelName, listed, summary, t} from "./texts.js";

/** Races that were begun because their room is for one. */
const begunAlone = new Set();

export function stage(room) {
	const list = people(async who => (await sheets()).openPerson(room, who));
	const warm = warmUp(room);
	const ready = readiness(room);
	const suits = el("div.own-suits");
	let stopCounting = null;
	let asked = "";
	room.root.replaceChildren(invitation(room.view.room), list, warm.element, el("div.readybar", suits, ready.parts), room.notice);

	/** Ask for a table to warm up at: at the race's opening, and when options change. */
	function lay() {
		const {view, attempt, connection} = room;
		const wanted = JSON.stringify([view.race, view.options, view.countdown]);
		if (view.phase !== "open" || view.seat === null || attempt.table || asked === wanted) return;
		asked = wanted;
		connection.send({type: "WarmUp"});
	}

	function count() {
		const {phase, remaining_ms, seats, countdown: number} = room.view;
		const stop = () => room.ask({type: "Cancel", countdown: number});
		const starters = seats.filter(seat => seat.ready && seat.connected).map(seat => seat.name);
		if (phase !== "countdown") return endCount(false);
		if (!stopCounting) closeSheets();
		stopCounting ??= countdown(remaining_ms, starters, room.host && stop);
		racing().catch(() => {}); // it is asked for again at zero
	}

	function endCount(begun) {
		stopCounting?.(begun);
		stopCounting = null;
	}

	let shown;
	return {
		update() {
			if (shown !== room.view) list.update((shown = room.view), room.host);
			ready.update();
			ownSuits(room, suits);
			startAlone(room);
			lay();
			warm.draw();
			count();
		},
		end() {
			endCount(room.view.phase === "running");
			warm.table.end();
		},
	};
}

function startAlone({view, host, connection}) {
	if (view.phase !== "open" || !host || view.options.seats > 1 || begunAlone.has(view.race)) return;
	begunAlone.add(view.race);
	connection.send({type: "Start", countdown: view.countdown + 1});
}

/** What to press, what it does, and the way back to the race before. */
function readiness(room) {
	const mark = button("", {kind: "button go", onclick: () => room.ask({type: "Ready", ready: mark.ariaPressed !== "true"})});
	const left = () => present(room.view).filter(seat => !starts(seat, room.view)).map(seat => seat.name);
	let names = ""; // of those asked about
	const start = async () => {
		names = listed(left());
		const asks = () => ask(t("room.startAsk", {names}), t("room.startText"), t("room.startYes"), t("room.wait"));
		if (!names || (await asks())) room.ask({type: "Start", countdown: room.view.countdown + 1});
		names = "";
	};
	const begin = button("", {kind: "button line", onclick: start});
	const note = el("span", {role: "status"});
	const last = el("a", {href: `/race/${room.past}`, target: "_blank", hidden: !room.past}, t("room.lastRace"));
	const update = () => {
		const {view, host} = room;
		const own = sitter(view, view.seat);
		if (names && names !== listed(left())) closeSheets();
		mark.hidden = !own;
		begin.hidden = !host;
		mark.ariaPressed = String(Boolean(own?.ready));
		mark.replaceChildren(own?.ready ? icon("check") : "", t(own?.ready ? "room.youReady" : "room.imReady"));
		say(begin, startWords(left(), present(view).length));
		say(note, host ? t("room.byItself") : own ? t("room.waitingFor", {name: view.seats.find(seat => seat.host)?.name ?? ""}) : t("room.full"));
	};
	return {parts: [el("p.note.small.soft", note, " ", last), el("div.ready-row", mark, begin)], update};
}

/** Say whom a start leaves out: the names of *left*, of all who are *here*. */
function startWords(left, here) {
	if (here === 1) return t("room.startAlone");
	if (!left.length) return t("room.startNow");
	return t(left.length > 1 ? "room.startWithout" : "room.startBut", {name: left[0], count: left.length});
}

const present = ({seats}) => seats.filter(seat => seat.connected);

/** Whether *seat* is in a race that the host, ready by that, starts now. */
const starts = (seat, view) => seat.ready || seat.seat === view.seat;

function ownSuits(room, place) {
	const {game, suits: usual, mixed} = room.view.options;
	const seat = sitter(room.view, room.view.seat);
	const own = seat?.suits ?? usual ?? GAMES[game].suits[0];
	const choose = async suits => (await room.ask({type: "ChooseSuits", suits})) && room.connection.send({type: "WarmUp"});
	const level = suits =>
		button(levelName(game, suits), {"aria-pressed": String(suits === own), onclick: () => choose(suits)});
	refill(place, ...(mixed && seat ? GAMES[game].suits.map(level) : []));
}

function warmUp(room) {
	const {attempt, connection} = room;
	const about = el("span.small.soft.about");
	const again = tool("restart", t("room.another"), {onclick: () => connection.send({type: "WarmUp"})});
	const undo = tool("undo", t("race.undo"), {onclick: () => attempt.undo()});
	const draw = () => {
		say(about, summary(room.view.options));
		undo.disabled = !attempt.table || !attempt.can.undo;
		again.disabled = !attempt.table;
	};
	const heading = el("div.h", el("h2", t("room.warmUp")), about, undo, again, toasts());
	const table = ownTable(room, draw);
	return {element: el("section.warm", {label: t("room.warmUp")}, heading, table.element), draw, table};
}

function people(onpick) {
	const list = el("ul.who-is", {label: t("room.here"), tabindex: "0"});
	list.update = (view, host) => {
		const free = view.options.seats - view.seats.length;
		const pick = who => host && who.player !== view.player && onpick;
		refill(
			list,
			...view.seats.map(seat => line(seat, `seat ${seat.ready ? "ready" : ""}`, pick(seat), seatParts(seat, view))),
			...view.watchers.map(who => line(who, "seat watcher", pick(who), [el("span.mark", t("room.watching"))])),
			...(free > 0 ? [el("li.seat.empty", t("room.seatsFree", {count: free}))] : []),
		);
	};
	return list;
}

function seatParts(seat, view) {
	const mark = seat.connected ? (seat.ready ? "ready" : "warming") : "away";
	return [
		seat.seat === view.seat && el("span.tag.you", t("page.you")),
		seat.host && el("span.tag", t("room.host")),
		seat.suits && el("span.tag", t(`options.level${seat.suits}`)),
		el("span.mark", mark === "ready" && icon("check"), t(`room.${mark}`)),
	];
}

function line(who, kind, onpick, parts) {
	const label = t("room.pick", {name: who.name});
	return el(
		"li",
		{class: kind, data: {player: who.player}},
		who.seat !== undefined && dot(who.seat, who.name),
		el("span.name", who.name),
		parts,
		onpick && button("", {kind: "pick", label, onclick: () => onpick(who)}),
	);
}

// The invitation: the system's own sheet, a copy, a code to scan

export function invitation(room) {
	const link = `${location.origin}/r/${room}`;
	const code = () => el("img", {src: `/qr/${room}.svg`, alt: t("room.qr")});
	const enlarge = () => sheet(t("room.scan"), el("div.scan", code(), el("p.url", link)));
	const heading = t(/^(localhost|127\.|\[::1)/.test(location.hostname) ? "room.onlyHere" : "room.joinAt");
	const address = el("p.url", location.host, el("wbr"), el("b", `/r/${room}`));
	const copy = async ({currentTarget}) => (await copyLink(link, t("room.joinAt"))) && say(currentTarget.lastChild, t("room.copied"));
	const share = navigator.share && button(t("room.share"), {sign: "share", onclick: () => pass(link)});
	return el(
		"section.invite.panel",
		{label: t("room.invite")},
		el("button.qr", {type: "button", label: t("room.enlarge"), onclick: enlarge}, code()),
		el("div.say", el("div", el("span.small.soft", heading), address), el("div.acts", share, button(t("room.copy"), {sign: "copy", onclick: copy}))),
	);
}

const pass = url => navigator.share({title: t("page.name"), text: t("room.shareText"), url}).catch(() => {});

// The countdown: at zero the sun is up

function countdown(remaining_ms, names, onstop) {
	const zero = performance.now() + remaining_ms;
	const had = document.activeElement;
	const sun = el("div.sun", {"aria-hidden": "true"});
	const stop = onstop && button(t("room.stop"), {kind: "button line", onclick: onstop});
	const under = el("div.under", el("p.names", names.join(", ")), stop);
	const element = el("div.countdown", {role: "dialog", label: t("room.countdown"), tabindex: "-1"}, sun, under);
	const tick = () => showLeft(element, sun, Math.ceil((zero - performance.now()) / 1000));
	const beat = setInterval(tick, 50);
	document.body.append(element);
	tick();
	element.focus({preventScroll: true}); // not the button: typing on would stop the race
	return begun => {
		clearInterval(beat);
		const remove = () => (element.remove(), refocus(had));
		if (!begun) return remove();
		signal(t("race.go"), "go", 60);
		element.role = null;
		element.classList.add("risen");
		setTimeout(remove, ms("--scene"));
	};
}

function showLeft(element, sun, left) {
	const shown = String(Math.min(3, left));
	if (left < 1 || element.dataset.count === shown) return;
	element.dataset.count = shown;
	sun.replaceChildren(icon(`r${shown}`, "rank"));
	signal(shown, "count", 10);
}

function signal(text, sound, buzz_ms) {
	announce(text);
	play(sound);
	buzz([buzz_ms]);
}
