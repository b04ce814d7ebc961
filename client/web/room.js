// A room: one connection, what is known, and the stage that its race is at. Stages show; they ask through this.

import { Attempt } from "./attempt.js";
import { Connection } from "./connection.js";
import { ask, button, el, toast, tool } from "./dom.js";
import { go, setTools } from "./shell.js";
import { refusalText, t } from "./texts.js";
import { after, empty, isHost } from "./view.js";

/** What shows each stage: a function of the room that returns `{update(event), end()}`. */
const STAGES = {
  waiting: async () => (await import("./waiting.js")).waiting,
  race: async () => (await import("./race.js")).race,
  watching: async () => (await import("./watching.js")).watching,
  results: async () => (await import("./aftermath.js")).aftermath,
};

/** After these one may come in under another name. */
const NAME_REASONS = ["TWIN_NAME", "BAD_NAME"];

/** One player's place in a room, in all its phases. */
export class Room {
  view = empty;
  stage = null;
  #stageName = "";
  #wanted = "";
  #attended = false;
  #toDoor;

  /** *toDoor* is called with the refusal of whoever has to come in under another name. */
  constructor(root, code, toDoor) {
    this.root = root;
    this.#toDoor = toDoor;
    this.notice = el("div.lost", { role: "status", hidden: true });
    this.connection = new Connection(code, {
      onevent: (event) => this.#take(event),
      onstate: (state, reason) => this.#connected(state, reason),
    });
    this.attempt = new Attempt(
      (command) => this.connection.send(command),
      (ids) => this.connection.forget(ids),
    );
    root.replaceChildren(el("p.bones", { "aria-label": t("page.loading") }, el("i"), el("i"), el("i")));
  }

  get host() {
    return isHost(this.view);
  }

  /** Whether the own attempt at the race is under way. */
  get playing() {
    return this.view.phase === "running" && this.attempt.hand?.state === "playing";
  }

  /** Send *command* and say what comes of a refusal. @returns {Promise<boolean>} whether it was done. */
  async ask(command) {
    try {
      await this.connection.ask(command);
      return true;
    } catch (refusal) {
      toast(refusalText(refusal));
      return false;
    }
  }

  end() {
    this.stage?.end();
    this.stage = null;
    this.connection.close();
    document.body.classList.remove("racing", "is-lost");
  }

  #take(event) {
    this.view = after(this.view, event);
    this.attempt.handle(event);
    if (event.type === "Snapshot") this.#came();
    if (this.view.phase) this.#show(event);
  }

  #came() {
    if (this.#attended) return;
    this.#attended = true;
    history.replaceState(history.state, "", `/r/${this.view.room}`);
  }

  /** Hand *event* to the stage that the race is at, making it first where it is another. */
  #show(event) {
    const name = this.#stageOf();
    if (name !== this.#wanted) this.#turnTo(name);
    else if (this.#stageName === name) this.stage?.update(event);
  }

  #stageOf() {
    if (this.view.phase === "finished") return "results";
    if (this.view.phase === "running") return this.playing ? "race" : "watching";
    return "waiting";
  }

  async #turnTo(name) {
    this.#wanted = name;
    const make = await STAGES[name]();
    await this.stage?.farewell?.();
    if (this.#wanted !== name || this.connection.state === "ended") return;
    this.stage?.end();
    this.#stageName = name;
    this.setTools();
    document.body.classList.toggle("racing", name === "race");
    this.stage = make(this);
    this.stage.update({ type: "Shown" });
  }

  /** Give the top line what every stage has: who is here and what is played, and the way out. */
  setTools() {
    setTools(
      tool("people", t("room.about"), { onclick: async () => (await import("./hosting.js")).open(this) }),
      tool("close", t("room.leave"), { onclick: () => this.leave() }),
    );
  }

  /** Leave for good; whoever plays resigns by that, and is asked first. */
  async leave() {
    const asked = () => ask(t("room.leaveAsk"), t("room.leaveText"), { yes: t("room.leave"), no: t("race.keep") });
    if (this.playing && !(await asked())) return;
    if (this.connection.state === "open") this.connection.send({ type: "Leave" });
    else go("/");
  }

  // The connection

  #connected(state, reason) {
    if (state === "ended") return this.#shut(reason);
    if (!this.stage && state === "lost") return this.#unreached();
    this.#tell(state);
    this.stage?.connected?.(state);
  }

  async #shut(reason) {
    this.stage?.end();
    this.stage = null;
    document.body.classList.remove("racing", "is-lost");
    if (reason.reason === "LEFT") return go("/");
    if (NAME_REASONS.includes(reason.reason)) return this.#toDoor(reason);
    const { closed } = await import("./notice.js");
    setTools();
    this.root.replaceChildren(closed(reason, this.view));
  }

  async #unreached() {
    const { unreached } = await import("./notice.js");
    if (!this.stage) this.root.replaceChildren(unreached());
  }

  /** Say how the connection is, in the notice that every stage has its own place for. */
  #tell(state) {
    const lost = this.notice.dataset.state === "lost";
    const waited = this.connection.waiting;
    document.body.classList.toggle("is-lost", state === "lost");
    this.notice.dataset.state = state;
    this.notice.hidden = state === "open" || state === "connecting";
    if (state === "lost") this.notice.replaceChildren(t(this.playing ? "race.lost" : "room.lost"));
    if (state === "taken-over") this.notice.replaceChildren(el("span", t("race.takenOver")), this.#resumeButton());
    if (state === "open" && lost) toast(this.playing && waited ? t("race.backSent", { count: waited }) : t("race.back"), { ms: 2000 });
  }

  #resumeButton() {
    return button(t("race.playHere"), { kind: "button", onclick: () => this.connection.resume() });
  }
}
