// A race as those see it who do not play: latecomers, spectators, and who has finished. In a `live` room with all tables.

import { el, say } from "./dom.js";
import { RaceClock, closes_ms } from "./clock.js";
import { summary } from "./options.js";
import { initial, colour } from "./seats.js";
import { setTitle } from "./shell.js";
import { picture } from "./sofar.js";
import { standings } from "./standings.js";
import { TableView } from "./table.js";
import { clock, minutes, number, t } from "./texts.js";
import { sitter } from "./view.js";

const TICK_MS = 100;

/** The stage of *room* for one who looks on. */
export function watching(room) {
  const time = new RaceClock();
  const lines = standings(room.view);
  const soFar = picture(room, time);
  const shown = el("time");
  const of = el("small");
  const heading = el("h1", headingOf(room));
  const tables = el("section.tables", { "aria-label": t("race.tables") });
  const seen = new Map();
  document.body.classList.add("watching");
  room.root.replaceChildren(
    el("div.watch-head", heading, el("div.clock", { role: "timer", "aria-live": "off" }, shown, of)),
    el("p.soft.watch-why", why(room)),
    el("div.ranking", lines, soFar.element),
    tables,
    el("div.toasts", { role: "status" }),
    room.notice,
  );
  const beat = setInterval(() => {
    say(shown, clock(time.now()));
    say(of, t("race.of", { limit: minutes(closes_ms(room.view)) }));
    setTitle(minutes(time.now()), t("room.title", { room: room.view.room }));
  }, TICK_MS);
  return {
    update(event) {
      time.update(room.view, event);
      lines.update(room.view);
      soFar.update();
      say(heading, headingOf(room));
      drawTables(room, tables, seen, event);
    },
    end() {
      document.body.classList.remove("watching");
      clearInterval(beat);
      soFar.end();
    },
  };
}

/** What one's own attempt came to, or what is being watched. */
function headingOf({ view }) {
  const own = view.rows.find((row) => row.seat === view.seat);
  if (own?.state === "solved") return t("race.solvedIn", { time: clock(own.elapsed_ms) });
  if (own) return t("race.overForYou");
  return t("race.watch", { game: summary(view.options) });
}

function why({ view }) {
  const own = view.rows.some((row) => row.seat === view.seat);
  if (view.options.view === "live") return t("race.tablesLive");
  return t(own ? "race.othersRace" : "race.late");
}

/** Draw every table that may be seen; an entry that has just come glides. */
function drawTables({ view }, place, seen, event) {
  for (const [seat, { table, hand }] of Object.entries(view.seen)) {
    if (!seen.has(seat)) seen.set(seat, addTable(view, Number(seat), place));
    const side = seen.get(seat);
    if (side.ply === hand.ply && side.state === hand.state) continue;
    const steps = event.type === "Watched" && event.seat === Number(seat) && side.ply !== undefined ? (event.steps ?? []) : [];
    side.view.show(table, { steps, cause: steps.length ? "answer" : "laid" });
    say(side.nums, t("race.scoreMoves", { score: number(hand.score), moves: number(hand.moves), count: hand.moves }));
    Object.assign(side, { ply: hand.ply, state: hand.state });
  }
}

function addTable(view, seat, place) {
  const name = sitter(view, seat)?.name ?? "";
  const table = new TableView({ game: view.options.game, small: true, label: t("race.tableOf", { name }) });
  const nums = el("span.nums");
  const dot = el("span", { class: `dot ${colour(seat)}`, "aria-hidden": "true" }, initial(name));
  place.append(el("article.side", el("header", dot, el("span.who", name), nums), table.element));
  return { view: table, nums };
}
