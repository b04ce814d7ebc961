// The race of one who plays: the table, the standings, the clock, and what can be done.

import { RaceClock, closes_ms } from "./clock.js";
import { announce, ask, button, el, icon, say, sheet, shut, toast, tool } from "./dom.js";
import { OwnTable } from "./own.js";
import { settings } from "./settings.js";
import { setTitle } from "./shell.js";
import { picture } from "./sofar.js";
import { buzz, play } from "./sound.js";
import { standings } from "./standings.js";
import { clock, minutes, number, t } from "./texts.js";
import { nameOf } from "./view.js";

const TICK_MS = 100;
const PLACES_EVERY_MS = 4_000;
const SUN_MS = 700;

/** The stage of *room* for one who plays. */
export function race(room) {
  const time = new RaceClock();
  const face = clockFace(time, room);
  const place = el("div.own-table");
  const acts = actions(room);
  const own = new OwnTable(room, place, acts.update);
  const lines = standings(room.view);
  const soFar = picture(room, time);
  const tellNews = newsOf(room);
  const letSleep = keepAwake();
  lines.addEventListener("click", () => all(room));
  const help = ({ key, target }) =>
    key === "?" && !target.closest?.("input, dialog") && !document.querySelector("dialog[open]") && openHelp(room);
  document.addEventListener("keydown", help);
  room.root.replaceChildren(
    el(
      "header.head",
      el("span.menu", tool("menu", t("race.menu"), { onclick: () => openMenu(room) }), el("span.brand", { "aria-hidden": "true" }, icon("logo"), t("page.name"))),
      face.element,
      el("span.side", own.view?.tray, face.limit, face.net),
    ),
    el("div.ranking", lines, el("div.toasts", { role: "status" }), soFar.element),
    place,
    acts.element,
    room.notice,
  );
  const beat = setInterval(face.tick, TICK_MS);
  return {
    update(event) {
      time.update(room.view, event);
      lines.update(room.view);
      soFar.update();
      acts.update();
      tellNews();
      face.tick();
    },
    connected: () => own.connected(),
    /** A deal that is won has its moment before the results. */
    farewell: () => room.attempt.hand?.state === "solved" && solved(),
    end() {
      clearInterval(beat);
      document.removeEventListener("keydown", help);
      letSleep();
      own.end();
      soFar.end();
    },
  };
}

/** The clock to a tenth, and the limit; hidden for whom it makes nervous. And how fast the server answers. */
function clockFace(time, room) {
  const [tenth, lag] = [el("i"), el("b")];
  const shown = el("time", "", tenth);
  const [of, limit] = [el("small"), el("span.of.soft.small")];
  const tick = () => {
    const { rows, seat } = room.view;
    const hidden = settings.get("clockHidden");
    const text = hidden ? "" : clock(time.now());
    const own = rows.find((row) => row.seat === seat);
    const lag_ms = room.connection.lag_ms;
    say(shown.firstChild, text.slice(0, -2));
    say(tenth, text.slice(-2));
    for (const each of [of, limit]) say(each, hidden ? "" : t("race.of", { limit: minutes(closes_ms(room.view)) }));
    say(lag, lag_ms === null ? "" : t("race.lag", { ms: lag_ms }));
    setTitle(...[text.slice(0, -2), own?.place && t("race.placeShort", { place: own.place })].filter(Boolean));
  };
  const element = el("div.clock", { role: "timer", "aria-live": "off" }, shown, of);
  return { element, limit, net: el("span.net", lag), tick };
}

