// The rules of a game, told and shown: texts from the rules' own files, pictures that were played by the engine.

import { el, say, style, tool } from "./dom.js";
import { still } from "./motion.js";
import { laid, moved } from "./moving.js";
import { GAMES } from "./protocol.js";
import { setTitle } from "./shell.js";
import { TableView } from "./table.js";
import { refusalText, t } from "./texts.js";

/** So long each move of a picture is looked at. */
const STEP_MS = 1800;

/** Show the rules of the game of the address. */
export async function show(root, { parts }) {
  const game = parts[1] in GAMES ? parts[1] : Object.keys(GAMES)[0];
  const [told, drawn] = await Promise.all([
    read(`/locales/rules/${document.documentElement.lang}.json`),
    read("/pictures.json"),
    style("/table.css"),
    style("/rules.css"),
  ]);
  const { about, ...numbered } = told[game];
  const pictures = new Map(Object.entries(drawn[game] ?? {}).map(([rule, each]) => [rule, new Picture(game, rule, each, told.page)]));
  setTitle(t("race.rulesOf", { game: name(game) }));
  root.append(
    el("nav.choices", { "aria-label": t("options.game") }, Object.keys(GAMES).map((each) => way(each, each === game))),
    el("h1", t("race.rulesOf", { game: name(game) })),
    el("p.lead", about),
    part(told.page.game, numbered, pictures),
    part(told.page.common, told.common),
    part(told.page.race, told.race),
  );
  const watch = watched([...pictures.values()]);
  return () => watch.disconnect();
}

async function read(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`no ${path}`);
  return answer.json();
}

const name = (game) => t(`game.${game}`);

const way = (game, here) => el("a.button.line", { href: `/rules/${game}`, "aria-current": here ? "page" : null }, name(game));

/** @returns {HTMLElement} a section: each text under its heading, a numbered rule with its number and picture. */
function part(title, texts, pictures = new Map()) {
  const headings = Object.keys(texts).filter((key) => `${key}Text` in texts);
  const articles = headings.map((key) => {
    const heading = el("h3", texts[key], /\d/.test(key) && el("span.tag", key));
    return el("article", { id: key }, heading, el("p", texts[`${key}Text`]), pictures.get(key)?.element);
  });
  return el("section.rules-part", el("h2", title), el("div.panel", articles));
}

/** Let the pictures move that are seen whole; with reduced motion they wait to be stepped. */
function watched(pictures) {
  const observer = new IntersectionObserver(
    (entries) => entries.forEach(({ target, isIntersecting }) => pictures.find(({ element }) => element === target).seen(isIntersecting)),
    { threshold: 0.9 },
  );
  for (const { element } of pictures) observer.observe(element);
  return { disconnect: () => (observer.disconnect(), pictures.forEach((picture) => picture.seen(false))) };
}

/** A small table on which a few plies are played, over and over. */
class Picture {
  #view;
  #drawn;
  #words;
  #position;
  #next = 0;
  #timer = 0;
  #wanted = !still();
  #visible = false;
  #caption = el("p.small.soft");
  #toggle;

  constructor(game, rule, drawn, words) {
    this.#drawn = drawn;
    this.#words = words;
    this.#view = new TableView({ game, small: true, label: words.picture.replace("{{rule}}", rule) });
    this.#toggle = tool("pause", words.pause, { onclick: () => this.#play(!this.#wanted) });
    const step = tool("next", words.step, { onclick: () => (this.#play(false), this.#step()) });
    const tray = drawn.plies.some(({ steps = [] }) => steps.some((each) => each[1] === "h")) && this.#view.tray;
    this.element = el("figure.moving", this.#view.element, el("figcaption", this.#caption, tray, this.#toggle, step));
    this.#layAnew();
    this.#play(this.#wanted);
  }

  /** The picture has come into view, or gone out of it. */
  seen(visible) {
    this.#visible = visible;
    this.#goOn();
  }

  #play(wanted) {
    this.#wanted = wanted;
    const [sign, label] = wanted ? ["pause", this.#words.pause] : ["play", this.#words.play];
    this.#toggle.querySelector("use").setAttribute("href", `#${sign}`);
    this.#toggle.setAttribute("aria-label", label);
    this.#toggle.title = label;
    this.#goOn();
  }

  #goOn() {
    clearTimeout(this.#timer);
    if (this.#wanted && this.#visible) this.#timer = setTimeout(() => (this.#step(), this.#goOn()), STEP_MS);
  }

  #layAnew() {
    this.#next = 0;
    this.#position = laid(this.#drawn.table);
    this.#view.show(this.#position, { joined: this.#drawn.joined });
    say(this.#caption, "");
  }

  /** Show the next ply, or begin again after the last. */
  #step() {
    const ply = this.#drawn.plies[this.#next];
    if (!ply) return this.#layAnew();
    this.#next += 1;
    say(this.#caption, ply.refused ? refusalText(ply.refused) : "");
    if (ply.refused) return this.#view.refuse(ply.ask[0], parseInt(ply.ask.split("v")[1] ?? "1", 16));
    this.#position = moved(this.#position, ply.steps);
    this.#view.show(this.#position, { joined: ply.joined, steps: ply.steps });
  }
}
