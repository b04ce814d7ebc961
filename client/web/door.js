// The door of a room: whoever comes by a link says who they are, and is in.

import { button, el, say } from "./dom.js";
import { nameField, rename } from "./rooms.js";
import { identity } from "./settings.js";
import { setTitle } from "./shell.js";
import { refusalText, t } from "./texts.js";

/** Show the room of the path: its door to somebody without a name, else the room itself. */
export async function show(root, { parts }) {
  const code = parts[1] ?? "";
  setTitle(t("room.title", { room: code.toUpperCase() }));
  let room = null;
  let gone = false;
  const enter = async () => {
    const { Room } = await import("./room.js");
    if (!gone) room = new Room(root, code, (refusal) => door(refusal));
  };
  const door = (refusal = null) => {
    room?.end();
    root.replaceChildren(doorForm(code, refusal, enter));
  };
  if (identity.get("name")) await enter();
  else door();
  return () => {
    gone = true;
    room?.end();
  };
}

/** @returns {HTMLElement} what is asked of somebody who comes by a link. */
function doorForm(code, refusal, enter) {
  const wrong = el("p.wrong", { role: "alert" }, refusal && refusalText(refusal));
  const form = el("form.door.panel",
    el("h1", t("room.door", { room: code.toUpperCase() })),
    el("p.soft", t("room.doorAbout")),
    nameField({ autofocus: true }),
    wrong,
    button(t("landing.join"), { kind: "button go", type: "submit" }),
  );
  form.addEventListener("input", () => import("./room.js"), { once: true });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await rename(form.elements.name.value.trim());
      await enter();
    } catch (error) {
      say(wrong, refusalText(error));
    }
  });
  return form;
}
