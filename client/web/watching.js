// A race as those see it who do not play: latecomers, spectators, and who has finished. In a `live` room with all tables.

import { RaceClock, closes_ms } from "./clock.js";
import { el, say } from "./dom.js";
import { summary } from "./options.js";
import { dot } from "./seats.js";
import { setTitle } from "./shell.js";
import { picture } from "./sofar.js";
import { standings } from "./standings.js";
import { TableView } from "./table.js";
import { clock, minutes, number, t } from "./texts.js";
import { nameOf } from "./view.js";

const TICK_MS = 100;

/** The stage of *room* for one who looks on. */
export function watching(room) {
  const time = new RaceClock();
  const lines = standings(room.view);
  const soFar = picture(room, time);
  const [shown, of, heading] = [el("time"), el("small"), el("h1")];
  const tables = el("section.tables", { "aria-label": t("race.tables") });
  const seen = new Map();
  room.root.replaceChildren(
    el("div.watch-head", heading, el("div.clock", { role: "timer", "aria-live": "off" }, shown, of)),
    el("p.soft.watch-why", why(room.view)),
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
      say(heading, headingOf(room.view));
      drawTables(room.view, tables, seen, event);
    },
    end() {
      clearInterval(beat);
      soFar.end();
    },
  };
}

const ownRow = ({ rows, seat }) => rows.find((row) => row.seat === seat);

/** What one's own attempt came to, or what is being watched. */
function headingOf(view) {
  const own = ownRow(view);
  if (own?.state === "solved") return t("race.solvedIn", { time: clock(own.elapsed_ms) });
  return own ? t("race.overForYou") : t("race.watch", { game: summary(view.options) });
}

function why(view) {
  if (view.options.view === "live") return t("race.tablesLive");
  return t(ownRow(view) ? "race.othersRace" : "race.late");
}

/** Draw every table that may be seen; an entry that has just come glides. */
function drawTables(view, place, seen, event) {
  for (const [seat, { table, hand }] of Object.entries(view.seen)) {
    const before = seen.get(seat) ?? addTable(view, Number(seat), place);
    if (before.ply === hand.ply && before.state === hand.state) continue;
    const news = event.type === "Watched" && event.seat === Number(seat) && before.ply !== undefined;
    before.table.show(table, { steps: (news && event.steps) || [] });
    say(before.nums, t("race.scoreMoves", { score: number(hand.score), moves: number(hand.moves), count: hand.moves }));
    seen.set(seat, { ...before, ply: hand.ply, state: hand.state });
  }
}

function addTable(view, seat, place) {
  const name = nameOf(view, seat);
  const table = new TableView({ game: view.options.game, small: true, label: t("race.tableOf", { name }) });
  const nums = el("span.nums");
  place.append(el("article.side", el("header", dot(seat, name), el("span.who", name), nums), table.element));
  return { table, nums };
}
