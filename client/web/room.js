// A room: one connection, what is known, and the stage that its race is at. Stages show; they ask through this.

import { Attempt } from "./attempt.js";
import { Connection } from "./connection.js";
import { ask, button, el, toast, tool } from "./dom.js";
import { go, setTitle, setTools } from "./shell.js";
import { refusalText, t } from "./texts.js";
import { after, empty, isHost } from "./view.js";

/** What shows each stage: a function of the room that returns at least `{update(event), end()}`. */
const STAGES = {
  waiting: async () => (await import("./waiting.js")).waiting,
  race: async () => (await import("./race.js")).race,
  watching: async () => (await import("./watching.js")).watching,
  results: async () => {
    const { results } = await import("./results.js");
    return (room) => aftermath(room, results);
  },
};

/** After these one may come in under another name. */
const NAME_REASONS = ["TWIN_NAME", "BAD_NAME"];

/** One player's place in a room, in all its phases. */
export class Room {
  view = empty;
  #stage = null;
  #stageName = "";
  #wanted = "";
  #toDoor;

  /** *toDoor* is called with the refusal of whoever has to come in under another name. */
  constructor(root, code, toDoor) {
    this.root = root;
    this.#toDoor = toDoor;
    this.notice = el("div.lost", { role: "status", hidden: true });
    root.replaceChildren(el("p.bones", { "aria-label": t("page.loading") }, el("i"), el("i"), el("i")));
    this.connection = new Connection(code, {
      onevent: (event) => this.#take(event),
      onstate: (state, reason) => this.#connected(state, reason),
    });
    this.attempt = new Attempt(
      (command) => this.connection.send(command),
      (ids) => this.connection.forget(ids),
    );
  }

  get host() {
    return isHost(this.view);
  }

  /** Whether the own attempt at the race is under way. */
  get playing() {
    return this.view.phase === "running" && this.attempt.playing;
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
    this.#stopStage();
    this.connection.close();
  }

  /** Leave for good; whoever plays resigns by that, and is asked first. */
  async leave() {
    const asked = () => ask(t("room.leaveAsk"), t("room.leaveText"), t("room.leave"), t("race.keep"));
    if (this.playing && !(await asked())) return;
    if (this.connection.state === "open") this.connection.send({ type: "Leave" });
    else go("/");
  }

  /** Show who is here, what is played and what the host can do. */
  about = async () => (await import("./hosting.js")).open(this);

  #take(event) {
    this.view = after(this.view, event);
    this.attempt.handle(event);
    if (!this.view.phase) return;
    if (!this.#wanted) history.replaceState(null, "", `/r/${this.view.room}`);
    const name = this.#stageOf();
    if (name !== this.#wanted) this.#turnTo(name);
    else if (name === this.#stageName) this.#stage.update(event);
  }

  #stageOf() {
    const { phase } = this.view;
    if (phase === "finished") return "results";
    if (phase === "running") return this.playing ? "race" : "watching";
    return "waiting";
  }

  async #turnTo(name) {
    this.#wanted = name;
    try {
      const make = await STAGES[name]();
      await this.#stage?.farewell?.();
      if (this.#wanted !== name || this.connection.state === "ended") return;
      this.#stopStage();
      document.body.classList.add(name);
      document.body.classList.toggle("room", name !== "results");
      setTitle(t("room.title", { room: this.view.room }));
      setTools(
        tool("people", t("room.about"), { onclick: this.about }),
        tool("close", t("room.leave"), { onclick: () => this.leave() }),
      );
      this.#stage = make(this);
      this.#stageName = name;
      this.#stage.update({ type: "Shown" });
    } catch (error) {
      this.#wanted = "?"; // what shows it could not be loaded: the next event tries again
      if (navigator.onLine && this.connection.state === "open") throw error;
    }
  }

  #stopStage() {
    this.#stage?.end();
    this.#stage = null;
    this.#stageName = "";
    document.body.classList.remove("is-lost", ...Object.keys(STAGES));
  }

  // The connection

  async #connected(state, reason) {
    if (state === "ended") {
      this.#stopStage();
      if (reason.reason === "LEFT") return go("/");
      if (NAME_REASONS.includes(reason.reason)) return this.#toDoor(reason);
    }
    if (state === "ended" || (state === "lost" && !this.#stage)) {
      const { closed, unreached } = await import("./notice.js");
      setTools();
      if (!this.#stage) this.root.replaceChildren(reason ? closed(reason, this.view) : unreached());
    } else this.#tell(state);
  }

  /** Say how the connection is, in the notice that every stage has its own place for. */
  #tell(state) {
    const { notice, connection, playing } = this;
    const waiting = connection.waiting;
    const lost = state === "lost";
    if (state === "open" && notice.dataset.state === "lost")
      toast(playing && waiting ? t("race.backSent", { count: waiting }) : t("race.back"), { ms: 2000 });
    notice.dataset.state = state;
    notice.hidden = !lost && state !== "taken-over";
    document.body.classList.toggle("is-lost", lost);
    const resume = () => button(t("race.playHere"), { onclick: () => connection.resume() });
    if (lost) notice.replaceChildren(t(playing ? "race.lost" : "room.lost"));
    else notice.replaceChildren(el("span", t("race.takenOver")), resume());
    this.#stage?.connected?.(state);
  }
}

/** The stage of *room* when the race is over: the results, and the way to the next one. */
function aftermath(room, results) {
  const { view } = room;
  const rematch = button(t("room.rematch"), { kind: "button go", onclick: () => room.ask({ type: "Rematch", race: view.race }) });
  const own = view.seat !== null || !view.seats.some((seat) => seat.connected);
  document.body.classList.add("page");
  setTitle(t("room.results"), t("room.title", { room: view.room }));
  room.root.replaceChildren(results(view.race, { rematch: own ? rematch : null }), el("div.toasts", { role: "status" }), room.notice);
  return { update() {}, end: () => document.body.classList.remove("page") };
}
