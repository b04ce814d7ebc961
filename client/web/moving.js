// Cards moved as the server's steps say: pure, and without a rule of any game. The same as client/moving.py.

import { PILES } from "./protocol.js";

const RANKS = "A23456789TJQK";
export const SUITS = "SHDC";

const FIRST_CELL = PILES.indexOf("a");
const HOME = PILES.indexOf("h");
const STEP = /^([0-9a-dh])([0-9a-dh])(?:v([1-9a-d]))?([SHDC])?$/;

/**
 * @typedef {{columns: string[][], cells: string[], home: number[]}} Position Cards as texts ("KH"), the free one last
 * in its column; "" for an empty cell; cards gone home of spades, hearts, diamonds, clubs. Never changed in place.
 */

/** @returns {Position} the position that the wire's Table tells. */
export function laid({ columns, cells = [], home }) {
  return { columns: columns.map((column) => column.split(" ").filter(Boolean)), cells: [...cells], home: [...home] };
}

/**
 * Read a step: move text, with the suit behind it of cards that come back from home.
 * @returns {{source: string, target: string, count: number, suit: string}} piles by their texts.
 */
export function step(text) {
  const found = STEP.exec(text);
  if (!found) throw new Error(`no step: ${text}`);
  return { source: found[1], target: found[2], count: parseInt(found[3] ?? "1", 16), suit: found[4] ?? "" };
}

/** @returns {string} move text. */
export const moveText = (source, target, count) => source + target + (count > 1 ? `v${count.toString(16)}` : "");

/** @returns {Position} the position after *steps*. */
export const moved = (position, steps) => steps.reduce(after, position);

function after(position, text) {
  const { source, target, count, suit } = step(text);
  const [rest, run] = taken(position, source, count, suit);
  return put(rest, target, run);
}

/** @returns {string[]} the cards of *pile*, "h" excepted: there they lie by suit. */
export function cardsOf(position, pile) {
  const place = PILES.indexOf(pile);
  if (place < FIRST_CELL) return position.columns[place] ?? [];
  return position.cells[place - FIRST_CELL] ? [position.cells[place - FIRST_CELL]] : [];
}

/** @returns {string[]} the last *count* cards of *suit* gone home, the last first; one sequence lies on another. */
function runHome(position, suit, count) {
  const top = (position.home[SUITS.indexOf(suit)] - 1) % RANKS.length;
  return Array.from({ length: count }, (_, below) => RANKS[top - below] + suit);
}

/** @returns {boolean} whether *text* moves cards that lie there to a pile that exists. */
export function fits(position, text) {
  const { source, target, count } = step(text);
  const place = PILES.indexOf(target);
  const there =
    place === HOME || (place < FIRST_CELL ? place < position.columns.length : position.cells[place - FIRST_CELL] === "");
  return there && source !== target && cardsOf(position, source).length >= count;
}

/** @returns {[Position, string[]]} the position without the last *count* cards of *pile*, and those cards. */
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
  if (place < FIRST_CELL) return { ...position, columns: position.columns.with(place, cards) };
  return { ...position, cells: position.cells.with(place - FIRST_CELL, cards[0] ?? "") };
}

function withHome(position, suit, more) {
  const place = SUITS.indexOf(suit);
  return { ...position, home: position.home.with(place, position.home[place] + more) };
}

/** @returns {string[]} the steps that take *steps*, made from *position*, back again. */
export function back(position, steps) {
  const found = [];
  for (const text of steps) {
    const { source, target, count } = step(text);
    const suit = target === "h" ? cardsOf(position, source).at(-1)[1] : "";
    found.unshift(moveText(target, source, count) + suit);
    position = after(position, text);
  }
  return found;
}

/** @returns {string[]} for each column which of its cards lie joined, after *steps*: "?" where only the server knows. */
export function joinedAfter(joined, steps) {
  const columns = [...joined];
  for (const text of steps) {
    const { source, target, count } = step(text);
    const [from, to] = [PILES.indexOf(source), PILES.indexOf(target)];
    const run = from < FIRST_CELL ? columns[from].slice(columns[from].length - count) : "?".repeat(count);
    if (from < FIRST_CELL) columns[from] = columns[from].slice(0, columns[from].length - count);
    if (to < FIRST_CELL) columns[to] += (columns[to] ? "?" : "0") + run.slice(1);
  }
  return columns;
}
