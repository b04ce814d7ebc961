// A player's page: their attempts, the latest first.

import { get } from "./api.js";
import { button, el, style } from "./dom.js";
import { listing, named, nothing, row } from "./listing.js";
import { lookUp, refused } from "./lookup.js";
import { cameTo, day, ending, marks, replayLink } from "./marks.js";
import { gameName, levelName } from "./options.js";
import { identity } from "./settings.js";
import { setTitle } from "./shell.js";
import { number, t } from "./texts.js";

/** So many attempts come at a time. */
const PAGE = 50;

/** Show the player of the address. */
export async function show(root, { parts }) {
  const path = `players/${encodeURIComponent(parts[1])}`;
  await style("/look.css");
  await lookUp(root, [get(path)], (player) => {
    setTitle(player.name);
    const own = player.id === identity.get("player");
    root.append(el("div", { class: "heading" }, own && el("p", { class: "soft small" }, t("player.you")), el("h1", {}, player.name)));
    root.append(player.attempts.length ? pages(path, player) : none(own));
  });
}

function none(own) {
  const action = own ? el("a", { class: "button go", href: "/" }, t("player.start")) : null;
  return nothing(t("player.empty"), t(own ? "player.emptyOwn" : "player.emptyText"), action);
}

/** The list, which grows by a page at a time. */
function pages(path, { name, attempts }) {
  const columns = [
    [t("player.deal"), ""], [t("player.result"), "num"], [t("player.moves"), "num wide"], [t("player.score"), "num wide"],
    [t("player.place"), "num wide"], [t("player.when"), "num"], ["", ""],
  ];
  const list = listing(t("player.attempts"), columns, { rows: attempts.map((attempt) => attemptRow(attempt, name)) });
  const add = async () => {
    const { attempt, started } = attempts.at(-1);
    more.disabled = true;
    try {
      const page = await get(`${path}?${new URLSearchParams({ started, before: attempt })}`);
      list.querySelector("tbody").append(...page.attempts.map((each) => attemptRow(each, name)));
      attempts.push(...page.attempts);
      more.hidden = page.attempts.length < PAGE;
    } catch (error) {
      more.replaceWith(refused(error));
    }
    more.disabled = false;
  };
  const more = button(t("player.more"), { kind: "button more", onclick: add, hidden: attempts.length < PAGE });
  list.append(more);
  return list;
}

function attemptRow(attempt, name) {
  const { game, suits, code, race, won, progress, moves, score, place, started } = attempt;
  const played = [gameName(game), levelName(game, suits)].filter(Boolean).join(", ");
  return row(
    false,
    named(played, `/deal/${code}`, el("small", { class: "soft" }, el("span", { class: "mono" }, code), ...marks(attempt))),
    won ? ["t num", ending(attempt)] : ["num none", el("span", { class: "wide" }, `${ending(attempt)} · `), cameTo(game, progress)],
    ["num wide soft", number(moves)],
    ["num wide soft", number(score)],
    ["num wide", place === null ? "" : el("a", { href: `/race/${race}` }, t("player.placed", { place }))],
    ["num soft", race ? el("a", { href: `/race/${race}` }, day(started)) : day(started)],
    ["", replayLink({ ...attempt, name })],
  );
}
