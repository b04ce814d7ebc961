// An attempt as it is watched: what lay there after each of its entries. Pure, and without a rule of any game.

import { laid, moved } from "./moving.js";
import { PILES } from "./protocol.js";

const SUIT = 13;
const LINE_STEP_MS = 1000;

/** Entries of a log that are no moves. */
const WORDS = ["undo", "restart", "hint", "resign"];

/** @returns {boolean} whether an entry moved cards onward. */
export const isMove = (entry) => entry !== "" && !WORDS.includes(entry);

/** @returns {object} an attempt to watch, from an answer of /api/records; *seat* gives it its colour. */
export const attemptOf = (record, seat) => watched({ ...record.attempt, code: record.code, record, seat }, record);

/** @returns {object} a line to watch, from an answer of /api/deals, by *name*. */
export const lineOf = (deal, name) => watched({ name, game: deal.game, suits: deal.suits, code: deal.code, won: true, seat: 0 }, deal);

function watched(attempt, told) {
  const moments = momentsOf(told);
  return { ...attempt, moments, end_ms: Math.max(told.result?.elapsed_ms ?? 0, moments.at(-1).time) };
}

/** @returns {boolean} whether two attempts began with the same cards, of however many suits. */
export function sameDeal(one, other) {
  const number = (code) => code.slice(code.lastIndexOf("-"));
  return one.game === other.game && number(one.code) === number(other.code);
}

/**
 * @returns {object[]} the deal, and one moment more for each entry: time, entry, steps, position, joined, score, moves,
 *   progress, `full` (suits gone whole) and `undone`: whether the move was taken back later. Times ascend; those of
 *   entries with one stamp differ by less than a millisecond, so that each has a moment of its own.
 */
function momentsOf(told) {
  const deal = { position: laid(told.table), joined: told.joined, ...told.start };
  const moments = [{ ...deal, time: 0, entry: "", steps: [], moves: 0, full: 0 }];
  const entries = entriesOf(told), times = apart(entries.map(([at_ms]) => at_ms));
  entries.forEach(([, entry], i) => {
    const { joined, ...ply } = told.plies[i], before = moments[i];
    const position = entry === "restart" ? deal.position : moved(before.position, ply.steps);
    const full = position.home.reduce((sum, cards) => sum + Math.floor(cards / SUIT), 0);
    moments.push({ ...ply, time: times[i], entry, position, full, joined: before.joined.map((text, column) => joined?.[PILES[column]] ?? text) });
  });
  markUndone(moments);
  return moments;
}

/** What has no times of its own, as a line, goes on by a move a second. */
function entriesOf({ line, entries = line.map((move) => [0, move]) }) {
  return entries.at(-1)?.[0] ? entries : entries.map(([, entry], i) => [(i + 1) * LINE_STEP_MS, entry]);
}

/** @returns {number[]} stamps, which never fall, as times of which none is twice. */
function apart(stamps) {
  const [count, seen] = [{}, {}];
  for (const ms of stamps) count[ms] = (count[ms] ?? 0) + 1;
  return stamps.map((ms) => ms + ((seen[ms] = (seen[ms] ?? 0) + 1) - 1) / count[ms]);
}

function markUndone(moments) {
  const standing = [];
  for (const moment of moments) {
    if (isMove(moment.entry)) standing.push(moment);
    const gone = { undo: 1, restart: standing.length }[moment.entry] ?? 0;
    for (const each of standing.splice(standing.length - gone)) each.undone = true;
  }
}

/** @returns {number} the ply at which an attempt stood at *ms*. */
export function plyAt(moments, ms) {
  let [low, high] = [0, moments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (moments[middle].time <= ms) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** @returns {object[]} the moments at which one more suit was whole and gone. */
export const milestones = (moments) => moments.filter(({ full }, i) => full > moments[i - 1]?.full);
