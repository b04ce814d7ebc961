// Who won a race, in a few words. Pure but for the texts.

import { clock, number, t } from "./texts.js";

const SECOND = 1000, MINUTE = 60 * SECOND;

/** Under this many seconds tenths are told. */
const CLOSE_MS = 10 * SECOND;

/** @returns {string} the headline of *attempts*, best first, in a race for *goal*. */
export function headline(attempts, goal) {
  const [first, second] = attempts;
  if (!first?.won) return nobody(attempts);
  if (attempts.length === 1) return t("results.alone", { time: clock(first.elapsed_ms) });
  const winners = attempts.filter((attempt) => attempt.place === 1).map((attempt) => attempt.name);
  if (winners.length > 1) return t("results.shared", { names: listed(winners) });
  if (!second.won) return t("results.only", { name: first.name });
  return t("results.by", { name: first.name, margin: margin(first, second, goal) });
}

function nobody(attempts) {
  const furthest = attempts.filter((attempt) => attempt.place === 1).map((attempt) => attempt.name);
  if (attempts.length === 1) return t("results.unsolved");
  return furthest.length ? t("results.furthest", { name: listed(furthest) }) : t("results.nobody");
}

/** @returns {string} how far ahead *first* was, by what the goal counts, or by what decided between equals. */
function margin(first, second, goal) {
  if (goal === "score") {
    if (first.score !== second.score) return t("results.points", { count: first.score - second.score });
    if (first.moves !== second.moves) return t("results.fewer", { count: second.moves - first.moves });
  }
  const ms = second.elapsed_ms - first.elapsed_ms;
  return ms ? span(ms) : t("results.fewer", { count: second.moves - first.moves });
}

/** @returns {string} a span of time as one would say it. */
function span(ms) {
  if (ms < 100) return t("results.milliseconds", { count: ms });
  if (ms < CLOSE_MS) return t("results.seconds", { count: Math.floor(ms / 100) / 10 });
  if (ms < 2 * MINUTE) return t("results.seconds", { count: Math.floor(ms / SECOND) });
  return t("results.minutes", { count: Math.floor(ms / MINUTE) });
}

/** @returns {string} names as a sentence lists them. */
export const listed = (names) => new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(names);

/** @returns {string} how far behind the winner someone solved it: "+29.4". */
export function behind(ms) {
  return `+${ms < MINUTE ? number(Math.floor(ms / 100) / 10) : clock(ms)}`;
}
