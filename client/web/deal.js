// The page of one deal: its table, everyone's attempts at it, and the way to play it.

import { get } from "./api.js";
import { button, el, icon, style, toast } from "./dom.js";
import { listing, named, nothing, row } from "./listing.js";
import { lookUp } from "./lookup.js";
import { cameTo, day, ending, marks, replayLink } from "./marks.js";
import { laid } from "./moving.js";
import { gameName, levelName } from "./options.js";
import { identity } from "./settings.js";
import { setTitle } from "./shell.js";
import { TableView } from "./table.js";
import { number, refusalText, t } from "./texts.js";

/** Show the deal of the address; with `?line=1` a line that wins it. */
export async function show(root, { parts, query, hash }) {
  await Promise.all([style("/table.css"), style("/look.css")]);
  if (query.has("line")) return showLine(root, parts[1], hash);
  await lookUp(root, [get(`deals/${encodeURIComponent(parts[1])}`)], (deal) => {
    setTitle(deal.code);
    root.append(head(deal), attempts(deal));
  });
}

/** Play the winning line, as a replay. */
async function showLine(root, code, hash) {
  document.body.className = "replay";
  const replay = await import("./replay.js");
  const { lineOf } = await import("./watched.js");
  let end = () => {};
  await lookUp(root, [get(`deals/${encodeURIComponent(code)}?line=1`)], (deal) => {
    if (deal.line) end = replay.watch(root, [lineOf(deal, t("deal.line"))], { at_ms: replay.momentOf(hash), speed: 2 });
    else root.append(nothing(t("deal.noLine"), t("deal.noLineText"), el("a", { class: "button go", href: `/deal/${deal.code}` }, t("deal.toDeal"))));
  });
  return () => end();
}

function head(deal) {
  const { game, suits, code, has_line } = deal;
  const table = new TableView({ game, small: true, label: t("deal.table") });
  table.show(laid(deal.table), { joined: deal.joined });
  const line = has_line && el("a", { class: "button line", href: `/deal/${code}?line=1` }, icon("play"), t("deal.line"));
  return el(
    "div",
    { class: "deal-head" },
    el("div", { class: "name" }, el("p", { class: "soft small" }, [gameName(game), levelName(game, suits)].filter(Boolean).join(", ")), el("h1", {}, code)),
    el("div", { class: "acts" }, button(t("deal.play"), { kind: "button go", sign: "right", onclick: () => play(deal) }), line),
    el("div", { class: "mini" }, table.element),
  );
}

/** Make a room on this deal, and go there. */
async function play({ game, suits, code }) {
  const { makeRoom } = await import("./rooms.js");
  try {
    await makeRoom({ game, suits, code });
  } catch (refusal) {
    toast(refusalText(refusal));
  }
}

function attempts(deal) {
  if (!deal.attempts.length) return nothing(t("deal.empty"), t("deal.emptyText"));
  const placed = deal.attempts.filter((attempt) => !attempt.practice && !attempt.imported);
  const made = (attempt, place) => attemptRow(attempt, place, deal);
  const columns = [
    ["", ""], [t("deal.player"), ""], [t("deal.time"), "num"], [t("deal.moves"), "num"], [t("deal.score"), "num wide"],
    [t("deal.how"), "wide"], [t("deal.when"), "num wide"], ["", ""],
  ];
  return listing(
    t("deal.attempts"),
    columns,
    { rows: placed.map((attempt) => made(attempt, placeOf(attempt, placed))) },
    { title: t("deal.practice"), rows: deal.attempts.filter((each) => each.practice && !each.imported).map((each) => made(each, "")) },
    { title: t("deal.imported"), rows: deal.attempts.filter((each) => each.imported).map((each) => made(each, "")) },
  );
}

function attemptRow(attempt, place, { game }) {
  const { player, name, won, moves, score, started, progress, options } = attempt;
  return row(
    player === identity.get("player"),
    ["t", place],
    named(name, `/player/${player}`, ...marks({ ...attempt, practice: false, imported: false })),
    won ? ["t num", ending(attempt)] : ["num none", cameTo(game, progress)],
    ["num soft", number(moves)],
    ["num wide soft", number(score)],
    ["wide soft small", how(attempt, options)],
    ["num wide soft", day(started)],
    ["", replayLink(attempt)],
  );
}

/** @returns {string} how it ended where it was not solved, and what of the options was not as usual. */
function how({ won, ranked, state }, options) {
  const told = [won ? "" : ending({ state }), ranked ? t("deal.ranked") : ""];
  if (options) {
    if (options.goal === "score") told.push(t("deal.forScore"));
    if (options.hint) told.push(t("deal.hints"));
    if (!options.undo) told.push(t("deal.noUndo"));
    if (!options.restart) told.push(t("deal.noRestart"));
    told.push(t("deal.limit", { count: options.limit_ms / 60_000 }));
  }
  return told.filter(Boolean).join(" · ");
}

/** @returns {string} "2", or "=2" where another attempt was as good. */
function placeOf(attempt, placed) {
  const worth = ({ won, elapsed_ms, home, progress, moves }) => (won ? [0, elapsed_ms, moves] : [1, home, progress, moves]).join();
  const worths = placed.map(worth), own = worth(attempt), first = worths.indexOf(own);
  return `${worths.lastIndexOf(own) > first ? "=" : ""}${number(first + 1)}`;
}
