// The live standings: a line each, the best first, one's own always to be found.

import { el, say } from "./dom.js";
import { stateName } from "./options.js";
import { GAMES } from "./protocol.js";
import { colour } from "./seats.js";
import { clock, number, t } from "./texts.js";
import { sitter } from "./view.js";

const GLIDE_MS = 240;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @returns {HTMLElement} the list of *view*'s standings; its `update` takes a newer view. */
export function standings(view) {
  const list = el("ol.standings", { "aria-label": t("race.standings") });
  const lines = new Map();
  list.update = (now) => {
    const before = new Map([...lines].map(([seat, line]) => [seat, line.offsetTop]));
    const close = near(now);
    for (const row of now.rows) {
      if (!lines.has(row.seat)) lines.set(row.seat, makeLine(now, row));
      fill(lines.get(row.seat), row, now, close);
    }
    const order = now.rows.map((row) => lines.get(row.seat));
    if (order.some((line, place) => list.children[place] !== line)) {
      list.replaceChildren(...order);
      glide(lines, before);
    }
  };
  list.update(view);
  return list;
}

/** @returns {number | undefined} the seat just ahead of one's own; for the leader the one behind. */
function near(view) {
  const own = view.rows.findIndex((row) => row.seat === view.seat);
  return own < 0 ? undefined : view.rows[own ? own - 1 : 1]?.seat;
}

function makeLine(view, row) {
  const own = row.seat === view.seat;
  const name = el("span.who", sitter(view, row.seat)?.name ?? "", own && el("span.gone-sr", ` (${t("page.you")})`));
  return el(
    "li",
    { class: `row ${colour(row.seat)} ${own ? "me" : ""}`, vars: { "--of": GAMES[view.options.game].top } },
    el("span.place"),
    name,
    el("span.nums", el("b"), el("small", el("span"), el("span.full"))),
    el("span.bar", el("i")),
  );
}

function fill(line, row, view, close) {
  const [place, , nums, bar] = line.children;
  const [score, more] = nums.children;
  const here = sitter(view, row.seat)?.connected ?? false;
  line.classList.toggle("ahead", row.seat === close);
  line.classList.toggle("away", !here && row.state === "playing");
  line.classList.toggle("over", row.state !== "playing");
  say(place, row.place === null ? "–" : number(row.place));
  say(score, row.state === "solved" ? clock(row.elapsed_ms) : number(row.score));
  const state = row.state === "solved" || row.state === "playing" ? "" : stateName(row.state);
  say(more.children[0], ` · ${state || number(row.moves)}`);
  say(more.children[1], state ? "" : ` ${t("race.movesWord", { count: row.moves })}`);
  bar.firstChild.style.setProperty("--v", row.progress);
}

/** Let lines glide from where they were. */
function glide(lines, before) {
  if (calm.matches) return;
  for (const [seat, line] of lines) {
    const by = before.get(seat) - line.offsetTop;
    if (by) line.animate([{ translate: `0 ${by}px` }, { translate: "0 0" }], { duration: GLIDE_MS, easing: "ease-out" });
  }
}
