// What this page knows of a room, as a pure value: a snapshot, and every event since then folded in. It mirrors
// client/view.py; the own table, hand and choices are attempt.js's. Old snapshot + events = new snapshot.

import { laid, moved } from "./moving.js";
import { OPTIONS } from "./protocol.js";

/** The view of a page to which nothing was told yet. */
export const empty = {
  player: "",
  name: "",
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
  limit_ms: null,
  paused: false,
  code: null,
  rows: [],
  attempts: {},
  seen: {},
};

/** What the wire leaves out, by kind of value. */
const SEAT = { connected: true, ready: false, host: false, bot: false, suits: null };
const STANDING = {
  place: null,
  elapsed_ms: null,
  suits: null,
  clean: false,
  practice: false,
  ranked: false,
  lag_ms: null,
};

const full = (defaults, values = []) => values.map((value) => ({ ...defaults, ...value }));

/** @returns {object} the view once *event* has been told. */
export function after(view, event) {
  return FOLDS[event.type]?.(view, event) ?? view;
}

/** @returns {string} the name of who sits on *seat*. */
export const nameOf = (view, seat) => sitter(view, seat)?.name ?? "";

/** @returns {object | undefined} who sits on *seat*. */
export const sitter = (view, seat) => view.seats.find((each) => each.seat === seat);

/** @returns {boolean} whether this page's player is the host. */
export const isHost = (view) => view.seat !== null && Boolean(sitter(view, view.seat)?.host);

const FOLDS = {
  Welcome: (view, { player, name }) => ({ ...view, player, name }),
  Snapshot: anew,
  Roster: (view, event) => ({ ...view, ...people(event), seat: ownSeat(view, event.seats) }),
  Configured: (view, { options }) => ({ ...view, options: { ...OPTIONS, ...options } }),
  Countdown: (view, { countdown, remaining_ms }) => ({ ...view, phase: "countdown", countdown, remaining_ms }),
  Opened: (view, { countdown }) => ({ ...view, phase: "open", countdown, remaining_ms: null }),
  Began: (view, { race, limit_ms, code = null }) => ({
    ...view,
    phase: "running",
    race,
    code,
    limit_ms,
    remaining_ms: null,
    elapsed_ms: 0,
  }),
  Standings: (view, { elapsed_ms, rows }) => ranked({ ...view, elapsed_ms, paused: false }, full(STANDING, rows)),
  Finished: (view, { race, code, rows, attempts }) =>
    // With suits of one's own the own code is another than the race's.
    ranked(
      { ...view, phase: "finished", race, code: view.code ?? code, paused: false, attempts: bySeat(rows, attempts) },
      full(STANDING, rows),
    ),
  Watched: watched,
};

const people = ({ seats, watchers = [], locked = false }) => ({ seats: full(SEAT, seats), watchers, locked });

const ownSeat = (view, seats) => seats.find((each) => each.player === view.player)?.seat ?? null;

/** Forget all but who this is: a snapshot holds everything that it may know. */
function anew(view, told) {
  const options = { ...OPTIONS, ...told.options };
  return {
    ...empty,
    player: view.player,
    name: view.name,
    ...people(told),
    room: told.room,
    race: told.race,
    phase: told.phase,
    options,
    seat: told.seat ?? null,
    countdown: told.countdown ?? 0,
    remaining_ms: told.remaining_ms ?? null,
    elapsed_ms: told.elapsed_ms ?? null,
    limit_ms: options.limit_ms,
    paused: told.paused ?? false,
    code: told.code ?? null,
    rows: full(STANDING, told.rows),
    attempts: bySeat(told.rows ?? [], told.attempts ?? []),
    seen: Object.fromEntries((told.seen ?? []).map(({ seat, table, hand }) => [seat, { table: laid(table), hand }])),
  };
}

const bySeat = (rows, attempts) => Object.fromEntries(attempts.map((attempt, i) => [rows[i].seat, attempt]));

/** Take in the changed lines of the standings, which also tell that time was up. */
function ranked(view, changed) {
  const lines = new Map([...view.rows, ...changed].map((row) => [row.seat, row]));
  const rows = [...lines.values()].sort(
    (a, b) => (a.place === null) - (b.place === null) || a.place - b.place || a.seat - b.seat,
  );
  const seen = Object.entries(view.seen).map(([seat, each]) => [seat, { ...each, hand: ended(each.hand, lines.get(+seat)) }]);
  return { ...view, rows, seen: Object.fromEntries(seen) };
}

/** @returns {object} *hand* with nothing to ask for any more, if *row* says that the server has ended the attempt. */
function ended(hand, row) {
  if (!row || hand.state !== "playing" || row.state === "playing") return hand;
  return { ...hand, state: row.state, can: {}, stuck: false };
}

/** Apply an entry on a table that is watched, unless it was seen before. */
function watched(view, { seat, hand, steps = [], table }) {
  const before = view.seen[seat];
  if ((before && hand.ply <= before.hand.ply) || (!before && !table)) return view;
  const lies = table ? laid(table) : moved(before.table, steps);
  return { ...view, seen: { ...view.seen, [seat]: { table: lies, hand } } };
}
