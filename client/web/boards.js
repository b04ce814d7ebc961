// The leaderboards: of each game and level, by day, week and for all time.

import { get } from "./api.js";
import { el, style } from "./dom.js";
import { day, listing, named, nothing, replayLink } from "./listing.js";
import { lookUp } from "./lookup.js";
import { gameAndLevel } from "./options.js";
import { GAMES } from "./protocol.js";
import { setTitle } from "./shell.js";
import { clock, number, t } from "./texts.js";

const PERIODS = ["day", "week", "all"];

const best = ({ best_ms }) => (best_ms === null ? "–" : clock(best_ms));
const percent = ({ share }) => new Intl.NumberFormat(document.documentElement.lang, { style: "percent" }).format(Math.floor(share / 10_000) / 100);

/** For each board what its lines tell besides place and name: key of the heading, classes, content. */
const BOARDS = {
  average: [
    ["time", "t num", (line) => clock(line.average_ms)],
    ["best", "num soft", best],
    ["attempts", "num wide soft", (line) => number(line.attempts)],
  ],
  single: [
    ["time", "t num", best],
    ["moves", "num soft", (line) => number(line.best_moves)],
    ["when", "num wide soft", (line) => day(line.best_started)],
  ],
  share: [
    ["solved", "t num", percent],
    ["of", "num soft", ({ solved, attempts }) => `${number(solved)} / ${number(attempts)}`],
    ["best", "num wide soft", best],
  ],
};

/** Show the board that the address asks for. */
export async function show(root, { query }) {
  const asked = askedOf(query), list = el("div");
  setTitle(t("boards.title"));
  await style("/look.css");
  root.append(el("div.heading", el("h1", t("boards.title"))), el("div.rows", choices(asked)), list);
  for (const chosen of root.querySelectorAll("[aria-current]")) chosen.scrollIntoView({ block: "nearest", inline: "center" });
  await lookUp(list, [get(`leaderboards?${new URLSearchParams(asked)}`)], (page) => list.append(...drawn(asked, page)));
}

/** @returns {object} game, suits, board and period: the usual ones where nothing, or nothing known, is asked for. */
function askedOf(query) {
  const of = (name, known, usual = known[0]) => (known.includes(query.get(name)) ? query.get(name) : usual);
  const game = of("game", Object.keys(GAMES));
  const suits = of("suits", GAMES[game].suits.map(String));
  return { game, suits, board: of("board", Object.keys(BOARDS)), period: of("period", PERIODS, "all") };
}

/** @returns {HTMLElement[]} the rows of links that lead to the other boards. */
function choices(asked) {
  const games = Object.entries(GAMES).flatMap(([game, { suits }]) => suits.map((count) => ({ game, suits: String(count) })));
  const row = (label, changes, text) => {
    const chosen = (change) => Object.keys(change).every((key) => change[key] === asked[key]);
    const link = (change) => el("a", { href: `/leaderboards?${new URLSearchParams({ ...asked, ...change })}`, "aria-current": chosen(change) ? "page" : null }, text(change));
    return el("nav.tabs", { "aria-label": t(`boards.${label}`) }, changes.map(link));
  };
  return [
    row("games", games, ({ game, suits }) => gameAndLevel({ game, suits: Number(suits) })),
    row("boards", Object.keys(BOARDS).map((board) => ({ board })), ({ board }) => t(`boards.${board}`)),
    row("periods", PERIODS.map((period) => ({ period })), ({ period }) => t(`boards.${period}`)),
  ];
}

function drawn({ board, period }, { lines, own }) {
  if (!lines.length) return [nothing(t(`boards.empty_${period}`), t("boards.emptyText"), el("a.button.go", { href: "/" }, t("boards.start")))];
  const shared = ({ place }) => lines.filter((line) => line.place === place).length > 1;
  const columns = [
    ["", "t", (line) => (line.place === null ? "–" : (shared(line) ? "=" : "") + number(line.place))],
    [t("boards.player"), "name", ({ name, player }) => named(name, `/player/${player}`)],
    ...BOARDS[board].map(([key, kind, told]) => [t(`boards.${key}`), kind, told]),
    ["", "", ({ best: attempt, name }) => attempt && replayLink({ attempt, name })],
  ];
  const far = own && !lines.some(({ player }) => player === own.player) ? [own] : [];
  return [listing(t(`boards.${board}`), columns, ["", lines], [t("boards.own"), far]), el("p.facts", t(`boards.about_${board}`))];
}
