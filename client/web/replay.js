// The replay: one attempt, or two at the same deal side by side, played again.

import { get } from "./api.js";
import { Deck } from "./deck.js";
import { el, sheet, style, toast, tool } from "./dom.js";
import { linkTool } from "./links.js";
import { lookUp } from "./lookup.js";
import { gameName, levelName, stateName } from "./options.js";
import { Playback } from "./playback.js";
import { go, setTitle, setTools } from "./shell.js";
import { Side } from "./side.js";
import { clock, t } from "./texts.js";
import { attemptOf, fileOf, sameDeal } from "./watched.js";

const JUMP_MS = 10_000;

/** So long a moment is stayed at before it is in the address. */
const STAY_MS = 250;

/** Show the attempt of the address, and beside it that of `?with=`. */
export async function show(root, { parts, query, hash }) {
  await Promise.all([style("/table.css"), style("/look.css")]);
  const ids = [parts[1], query.get("with")].filter((id, place, all) => id && all.indexOf(id) === place);
  let end = () => {};
  await lookUp(root, ids.map((id) => get(`records/${encodeURIComponent(id)}`)), (...records) => {
    const attempts = records.map((record, place) => attemptOf(record, records.length > 1 ? place : record.attempt.seat));
    const [first, second] = attempts;
    if (second && !sameDeal(first, second)) toast(t("replay.otherDeal"));
    const shown = attempts.filter((attempt) => sameDeal(first, attempt));
    end = watch(root, shown, { at_ms: momentOf(hash), tools: [compare(shown), download(first)] });
  });
  return () => end();
}

/** @returns {number} the moment that a link tells: `#t=221200`. */
export function momentOf(hash) {
  return Number(/^#t=(\d+(?:\.\d+)?)$/.exec(hash)?.[1] ?? 0);
}

/**
 * Put what plays *attempts* again into *root*.
 * @returns {() => void} what ends it
 */
export function watch(root, attempts, { at_ms = 0, speed = 4, tools = [] }) {
  const [first] = attempts, names = attempts.map((attempt) => attempt.name).join(" · ");
  const playback = new Playback(Math.max(...attempts.map((attempt) => attempt.end_ms)), update);
  const step = (by) => stepped(playback, attempts, by);
  const sides = attempts.map((attempt) => new Side(attempt, (time) => playback.seek(time)));
  const deck = new Deck(playback, attempts, step);
  playback.speed = speed;
  playback.at_ms = Math.min(at_ms, playback.end_ms);

  function update() {
    for (const side of sides) side.show(playback.at_ms);
    deck.update();
    if (!playback.playing) keepMoment(playback.at_ms);
  }

  const game = [gameName(first.game), levelName(first.game, Number(/-S(\d)-/.exec(first.code)?.[1]))].filter(Boolean).join(", ");
  const about = el("p", { class: "about" }, game, " · ", el("a", { class: "mono", href: `/deal/${first.code}` }, first.code));
  root.replaceChildren(
    el("h1", { class: "gone-sr" }, t("replay.title", { name: names })),
    about,
    el("div", { class: `pair${sides.length > 1 ? " two" : ""}` }, sides.map((side) => side.element)),
    deck.element,
  );
  setTitle(t("replay.title", { name: names }), first.code);
  const away = first.race ? `/race/${first.race}` : `/deal/${first.code}`;
  const link = linkTool(t("replay.link"), () => new URL(momentHash(playback.at_ms), location.href).href);
  setTools(link, ...tools, tool("close", t("replay.close"), { onclick: () => go(away) }));
  const onkey = (event) => key(event, playback, step);
  document.addEventListener("keydown", onkey);
  update();
  return () => {
    playback.pause();
    document.removeEventListener("keydown", onkey);
  };
}

/** Go to the next entry of any attempt, or the last before now. */
function stepped(playback, attempts, by) {
  const times = attempts.flatMap((attempt) => attempt.moments.map((moment) => moment.time));
  const ahead = times.filter((time) => (by > 0 ? time > playback.at_ms : time < playback.at_ms));
  playback.pause();
  if (ahead.length) playback.seek(by > 0 ? Math.min(...ahead) : Math.max(...ahead));
}

/** Do what a key asks for, unless it belongs to what has the focus. */
function key(event, playback, step) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const own = event.target.closest("button, a, select, input");
  const jump = (by) => () => playback.seek(playback.at_ms + by);
  const deeds = {
    " ": () => playback.toggle(), k: () => playback.toggle(), ArrowRight: () => step(1), ArrowLeft: () => step(-1),
    PageDown: jump(JUMP_MS), PageUp: jump(-JUMP_MS), Home: jump(-Infinity), End: jump(Infinity),
    "+": () => playback.hurry(1), "-": () => playback.hurry(-1),
  };
  if (!deeds[event.key] || (own && (event.key === " " || own.matches("select")))) return;
  event.preventDefault();
  deeds[event.key]();
}

let staying = 0;

/** Keep the moment in the address: a reload and a copied address show it again. */
function keepMoment(ms) {
  clearTimeout(staying);
  staying = setTimeout(() => history.replaceState(history.state, "", momentHash(ms)), STAY_MS);
}

const momentHash = (ms) => `#t=${Math.round(ms * 1000) / 1000}`;

/** @returns {HTMLElement} what saves the record of an attempt. */
function download({ id, record }) {
  const save = () => {
    const address = URL.createObjectURL(fileOf(record));
    el("a", { href: address, download: `${id}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address));
  };
  return tool("download", t("replay.download"), { onclick: save });
}

/** @returns {HTMLElement} what asks which attempt at the same deal to put beside, or to be alone again. */
function compare([first, second]) {
  const choose = async () => {
    const { attempts } = await get(`deals/${first.code}`);
    const others = attempts.filter(({ attempt }) => attempt !== first.id && attempt !== second?.id);
    const link = (attempt, ...words) => el("li", {}, el("a", { class: "button line", href: attempt, onclick: closeSheet }, words));
    const links = others.map(({ attempt, name, won, elapsed_ms, state }) =>
      link(`/replay/${first.id}?with=${attempt}`, el("span", {}, name), el("small", {}, won ? clock(elapsed_ms) : stateName(state))),
    );
    if (second) links.unshift(link(`/replay/${first.id}`, t("replay.alone")));
    sheet(t("replay.beside"), links.length ? el("ul", { class: "rivals" }, links) : el("p", {}, t("replay.noOther")));
  };
  return tool("people", t("replay.beside"), { onclick: choose });
}

const closeSheet = (event) => event.target.closest("dialog").close();
