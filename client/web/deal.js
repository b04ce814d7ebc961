// The page of one deal: its table, everyone's attempts at it, and the way to play it.

import { get } from "./api.js";
import { button, el, icon, style, toast } from "./dom.js";
import { cameTo, day, ending, listing, marks, named, nothing, replayLink } from "./listing.js";
import { lookUp } from "./lookup.js";
import { laid } from "./moving.js";
import { gameAndLevel } from "./options.js";
import { setTitle } from "./shell.js";
import { TableView } from "./table.js";
import { number, refusalText, t } from "./texts.js";

/** Show the deal of the address; with `?line=1` a line that wins it. */
export async function show(root, { parts, query, hash }) {
  const path = `deals/${encodeURIComponent(parts[1])}`;
  await Promise.all([style("/table.css"), style("/look.css")]);
  if (query.has("line")) return showLine(root, path, hash);
  await lookUp(root, [get(path)], (deal) => {
    setTitle(deal.code);
    root.append(head(deal), attempts(deal));
  });
}

/** Play the winning line, as a replay. */
async function showLine(root, path, hash) {
  const [{ watch }, { lineOf }] = await Promise.all([import("./replay.js"), import("./moments.js")]);
  let end = () => {};
  await lookUp(root, [get(`${path}?line=1`)], (deal) => {
    const toDeal = el("a.button.go", { href: `/deal/${deal.code}` }, t("deal.toDeal"));
    if (!deal.line) return root.append(nothing(t("deal.noLine"), t("deal.noLineText"), toDeal));
    document.body.className = "replay";
    end = watch(root, [lineOf(deal, t("deal.line"))], { hash, speed: 2 });
  });
  return () => end();
}

function head(deal) {
  const { game, code, has_line } = deal;
  const table = new TableView({ game, small: true, label: t("deal.table") });
  const line = has_line && el("a.button.line", { href: `/deal/${code}?line=1` }, icon("play"), t("deal.line"));
  table.show(laid(deal.table), { joined: deal.joined });
  return el(
    "div.deal-head",
    el("div.name", el("p.soft.small", gameAndLevel(deal)), el("h1", code)),
    el("div.deeds", button(t("deal.play"), { kind: "button go", sign: "right", onclick: () => play(deal) }), line),
    el("div.mini", table.element),
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

function attempts({ game, attempts: all }) {
  if (!all.length) return nothing(t("deal.empty"), t("deal.emptyText"));
  const imported = all.filter((attempt) => attempt.imported);
  const practice = all.filter((attempt) => attempt.practice && !attempt.imported);
  const placed = all.filter((attempt) => !attempt.practice && !attempt.imported);
  const places = placesOf(placed);
  const text = (key) => t(`deal.${key}`);
  const columns = [
    ["", "t", (attempt) => places.get(attempt) ?? ""],
    [text("player"), "name", (attempt) => named(attempt.name, `/player/${attempt.player}`, ...marks({ ...attempt, practice: false, imported: false }))],
    [text("time"), "t num", (attempt) => (attempt.won ? ending(attempt) : cameTo({ game, ...attempt }))],
    [text("moves"), "num soft", ({ moves }) => number(moves)],
    [text("score"), "num wide soft", ({ score }) => number(score)],
    [text("how"), "wide soft small", how],
    [text("when"), "num wide soft", ({ started }) => day(started)],
    ["", "", replayLink],
  ];
  return listing(text("attempts"), columns, ["", placed], [text("practice"), practice], [text("imported"), imported]);
}

/** @returns {string} how it ended where it was not solved, and what of the options was not as usual. */
function how({ won, ranked, state, options }) {
  const { goal, hint, undo, restart, limit_ms } = options ?? { undo: true, restart: true };
  const notes = { ranked, forScore: goal === "score", hints: hint, noUndo: !undo, noRestart: !restart };
  const told = Object.entries(notes).map(([key, holds]) => holds && t(`deal.${key}`));
  return [!won && ending({ state }), ...told, limit_ms && t("deal.limit", { count: limit_ms / 60_000 })].filter(Boolean).join(" · ");
}

/** @returns {Map<object, string>} "2" of each attempt, or "=2" where another was as good; the best come first. */
function placesOf(placed) {
  const worths = placed.map(({ won, elapsed_ms, home, progress, moves }) => (won ? [elapsed_ms, moves] : [home, progress, moves, "-"]).join());
  const place = (worth) => (worths.lastIndexOf(worth) > worths.indexOf(worth) ? "=" : "") + number(worths.indexOf(worth) + 1);
  return new Map(placed.map((attempt, i) => [attempt, place(worths[i])]));
}
