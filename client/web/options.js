// How a race is played: in words, and as the fields of a form.

import { el } from "./dom.js";
import { GAMES, OPTIONS } from "./protocol.js";
import { t } from "./texts.js";

const LIMITS_MIN = [3, 5, 10, 15, 20, 30, 60];
const SEATS = [2, 3, 4, 6, 8, 12, 16, 32, 64];

/** @returns {boolean} whether *game* can be played with more or fewer suits. */
const hasLevels = (game) => GAMES[game]?.suits.length > 1;

/** @returns {string} a game's name for people. */
export const gameName = (game) => t(`game.${game}`);

/** @returns {string} the level that a suit count is; "" for a game that has no choice of suits. */
export const levelName = (game, suits) => (hasLevels(game) ? t(`options.level${suits ?? GAMES[game].suits[0]}`) : "");

/** @returns {string} a state of an attempt for people. */
export const stateName = (state) => t(`race.state_${state}`);

/** @returns {string} game and level. */
export const gameAndLevel = ({ game, suits, mixed }) =>
  [gameName(game), mixed ? t("options.mixedShort") : levelName(game, suits)].filter(Boolean).join(", ");

/** @returns {string} what is played, how long, and what is not as usual: "Simple Simon, Hard · 15 min". */
export function summary(options) {
  const { code, goal, undo, restart, hint, view, game, limit_ms } = options;
  const unusual = [
    [code, code],
    [goal === "score", "options.goalScore"],
    [!undo, "options.noUndo"],
    [!restart, "options.noRestart"],
    [hint && GAMES[game]?.hints, "options.withHints"],
    [view === "live", "options.liveShort"],
  ];
  const notes = unusual.filter(([holds]) => holds).map(([, key]) => t(key));
  return [gameAndLevel(options), t("options.minutes", { count: limit_ms / 60_000 }), ...notes].join(" · ");
}

/** @returns {HTMLElement} one of several, as buttons side by side; each entry: value, text and a smaller text. */
export function choice(name, legend, chosen, entries, onpick) {
  const one = ([value, text, more]) => {
    const input = el("input", { type: "radio", name, value, checked: value === chosen, onchange: onpick && (() => onpick(value)) });
    return el("label", input, el("span", text, more && el("small", more)));
  };
  return el("fieldset.setting", el("legend", legend), el("div.choice", entries.map(one)));
}

/** @returns {HTMLElement} a switch with its label. */
export const toggle = (name, text, checked, onflip) =>
  el(
    "label.switch",
    el("span", text),
    el("input", { type: "checkbox", role: "switch", name, checked, onchange: onflip && ((event) => onflip(event.target.checked)) }),
  );

const picker = (name, chosen, usual, text) =>
  el(
    "label.field",
    el("span", t(`options.${name}`)),
    el("select.input", { name }, withOwn(usual, chosen).map((value) => el("option", { value, selected: value === chosen }, text(value)))),
  );

const withOwn = (usual, own) => [...new Set([...usual, own])].sort((a, b) => a - b);

/** @returns {HTMLElement} the choice of game and level. */
export function gameFields(options) {
  const levels = el("div");
  const fill = (game) => levels.replaceChildren(...(hasLevels(game) ? [levelChoice(game, options.suits)] : []));
  const games = Object.keys(GAMES).map((game) => [game, gameName(game)]);
  fill(options.game);
  return el("div.two", choice("game", t("options.game"), options.game, games, fill), levels);
}

function levelChoice(game, chosen) {
  const { suits } = GAMES[game];
  const entries = suits.map((count) => [count, levelName(game, count), t("options.suits", { count })]);
  return choice("suits", t("options.level"), suits.includes(chosen) ? chosen : suits[0], entries);
}

/** @returns {HTMLElement} all other options. */
export function moreFields(options) {
  const goals = [["time", t("options.goalTime")], ["score", t("options.goalScore")]];
  const flip = (name, on) => toggle(name, t(`options.${name}`), on);
  const code = { name: "code", value: options.code ?? "", maxlength: 40, autocomplete: "off", spellcheck: "false" };
  return el(
    "div.more",
    choice("goal", t("options.goal"), options.goal, goals),
    el(
      "div.pair-fields",
      picker("limit", options.limit_ms / 60_000, LIMITS_MIN, (count) => t("options.minutes", { count })),
      picker("seats", options.seats, SEATS, String),
    ),
    ["undo", "restart", "hint", "public", "mixed"].map((name) => flip(name, options[name])),
    flip("live", options.view === "live"),
    flip("any", options.deals === "any"),
    el("label.field", el("span", t("options.code")), el("input", code)),
    el("p.small.soft", t("options.rankedNote")),
  );
}

/** @returns {object} the Options that a form with all these fields says. */
export function optionsOf(form) {
  const said = new FormData(form);
  const game = said.get("game");
  const flags = ["undo", "restart", "hint", "public"].map((name) => [name, said.has(name)]);
  return {
    ...OPTIONS,
    ...Object.fromEntries(flags),
    game,
    suits: hasLevels(game) ? Number(said.get("suits")) : null,
    mixed: said.has("mixed") && hasLevels(game),
    goal: said.get("goal"),
    limit_ms: Math.round(said.get("limit") * 60_000),
    seats: Number(said.get("seats")),
    view: said.has("live") ? "live" : "after",
    deals: said.has("any") ? "any" : "pool",
    code: said.get("code").trim() || null,
  };
}
