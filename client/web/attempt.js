// The own attempt: what the server has confirmed, and before that what the player is likely to have moved.
//
// Moves show at once and wait in a queue, each with the ply it is for. What is shown is always worked out anew from the
// confirmed table and the queue, so that a move is never shown twice and a refusal takes back just what hung on it.

import { PILES } from "./protocol.js";
import { back, fits, joinedAfter, laid, moved, moveText, step } from "./moving.js";

const PLAYING = "playing";

/**
 * @typedef {{table: import("./moving.js").Position, joined: string[], past: {move: string, back: string[]}[],
 * undone: string[]}} State A table, which cards lie joined ("?" where only the server knows), the moves that undo takes
 * back, the last one last, and those that redo sends again.
 */

/** One participant's play, over however many connections it takes. */
export class Attempt {
  #send;
  #forget;
  #listeners = new Set();
  #player = "";
  #seat = null;
  #race = "";
  #warming = false;
  #undoAllowed = true;
  #hand = null;
  #confirmed = null;
  #shown = null;
  #choices = null;
  #queue = [];

  /** Called with every change, besides what `on` has added. */
  onchange = () => {};

  /** *send* hands a command to the connection and returns its id; *forget* is told ids that are never to be resent. */
  constructor(send, forget = () => {}) {
    this.#send = send;
    this.#forget = forget;
  }

  /** Call *listener* with every change; return what ends that. */
  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get table() {
    return this.#shown?.table ?? null;
  }

  get joined() {
    return this.#shown?.joined ?? null;
  }

  get hand() {
    return this.#hand;
  }

  get playing() {
    return this.#hand?.state === PLAYING;
  }

  get waiting() {
    return this.#queue.length;
  }

  /** What may go where, if that is known of just what is shown; otherwise null. */
  get choices() {
    return this.#settled ? this.#choices : null;
  }

  /** What may be asked for besides moves, with what waits taken into account. */
  get can() {
    const { undo = false, restart = false, hint = false, gather = false } = this.#hand?.can ?? {};
    const settled = this.#settled;
    return {
      undo: settled ? undo : this.#undoAllowed && this.#shown.past.length > 0,
      redo: this.playing && this.#shown.undone.length > 0,
      restart,
      hint,
      gather: gather && settled,
    };
  }

