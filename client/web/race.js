// The race of one who plays: the table, the standings, the clock, and what can be done.

import { announce, ask, button, el, icon, say, sheet, toast, tool } from "./dom.js";
import { closes_ms, RaceClock } from "./clock.js";
import { OwnTable } from "./own.js";
import { picture } from "./sofar.js";
import { settings } from "./settings.js";
import { setTitle } from "./shell.js";
import { buzz, play } from "./sound.js";
import { standings } from "./standings.js";
import { clock, minutes, number, t } from "./texts.js";
import { sitter } from "./view.js";

const TICK_MS = 100;
const PLACES_EVERY_MS = 4_000;
const SUN_MS = 700;

/** The stage of *room* for one who plays. */
export function race(room) {
  const time = new RaceClock();
  const face = clockFace(time, room);
  const place = el("div.own-table");
  const acts = actions(room);
  const own = new OwnTable(room, place, () => acts.update());
  const lines = standings(room.view);
  const soFar = picture(room, time);
  const news = newsOf(room);
  const net = el("span.net", el("b"));
  const awake = keepAwake();
  lines.addEventListener("click", () => all(room));
  room.root.replaceChildren(
    head(room, face, own, net),
    el("div.ranking", lines, el("div.toasts", { role: "status" }), soFar.element),
    place,
    acts.element,
    room.notice,
  );
  const beat = setInterval(() => {
    face.tick();
    say(net.firstChild, room.connection.lag_ms === null ? "" : t("race.lag", { ms: room.connection.lag_ms }));
  }, TICK_MS);
  return {
    update(event) {
      time.update(room.view, event);
      lines.update(room.view);
      soFar.update();
      acts.update();
      news.update();
      face.tick();
    },
    connected: (state) => own.connected(state),
    /** A deal that is won has its moment before the results. */
    farewell: () => (room.attempt.hand?.state === "solved" ? solved() : null),
    end() {
      clearInterval(beat);
      awake.end();
      own.end();
      soFar.end();
      setTitle(t("room.title", { room: room.view.room }));
    },
  };
}

function head(room, face, own, net) {
  const menu = tool("menu", t("race.menu"), { onclick: () => openMenu(room) });
  const brand = el("span.brand", { "aria-hidden": "true" }, icon("logo"), t("page.name"));
  const side = el("span.side", own.view?.tray, face.limit, net);
  return el("header.head", el("span.menu", menu, brand), face.element, side);
}

/** The clock to a tenth, and the limit; hidden for whom it makes nervous. */
function clockFace(time, room) {
  const tenth = el("i");
  const shown = el("time", "", tenth);
  const of = el("small");
  const limit = el("span.of.soft.small");
  const element = el("div.clock", { role: "timer", "aria-live": "off" }, shown, of);
  const tick = () => {
    const now = time.now();
    const text = clock(now);
    const hidden = settings.get("clockHidden");
    shown.firstChild.data = hidden ? "" : text.slice(0, -2);
    say(tenth, hidden ? "" : text.slice(-2));
    for (const each of [of, limit]) say(each, hidden ? "" : t("race.of", { limit: minutes(closes_ms(room.view)) }));
    const row = room.view.rows.find((each) => each.seat === room.view.seat);
    setTitle(...(hidden ? [] : [minutes(now)]), ...(row?.place ? [t("race.placeShort", { place: row.place })] : []));
  };
  return { element, limit, tick };
}

/** What can be done besides moves. */
function actions(room) {
  const { attempt } = room;
  const act = (key, sign, onclick, kbd, kind = "") =>
    el("button", { type: "button", class: `tool ${kind}`, onclick }, icon(sign), el("span", t(`race.${key}`)), kbd && el("kbd", { "aria-hidden": "true" }, kbd));
  const undo = act("undo", "undo", () => attempt.undo(), "U");
  const redo = act("redo", "redo", () => attempt.redo(), "R", "redo");
  const hint = act("hint", "hint", () => attempt.hint(), "H");
  const gather = act("gather", "gather", () => attempt.gather(), "G", "gather");
  const restart = act("restart", "restart", () => askRestart(room));
  const preferences = act("settings", "settings", async () => (await import("./preferences.js")).open());
  const score = room.view.options.goal === "score";
  const resign = act(score ? "finishHere" : "resign", "flag", () => askResign(room, score));
  const element = el("nav.actions", { "aria-label": t("race.actions") }, undo, redo, hint, gather, restart, preferences, resign);
  const stuck = { told: false };
  const update = () => {
    if (!attempt.table) return;
    const { can, hand } = attempt;
    const { options } = room.view;
    undo.disabled = !can.undo;
    undo.hidden = !options.undo;
    redo.hidden = !options.undo || !can.redo;
    hint.hidden = !can.hint;
    gather.hidden = !can.gather;
    restart.hidden = !options.restart;
    if (hand.stuck && !stuck.told) toast(t(stuckKey(options)), { ms: 8000 });
    stuck.told = hand.stuck;
  };
  return { element, update };
}

