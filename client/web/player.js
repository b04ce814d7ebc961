// A player's page: their attempts, the latest first.

import { get } from "./api.js";
import { button, el, style } from "./dom.js";
import { cameTo, day, ending, isOwn, listing, marks, named, nothing, replayLink, rows } from "./listing.js";
import { lookUp, refused } from "./lookup.js";
import { gameAndLevel } from "./options.js";
import { setTitle } from "./shell.js";
import { number, t } from "./texts.js";

/** So many attempts come at a time. */
const PAGE = 50;

/** Show the player of the address. */
export async function show(root, { parts }) {
  const path = `players/${encodeURIComponent(parts[1])}`;
  await style("/look.css");
  await lookUp(root, [get(path)], ({ id, name, attempts }) => {
    const own = isOwn({ player: id });
    const start = own && el("a.button.go", { href: "/" }, t("player.start"));
    const list = attempts.length ? pages(path, name, attempts) : nothing(t("player.empty"), t(own ? "player.emptyOwn" : "player.emptyText"), start);
    setTitle(name);
    root.append(el("div.heading", own && el("p.soft.small", t("player.you")), el("h1", name)), list);
  });
}

/** The list, which grows by a page at a time. */
function pages(path, name, attempts) {
  const columns = columnsOf(name), list = listing(t("player.attempts"), columns, ["", attempts]);
  const add = async () => {
    const { attempt, started } = attempts.at(-1);
    more.disabled = true;
    try {
      ({ attempts } = await get(`${path}?${new URLSearchParams({ started, before: attempt })}`));
      list.querySelector("tbody").append(...rows(columns, attempts));
      more.disabled = false;
      more.hidden = attempts.length < PAGE;
    } catch (error) {
      more.replaceWith(refused(error));
    }
  };
  const more = button(t("player.more"), { kind: "button more", onclick: add, hidden: attempts.length < PAGE });
  list.append(more);
  return list;
}

function columnsOf(name) {
  const text = (key) => t(`player.${key}`);
  const inRace = (race, ...words) => (race ? el("a", { href: `/race/${race}` }, ...words) : el("span", ...words));
  return [
    [text("deal"), "name", (each) => named(gameAndLevel(each), `/deal/${each.code}`, el("small.soft", el("span.mono", each.code), ...marks(each)))],
    [text("result"), "t num", (each) => (each.won ? ending(each) : [el("span.wide.soft", `${ending(each)} · `), cameTo(each)])],
    [text("moves"), "num wide soft", ({ moves }) => number(moves)],
    [text("score"), "num wide soft", ({ score }) => number(score)],
    [text("place"), "num wide", ({ place, race }) => place !== null && inRace(race, number(place))],
    [text("when"), "num soft", ({ started, race }) => inRace(race, day(started))],
    ["", "", (each) => replayLink({ ...each, name })],
  ];
}
