// The picture of a race: everyone's progress over time, one step line a participant.

import { el } from "./dom.js";
import { colour } from "./seats.js";
import { clock, t } from "./texts.js";

const LEFT = 30, TOP = 12, BELOW = 24, LINE = 17, NARROW = 480;
const MINUTE = 60_000;
const TICKS = [5_000, 15_000, 30_000, ...[1, 2, 5, 10, 15, 30, 60, 120, 480].map((count) => count * MINUTE)];

/** Key presses from one end of the picture to the other. */
const KEYS = 60;

/**
 * The picture; its `update` draws it anew. lines: [{name, seat, points: [[ms, progress], …], own, solved, over, end_ms,
 * gone: [ms, …]}], the best first; one that is not `over` goes on to until_ms. top: the progress of whoever has won.
 * onpick(ms, seat): a moment was chosen.
 */
export function chart(told) {
  const { element, draw } = new Picture(told);
  element.update = (more) => draw(Object.assign(told, more));
  return element;
}

class Picture {
  #cursor = null;

  constructor(told) {
    const { lines, onpick } = told;
    this.told = told;
    this.chosen = lines.find((line) => line.own) ?? lines[0];
    this.element = el("div.picture", { role: onpick ? "slider" : "img", "aria-label": t("chart.label"), tabindex: onpick ? 0 : null });
    if (onpick) this.#listen();
    new ResizeObserver(this.draw).observe(this.element);
  }

  /** Draw all of it at the size that it has. */
  draw = () => {
    const { element, told } = this;
    const { clientWidth: width, clientHeight: height } = element;
    if (!width || !told.lines.length) return;
    Object.assign(this, { edge: width - (width < NARROW ? 78 : 124), bottom: height - BELOW });
    const lines = [...told.lines].reverse().sort((a, b) => !!a.own - !!b.own);
    const labels = this.#labels();
    const parts = [this.#grid(), lines.map((line) => this.#line(line)), lines.map((line) => this.#marks(line)), labels.map(({ lead }) => lead)];
    element.replaceChildren(node("svg", { width, height, "aria-hidden": "true" }, parts.flat(2)), ...labels.map(({ name }) => name));
    this.#point(this.#cursor);
  };

  #x = (ms) => LEFT + (this.edge - LEFT) * Math.min(1, ms / Math.max(1, this.told.until_ms));

  #y = (progress) => this.bottom - ((this.bottom - TOP) * progress) / this.told.top;

  /** Where a line ends. */
  #endOf({ end_ms, over, points }) {
    const { until_ms } = this.told;
    return Math.min(until_ms, end_ms ?? (over ? points.at(-1)?.[0] : until_ms) ?? 0);
  }

  #grid() {
    const { top, until_ms } = this.told;
    const tick = TICKS.find((each) => until_ms / each < (this.edge - LEFT) / 62) ?? TICKS.at(-1);
    const [key, unit] = tick < MINUTE ? ["chart.seconds", 1000] : ["chart.minutes", MINUTE];
    const drawn = [0, 1, 2, 3, 4].flatMap((part) => {
      const level = (top * part) / 4, y = this.#y(level);
      return [node("path", { class: "grid", d: `M${LEFT} ${y}H${this.edge}` }), word(level, LEFT - 7, y + 4, "end")];
    });
    for (let ms = 0; ms <= until_ms; ms += tick) drawn.push(word(t(key, { count: ms / unit }), this.#x(ms), this.bottom + 18, "middle"));
    return drawn;
  }

  #line(line) {
    const end = this.#endOf(line), [[ms, progress] = [0, 0]] = line.points;
    const steps = line.points.filter(([at]) => at <= end).map(([at, to]) => `H${this.#x(at).toFixed(1)}V${this.#y(to).toFixed(1)}`);
    const d = `M${this.#x(ms)} ${this.#y(progress)}${steps.join("")}H${this.#x(end)}`;
    return [line.own ? "line under" : "", `line ${kind(line)}`].filter(Boolean).map((name) => node("path", { class: name, d }));
  }

