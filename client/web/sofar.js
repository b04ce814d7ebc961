// The race so far: everyone's progress over time, as the standings have told it; where the screen has space.

import { el, style } from "./dom.js";
import { GAMES } from "./protocol.js";
import { t } from "./texts.js";
import { sitter } from "./view.js";

const wide = matchMedia("(min-width: 900px) and (min-height: 521px)");
const DRAWN_EVERY_MS = 1_000;

/** @returns {{element, update(), end()}} the picture of *room*'s race, drawn anew every second. */
export function picture(room, time) {
  const points = new Map();
  const place = el("div");
  const element = el("section.sofar.panel", el("h2", t("race.soFar")), place);
  let chart = null;

  function note() {
    for (const row of room.view.rows) {
      const line = points.get(row.seat) ?? [];
      if (line.at(-1)?.[1] !== row.progress) line.push([line.length ? Math.round(time.now()) : 0, row.progress]);
      points.set(row.seat, line);
    }
  }

  function told() {
    const { view } = room;
    const lines = view.rows.map((row) => ({
      name: sitter(view, row.seat)?.name ?? "",
      seat: row.seat,
      points: points.get(row.seat) ?? [],
      own: row.seat === view.seat,
      solved: row.state === "solved",
      over: row.state !== "playing",
    }));
    return { lines, top: GAMES[view.options.game].top, until_ms: Math.max(30_000, time.now()) };
  }

  async function draw() {
    if (!wide.matches || !element.isConnected || room.view.rows.length === 0) return;
    if (!chart) {
      const [module] = await Promise.all([import("./chart.js"), style("/look.css")]);
      chart ??= module.chart({ ...told(), live: true });
      place.replaceChildren(chart);
    }
    chart.update(told());
  }

  const beat = setInterval(draw, DRAWN_EVERY_MS);
  return { element, update: note, end: () => clearInterval(beat) };
}