  /** Whether nothing waits that changes the table. */
  get #settled() {
    return this.#queue.every((item) => item.still);
  }

  /** @returns {string[] | null} where the run of *count* cards from *source* may go; null where that is not known. */
  targets(source, count) {
    return this.choices && (this.#choice(source, count)?.targets ?? []);
  }

  /** @returns {boolean} whether the last *count* cards of *source* move together, as far as one can know. */
  isRun(source, count) {
    if (source === "h" || !this.playing) return false;
    const place = PILES.indexOf(source);
    const marks = this.joined[place];
    return marks === undefined ? count === 1 : !marks.slice(marks.length - count + 1).includes("0") || count === 1;
  }

  #choice(source, count) {
    return this.#choices.find((choice) => choice.source === source && choice.count === count);
  }

  // What the player does

  /** Play *move*; *dropped*: its cards lie on the target already. What can't be legal is only asked for its refusal. */
  play(move, dropped = false) {
    const { source, target, count } = step(move);
    const legal = this.targets(source, count)?.includes(target) ?? true;
    return this.#ask({ kind: "move", move, dropped, ...this.#unless(legal) }, { type: "Play", move });
  }

  /** Play the run of *count* cards from *source* to its best target. */
  playBest(source, count) {
    const known = this.choices && (this.#choice(source, count)?.best ?? "");
    const move = known && moveText(source, known, count);
    const item = { kind: "best", move, run: { source, count }, ...this.#unless(known !== "") };
    return this.#ask(item, { type: "PlayBest", source, count });
  }

  undo() {
    return this.#ask({ kind: "undo", ...this.#unless(this.can.undo) }, { type: "Undo" });
  }

  /** Send the move again that was undone last. */
  redo() {
    const move = this.#shown?.undone.at(-1);
    return Boolean(move) && this.#ask({ kind: "move", move, redo: true }, { type: "Play", move });
  }

  restart() {
    return this.#ask({ kind: "restart", blocks: true, ...this.#unless(this.can.restart) }, { type: "Restart" });
  }

  hint() {
    return this.#ask({ kind: "hint", ...this.#unless(this.can.hint), still: true }, { type: "Hint" });
  }

  gather() {
    return this.#ask({ kind: "gather", blocks: true, ...this.#unless(this.can.gather) }, { type: "Gather" });
  }

  resign() {
    return this.#ask({ kind: "resign", blocks: true }, { type: "Resign" });
  }

  /** What is sure to be refused is asked for the reason only: it takes no ply, and nothing hangs on it. */
  #unless(allowed) {
    return allowed ? {} : { still: true, entries: 0, blocks: false };
  }

  /** Send *command* for the ply that follows all that waits; return whether that could be. */
  #ask(item, command) {
    if (!this.playing || this.#queue.some((waiting) => waiting.blocks)) return false;
    const ply = this.#queue.reduce((sum, { entries }) => sum + entries, this.#hand.ply);
    const waiting = { move: null, still: false, entries: 1, blocks: false, dropped: false, redo: false, ...item, ply };
    const before = this.#shown;
    this.#queue.push(waiting);
    waiting.id = this.#send({ ...command, ply });
    this.#shown = expected(this.#shown, waiting);
    waiting.steps = this.#shown === before ? [] : waiting.kind === "undo" ? before.past.at(-1).back : [waiting.move];
    this.#tell("own", { steps: waiting.steps, item: waiting });
    return true;
  }

  // What the server says

  /** Take an event in. Those that do not concern the own attempt change nothing. */
  handle(event) {
    this.#heard[event.type]?.(event);
  }

  #heard = {
    Welcome: ({ player }) => (this.#player = player),
    Snapshot: (event) => this.#takeSnapshot(event),
    Roster: ({ seats }) => (this.#seat = seats.find(({ player }) => player === this.#player)?.seat ?? null),
    Configured: ({ options }) => {
      this.#undoAllowed = options.undo ?? true;
      this.#begin();
    },
    Countdown: () => this.#begin(),
    Began: ({ race, table, hand }) => this.#deal(race, false, table, hand),
    Warming: ({ table, hand }) => this.#deal(this.#race, true, table, hand),
    Played: (event) => this.#takePlayed(event),
    Hinted: (event) => this.#takeHinted(event),
    Choices: (event) => this.#takeChoices(event),
    Refused: (event) => this.#takeRefused(event),
    Standings: ({ rows }) => this.#takeRows(rows),
    Finished: ({ rows }) => this.#takeRows(rows),
  };

  #deal(race, warming, table, hand) {
    this.#race = race;
    this.#warming = warming;
    this.#begin(table, hand, "dealt");
  }

  /** Begin anew with what lies there, or with nothing. */
  #begin(table, hand, cause = "laid") {
    this.#forget(this.#queue.map(({ id }) => id));
    this.#queue = [];
    this.#choices = null;
    this.#hand = hand ?? null;
    this.#confirmed = table ? fresh(table) : null;
    this.#tell(cause);
  }

  /** Take a whole table in; what waits and is not yet in the log goes on waiting. */
  #takeSnapshot({ seat = null, race, warming = false, options = {}, table, hand }) {
    const same = race === this.#race && warming === this.#warming && this.#hand && table && hand.ply >= this.#hand.ply;
    this.#seat = seat;
    this.#race = race;
    this.#warming = warming;
    this.#undoAllowed = options.undo ?? true;
    if (!same) return this.#begin(table, hand);
    const logged = this.#queue.filter((item) => item.ply + item.entries <= hand.ply);
    const known = logged.reduce(expected, this.#confirmed);
    const told = fresh(table);
    this.#confirmed = JSON.stringify(known.table) === JSON.stringify(told.table) ? known : told;
    this.#queue = this.#queue.filter((item) => !logged.includes(item));
    if (hand.ply > this.#hand.ply) this.#choices = null;
    this.#hand = hand;
    this.#tell("laid");
  }

  #takePlayed({ id, hand, steps = [], table }) {
    const item = this.#answered(id);
    if (!this.#hand || hand.ply <= this.#hand.ply) return;
    const entries = hand.ply - this.#hand.ply;
    this.#confirmed = table ? fresh(table) : confirmed(this.#confirmed, item, steps, entries);
    this.#hand = hand;
    this.#choices = null;
    const seen = item?.steps.every((step, place) => step === steps[place]) ? item.steps.length : 0;
    this.#tell("answer", { steps: steps.slice(seen), item });
  }

  #takeHinted({ id, hand, move }) {
    const item = this.#answered(id);
    if (!this.#hand || hand.ply <= this.#hand.ply) return;
    this.#hand = hand; // the table stays, and with it the choices
    this.#tell("answer", { hinted: move, item });
  }

  #takeChoices({ ply, choices, joined }) {
    if (!this.#hand || ply !== this.#hand.ply) return; // those of another table: what is on its way brings its own
    this.#choices = choices;
    this.#confirmed = { ...this.#confirmed, joined };
    this.#tell("answer");
  }

  /** Take back what was refused and, if it would have been an entry, all that was queued behind it. */
  #takeRefused(refused) {
    const place = this.#queue.findIndex((item) => item.id === refused.id);
    if (place < 0) return;
    const item = this.#queue[place];
    const dropped = this.#queue.splice(place, item.entries ? this.#queue.length : 1).slice(1);
    this.#forget(dropped.map(({ id }) => id));
    this.#tell(item.steps.length ? "taken-back" : "answer", { refused, item });
  }

  /** The standings may say that the attempt is over, as when time is up. */
  #takeRows(rows) {
    const row = rows.find(({ seat }) => seat === this.#seat);
    if (!row || !this.playing || row.state === PLAYING) return;
    this.#hand = { ...this.#hand, state: row.state, can: {}, stuck: false };
    this.#tell("answer");
  }

  #answered(id) {
    const place = this.#queue.findIndex((item) => item.id === id);
    return place < 0 ? null : this.#queue.splice(place, 1)[0];
  }

  #tell(cause, { steps = [], refused = null, hinted = null, item = null } = {}) {
    this.#shown = this.#confirmed && this.#queue.reduce(expected, this.#confirmed);
    const change = { cause, steps, refused, hinted, item };
    this.onchange(change);
    for (const listener of this.#listeners) listener(change);
  }
}

