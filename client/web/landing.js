// The front page: a name and a race, a room or a game code, public rooms, and the ways to what has been.

import { button, el, icon } from "./dom.js";
import { gameFields, gameName, levelName, moreFields, optionsOf, summary } from "./options.js";
import { GAMES, OPTIONS } from "./protocol.js";
import { makeRoom, nameField, rename } from "./rooms.js";
import { identity, settings } from "./settings.js";
import { go } from "./shell.js";
import { refusalText, t } from "./texts.js";

const ROOMS_EVERY_MS = 5_000;
const FAN = ["KS", "QH", "TC", "7D", "AS"];

/** Show the front page in *root*. */
export async function show(root) {
  const rooms = el("section.rooms", { hidden: true });
  root.append(hero(), fans(), startForm(), second(rooms));
  const watch = setInterval(() => document.hidden || list(rooms), ROOMS_EVERY_MS);
  list(rooms);
  return () => clearInterval(watch);
}

const hero = () => el("div.hero", el("h1", t("landing.headline")), el("p", t("landing.about")));

/** The same cards twice; drawn where there is space for them. */
function fans() {
  const side = (text) => [el("div.fan"), el("figcaption", text)];
  const [mine, theirs] = [side(t("landing.you")), side(t("landing.friend"))];
  if (matchMedia("(min-width: 700px), (min-height: 760px)").matches)
    import("./cards.js").then(({ card }) => {
      for (const [fan] of [mine, theirs]) fan.append(...FAN.map((text) => el("div", card(text))));
    });
  const equals = el("div.equals", el("i"), el("i"));
  return el("div.same", { "aria-hidden": "true" }, el("figure", mine), equals, el("figure", theirs));
}

function startForm() {
  const options = { ...OPTIONS, ...settings.get("options"), code: null };
  const more = el("div", { id: "more-options", hidden: true }, moreFields(options));
  const fold = button(t("landing.options"), {
    kind: "button ghost fold",
    sign: "down",
    "aria-expanded": "false",
    "aria-controls": "more-options",
    onclick: () => {
      more.hidden = !more.hidden;
      fold.setAttribute("aria-expanded", String(!more.hidden));
    },
  });
  const alone = button(t("landing.alone"), { kind: "button ghost fold", type: "submit", name: "alone" });
  const error = el("p.wrong", { role: "alert", hidden: true });
  const form = el("form.start.panel",
    nameField({ id: "own-name" }),
    gameFields(options),
    more,
    error,
    button(t("landing.start"), { kind: "button go", type: "submit" }),
    el("div.foot", fold, alone),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    start(form, event.submitter === alone, error);
  });
  return form;
}

/** Make the room that *form* describes and go there. */
async function start(form, alone, error) {
  const options = optionsOf(form);
  settings.set("options", { ...options, code: undefined });
  await trying(form, error, async () => {
    await rename(form.elements.name.value.trim());
    await makeRoom(alone ? { ...options, seats: 1, public: false } : options);
  });
}

/** Do *deed* while *form* can't be sent again; say what was refused. */
async function trying(form, error, deed) {
  const buttons = [...form.querySelectorAll("button")];
  error.hidden = true;
  for (const each of buttons) each.disabled = true;
  try {
    await deed();
  } catch (refusal) {
    if (!refusal.reason) throw refusal;
    error.textContent = refusalText(refusal);
    error.hidden = false;
  } finally {
    for (const each of buttons) each.disabled = false;
  }
}

function second(rooms) {
  return el("div.second", joinForm(), rooms, ways());
}

function joinForm() {
  const error = el("p.wrong", { role: "alert", hidden: true });
  const input = el("input", { name: "where", placeholder: t("landing.where"), autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: 200, required: true });
  const field = el("label.field", el("span.gone-sr", t("landing.where")), input);
  const form = el("form.join", field, button(t("landing.join"), { kind: "button line", type: "submit" }), error);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    trying(form, error, () => enter(input.value.trim()));
  });
  return form;
}

/** Go to the room that *text* names, or make one for the game code or number that it is. */
async function enter(text) {
  const own = document.getElementById("own-name").value.trim();
  if (own && !identity.get("token")) identity.set("name", own);
  const link = /\/(r|deal|race|replay)\/[^\s]+$/.exec(text);
  if (link) go(link[0]);
  else if (isCode(text)) await makeRoom({ ...OPTIONS, code: /^\d+$/.test(text) ? `#${text}` : text });
  else go(`/r/${encodeURIComponent(text.replace(/\s/g, ""))}`);
}

/** Whether *text* looks like a game code: what it is exactly, the server says. */
function isCode(text) {
  const begins = Object.entries(GAMES).flatMap(([name, { prefix }]) => [`${prefix}\\s*\\d`, `${name}\\s`]);
  return new RegExp(`^(#|\\d+$|${begins.join("|")})`, "i").test(text);
}

function ways() {
  const way = (href, sign, text) => el("a", { href }, icon(sign), text);
  const player = identity.get("player");
  return el("nav.also", { "aria-label": t("landing.more") },
    way("/leaderboards", "trophy", t("landing.leaderboards")),
    way(player ? `/player/${player}` : "/leaderboards?board=single", "play", t("landing.replays")),
    way(`/rules/${Object.keys(GAMES)[0]}`, "help", t("landing.rules")),
  );
}

/** Show the public rooms, if there are any; without a network what was known stays. */
async function list(section) {
  let rooms;
  try {
    rooms = (await (await fetch("/api/rooms")).json()).rooms;
  } catch {
    return;
  }
  section.hidden = !rooms.length;
  section.replaceChildren(el("h2", t("landing.public")), el("ul", rooms.slice(0, 8).map(roomLine)));
}

function roomLine({ room, host, phase, seats, options }) {
  const full = { ...OPTIONS, ...options };
  const about = phase === "open" ? t("landing.seats", { taken: seats, of: full.seats }) : t("landing.racing");
  return el("li",
    el(
      "a",
      { href: `/r/${room}`, title: summary(full) },
      el("b", host),
      el("span.small.soft", [gameName(full.game), levelName(full.game, full.suits)].filter(Boolean).join(", ")),
      el("span.tag", about),
    ),
  );
}
