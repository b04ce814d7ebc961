// The picture of a race: everyone's progress over time, one step line a participant.

import { colour } from "./seats.js";
import { clock, t } from "./texts.js";
import { endOf, progressAt, spread, tickWords, ticks } from "./scale.js";

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 30, TOP = 12, BELOW = 24, LINE = 17;
const NARROW = 480;
/** Key presses from one end of the picture to the other. */
const KEY_STEPS = 60;

/**
 * @returns {HTMLElement} the picture, with `update` to draw it anew.
 *
 * lines: [{name, seat, points: [[ms, progress], …], own, solved, over, end_ms, gone: [ms, …]}], the best first; a line
 * that is not `over` goes on to until_ms. top: the progress of a game that is won. onpick(ms, seat): a moment was chosen.
 */
export function chart(told) {
  const picture = new Picture(told);
  picture.element.update = (more) => picture.update(more);
  return picture.element;
}

class Picture {
  constructor(told) {
    this.told = told;
    this.element = document.createElement("div");
    this.element.className = "picture";
    this.element.setAttribute("aria-label", t("chart.label"));
    this.element.setAttribute("role", told.onpick ? "slider" : "img");
    this.cursor = null;
    this.chosen = (told.lines.find((line) => line.own) ?? told.lines[0])?.seat;
    if (told.onpick) this.listen();
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  update(more) {
    Object.assign(this.told, more);
    this.draw();
  }

  /** Draw all of it at the size that it has. */
  draw() {
    this.width = this.element.clientWidth;
    this.height = this.element.clientHeight;
    if (!this.width || !this.told.lines.length) return;
    this.right = this.width < NARROW ? 78 : 124;
    const { lines } = this.told;
    const picture = node("svg", { width: this.width, height: this.height, "aria-hidden": "true" });
    const order = lines.toReversed().sort((a, b) => !!a.own - !!b.own);
    picture.append(...this.grid(), ...order.flatMap((line) => this.line(line)), ...order.flatMap((line) => this.marks(line)));
    const labels = this.labels();
    picture.append(...labels.map((label) => label.lead));
    if (this.cursor !== null) picture.append(this.cursorLine());
    this.element.replaceChildren(picture, ...labels.map((label) => label.name));
  }

  x(ms) {
    return LEFT + (this.width - LEFT - this.right) * Math.min(1, ms / Math.max(1, this.told.until_ms));
  }

  y(progress) {
    return this.height - BELOW - (this.height - TOP - BELOW) * progress / this.told.top;
  }

  ms(x) {
    const share = (x - LEFT) / (this.width - LEFT - this.right);
    return Math.round(Math.max(0, Math.min(1, share)) * this.told.until_ms);
  }

  grid() {
    const { top, until_ms } = this.told, drawn = [], edge = this.width - this.right;
    for (let part = 0; part <= 4; part++) {
      const y = this.y(top * part / 4);
      drawn.push(node("line", { class: "grid", x1: LEFT, x2: edge, y1: y, y2: y }));
      drawn.push(word(top * part / 4, { class: "tick", x: LEFT - 7, y: y + 4, "text-anchor": "end" }));
    }
    const times = ticks(until_ms, (edge - LEFT) / 62);
    for (const ms of times) {
      const [key, count] = tickWords(ms, times[1]);
      drawn.push(word(t(key, { count }), { class: "tick", x: this.x(ms), y: this.height - 6, "text-anchor": "middle" }));
    }
    return drawn;
  }

  line(line) {
    const path = this.path(line), own = line.own ? " own" : "", of = colour(line.seat);
    const drawn = own ? [node("path", { class: "line under", d: path })] : [];
    return [...drawn, node("path", { class: `line ${of}${own}`, d: path })];
  }

  /** Small rings where something was whole and gone, and how it ended: above all lines. */
  marks(line) {
    const of = colour(line.seat) + (line.own ? " own" : "");
    const rings = (line.gone ?? []).map((ms) =>
      node("circle", { class: `gone ${of}`, cx: this.x(ms), cy: this.y(progressAt(line.points, ms)), r: 3.5 }),
    );
    return line.over ? [...rings, this.end(line, of)] : rings;
  }

  path(line) {
    const until = endOf(line, this.told.until_ms);
    let path = `M${this.x(line.points[0]?.[0] ?? 0)} ${this.y(line.points[0]?.[1] ?? 0)}`;
    for (const [ms, progress] of line.points) if (ms <= until) path += `H${this.x(ms).toFixed(1)}V${this.y(progress).toFixed(1)}`;
    return `${path}H${this.x(until).toFixed(1)}`;
  }

  /** A ring where it was solved, a cross where it was not. */
  end(line, of) {
    const { x, y } = this.endAt(line);
    if (line.solved) return node("circle", { class: `gone ${of}`, cx: x, cy: y, r: 5.5 });
    return node("path", { class: `gone-not ${of}`, d: `M${x - 4} ${y - 4}l8 8m0-8l-8 8` });
  }

  endAt(line) {
    const ms = endOf(line, this.told.until_ms);
    return { x: this.x(ms), y: this.y(progressAt(line.points, ms)) };
  }

  /** Names at the right edge, joined to the ends of their lines; as many as there is room for, the own always. */
  labels() {
    const most = Math.floor((this.height - TOP - BELOW) / LINE) + 1, bottom = this.height - BELOW;
    const { lines } = this.told, own = lines.find((line) => line.own);
    const named = own && lines.indexOf(own) >= most ? [...lines.slice(0, most - 1), own] : lines.slice(0, most);
    const ends = named.map((line) => ({ line, ...this.endAt(line) })).sort((a, b) => a.y - b.y || a.x - b.x);
    const heights = spread(ends.map((end) => end.y), LINE, bottom), edge = this.width - this.right;
    return ends.map(({ line, x, y }, i) => ({
      lead: node("path", { class: "lead", d: `M${x + 7} ${y}L${Math.max(x + 7, edge + 4)} ${heights[i]}` }),
      name: this.label(line, heights[i], edge + 8),
    }));
  }

  label(line, y, x) {
    const name = document.createElement("span");
    name.className = `name ${colour(line.seat)}${line.own ? " own" : ""}`;
    name.textContent = line.name;
    name.style.setProperty("--x", `${x}px`);
    name.style.setProperty("--y", `${y}px`);
    return name;
  }

  cursorLine() {
    const x = this.x(this.cursor);
    return node("line", { class: "cursor", x1: x, x2: x, y1: TOP - 4, y2: this.height - BELOW });
  }

  // Choosing a moment

  listen() {
    const { element } = this;
    element.tabIndex = 0;
    element.addEventListener("pointermove", (event) => this.point(this.ms(this.offset(event).x)));
    element.addEventListener("pointerleave", () => this.point(null));
    element.addEventListener("click", (event) => {
      const { x, y } = this.offset(event), ms = this.ms(x);
      this.told.onpick(ms, this.nearest(ms, y));
    });
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("focus", () => this.point(this.cursor ?? 0));
    this.point(null);
  }

  offset(event) {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** Return the seat whose line passes nearest to *y* at *ms*. */
  nearest(ms, y) {
    const far = (line) => Math.abs(this.y(progressAt(line.points, ms)) - y);
    return this.told.lines.reduce((best, line) => (far(line) < far(best) ? line : best)).seat;
  }

  key(event) {
    const { lines, until_ms, onpick } = this.told, step = until_ms / KEY_STEPS, at = this.cursor ?? 0;
    const place = lines.findIndex((line) => line.seat === this.chosen);
    const other = (by) => { this.chosen = lines[(place + by + lines.length) % lines.length].seat; return at; };
    const moves = {
      ArrowRight: () => at + step, ArrowLeft: () => at - step, Home: () => 0, End: () => until_ms,
      PageUp: () => at + 5 * step, PageDown: () => at - 5 * step, ArrowDown: () => other(1), ArrowUp: () => other(-1),
    };
    if (event.key === "Enter" || event.key === " ") onpick(Math.round(at), this.chosen);
    else if (moves[event.key]) this.point(Math.max(0, Math.min(until_ms, moves[event.key]())));
    else return;
    event.preventDefault();
  }

  /** Show the moment that would be chosen; null: none. */
  point(ms) {
    this.cursor = ms;
    const { element, told } = this, line = told.lines.find((each) => each.seat === this.chosen);
    const attributes = { valuemin: 0, valuemax: Math.round(told.until_ms), valuenow: Math.round(ms ?? 0) };
    if (line) attributes.valuetext = t("chart.moment", { time: clock(ms ?? 0), name: line.name, progress: progressAt(line.points, ms ?? 0) });
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(`aria-${name}`, value);
    element.querySelector(".cursor")?.remove();
    if (ms !== null) element.querySelector("svg")?.append(this.cursorLine());
  }
}

function node(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function word(text, attributes) {
  const made = node("text", attributes);
  made.textContent = text;
  return made;
}
