// A race that is over: who won, everyone's places, the picture of it. In its room, and for ever at /race/ID.

import { get } from "./api.js";
import { chart } from "./chart.js";
import { el, icon, style } from "./dom.js";
import { behind, headline, listed } from "./headline.js";
import { came, ending, isOwn, marks, replayLink } from "./listing.js";
import { linkTool, lookUp } from "./lookup.js";
import { gameAndLevel, levelName } from "./options.js";
import { GAMES } from "./protocol.js";
import { colour } from "./seats.js";
import { go, setTitle, setTools } from "./shell.js";
import { clock, number, t } from "./texts.js";

/** Show the results at /race/ID. */
export async function show(root, { parts }) {
  await style("/look.css");
  await lookUp(root, [fetched(parts[1])], (race) => {
    setTitle(headline(race.attempts, race.options.goal));
    setTools(linkTool(t("results.link"), () => location.href));
    root.append(el("div.outcome", drawn(race, null)));
  });
}

/** @returns {HTMLElement} the results of the race *id*, with the button *rematch* where there may be one. */
export function results(id, { rematch = null } = {}) {
  const element = el("div.outcome", el("div.after.act", rematch));
  const load = async () => {
    await style("/look.css");
    const race = await fetched(id);
    element.replaceChildren(...drawn(race, rematch));
  };
  load().catch(() => {}); // what can't be told now stays at /race/ID; the rematch is there all the same
  return element;
}

const fetched = (id) => get(`races/${encodeURIComponent(id)}?points=1`);

function drawn(race, rematch) {
  const { attempts, options, code, has_line } = race;
  const line = has_line && el("a.button", { href: `/deal/${code}?line=1` }, icon("play"), t("results.line"));
  const about = el("p.sub", gameAndLevel({ ...race, mixed: options.mixed }), " · ", el("a.mono", { href: `/deal/${code}` }, code));
  return [
    el("div.title", el("h1", headline(attempts, options.goal)), about),
    picture(race),
    el("ol.places", attempts.map((attempt) => placeRow(attempt, race))),
    el(rematch ? "div.after.act" : "div.after", rematch, line),
    el("p.facts", facts(race).map((fact) => fact && el("span", fact))),
  ];
}

/** The picture of the race; a click on it opens the replay at that moment. */
function picture({ attempts, game }) {
  const onpick = (ms, seat) => {
    const { attempt, start_ms } = attempts.find((each) => each.seat === seat);
    go(`/replay/${attempt}#t=${Math.max(0, ms - start_ms)}`);
  };
  const until_ms = Math.max(...attempts.map(endOf));
  const about = el("small.soft", `${t(`results.counts_${game}`)} · ${t("results.tap")}`);
  const drawing = chart({ lines: attempts.map((attempt) => lineOf(attempt, GAMES[game])), top: GAMES[game].top, until_ms, onpick });
  return el("section.picture-box.panel", el("h2", t("results.race"), about), drawing);
}

const endOf = ({ start_ms, elapsed_ms }) => start_ms + elapsed_ms;

function lineOf(attempt, { leaves }) {
  const { name, seat, points, won } = attempt;
  const grew = ([, , home], i) => leaves > 1 && home > points[i - 1]?.[2];
  const gone = points.filter(grew).map(([ms]) => ms);
  return { name, seat, points, gone, own: isOwn(attempt), over: true, solved: won, end_ms: endOf(attempt) };
}

function placeRow(attempt, race) {
  const { name, player, place, seat, won } = attempt, own = isOwn(attempt);
  const who = [el("a", { href: `/player/${player}` }, name), own && el("span.gone-sr", t("page.you")), ...marks(attempt)];
  return el(
    `li.place-row.${colour(seat)}${own ? ".me" : ""}${won && place === 1 ? ".won" : ""}`,
    el("span.n", place === null ? "–" : number(place)),
    el("span", el("span.name", who), el("span.more", more(attempt, race).map((words) => words && el("span", words)))),
    time(attempt, race),
    replayLink(attempt),
  );
}

/** What is told of an attempt below its name. */
const more = ({ game, suits, moves, score, won, progress, hints, lag_ms }, { options }) => [
  options.mixed && levelName(game, suits),
  t("results.moves", { count: moves }),
  won ? score !== GAMES[game].top && [el("span.gone-sr", t("results.score")), number(score)] : came(game, progress),
  hints > 0 && t("results.hints", { count: hints }),
  lag_ms !== null && t("results.lag", { ms: lag_ms }),
];

/** What the race was for, and how far behind the winner. */
function time(attempt, { attempts: [winner], options }) {
  const { won, score, elapsed_ms, place } = attempt;
  if (!won) return el("span.time.none", ending(attempt));
  if (options.goal === "score") return el("span.time", number(score), el("small", clock(elapsed_ms)));
  return el("span.time", clock(elapsed_ms), el("small", place === 1 ? t("results.winner") : behind(elapsed_ms - winner.elapsed_ms)));
}

/** How it was played, and whether it counts. */
function facts({ options, attempts, game }) {
  const { goal, limit_ms, undo, restart, hint, view, code, deals } = options;
  const seen = attempts.filter(({ practice }) => practice);
  const unranked = code ? "unrankedCode" : seen.length ? "unrankedSeen" : "unranked";
  return [
    t(goal === "score" ? "results.goalScore" : "results.goalTime"),
    t("results.limit", { count: limit_ms / 60_000 }),
    t(`results.allowed_${[undo && "undo", restart && "restart"].filter(Boolean).join("_") || "none"}`),
    hint && GAMES[game].hints && t("results.hintsAllowed"),
    view === "live" && t("results.live"),
    t(`results.${attempts.some(({ ranked }) => ranked) ? "ranked" : unranked}`, { names: listed(seen), count: seen.length }),
    t(`results.${code ? "chosen" : deals}`),
  ];
}
