// Making a room, and knowing who comes: what the landing, a room's door and a deal's page share.

import { button, el, sheet } from "./dom.js";
import { forgetIdentity, identity } from "./settings.js";
import { go } from "./shell.js";
import { refusalText, t } from "./texts.js";

/**
 * Make a room with *options* and go there; in one with a single seat the race begins at once. Asks for a name where
 * there is none. Throws a Refusal where the server makes no room.
 * @returns {Promise<string | null>} the room; null where the asking led to nothing.
 */
export async function makeRoom(options) {
  if (!identity.get("name") && !(await askName())) return null;
  const room = await create({ type: "Create", nonce: nonce(), options });
  if (room) go(`/r/${room}`);
  return room;
}

/** Ask for the room; a server may want its secret word for that. */
async function create(command) {
  try {
    return (await inLobby((lobby) => lobby.ask(command))).room;
  } catch (refusal) {
    if (refusal.reason !== "WRONG_WORD") throw refusal;
    return (await askWord(refusal)) ? create(command) : null;
  }
}

/** Do *deed* with a connection to the lobby. */
async function inLobby(deed) {
  const [{ Connection }, { Refusal }] = await Promise.all([import("./connection.js"), import("./api.js")]);
  let lobby;
  const refused = new Promise((_, reject) => {
    const onstate = (state, reason) => {
      if (state === "ended") reject(reason);
      if (state === "lost") reject(new Refusal({ reason: "UNREACHED" }));
    };
    lobby = new Connection(null, { onevent: () => {}, onstate });
  });
  try {
    return await Promise.race([deed(lobby), refused]);
  } finally {
    lobby.close();
  }
}

/** A resend finds the room that its first sending made. */
const nonce = () => Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join("");

/** Give this browser's player another *name*: the same player where the server can rename, else a new one. */
export async function rename(name) {
  if (name === identity.get("name")) return;
  if (!identity.get("token")) {
    identity.set("name", name);
    return;
  }
  try {
    await inLobby((lobby) => lobby.ask({ type: "Rename", name }));
  } catch (refusal) {
    if (refusal.reason !== "UNKNOWN_COMMAND") throw refusal;
    forgetIdentity();
  }
  identity.set("name", name);
}

/** @returns {HTMLElement} the field for one's name. */
export function nameField(props = {}) {
  const input = el("input", {
    name: "name",
    value: identity.get("name"),
    required: true,
    maxlength: 40,
    autocomplete: "nickname",
    autocapitalize: "words",
    spellcheck: "false",
    enterkeyhint: "go",
    ...props,
  });
  return el("label.field", el("span", t("page.yourName")), input);
}

/** Ask for a name in a sheet. */
async function askName() {
  await askFor(t("page.whoAreYou"), null, nameField(), (form) => identity.set("name", form.elements.name.value.trim()));
  return identity.get("name");
}

/** Ask for the secret word that this server wants from whoever makes a room. */
function askWord(refusal) {
  const input = el("input", { name: "word", required: true, maxlength: 256, autocomplete: "off" });
  const field = el("label.field", el("span", t("page.word")), input);
  return askFor(t("page.word"), refusalText(refusal), field, () => identity.set("word", input.value));
}

/** @returns {Promise<boolean>} whether the sheet with *field* was filled in; then *keep* has kept it. */
async function askFor(title, text, field, keep) {
  const onsubmit = (event) => {
    event.preventDefault();
    keep(event.target);
    event.target.closest("dialog").close("kept");
  };
  const send = button(t("page.go"), { kind: "button go", type: "submit" });
  return (await sheet(title, el("form.asks", { onsubmit }, text && el("p", text), field, send))) === "kept";
}