  /** Small rings where something was whole and gone; at the end a ring where it was solved, a cross where it was not. */
  #marks(line) {
    const at = (ms) => [this.#x(ms), this.#y(progressAt(line, ms))];
    const ring = (ms, r) => node("circle", { class: `gone ${kind(line)}`, cx: at(ms)[0], cy: at(ms)[1], r });
    const cross = ([x, y]) => node("path", { class: `gone-not ${kind(line)}`, d: `M${x - 4} ${y - 4}l8 8m0-8l-8 8` });
    const end = this.#endOf(line);
    return [...(line.gone ?? []).map((ms) => ring(ms, 3.5)), ...(line.over ? [line.solved ? ring(end, 5.5) : cross(at(end))] : [])];
  }

  /** Names at the right edge, joined to the ends of their lines; as many as there is room for, the own always. */
  #labels() {
    const most = Math.floor((this.bottom - TOP) / LINE);
    const named = this.told.lines.filter((line, place) => place < most || line.own).map((line) => {
      const end = this.#endOf(line);
      return { line, x: this.#x(end) + 7, y: this.#y(progressAt(line, end)) };
    });
    named.sort((a, b) => a.y - b.y || a.x - b.x);
    const heights = spread(named.map(({ y }) => y), this.bottom);
    return named.map(({ line, x, y }, i) => ({
      lead: node("path", { class: "lead", d: `M${x} ${y}L${Math.max(x, this.edge + 4)} ${heights[i]}` }),
      name: el("span", { class: `name ${kind(line)}`, vars: { "--x": `${this.edge + 8}px`, "--y": `${heights[i]}px` } }, line.name),
    }));
  }

  // Choosing a moment

  #listen() {
    const { element, told } = this;
    const at = ({ clientX, clientY }) => {
      const { left, top } = element.getBoundingClientRect();
      return [told.until_ms * Math.min(1, Math.max(0, (clientX - left - LEFT) / (this.edge - LEFT))), clientY - top];
    };
    element.onpointermove = (event) => this.#point(at(event)[0]);
    element.onpointerleave = () => this.#point(null);
    element.onfocus = () => this.#point(this.#cursor ?? 0);
    element.onkeydown = (event) => this.#key(event);
    element.onclick = (event) => {
      const [ms, y] = at(event);
      const far = (line) => Math.abs(this.#y(progressAt(line, ms)) - y) + (this.#endOf(line) < ms && this.bottom);
      told.onpick(Math.round(ms), told.lines.reduce((best, line) => (far(line) < far(best) ? line : best)).seat);
    };
  }

  #key(event) {
    const { lines, until_ms, onpick } = this.told;
    const at = this.#cursor ?? 0;
    const by = { ArrowRight: 1, ArrowLeft: -1, PageUp: 5, PageDown: -5, Home: -KEYS, End: KEYS }[event.key];
    const other = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" || event.key === " ") onpick(Math.round(at), this.chosen.seat);
    else if (!by && !other) return;
    if (other) this.chosen = lines.at((lines.indexOf(this.chosen) + other) % lines.length);
    this.#point(Math.max(0, Math.min(until_ms, at + ((by ?? 0) * until_ms) / KEYS)));
    event.preventDefault();
  }

  /** Show the moment that would be chosen; null: none. */
  #point(cursor) {
    const { element, told, chosen } = this, ms = cursor ?? 0;
    if (!told.onpick) return;
    this.#cursor = cursor;
    const progress = progressAt(chosen, ms);
    Object.assign(element, { ariaValueMin: 0, ariaValueMax: Math.round(told.until_ms), ariaValueNow: Math.round(ms) });
    element.ariaValueText = t("chart.moment", { time: clock(ms), name: chosen.name, progress });
    element.querySelector(".cursor")?.remove();
    if (cursor !== null) element.firstChild.append(node("path", { class: "cursor", d: `M${this.#x(ms)} ${TOP - 4}V${this.bottom}` }));
  }
}

/** The progress that a line tells for *ms*. */
const progressAt = ({ points }, ms) => points.findLast(([at]) => at <= ms)?.[1] ?? 0;

/** Heights for labels that would like to stand at *wanted*: apart from each other, none below *bottom*. */
function spread(wanted, bottom) {
  const heights = [];
  for (const y of wanted) heights.push(Math.max(y, (heights.at(-1) ?? -LINE) + LINE));
  for (let i = heights.length - 1, limit = bottom; heights[i] > limit; i--, limit -= LINE) heights[i] = limit;
  return heights;
}

const kind = ({ seat, own }) => `${colour(seat)}${own ? " me" : ""}`;

function node(tag, attributes, children = []) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const word = (text, x, y, anchor) => node("text", { class: "tick", x, y, "text-anchor": anchor }, [text]);
