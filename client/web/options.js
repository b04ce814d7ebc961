// How a race is played: in words, and as the fields of a form.

import { el } from "./dom.js";
import { GAMES, OPTIONS } from "./protocol.js";
import { has, t } from "./texts.js";

const LIMITS_MIN = [3, 5, 10, 15, 20, 30, 60];
const SEATS = [2, 3, 4, 6, 8, 12, 16, 32, 64];

/** @returns {string} a game's name for people. */
export const gameName = (game) => t(`game.${game}`);

/** @returns {string} the level that a suit count is; "" for a game that has no choice of suits. */
export function levelName(game, suits) {
  return (GAMES[game]?.suits.length ?? 0) > 1 ? t(`options.level${suits ?? GAMES[game].suits[0]}`) : "";
}

/** @returns {string} what is played, and how long: "Simple Simon, Hard · 15 min". */
export function summary(options) {
  const level = options.mixed ? t("options.mixedShort") : levelName(options.game, options.suits);
  const game = [gameName(options.game), level].filter(Boolean).join(", ");
  return [game, t("options.minutes", { count: options.limit_ms / 60_000 }), ...unusual(options)].join(" · ");
}

/** What is not as usual: it has to be known before one says that one is ready. */
function unusual(options) {
  const notes = [];
  if (options.code) notes.push(options.code);
  if (options.goal === "score") notes.push(t("options.goalScore"));
  if (!options.undo) notes.push(t("options.noUndo"));
  if (!options.restart) notes.push(t("options.noRestart"));
  if (options.hint && GAMES[options.game]?.hints) notes.push(t("options.withHints"));
  if (options.view === "live") notes.push(t("options.liveShort"));
  return notes;
}

/** @returns {HTMLElement} one of several, as buttons side by side. */
function choice(name, legend, chosen, ...entries) {
  const labels = entries.map(([value, text, more]) =>
    el("label",
      el("input", { type: "radio", name, value, checked: String(value) === String(chosen) }),
      el("span", text, more && el("small", more)),
    ),
  );
  return el("fieldset.choice", el("legend.gone-sr", legend), labels);
}

function picker(name, label, chosen, entries) {
  const options = entries.map(([value, text]) =>
    el("option", { value, selected: String(value) === String(chosen) }, text),
  );
  return el("label.field", el("span", label), el("select", { name, class: "input" }, options));
}

/** @returns {HTMLElement} a switch with its label. */
export function toggle(name, text, checked, props = {}) {
  return el("label.switch", el("span", text), el("input", { type: "checkbox", role: "switch", name, checked, ...props }));
}

/** @returns {HTMLElement} the choice of game and level. */
export function gameFields(options) {
  const games = choice("game", t("options.game"), options.game, ...Object.keys(GAMES).map((game) => [game, gameName(game)]));
  const levels = el("div.levels");
  const fill = (game) => levels.replaceChildren(...levelChoice(game, options.suits));
  games.addEventListener("change", (event) => fill(event.target.value));
  fill(options.game);
  return el("div.two", games, levels);
}

function levelChoice(game, chosen) {
  const { suits } = GAMES[game];
  if (suits.length < 2) return [];
  const entries = suits.map((count) => [count, t(`options.level${count}`), t("options.suits", { count })]);
  return [choice("suits", t("options.level"), suits.includes(chosen) ? chosen : suits[0], ...entries)];
}

/** @returns {HTMLElement} all other options. */
export function moreFields(options) {
  const limit = picker("limit", t("options.limit"), options.limit_ms / 60_000, limits(options.limit_ms / 60_000));
  const seats = picker("seats", t("options.seats"), options.seats, numbers(SEATS, options.seats));
  return el("div.more",
    choice("goal", t("options.goal"), options.goal, ["time", t("options.goalTime")], ["score", t("options.goalScore")]),
    el("div.pair-fields", limit, seats),
    toggle("undo", t("options.undo"), options.undo),
    toggle("restart", t("options.restart"), options.restart),
    toggle("hint", t("options.hint"), options.hint),
    toggle("public", t("options.public"), options.public),
    toggle("live", t("options.live"), options.view === "live"),
    toggle("any", t("options.any"), options.deals === "any"),
    toggle("mixed", t("options.mixed"), options.mixed),
    el("label.field",
      el("span", t("options.code")),
      el("input", { name: "code", value: options.code ?? "", maxlength: 40, autocomplete: "off", spellcheck: "false" }),
    ),
    el("p.small.soft", t("options.rankedNote")),
  );
}

const numbers = (usual, own) => [...new Set([...usual, own])].sort((a, b) => a - b).map((count) => [count, String(count)]);

const limits = (own) =>
  [...new Set([...LIMITS_MIN, own])].sort((a, b) => a - b).map((count) => [count, t("options.minutes", { count })]);

/** @returns {object} the Options that a form with these fields says; what it does not have stays as in *options*. */
export function optionsOf(form, options = OPTIONS) {
  const said = new FormData(form);
  const game = said.get("game") ?? options.game;
  const read = { ...options, game, suits: GAMES[game].suits.length > 1 ? Number(said.get("suits")) : null };
  if (!form.elements.limit) return read;
  return {
    ...read,
    goal: said.get("goal"),
    limit_ms: Math.round(Number(said.get("limit")) * 60_000),
    seats: Number(said.get("seats")),
    undo: said.has("undo"),
    restart: said.has("restart"),
    hint: said.has("hint"),
    public: said.has("public"),
    view: said.has("live") ? "live" : "after",
    deals: said.has("any") ? "any" : "pool",
    mixed: said.has("mixed") && GAMES[game].suits.length > 1,
    code: said.get("code").trim() || null,
  };
}

/** @returns {string} a race's or an attempt's state for people. */
export const stateName = (state) => (has(`race.state_${state}`) ? t(`race.state_${state}`) : "");
