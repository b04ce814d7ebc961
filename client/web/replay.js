// The replay: one attempt, or two at the same deal side by side, played again.

import { get } from "./api.js";
import { Deck, Playback } from "./deck.js";
import { el, sheet, shut, style, toast, tool } from "./dom.js";
import { ending } from "./listing.js";
import { linkTool, lookUp } from "./lookup.js";
import { attemptOf, sameDeal } from "./moments.js";
import { gameAndLevel } from "./options.js";
import { go, setTitle, setTools } from "./shell.js";
import { Side } from "./side.js";
import { t } from "./texts.js";

const JUMP_MS = 10_000;

/** So long a moment is stayed at before it is in the address. */
const STAY_MS = 250;

/** Show the attempt of the address, and beside it that of `?with=`. */
export async function show(root, { parts, query, hash }) {
  const ids = [...new Set([parts[1], query.get("with")])].filter(Boolean);
  let end = () => {};
  await Promise.all([style("/table.css"), style("/look.css")]);
  await lookUp(root, ids.map((id) => get(`records/${encodeURIComponent(id)}`)), (...records) => {
    const attempts = records.map((record, place) => attemptOf(record, records.length > 1 ? place : record.attempt.seat));
    const shown = attempts.filter((attempt) => sameDeal(attempts[0], attempt));
    if (shown.length < attempts.length) toast(t("replay.otherDeal"));
    end = watch(root, shown, { hash, tools: [compare(shown), download(shown[0])] });
  });
  return () => end();
}

/** Put what plays *attempts* again into *root*, from the moment of a link on: `#t=221200`. @returns what ends it. */
export function watch(root, attempts, { hash = "", speed = 4, tools = [] }) {
  const [{ race, code }] = attempts;
  const title = t("replay.title", { name: attempts.map((attempt) => attempt.name).join(" · ") });
  const playback = new Playback(Math.max(...attempts.map((attempt) => attempt.end_ms)), update);
  const step = (by) => stepped(playback, attempts, by);
  const sides = attempts.map((attempt) => new Side(attempt, (time) => playback.seek(time)));
  const deck = new Deck(playback, attempts, step);
  let staying = 0;

  function update() {
    for (const side of sides) side.show(playback.at_ms);
    deck.update();
    clearTimeout(staying);
    if (!playback.playing) staying = setTimeout(() => history.replaceState(null, "", momentHash(playback)), STAY_MS);
  }

  const onkey = (event) => key(event, playback, step);
  const link = linkTool(t("replay.link"), () => new URL(momentHash(playback), location.href).href);
  setTitle(title, code);
  setTools(link, ...tools, tool("close", t("replay.close"), { onclick: () => go(race ? `/race/${race}` : `/deal/${code}`) }));
  root.replaceChildren(
    el("h1.gone-sr", title),
    el("p.which", gameAndLevel(attempts[0]), " · ", el("a.mono", { href: `/deal/${code}` }, code)),
    el(sides.length > 1 ? "div.pair.two" : "div.pair", sides.map((side) => side.element)),
    deck.element,
  );
  document.addEventListener("keydown", onkey);
  playback.speed = speed;
  playback.seek(Number(/^#t=([\d.]+)$/.exec(hash)?.[1] ?? 0));
  return () => {
    playback.toggle(false);
    clearTimeout(staying);
    document.removeEventListener("keydown", onkey);
  };
}

const momentHash = ({ at_ms }) => `#t=${Math.ceil(at_ms * 1000) / 1000}`;

/** Go to the next entry of any attempt, or the last before now. */
function stepped(playback, attempts, by) {
  const ahead = attempts.flatMap(({ moments }) => moments.map(({ time }) => time)).filter((time) => by * (time - playback.at_ms) > 0);
  playback.toggle(false);
  if (ahead.length) playback.seek(by * Math.min(...ahead.map((time) => by * time)));
}

/** Do what a key asks for, unless it belongs to what has the focus. */
function key(event, playback, step) {
  const jump = (by) => () => playback.seek(playback.at_ms + by);
  const deed = {
    " ": () => playback.toggle(), ArrowRight: () => step(1), ArrowLeft: () => step(-1), PageDown: jump(JUMP_MS),
    PageUp: jump(-JUMP_MS), Home: jump(-Infinity), End: jump(Infinity), "+": () => playback.hurry(1), "-": () => playback.hurry(-1),
  }[event.key];
  const own = event.target.closest(event.key === " " ? "button, a, select, dialog" : "select, dialog");
  if (!deed || own || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  deed();
}

/** @returns {HTMLElement} what saves the record of an attempt, as `samedeal verify` reads it. */
function download({ attempt, record: { format, code, player, started, entries, result } }) {
  const text = () => `${JSON.stringify({ format, code, player, started, entries, result })}\n`;
  const save = () => {
    const href = URL.createObjectURL(new Blob([text()], { type: "application/json" }));
    el("a", { href, download: `${attempt}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(href), STAY_MS);
  };
  return tool("download", t("replay.download"), { onclick: save });
}

/** @returns {HTMLElement} what asks which attempt at the same deal to put beside, or to be alone again. */
function compare([first, second]) {
  const choose = async () => {
    const { attempts } = await get(`deals/${first.code}`);
    const link = (query, ...words) => el("li", el("a.button.line", { href: `/replay/${first.attempt}${query}`, onclick: (event) => shut(event) }, ...words));
    const others = attempts.filter(({ attempt }) => ![first.attempt, second?.attempt].includes(attempt));
    const links = others.map((each) => link(`?with=${each.attempt}`, el("span", each.name), el("small", ending(each))));
    if (second) links.unshift(link("", t("replay.alone")));
    sheet(t("replay.beside"), links.length ? el("ul.rivals", links) : el("p", t("replay.noOther")));
  };
  return tool("people", t("replay.beside"), { onclick: choose });
}
