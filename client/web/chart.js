// The picture of a race: everyone's progress over time, one step line a participant.

import { colour } from "./seats.js";
import { clock, t } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 30, TOP = 12, BELOW = 24, LINE = 17, NARROW = 480;
const MINUTE = 60_000;
const STEPS = [5_000, 15_000, 30_000, ...[1, 2, 5, 10, 15, 30, 60, 120, 240, 480].map((n) => n * MINUTE)];

/** Key presses from one end of the picture to the other. */
const KEYS = 60;

/**
 * @returns {HTMLElement} the picture, with `update` to draw it anew. lines: [{name, seat, points: [[ms, progress], …],
 *   own, solved, over, end_ms, gone: [ms, …]}], the best first; a line that is not `over` goes on to until_ms. top: the
 *   progress of whoever has won. onpick(ms, seat): a moment was chosen.
 */
export function chart(told) {
  const picture = new Picture(told);
  picture.element.update = (more) => {
    Object.assign(told, more);
    picture.draw();
  };
  return picture.element;
}

class Picture {
  element = document.createElement("div");
  #cursor = null;

  constructor(told) {
    this.told = told;
    this.chosen = told.lines.find((line) => line.own) ?? told.lines[0];
    this.element.className = "picture";
    this.element.ariaLabel = t("chart.label");
    this.element.role = told.onpick ? "slider" : "img";
    if (told.onpick) this.#listen();
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Draw all of it at the size that it has. */
  draw() {
    const { element, told } = this;
    const { clientWidth: width, clientHeight: height } = element;
    if (!width || !told.lines.length) return;
    Object.assign(this, { width, height, edge: width - (width < NARROW ? 78 : 124) });
    const lines = [...told.lines].reverse().sort((a, b) => !!a.own - !!b.own);
    const labels = this.#labels();
    const parts = [this.#grid(), lines.map((line) => this.#line(line)), lines.map((line) => this.#marks(line)), labels.map(({ lead }) => lead)];
    const picture = node("svg", { width, height, "aria-hidden": "true" });
    picture.append(...parts.flat(2));
    element.replaceChildren(picture, ...labels.map(({ name }) => name));
    this.#point(this.#cursor);
  }

  #x(ms) {
    return LEFT + (this.edge - LEFT) * Math.min(1, ms / Math.max(1, this.told.until_ms));
  }

  #y(progress) {
    return this.height - BELOW - ((this.height - TOP - BELOW) * progress) / this.told.top;
  }