/** @returns {State} the state in which nothing is known but what lies there. */
function fresh(table) {
  const position = laid(table);
  const joined = position.columns.map((column) => column.map((_, place) => (place ? "?" : "0")).join(""));
  return { table: position, joined, past: [], undone: [] };
}

/** @returns {State} the state after one entry that moves by *steps*. */
function entered(state, steps, redo) {
  return {
    table: moved(state.table, steps),
    joined: joinedAfter(state.joined, steps),
    past: [...state.past, { move: steps[0], back: back(state.table, steps) }],
    undone: redo ? state.undone.slice(0, -1) : [],
  };
}

/** @returns {State} the state after an undo that moves by *steps*. */
function undone(state, steps) {
  const last = state.past.at(-1);
  return {
    table: moved(state.table, steps),
    joined: joinedAfter(state.joined, steps),
    past: state.past.slice(0, -1),
    undone: last ? [...state.undone, last.move] : [],
  };
}

/** @returns {State} what *item* is expected to make of *state*: the same where only the server can tell. */
function expected(state, item) {
  if (item.still) return state;
  if (item.kind === "undo") return state.past.length ? undone(state, state.past.at(-1).back) : state;
  if (!item.move || !fits(state.table, item.move)) return state;
  return entered(state, [item.move], item.redo);
}

/** @returns {State} what the answer to *item* has made of *state*, in so many *entries*. */
function confirmed(state, item, steps, entries) {
  if (!steps.length) return state;
  if (item?.kind === "undo") return undone(state, steps);
  if (entries === 1) return entered(state, steps, item?.redo);
  return steps.reduce((each, step) => entered(each, [step], false), state);
}
