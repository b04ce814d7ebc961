// A room: one connection, what is known, and the stage that its race is at. Stages show; they ask through this.

import {ended, laid, makeAttempt, moved} from "./attempt.js";
import {ask, bones, button, closeSheets, el, go, icon, notice, refocus, setTitle, setTools, sheets, style, toast, tool, tried, unreached} from "./dom.js";
import {bind} from "./input.js";
import {OPTIONS} from "./protocol.js";
import {connect} from "./server.js";
import {makeTable} from "./table.js";
import {gameName, has, more, refusalText, t} from "./texts.js";

/** What shows each stage: `stage(room)` returns at least `{update(event), end()}`. */
const STAGES = {waiting: () => import("./waiting.js"), race: racing, watching: racing, results: () => import("./results.js")};

/** After these one may come in under another name. */
const NAME_REASONS = ["TWIN_NAME", "BAD_NAME"];

export class Room {
	view = empty;
	/** The race that was over last, as far as this page has seen one. */
	past = "";
	#stage = null;
	#stageName = "";
	#wanted = "";
	#toDoor;

	constructor(root, code, toDoor) {
		this.root = root;
		this.#toDoor = toDoor;
		this.notice = el("div.lost", {role: "status", hidden: true});
		root.replaceChildren(bones());
		this.connection = connect(code, {
			onevent: event => this.#take(event),
			onstate: (state, reason) => this.#connected(state, reason),
		});
		this.attempt = makeAttempt(
			command => this.connection.send(command),
			ids => this.connection.forget(ids),
		);
	}

	get host() {
		return isHost(this.view);
	}

	get playing() {
		return this.view.phase === "running" && this.attempt.playing;
	}

	ask = command => tried(() => this.connection.ask(command));

	end() {
		this.#wanted = ""; // whatever stage is on its way is none of the next page's
		this.#stopStage();
		this.connection.close();
	}

	/** Leave for good; whoever plays resigns by that, and is asked first. */
	async leave() {
		const open = this.connection.state === "open";
		const about = open ? "room.leaveText" : "room.leaveLost";
		if (this.playing && !(await ask(t("room.leaveAsk"), t(about), t("room.leave"), t("race.keep")))) return;
		if (open) this.connection.send({type: "Leave"});
		else go("/");
	}

	about = async () => (await sheets()).openRoom(this);

	help = async () => (await sheets()).openHelp(this.view.options.game);

	#take(event) {
		this.view = after(this.view, event);
		this.attempt.handle(event, this.view);
		if (!this.view.phase) return;
		if (this.view.phase === "finished") this.past = this.view.race;
		if (!this.#wanted) history.replaceState(null, "", `/r/${this.view.room}`);
		const name = this.#stageOf();
		if (name !== this.#wanted) this.#turnTo(name);
		else if (name === this.#stageName) this.#stage.update(event);
	}

	#stageOf() {
		const {phase} = this.view;
		if (phase === "finished") return "results";
		if (phase === "running") return this.playing ? "race" : "watching";
		return "waiting";
	}

	/** Build the stage anew, in another language: the connection and the attempt stay. Return whether there is one. */
	retell() {
		if (this.#stage) this.#turnTo(this.#stageOf(), "Retold");
		return Boolean(this.#stage);
	}

	async #turnTo(name, type = "Shown") {
		this.#wanted = name;
		try {
			const {stage} = await STAGES[name]();
			await this.#stage?.farewell?.();
			const had = document.activeElement;
			if (this.#wanted !== name || this.connection.state === "ended") return;
			this.#stopStage();
			closeSheets();
			document.body.classList.add(name);
			document.body.classList.toggle("room", name !== "results");
			setTitle(t("room.title", {room: this.view.room}));
			setTools(
				...(name === "waiting" ? [tool("help", t("race.help"), {onclick: this.help})] : []),
				tool("people", t("room.about"), {onclick: this.about}),
				tool("close", t("room.leave"), {onclick: () => this.leave()}),
			);
			this.#stage = stage(this);
			this.#stageName = name;
			this.#stage.update({type});
			this.#tell(this.connection.state);
			refocus(had);
		} catch (error) {
			this.#wanted = "?"; // what shows it could not be loaded: the next event tries again
			if (navigator.onLine && this.connection.state === "open") throw error;
		}
	}

	#stopStage() {
		this.#stage?.end();
		this.#stage = null;
		this.#stageName = "";
		document.body.classList.remove("is-lost", ...Object.keys(STAGES));
	}

	#connected(state, reason) {
		if (["ended", "taken-over"].includes(state)) this.#stopStage();
		if (reason?.reason === "LEFT") return go("/");
		if (NAME_REASONS.includes(reason?.reason)) return this.#toDoor(reason);
		if (state === "taken-over") this.#show(elsewhere(() => this.#resume()));
		else if (reason) closed(reason, this.view).then(told => this.#show(told));
		else if (state === "lost" && !this.#stage) this.#show(unreached());
		else this.#tell(state);
	}

	/** Show *notice* in place of a stage: nothing moves here any more. */
	#show(notice) {
		if (!this.root.isConnected) return;
		this.#wanted = "";
		setTools();
		this.root.replaceChildren(notice);
	}

	#resume() {
		this.root.replaceChildren(bones());
		this.connection.resume();
	}

	#tell(state) {
		const {notice, connection, playing} = this;
		const waiting = connection.waiting;
		const lost = state === "lost";
		if (state === "open" && !notice.hidden)
			toast(playing && waiting ? t("race.backSent", {count: waiting}) : t("race.back"), {ms: 2000});
		notice.hidden = !lost;
		document.body.classList.toggle("is-lost", lost);
		if (lost) notice.replaceChildren(t(playing ? "race.lost" : "room.lost"));
	}
}

