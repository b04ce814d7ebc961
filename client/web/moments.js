// An attempt as it is watched: what lay there after each of its entries. Pure, and without a rule of any game.

import { laid, moved } from "./moving.js";
import { PILES } from "./protocol.js";

const SUIT = 13;
const LINE_STEP_MS = 1000;

/** Entries of a log that are no moves. */
const WORDS = new Set(["undo", "restart", "hint", "resign"]);

/**
 * @param {object} record an answer of /api/records, or of /api/deals with a line
 * @returns {object[]} the deal, and one moment more for each entry: ply, time, entry, steps, position, joined, score,
 *   moves, progress, `full` (suits gone whole) and `undone`: whether the move was taken back later. Times ascend; those
 *   of entries with one stamp differ by less than a millisecond, so that each has a moment of its own.
 */
export function momentsOf(record) {
  const deal = { position: laid(record.table), joined: record.joined ?? null };
  const start = { time: 0, entry: "", steps: [], moves: 0, score: null, progress: null, ...record.start };
  const moments = [{ ...deal, ...start, ply: 0, full: 0, undone: false }];
  const times = apart(entriesOf(record).map(([at_ms]) => at_ms));
  entriesOf(record).forEach(([, entry], i) => {
    const { steps, joined, score, moves, progress } = record.plies[i], before = moments[i];
    const position = entry === "restart" ? deal.position : moved(before.position, steps);
    moments.push({
      ...{ ply: i + 1, time: times[i], entry, steps, position, score, moves, progress },
      ...{ joined: changed(before.joined, joined), full: whole(position), undone: false },
    });
  });
  markUndone(moments);
  return moments;
}

/** @returns {number[]} stamps, which never fall, as times of which none is twice. */
function apart(stamps) {
  const count = {}, seen = {};
  for (const ms of stamps) count[ms] = (count[ms] ?? 0) + 1;
  return stamps.map((ms) => ms + ((seen[ms] = (seen[ms] ?? 0) + 1) - 1) / count[ms]);
}

const whole = (position) => position.home.reduce((sum, cards) => sum + Math.floor(cards / SUIT), 0);

/** What has no times of its own, as a line, goes on by a move a second. */
function entriesOf({ line, entries = line.map((move) => [0, move]) }) {
  return entries.at(-1)?.[0] ? entries : entries.map(([, entry], i) => [(i + 1) * LINE_STEP_MS, entry]);
}

/** @returns {string[] | null} the texts of all columns, those in *changes*, {pile: text}, put in. */
function changed(before, changes) {
  return changes ? before.map((text, column) => changes[PILES[column]] ?? text) : before;
}

function markUndone(moments) {
  let standing = [];
  for (const moment of moments) {
    if (moment.entry === "undo") standing.pop().undone = true;
    else if (moment.entry === "restart") standing = standing.filter((each) => (each.undone = true) && false);
    else if (isMove(moment.entry)) standing.push(moment);
  }
}

/** @returns {boolean} whether an entry moved cards onward. */
export const isMove = (entry) => entry !== "" && !WORDS.has(entry);

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
export function milestones(moments) {
  return moments.filter((moment, i) => i > 0 && moment.full > moments[i - 1].full);
}