/** What one is told when no move is left: what this race still allows. */
const stuckKey = ({ undo, restart }) =>
  undo && restart ? "race.stuckBoth" : undo ? "race.stuckUndo" : restart ? "race.stuckRestart" : "race.stuck";

async function askRestart(room) {
  if (await ask(t("race.restartAsk"), t("race.restartText"), { yes: t("race.restart"), no: t("race.keep") })) room.attempt.restart();
}

async function askResign(room, score) {
  const key = score ? "finish" : "resign";
  const yes = t(score ? "race.finishHere" : "race.resign");
  if (await ask(t(`race.${key}Ask`), t(`race.${key}Text`), { yes, no: t("race.keep") })) room.attempt.resign();
}

async function openMenu(room) {
  const shut = (event) => event.target.closest("dialog").close();
  const entry = (sign, key, deed) => button(t(key), { sign, kind: "button ghost", onclick: (event) => (shut(event), deed()) });
  const content = el("div.menu-list",
    entry("people", "room.about", async () => (await import("./hosting.js")).open(room)),
    entry("settings", "settings.title", async () => (await import("./preferences.js")).open()),
    entry("help", "race.help", async () => (await import("./help.js")).open(room.view.options.game)),
    entry("close", "room.leave", () => room.leave()),
  );
  await sheet(t("race.menu"), content);
}

/** All standings, where the screen has space for two lines only. */
function all(room) {
  if (room.view.rows.length < 3) return;
  const lines = standings(room.view);
  const live = setInterval(() => lines.update(room.view), 500);
  sheet(t("race.standings"), el("div.all-rows", lines)).then(() => clearInterval(live));
}

/** Say politely what changes: one's own place, and rivals who have solved the deal. */
function newsOf(room) {
  const over = new Set(room.view.rows.filter((row) => row.state !== "playing").map((row) => row.seat));
  let place = null;
  let said = 0;
  return {
    update() {
      const { rows, seat } = room.view;
      for (const row of rows) if (row.seat !== seat && row.state === "solved" && !over.has(row.seat)) solvedBy(room, row, over);
      const own = rows.find((row) => row.seat === seat);
      if (rows.length > 1 && own?.place && own.place !== place && performance.now() - said > PLACES_EVERY_MS) {
        if (place !== null) announce(t("race.yourPlace", { place: own.place, of: number(rows.length) }));
        place = own.place;
        said = performance.now();
      }
    },
  };
}

function solvedBy(room, row, over) {
  over.add(row.seat);
  play("rival");
  const said = { name: sitter(room.view, row.seat)?.name ?? "", time: clock(row.elapsed_ms), until: minutes(closes_ms(room.view)) };
  toast(t("race.rivalSolved", said), { ms: 5000 });
}

/** The own sun grows over the table, once. */
async function solved() {
  play("solved");
  buzz([30, 60, 30]);
  announce(t("race.solved"));
  const sun = el("div.solved-sun", { "aria-hidden": "true" });
  document.body.append(sun);
  await new Promise((resolve) => setTimeout(resolve, SUN_MS));
  sun.classList.add("fades");
  setTimeout(() => sun.remove(), SUN_MS);
}

/** Keep the screen on while this page is seen, where the browser can. */
function keepAwake() {
  let lock = null;
  let over = false;
  const hold = async () => {
    if (over || document.hidden) return;
    try {
      lock = await navigator.wakeLock?.request("screen");
      if (over) lock?.release();
    } catch {
      // A device that saves its battery says no.
    }
  };
  document.addEventListener("visibilitychange", hold);
  hold();
  return {
    end() {
      over = true;
      document.removeEventListener("visibilitychange", hold);
      lock?.release();
    },
  };
}
