// What a replay is driven by: the line of time with its marks, and the buttons below it.

import { el, icon, say, tool } from "./dom.js";
import { milestones } from "./moments.js";
import { SPEEDS } from "./playback.js";
import { colour } from "./seats.js";
import { clock, minutes, t } from "./texts.js";

/** Places on the line of time where marks of undone moves can lie. */
const NOTCHES = 400;

export class Deck {
  #playback;
  #line;
  #time = el("b");
  #playing = tool("play", t("replay.play"), { class: "tool play" });
  #speed;

  /**
   * @param {object[]} attempts those that are watched
   * @param {(by: number) => void} onstep go on by an entry, or back
   */
  constructor(playback, attempts, onstep) {
    this.#playback = playback;
    this.#line = el(
      "div",
      { class: "line-time", role: "slider", tabindex: "0", "aria-label": t("replay.time"), "aria-valuemin": 0, "aria-valuemax": Math.round(playback.end_ms) },
      attempts.map((attempt) => lane(attempt, playback.end_ms)),
      el("span", { class: "head-now" }),
    );
    this.#listen();
    this.#speed = speeds((speed) => playback.hurry(SPEEDS.indexOf(speed) - SPEEDS.indexOf(playback.speed)));
    this.#playing.addEventListener("click", () => playback.toggle());
    const step = (sign, label, by) => tool(sign, label, { onclick: () => onstep(by) });
    const buttons = [step("prev", t("replay.back"), -1), this.#playing, step("next", t("replay.next"), 1)];
    const time = el("span", { class: "t" }, this.#time, " ", el("small", {}, `/ ${minutes(playback.end_ms)}`));
    const keys = el("div", { class: "keys" }, time, el("span", { class: "mid" }, buttons), el("span", { class: "right" }, this.#speed));
    this.element = el("div", { class: `deck${attempts.length > 1 ? " two" : ""}` }, this.#line, keys);
  }

  /** Show where the playback is. */
  update() {
    const { at_ms, end_ms, playing, speed } = this.#playback;
    this.#line.style.setProperty("--v", 100 * at_ms / Math.max(1, end_ms));
    this.#line.setAttribute("aria-valuenow", Math.round(at_ms));
    this.#line.setAttribute("aria-valuetext", t("replay.moment", { time: clock(at_ms), of: minutes(end_ms) }));
    say(this.#time, clock(at_ms));
    this.#speed.value = speed;
    if (this.#playing.dataset.playing === String(playing)) return;
    this.#playing.dataset.playing = playing;
    const label = t(playing ? "replay.pause" : "replay.play");
    for (const name of ["aria-label", "title"]) this.#playing.setAttribute(name, label);
    this.#playing.replaceChildren(icon(playing ? "pause" : "play"));
  }

  #listen() {
    const line = this.#line;
    const seek = (event) => {
      const box = line.getBoundingClientRect();
      this.#playback.seek(this.#playback.end_ms * (event.clientX - box.left) / box.width);
    };
    line.addEventListener("pointerdown", (event) => {
      line.setPointerCapture(event.pointerId);
      seek(event);
    });
    line.addEventListener("pointermove", (event) => line.hasPointerCapture(event.pointerId) && seek(event));
  }
}

/** One attempt on the line of time: how long it took, where a suit was whole and gone, what was taken back. */
function lane({ seat, moments, end_ms: own, won }, end_ms) {
  const at = (time) => 100 * time / Math.max(1, end_ms);
  const place = (time, kind) => el("i", { class: kind, vars: { "--v": at(time) } });
  const undone = moments.filter((moment) => moment.undone).map((moment) => Math.round(NOTCHES * moment.time / Math.max(1, end_ms)));
  return el(
    "div",
    { class: `lane ${colour(seat)}` },
    place(own, "end"),
    [...new Set(undone)].map((notch) => place(end_ms * notch / NOTCHES, "undone")),
    milestones(moments).map((moment) => place(moment.time, "mark")),
    won && place(own, "mark fin"),
  );
}

function speeds(onchoose) {
  const options = SPEEDS.map((speed) => el("option", { value: speed }, `${speed}×`));
  return el("select", { class: "speed", "aria-label": t("replay.speed"), onchange: (event) => onchoose(Number(event.target.value)) }, options);
}
