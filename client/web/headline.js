// Who won a race, in a few words.

import { clock, number, t } from "./texts.js";

const MINUTE = 60_000;

/** What is won by less than this is told in tenths. */
const CLOSE_MS = 10_000;

/** The headline of *attempts*, best first, in a race for *goal*. */
export function headline(attempts, goal) {
  const [first, second] = attempts;
  const name = listed(attempts.filter(({ place }) => place === 1));
  if (!second) return first.won ? t("results.alone", { time: clock(first.elapsed_ms) }) : t("results.unsolved");
  if (!first.won) return t(name ? "results.furthest" : "results.nobody", { name });
  if (second.place === 1) return t("results.shared", { names: name });
  return second.won ? t("results.by", { name, margin: margin(first, second, goal) }) : t("results.only", { name });
}

/** How far ahead *first* was, by what the goal counts, or by what decided between equals. */
function margin(first, second, goal) {
  const ms = second.elapsed_ms - first.elapsed_ms;
  const moves = second.moves - first.moves;
  const told = (key, count) => t(`results.${key}`, { count });
  if (goal === "score" && first.score > second.score) return told("points", first.score - second.score);
  if (goal === "score" ? moves : !ms) return told("fewer", moves);
  if (ms < 100) return told("milliseconds", ms);
  if (ms < 2 * MINUTE) return told("seconds", ms < CLOSE_MS ? Math.floor(ms / 100) / 10 : Math.floor(ms / 1000));
  return clock(ms);
}

/** The names of *attempts* as a sentence lists them. */
export const listed = (attempts) => new Intl.ListFormat(document.documentElement.lang).format(attempts.map(({ name }) => name));

/** How far behind the winner someone solved it: "+29.4". */
export const behind = (ms) => `+${ms < MINUTE ? number(Math.floor(ms / 100) / 10) : clock(ms)}`;