  #grid() {
    const { top, until_ms } = this.told;
    const step = STEPS.find((each) => until_ms / each < (this.edge - LEFT) / 62) ?? STEPS.at(-1);
    const [key, unit] = step < MINUTE ? ["chart.seconds", 1000] : ["chart.minutes", MINUTE];
    const times = Array.from({ length: Math.floor(until_ms / step) + 1 }, (_, i) => i * step);
    const levels = [0, 1, 2, 3, 4].map((part) => (top * part) / 4);
    return [
      ...levels.map((level) => node("line", { class: "grid", x1: LEFT, x2: this.edge, y1: this.#y(level), y2: this.#y(level) })),
      ...levels.map((level) => word(level, { x: LEFT - 7, y: this.#y(level) + 4, "text-anchor": "end" })),
      ...times.map((ms) => word(t(key, { count: ms / unit }), { x: this.#x(ms), y: this.height - 6, "text-anchor": "middle" })),
    ];
  }

  #line(line) {
    const end = this.#endOf(line), [[ms, progress] = [0, 0]] = line.points;
    const steps = line.points.filter(([at]) => at <= end).map(([at, to]) => `H${this.#x(at).toFixed(1)}V${this.#y(to).toFixed(1)}`);
    const d = `M${this.#x(ms)} ${this.#y(progress)}${steps.join("")}H${this.#x(end).toFixed(1)}`;
    return [line.own && node("path", { class: "line under", d }), node("path", { class: `line ${kind(line)}`, d })].filter(Boolean);
  }

  #endOf({ end_ms, over, points }) {
    const { until_ms } = this.told;
    return Math.min(until_ms, end_ms ?? (over ? points.at(-1)?.[0] : until_ms) ?? 0);
  }

  /** Small rings where something was whole and gone; at the end a ring where it was solved, a cross where it was not. */
  #marks(line) {
    const ring = (ms, r) => node("circle", { class: `gone ${kind(line)}`, cx: this.#x(ms), cy: this.#y(progressAt(line, ms)), r });
    const end = this.#endOf(line), [x, y] = [this.#x(end) - 4, this.#y(progressAt(line, end)) - 4];
    const rings = (line.gone ?? []).map((ms) => ring(ms, 3.5));
    if (!line.over) return rings;
    return [...rings, line.solved ? ring(end, 5.5) : node("path", { class: `gone-not ${kind(line)}`, d: `M${x} ${y}l8 8m0-8l-8 8` })];
  }

  /** Names at the right edge, joined to the ends of their lines; as many as there is room for, the own always. */
  #labels() {
    const { lines } = this.told, bottom = this.height - BELOW, most = Math.floor((bottom - TOP) / LINE) + 1;
    const named = lines.filter((line, place) => place < most - 1 || line.own).slice(0, most);
    const ends = named.map((line) => ({ line, x: this.#x(this.#endOf(line)), y: this.#y(progressAt(line, this.#endOf(line))) }));
    ends.sort((a, b) => a.y - b.y || a.x - b.x);
    const heights = spread(ends.map(({ y }) => y), bottom);
    return ends.map(({ line, x, y }, i) => ({
      lead: node("path", { class: "lead", d: `M${x + 7} ${y}L${Math.max(x + 7, this.edge + 4)} ${heights[i]}` }),
      name: label(line, this.edge + 8, heights[i]),
    }));
  }

  // Choosing a moment

  #listen() {
    const { element, told } = this;
    const at = ({ clientX, clientY }) => {
      const { left, top } = element.getBoundingClientRect();
      return [told.until_ms * Math.min(1, Math.max(0, (clientX - left - LEFT) / (this.edge - LEFT))), clientY - top];
    };
    element.tabIndex = 0;
    element.addEventListener("pointermove", (event) => this.#point(at(event)[0]));
    element.addEventListener("pointerleave", () => this.#point(null));
    element.addEventListener("focus", () => this.#point(this.#cursor ?? 0));
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("click", (event) => {
      const [ms, y] = at(event), far = (line) => Math.abs(this.#y(progressAt(line, ms)) - y);
      told.onpick(Math.round(ms), told.lines.reduce((best, line) => (far(line) < far(best) ? line : best)).seat);
    });
  }

  #key(event) {
    const { lines, until_ms, onpick } = this.told, at = this.#cursor ?? 0, step = until_ms / KEYS;
    const other = (by) => () => {
      this.chosen = lines.at((lines.indexOf(this.chosen) + by) % lines.length);
      return at;
    };
    const keys = {
      ArrowRight: () => at + step, ArrowLeft: () => at - step, PageUp: () => at + 5 * step, PageDown: () => at - 5 * step,
      Home: () => 0, End: () => until_ms, ArrowDown: other(1), ArrowUp: other(-1),
    };
    if (event.key === "Enter" || event.key === " ") onpick(Math.round(at), this.chosen.seat);
    else if (keys[event.key]) this.#point(Math.max(0, Math.min(until_ms, keys[event.key]())));
    else return;
    event.preventDefault();
  }

  /** Show the moment that would be chosen; null: none. */
  #point(ms) {
    const { element, told, chosen } = this, x = this.#x(ms ?? 0);
    if (!told.onpick) return;
    this.#cursor = ms;
    element.ariaValueMin = 0;
    element.ariaValueMax = Math.round(told.until_ms);
    element.ariaValueNow = Math.round(ms ?? 0);
    element.ariaValueText = t("chart.moment", { time: clock(ms ?? 0), name: chosen.name, progress: progressAt(chosen, ms ?? 0) });
    element.querySelector(".cursor")?.remove();
    if (ms !== null) element.firstChild.append(node("line", { class: "cursor", x1: x, x2: x, y1: TOP - 4, y2: this.height - BELOW }));
  }
}

/** @returns {number} the progress that a line tells for *ms*. */
const progressAt = ({ points }, ms) => points.findLast(([at]) => at <= ms)?.[1] ?? 0;

/** @returns {number[]} heights for labels that would like to stand at *wanted*: apart from each other, none too low. */
function spread(wanted, bottom) {
  const heights = [];
  for (const y of wanted) heights.push(Math.max(y, (heights.at(-1) ?? -LINE) + LINE));
  for (let i = heights.length - 1, limit = bottom; heights[i] > limit; i--, limit -= LINE) heights[i] = limit;
  return heights;
}

const kind = ({ seat, own }) => `${colour(seat)}${own ? " me" : ""}`;

function label(line, x, y) {
  const name = document.createElement("span");
  name.className = `name ${kind(line)}`;
  name.textContent = line.name;
  name.style.setProperty("--x", `${x}px`);
  name.style.setProperty("--y", `${y}px`);
  return name;
}

function node(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function word(text, attributes) {
  const made = node("text", { class: "tick", ...attributes });
  made.textContent = text;
  return made;
}