function elsewhere(resume) {
	closeSheets();
	return notice(t("race.takenOver"), t("race.takenOverText"), {again: null, links: [button(t("race.playHere"), {kind: "button go", onclick: resume})]});
}

async function closed(refusal, {phase, race}) {
	const known = has(`error.${refusal.reason}`);
	const links = phase === "finished" ? [el("a.button.go", {href: `/race/${race}`}, t("error.results"))] : [];
	const why = await refusalText(refusal);
	return notice(t(known ? `error.${refusal.reason}` : "error.closed"), why, {...(known && {again: null}), links});
}

/** What shows a race; asked for in the countdown it is there at zero. */
export async function racing() {
	more("refusal").catch(() => {}); // it comes again when it is needed
	const [module] = await Promise.all([import("./race.js"), style("/race.css")]);
	return module;
}

export function ownTable(room, onchange) {
	const {attempt} = room;
	const element = el("div.own-table");
	let view = null;
	let played = "";
	let release = null;

	function draw() {
		const {game} = room.view.options;
		if (!attempt.table || played !== game) clear();
		if (!attempt.table) return;
		played = game;
		if (!view) element.replaceChildren((view = makeTable({game, live: true, label: t("table.yours")})).element);
		release ??= bind(view, attempt, refused => tellRefusal(refused, game), room.help);
	}

	function clear() {
		release?.();
		[release, view] = [null, null];
		element.replaceChildren();
	}

	const stop = attempt.on(() => (draw(), onchange()));
	draw();
	return {
		element,
		tray: view?.tray,
		end: () => (stop(), clear()),
	};
}

/** Tell the rule in a sentence, with a way to where it stands. */
async function tellRefusal(refused, game) {
	const {rule} = refused;
	const link = rule && el("a", {href: `/rules/${game}#${rule}`, target: "_blank", label: t("race.rulesOf", {game: gameName(game)})}, icon("help"));
	toast(await refusalText(refused), {link, ms: 5000});
}

// What is known of a room, as a pure value: a snapshot, and every event since then folded in, as in client/view.py; the
// own table, hand and choices are attempt.js's.

export const empty = {
	player: "",
	room: "",
	race: "",
	phase: "",
	options: OPTIONS,
	seats: [],
	watchers: [],
	locked: false,
	seat: null,
	countdown: 0,
	remaining_ms: null,
	elapsed_ms: null,
	closes_ms: null,
	paused: false,
	rows: [],
	seen: {},
};

const SEAT = {connected: true, ready: false, host: false, bot: false, suits: null};
const STANDING = {place: null, elapsed_ms: null};

const full = (defaults, values = []) => values.map(value => ({...defaults, ...value}));

export function after(view, event) {
	return FOLDS[event.type]?.(view, event) ?? view;
}

export const nameOf = (view, seat) => sitter(view, seat)?.name ?? "";

export const sitter = (view, seat) => view.seats.find(each => each.seat === seat);

const isHost = view => view.seat !== null && Boolean(sitter(view, view.seat)?.host);

const FOLDS = {
	Welcome: (view, {player}) => ({...view, player}),
	Snapshot: anew,
	Roster: (view, event) => ({...view, ...people(event), seat: ownSeat(view, event.seats)}),
	Configured: (view, {options}) => ({...view, options: {...OPTIONS, ...options}}),
	Countdown: (view, {countdown, remaining_ms}) => ({...view, phase: "countdown", countdown, remaining_ms}),
	Opened: (view, {countdown}) => ({...view, phase: "open", countdown, remaining_ms: null}),
	Began: (view, {race}) => ({...view, phase: "running", race, remaining_ms: null, elapsed_ms: 0}),
	Standings: (view, {elapsed_ms, closes_ms = null, rows}) =>
		ranked({...view, elapsed_ms, closes_ms, paused: false}, full(STANDING, rows)),
	Finished: (view, {race, rows}) =>
		ranked({...view, phase: "finished", race, closes_ms: null, paused: false}, full(STANDING, rows)),
	Watched: watched,
};

const people = ({seats, watchers = [], locked = false}) => ({seats: full(SEAT, seats), watchers, locked});

const ownSeat = (view, seats) => seats.find(each => each.player === view.player)?.seat ?? null;

function anew({player}, {type, code, table, hand, warming, attempts, ...told}) {
	return {
		...empty,
		...told,
		...people(told),
		player,
		options: {...OPTIONS, ...told.options},
		rows: full(STANDING, told.rows),
		seen: Object.fromEntries((told.seen ?? []).map(each => [each.seat, {table: laid(each.table), hand: each.hand}])),
	};
}

/** Take in the changed lines of the standings, which also tell that time was up. */
function ranked(view, changed) {
	const lines = new Map([...view.rows, ...changed].map(row => [row.seat, row]));
	const rows = [...lines.values()].sort(
		(a, b) => (a.place === null) - (b.place === null) || a.place - b.place || a.seat - b.seat,
	);
	const seen = Object.entries(view.seen).map(([seat, each]) => [seat, {...each, hand: ended(each.hand, lines.get(+seat))}]);
	return {...view, rows, seen: Object.fromEntries(seen)};
}

function watched(view, {seat, hand, steps = [], table}) {
	const before = view.seen[seat];
	if ((before && hand.ply <= before.hand.ply) || (!before && !table)) return view;
	const lies = table ? laid(table) : moved(before.table, steps);
	return {...view, seen: {...view.seen, [seat]: {table: lies, hand}}};
}
