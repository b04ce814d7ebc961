// The ways into a room: making one, coming by a link, and saying who one is.

import { button, el, say, sheet, shut } from "./dom.js";
import { forgetIdentity, identity } from "./settings.js";
import { go, setTitle } from "./shell.js";
import { refusalText, t } from "./texts.js";

/** Show the room of the path: its door to somebody without a name, else the room itself. */
export async function show(root, { parts }) {
  const code = parts[1].toUpperCase();
  let [room, gone] = [null, false];
  const enter = async () => {
    const { Room } = await import("./room.js");
    if (!gone) room = new Room(root, parts[1], door);
  };
  const door = (refusal) => {
    room?.end();
    root.replaceChildren(doorForm(code, refusal, enter));
  };
  setTitle(t("room.title", { room: code }));
  if (identity.get("name")) await enter();
  else door();
  return () => {
    gone = true;
    room?.end();
  };
}

/** @returns {HTMLElement} what is asked of somebody who comes by a link. */
function doorForm(room, refusal, enter) {
  const wrong = el("p.wrong", { role: "alert" }, refusal && refusalText(refusal));
  const onsubmit = async (event) => {
    event.preventDefault();
    try {
      await rename(event.target.elements.name.value.trim());
      await enter();
    } catch (error) {
      say(wrong, refusalText(error));
    }
  };
  return el(
    "form.door.panel",
    { onsubmit, oninput: () => import("./room.js") },
    el("h1", t("room.door", { room })),
    el("p.soft", t("room.doorAbout")),
    nameField({ autofocus: true }),
    wrong,
    button(t("landing.join"), { kind: "button go", type: "submit" }),
  );
}

/**
 * Make a room with *options* and go there; in one with a single seat the race begins at once. Asks for a name where
 * there is none. Throws a Refusal. @returns {Promise<string | null>} the room; null where the asking led to nothing.
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
  const { Connection } = await import("./connection.js");
  let lobby;
  const refused = new Promise((_, reject) => {
    const onstate = (state, reason) => ["ended", "lost"].includes(state) && reject(reason ?? { reason: "UNREACHED" });
    lobby = new Connection(null, { onevent: () => {}, onstate });
  });
  try {
    return await Promise.race([deed(lobby), refused]);
  } finally {
    lobby.close();
  }
}

/** A resend finds the room that its first sending made. */
const nonce = () => crypto.getRandomValues(new Uint32Array(3)).join("");

/** Give this browser's player another *name*: the same player where the server can rename, else a new one. */
export async function rename(name) {
  if (name === identity.get("name")) return;
  try {
    if (identity.get("token")) await inLobby((lobby) => lobby.ask({ type: "Rename", name }));
  } catch (refusal) {
    if (refusal.reason !== "UNKNOWN_COMMAND") throw refusal;
    forgetIdentity();
  }
  identity.set("name", name);
}

/** @returns {HTMLElement} the field for one's name. */
export function nameField(props) {
  const field = { name: "name", value: identity.get("name"), required: true, maxlength: 40, autocomplete: "nickname" };
  return el("label.field", el("span", t("page.yourName")), el("input", { ...field, spellcheck: "false", ...props }));
}

/** Ask for a name in a sheet. */
const askName = () =>
  askFor(t("page.whoAreYou"), null, nameField(), (form) => identity.set("name", form.elements.name.value.trim()));

/** Ask for the secret word that this server wants from whoever makes a room. */
function askWord(refusal) {
  const input = el("input", { required: true, maxlength: 256, autocomplete: "off" });
  const field = el("label.field", el("span", t("page.word")), input);
  return askFor(t("page.word"), refusalText(refusal), field, () => identity.set("word", input.value));
}

/** @returns {Promise<boolean>} whether the sheet with *field* was filled in; then *keep* has kept it. */
async function askFor(title, text, field, keep) {
  const onsubmit = (event) => {
    event.preventDefault();
    keep(event.target);
    shut(event, "kept");
  };
  const send = button(t("page.go"), { kind: "button go", type: "submit" });
  return (await sheet(title, el("form.asks", { onsubmit }, text && el("p", text), field, send))) === "kept";
}
