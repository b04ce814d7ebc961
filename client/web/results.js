// A race that is over: who won, everyone's places, the picture of it. In its room, and for ever at /race/ID.

import { get } from "./api.js";
import { chart } from "./chart.js";
import { el, icon, style } from "./dom.js";
import { behind, headline, listed } from "./headline.js";
import { linkTool } from "./links.js";
import { lookUp } from "./lookup.js";
import { came, ending, marks, replayLink } from "./marks.js";
import { gameName, levelName } from "./options.js";
import { GAMES } from "./protocol.js";
import { colour } from "./seats.js";
import { identity } from "./settings.js";
import { go, setTitle, setTools } from "./shell.js";
import { clock, number, t } from "./texts.js";

const MINUTE = 60_000;

/** Show the results at /race/ID. */
export async function show(root, { parts }) {
  await style("/look.css");
  await lookUp(root, [fetched(parts[1])], (race) => {
    setTitle(headline(race.attempts, race.options.goal));
    setTools(linkTool(t("results.link"), () => location.href));
    root.append(el("div", { class: "outcome" }, ...drawn(race, null)));
  });
}

/** @returns {HTMLElement} the results of the race *id*, with the button *rematch* where there may be one. */
export function results(id, { rematch = null } = {}) {
  const element = el("div", { class: "outcome" });
  const fill = (race) => element.replaceChildren(...drawn(race, rematch));
  style("/look.css").then(() => lookUp(element, [fetched(id)], fill)).catch(() => element.replaceChildren(rematch ?? ""));
  return element;
}

const fetched = (id) => get(`races/${encodeURIComponent(id)}?points=1`);

function drawn(race, rematch) {
  const line = race.has_line && el("a", { class: "button", href: `/deal/${race.code}?line=1` }, icon("play"), t("results.line"));
  return [
    el("div", { class: "title" }, el("h1", {}, headline(race.attempts, race.options.goal)), about(race)),
    picture(race),
    el("ol", { class: "places" }, race.attempts.map((attempt) => placeRow(attempt, race))),
    el("div", { class: `after${rematch ? " act" : ""}` }, rematch, line),
    el("p", { class: "facts" }, facts(race).map((fact) => el("span", {}, fact))),
  ];
}

function about({ game, suits, code, options }) {
  const level = options.mixed ? t("results.mixed") : levelName(game, suits);
  const words = [gameName(game), level].filter(Boolean).join(", ");
  return el("p", { class: "sub" }, words, " · ", el("a", { class: "mono", href: `/deal/${code}` }, code));
}

/** The picture of the race; a click on it opens the replay at that moment. */
function picture(race) {
  const open = (ms, seat) => {
    const { attempt, start_ms } = race.attempts.find((each) => each.seat === seat);
    go(`/replay/${attempt}#t=${Math.max(0, ms - start_ms)}`);
  };
  const lines = race.attempts.map((attempt) => lineOf(attempt, race.game));
  const until_ms = Math.max(1, ...race.attempts.map((attempt) => attempt.start_ms + attempt.elapsed_ms));
  const more = `${t(`results.counts_${race.game}`)} · ${t("results.tap")}`;
  return el(
    "section",
    { class: "picture-box panel" },
    el("h2", {}, t("results.race"), el("small", { class: "soft" }, more)),
    chart({ lines, top: GAMES[race.game].top, until_ms, onpick: open }),
  );
}

function lineOf({ name, seat, player, points, start_ms, elapsed_ms, won }, game) {
  const grew = ([, , home], i) => i > 0 && home > points[i - 1][2];
  const gone = GAMES[game].leaves > 1 ? points.filter(grew).map(([ms]) => ms) : [];
  return { name, seat, own: player === identity.get("player"), points, gone, over: true, solved: won, end_ms: start_ms + elapsed_ms };
}

function placeRow(attempt, race) {
  const { name, player, place, seat, won } = attempt, own = player === identity.get("player");
  const kind = [colour(seat), own ? "me" : "", won && place === 1 ? "won" : ""].join(" ");
  return el(
    "li",
    { class: `place-row ${kind}` },
    el("span", { class: "n" }, place === null ? "–" : number(place)),
    el(
      "span",
      {},
      el("span", { class: "name" }, el("a", { href: `/player/${player}` }, name), own && el("span", { class: "gone-sr" }, t("page.you")), marks(attempt)),
      el("span", { class: "more" }, more(attempt, race).map((word) => el("span", {}, ...[word].flat()))),
    ),
    time(attempt, race),
    replayLink(attempt),
  );
}

/** What is told of an attempt below its name. */
function more({ game, suits, moves, score, won, progress, hints, lag_ms }, { options }) {
  return [
    options.mixed && levelName(game, suits),
    t("results.moves", { count: moves }),
    won ? score !== GAMES[game].top && [el("span", { class: "gone-sr" }, t("results.score")), number(score)] : came(game, progress),
    hints > 0 && t("results.hints", { count: hints }),
    lag_ms !== null && t("results.lag", { ms: lag_ms }),
  ].filter(Boolean);
}

/** What the race was for, and how far behind the winner. */
function time(attempt, { attempts: [winner], options }) {
  if (!attempt.won) return el("span", { class: "time none" }, ending(attempt));
  if (options.goal === "score") return el("span", { class: "time" }, number(attempt.score), el("small", {}, clock(attempt.elapsed_ms)));
  const gap = attempt.place === 1 ? t("results.winner") : behind(attempt.elapsed_ms - winner.elapsed_ms);
  return el("span", { class: "time" }, clock(attempt.elapsed_ms), el("small", {}, gap));
}

/** @returns {string[]} how it was played, and whether it counts. */
function facts({ options, attempts, game }) {
  const allowed = ["undo", "restart"].filter((each) => options[each]).join("_") || "none";
  return [
    t(options.goal === "score" ? "results.goalScore" : "results.goalTime"),
    t("results.limit", { count: options.limit_ms / MINUTE }),
    t(`results.allowed_${allowed}`),
    options.hint && GAMES[game].hints && t("results.hintsAllowed"),
    options.view === "live" && t("results.live"),
    ranked(options, attempts),
    options.code ? t("results.chosen") : t(options.deals === "pool" ? "results.pool" : "results.any"),
  ].filter(Boolean);
}

/** @returns {string} that the race counts for the boards, or the first reason why it does not. */
function ranked(options, attempts) {
  if (attempts.some((attempt) => attempt.ranked)) return t("results.ranked");
  const seen = attempts.filter((attempt) => attempt.practice).map((attempt) => attempt.name);
  if (options.code) return t("results.unrankedCode");
  if (seen.length) return t("results.unrankedSeen", { names: listed(seen), count: seen.length });
  return t("results.unranked");
}
