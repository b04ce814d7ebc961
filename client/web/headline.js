// Who won a race, in a few words.

import { clock, number, t } from "./texts.js";

const MINUTE = 60_000;

/** What is won by less than this is told in tenths. */
const CLOSE_MS = 10_000;

/** @returns {string} the headline of *attempts*, best first, in a race for *goal*. */
export function headline(attempts, goal) {
  const [first, second] = attempts, names = listed(attempts.filter(({ place }) => place === 1));
  if (!first.won && second) return names ? t("results.furthest", { name: names }) : t("results.nobody");
  if (!second) return first.won ? t("results.alone", { time: clock(first.elapsed_ms) }) : t("results.unsolved");
  if (second.place === 1) return t("results.shared", { names });
  return second.won ? t("results.by", { name: names, margin: margin(first, second, goal) }) : t("results.only", { name: names });
}

/** @returns {string} how far ahead *first* was, by what the goal counts, or by what decided between equals. */
function margin(first, second, goal) {
  const ms = second.elapsed_ms - first.elapsed_ms, fewer = second.moves - first.moves;
  if (goal === "score" && first.score > second.score) return t("results.points", { count: first.score - second.score });
  if (goal === "score" ? fewer : !ms) return t("results.fewer", { count: fewer });
  if (ms < 100) return t("results.milliseconds", { count: ms });
  if (ms < CLOSE_MS) return t("results.seconds", { count: Math.floor(ms / 100) / 10 });
  if (ms < 2 * MINUTE) return t("results.seconds", { count: Math.floor(ms / 1000) });
  return t("results.minutes", { count: Math.floor(ms / MINUTE) });
}

/** @returns {string} the names of *attempts* as a sentence lists them. */
export const listed = (attempts) => new Intl.ListFormat(document.documentElement.lang).format(attempts.map(({ name }) => name));

/** @returns {string} how far behind the winner someone solved it: "+29.4". */
export const behind = (ms) => `+${ms < MINUTE ? number(Math.floor(ms / 100) / 10) : clock(ms)}`;
