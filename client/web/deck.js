// What a replay is driven by: its clock, the line of time with its marks, and the buttons below it.

import { el, icon, say, tool } from "./dom.js";
import { milestones } from "./moments.js";
import { colour } from "./seats.js";
import { clock, minutes, t } from "./texts.js";

const SPEEDS = [1, 2, 4, 8, 16, 32];

/** Places on the line of time where marks of undone moves can lie. */
const NOTCHES = 400;

/** Where a replay is, how fast it goes, and whether it goes; *onchange* is called whenever that changes. */
export class Playback {
  at_ms = 0;
  speed = 4;
  playing = false;
  #frame = 0;
  #last = 0;

  constructor(end_ms, onchange) {
    this.end_ms = end_ms;
    this.onchange = onchange;
  }

  /** Play, or pause; what is over begins anew. */
  toggle(playing = !this.playing) {
    cancelAnimationFrame(this.#frame);
    this.playing = playing;
    if (playing) {
      if (this.at_ms >= this.end_ms) this.at_ms = 0;
      this.#last = performance.now();
      this.#frame = requestAnimationFrame(this.#tick);
    }
    this.onchange();
  }

  seek(ms) {
    this.at_ms = Math.min(this.end_ms, Math.max(0, ms));
    this.onchange();
  }

  /** Go *by* places further in the list of speeds. */
  hurry(by) {
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.speed) + by))];
    this.onchange();
  }

  #tick = (now) => {
    const at_ms = this.at_ms + Math.max(0, now - this.#last) * this.speed;
    this.#last = now;
    this.#frame = requestAnimationFrame(this.#tick);
    this.seek(at_ms);
    if (at_ms >= this.end_ms) this.toggle(false);
  };
}

export class Deck {
  #playback;
  #line;
  #time = el("b");
  #play;
  #speed;

  /** *onstep* is called with 1 or -1: go on by an entry, or back. */
  constructor(playback, attempts, onstep) {
    const { end_ms } = playback;
    const slider = { role: "slider", tabindex: "0", "aria-label": t("replay.time"), "aria-valuemin": 0, "aria-valuemax": Math.round(end_ms) };
    const step = (sign, by) => tool(sign, t(`replay.${sign}`), { onclick: () => onstep(by) });
    const choose = ({ target }) => playback.hurry(SPEEDS.indexOf(Number(target.value)) - SPEEDS.indexOf(playback.speed));
    this.#playback = playback;
    this.#line = el("div.line-time", slider, attempts.map((attempt) => lane(attempt, end_ms)), el("span.head-now"));
    this.#play = tool("play", "", { class: "tool play", onclick: () => playback.toggle() });
    this.#speed = el("select.speed", { "aria-label": t("replay.speed"), onchange: choose }, SPEEDS.map((value) => el("option", { value }, `${value}×`)));
    const time = el("span.t", this.#time, el("small", ` / ${minutes(end_ms)}`));
    const keys = el("div.keys", time, el("span.mid", step("prev", -1), this.#play, step("next", 1)), this.#speed);
    this.element = el("div.deck", this.#line, keys);
    this.#listen();
  }

  /** Show where the playback is. */
  update() {
    const { at_ms, end_ms, playing, speed } = this.#playback;
    this.#line.style.setProperty("--v", share(at_ms, end_ms));
    this.#line.setAttribute("aria-valuenow", Math.round(at_ms));
    this.#line.setAttribute("aria-valuetext", t("replay.moment", { time: clock(at_ms), of: minutes(end_ms) }));
    say(this.#time, clock(at_ms));
    this.#speed.value = speed;
    const sign = playing ? "pause" : "play";
    if (this.#play.dataset.sign === sign) return;
    this.#play.dataset.sign = sign;
    this.#play.replaceChildren(icon(sign));
    this.#play.title = this.#play.ariaLabel = t(`replay.${sign}`);
  }

  #listen() {
    const line = this.#line, playback = this.#playback;
    const seek = ({ clientX }) => {
      const { left, width } = line.getBoundingClientRect();
      playback.seek((playback.end_ms * (clientX - left)) / width);
    };
    line.addEventListener("pointermove", (event) => line.hasPointerCapture(event.pointerId) && seek(event));
    line.addEventListener("pointerdown", (event) => {
      line.setPointerCapture(event.pointerId);
      seek(event);
    });
  }
}

const share = (ms, end_ms) => (100 * ms) / Math.max(1, end_ms);

/** One attempt on the line of time: how long it took, where a suit was whole and gone, what was taken back. */
function lane({ seat, moments, end_ms: own, won }, end_ms) {
  const place = (kind, time) => el(`i.${kind}`, { vars: { "--v": share(time, end_ms) } });
  const notch = end_ms / NOTCHES || 1;
  const undone = new Set(moments.filter((moment) => moment.undone).map(({ time }) => notch * Math.round(time / notch)));
  return el(
    `div.lane.${colour(seat)}`,
    place("end", own),
    [...undone].map((time) => place("undone", time)),
    milestones(moments).map(({ time }) => place("mark", time)),
    won && place("mark.fin", own),
  );
}
