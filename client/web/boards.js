// The leaderboards: of each game and level, by day, week and for all time.

import { get } from "./api.js";
import { el, style } from "./dom.js";
import { listing, named, nothing, row, tabs } from "./listing.js";
import { lookUp } from "./lookup.js";
import { day, replayLink } from "./marks.js";
import { gameName, levelName } from "./options.js";
import { GAMES, OPTIONS } from "./protocol.js";
import { identity } from "./settings.js";
import { setTitle } from "./shell.js";
import { clock, number, t } from "./texts.js";

const BOARDS = ["average", "single", "share"];
const PERIODS = ["day", "week", "all"];
const MILLION = 1_000_000;

/** For each board what its lines tell besides place and name: [heading, classes, what of the line]. */
const COLUMNS = {
  average: [
    ["time", "t num", (line) => clock(line.average_ms)],
    ["best", "num soft", (line) => best(line)],
    ["attempts", "num wide soft", (line) => number(line.attempts)],
  ],
  single: [
    ["time", "t num", (line) => best(line)],
    ["moves", "num soft", (line) => number(line.best_moves)],
    ["when", "num wide soft", (line) => day(line.best_started)],
  ],
  share: [
    ["solved", "t num", (line) => percent(line.share / MILLION)],
    ["of", "num soft", (line) => `${number(line.solved)} / ${number(line.attempts)}`],
    ["best", "num wide soft", (line) => best(line)],
  ],
};

/** Show the board that the address asks for. */
export async function show(root, { query }) {
  const asked = askedOf(query);
  setTitle(t("boards.title"));
  await style("/look.css");
  const list = el("div");
  const head = el("div", { class: "heading" }, el("h1", {}, t("boards.title")));
  root.append(head, el("div", { class: "rows" }, choices(asked)), list);
  for (const chosen of root.querySelectorAll("[aria-current]")) chosen.scrollIntoView({ block: "nearest", inline: "center" });
  await lookUp(list, [get(`leaderboards?${addressed(asked)}`)], (page) => list.append(drawn(asked, page)));
}

/** @returns {object} game, suits, board and period: the usual ones where nothing, or nothing known, is asked for. */
function askedOf(query) {
  const of = (name, known) => (known.includes(query.get(name)) ? query.get(name) : known[0]);
  const game = of("game", [OPTIONS.game, ...Object.keys(GAMES)]);
  const suits = Number(of("suits", GAMES[game].suits.map(String)));
  return { game, suits, board: of("board", BOARDS), period: query.has("period") ? of("period", PERIODS) : "all" };
}

const addressed = ({ game, suits, board, period }) => new URLSearchParams({ game, suits, board, period });

/** @returns {HTMLElement[]} the rows of links that lead to the other boards. */
function choices(asked) {
  const to = (change) => `/leaderboards?${addressed({ ...asked, ...change })}`;
  const decks = Object.entries(GAMES).flatMap(([game, { suits }]) => suits.map((count) => [`${game} ${count}`, deckName(game, count), to({ game, suits: count })]));
  return [
    tabs(t("boards.games"), `${asked.game} ${asked.suits}`, decks),
    tabs(t("boards.boards"), asked.board, BOARDS.map((board) => [board, t(`boards.${board}`), to({ board })])),
    tabs(t("boards.periods"), asked.period, PERIODS.map((period) => [period, t(`boards.${period}`), to({ period })])),
  ];
}

const deckName = (game, suits) => [gameName(game), levelName(game, suits)].filter(Boolean).join(", ");

function drawn(asked, { lines, own }) {
  if (!lines.length) return nothing(t(`boards.empty_${asked.period}`), t("boards.emptyText"), el("a", { class: "button go", href: "/" }, t("boards.start")));
  const columns = COLUMNS[asked.board], player = identity.get("player");
  const places = ["", t("boards.player"), ...columns.map(([key]) => t(`boards.${key}`)), ""];
  const kinds = ["", "", ...columns.map(([, kind]) => kind.replace("t ", "").replace(" soft", "")), ""];
  const far = own && !lines.some((line) => line.player === own.player) ? [own] : [];
  const made = (line) => lineRow(line, columns, lines, line.player === player);
  return el(
    "div",
    {},
    listing(t(`boards.${asked.board}`), places.map((text, i) => [text, kinds[i]]), { rows: lines.map(made) }, { title: t("boards.own"), rows: far.map(made) }),
    el("p", { class: "facts" }, t(`boards.about_${asked.board}`)),
  );
}

function lineRow(line, columns, lines, own) {
  return row(
    own,
    ["t", placeOf(line, lines)],
    named(line.name, `/player/${line.player}`),
    ...columns.map(([, kind, told]) => [kind, told(line)]),
    ["", line.best && replayLink({ attempt: line.best, name: line.name })],
  );
}

/** @returns {string} "2", or "=2" where others share it. */
function placeOf({ place }, lines) {
  if (place === null) return "–";
  return lines.filter((line) => line.place === place).length > 1 ? `=${number(place)}` : number(place);
}

const best = ({ best_ms }) => (best_ms === null ? "–" : clock(best_ms));

const percent = (share) => new Intl.NumberFormat(document.documentElement.lang, { style: "percent", maximumFractionDigits: 0 }).format(Math.floor(share * 100) / 100);