/** What can be done besides moves. */
function actions(room) {
  const { attempt } = room;
  const score = room.view.options.goal === "score";
  const act = (key, sign, onclick, letter, kind = "") =>
    el(`button.tool${kind}`, { type: "button", onclick }, icon(sign), el("span", t(`race.${key}`)), letter && el("kbd", { "aria-hidden": "true" }, letter));
  const undo = act("undo", "undo", () => attempt.undo(), "U");
  const redo = act("redo", "redo", () => attempt.redo(), "R");
  const hint = act("hint", "hint", () => attempt.hint(), "H");
  const gather = act("gather", "gather", () => attempt.gather(), "G", ".gather");
  const restart = act("restart", "restart", async () => (await sure("restart")) && attempt.restart());
  const preferences = act("settings", "settings", openSettings);
  const end = score ? "finishHere" : "resign";
  const resign = act(end, "flag", async () => (await sure(end)) && attempt.resign());
  const element = el("nav.actions", { "aria-label": t("race.actions") }, undo, redo, hint, gather, restart, preferences, resign);
  let stuck = false;
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
    if (hand.stuck && !stuck) toast(t(`race.stuck${options.undo ? "Undo" : ""}${options.restart ? "Restart" : ""}`), { ms: 8000 });
    stuck = hand.stuck;
  };
  return { element, update };
}

const sure = (key) => ask(t(`race.${key}Ask`), t(`race.${key}Text`), t(`race.${key}`), t("race.keep"));

const openSettings = async () => (await import("./preferences.js")).open();
const openHelp = async (room) => (await import("./help.js")).open(room.view.options.game);

function openMenu(room) {
  const entry = (sign, key, deed) => button(t(key), { sign, kind: "button ghost", onclick: (event) => (shut(event), deed()) });
  return sheet(
    t("race.menu"),
    el(
      "div.menu-list",
      entry("people", "room.about", room.about),
      entry("settings", "settings.title", openSettings),
      entry("help", "race.help", () => openHelp(room)),
      entry("close", "room.leave", () => room.leave()),
    ),
  );
}

/** All standings, where the screen has space for two lines only. */
function all(room) {
  if (room.view.rows.length < 3) return;
  const lines = standings(room.view);
  const live = setInterval(() => lines.update(room.view), 500);
  sheet(t("race.standings"), el("div.all-rows", lines)).then(() => clearInterval(live));
}

/** @returns {() => void} what says politely what has changed: one's own place, and rivals who have solved the deal. */
function newsOf(room) {
  const over = new Set(room.view.rows.filter((row) => row.state !== "playing").map((row) => row.seat));
  let [place, said] = [null, 0];
  return () => {
    const { rows, seat: self } = room.view;
    for (const { seat, state, elapsed_ms } of rows) {
      if (seat === self || state !== "solved" || over.has(seat)) continue;
      over.add(seat);
      play("rival");
      const told = { name: nameOf(room.view, seat), time: clock(elapsed_ms), until: minutes(closes_ms(room.view)) };
      toast(t("race.rivalSolved", told), { ms: 5000 });
    }
    const own = rows.find((row) => row.seat === self);
    if (rows.length < 2 || !own?.place || own.place === place || performance.now() - said < PLACES_EVERY_MS) return;
    if (place !== null) announce(t("race.yourPlace", { place: own.place, of: number(rows.length) }));
    [place, said] = [own.place, performance.now()];
  };
}

/** The own sun grows over the table, once. */
async function solved() {
  const sun = el("div.solved-sun", { "aria-hidden": "true" });
  const wait = () => new Promise((resolve) => setTimeout(resolve, SUN_MS));
  play("solved");
  buzz([30, 60, 30]);
  announce(t("race.solved"));
  document.body.append(sun);
  await wait();
  sun.classList.add("fades");
  wait().then(() => sun.remove());
}

/** Keep the screen on while this page is seen, where the browser can; return what ends that. */
function keepAwake() {
  let lock = null;
  let over = false;
  const hold = async () => {
    if (!document.hidden) lock = (await navigator.wakeLock?.request("screen").catch(() => null)) ?? lock;
    if (over) lock?.release();
  };
  document.addEventListener("visibilitychange", hold);
  hold();
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", hold);
    lock?.release();
  };
}
