// What can be watched: an attempt or a winning line, made of what /api tells of it.

import { momentsOf } from "./moments.js";

/** @returns {object} an attempt to watch, from an answer of /api/records; *seat* gives it its colour. */
export function attemptOf(record, seat) {
  const { attempt, name, player, race, game, state, won } = record.attempt;
  return watched({ id: attempt, name, player, race, game, state, won, code: record.code, seat, record }, record);
}

/** @returns {object} a line to watch, from an answer of /api/deals, by *name*. */
export function lineOf(deal, name) {
  return watched({ id: null, name, player: null, race: null, game: deal.game, won: true, code: deal.code, seat: 0 }, deal);
}

function watched(attempt, told) {
  const moments = momentsOf(told);
  return { ...attempt, moments, end_ms: Math.max(told.result?.elapsed_ms ?? 0, moments.at(-1).time) };
}

/** @returns {boolean} whether two attempts began with the same cards, of however many suits. */
export function sameDeal(one, other) {
  const number = (code) => code.slice(code.lastIndexOf("-"));
  return one.game === other.game && number(one.code) === number(other.code);
}

/** @returns {Blob} the record alone, as a file that `samedeal verify` reads. */
export function fileOf({ format, code, player, started, entries, result }) {
  return new Blob([`${JSON.stringify({ format, code, player, started, entries, result })}\n`], { type: "application/json" });
}
