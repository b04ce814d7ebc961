// A player's place in a room, or in the lobby, over however many connections it takes. A connection that is lost is made
// again, into the same seat, and what was not answered is sent again as it was: with the same id and ply that is harmless.

import { Refusal } from "./api.js";
import { CLOSE, SUBPROTOCOL } from "./protocol.js";
import { forgetIdentity, identity } from "./settings.js";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** An answer that takes so long does not come any more: the connection is dead, whatever the browser thinks. */
const DEAD_MS = 6_000;

export class Connection {
  /** "connecting", "open", "lost" (comes back by itself), "taken-over" (until `resume`) or "ended". */
  state = "connecting";

  /** How long the last answer took; null before the first. */
  lag_ms = null;

  #socket = null;
  #address;
  #onevent;
  #onstate;
  #welcomed = false;
  #heard = false;
  #failures = 0;
  #timer = 0;
  #lastId = 0;
  #race = "";
  #unanswered = new Map();

  /**
   * @param {string | null} room null: the lobby.
   * @param {(event: object) => void} onevent every event in order.
   * @param {(state: string, reason: Refusal | null) => void} onstate
   */
  constructor(room, { onevent, onstate = () => {} }) {
    const address = new URL(room === null ? "/ws" : `/ws/${encodeURIComponent(room)}`, location.href);
    address.protocol = location.protocol.replace("http", "ws");
    this.#address = address.href;
    this.#onevent = onevent;
    this.#onstate = onstate;
    addEventListener("online", this.#hurry);
    addEventListener("offline", this.#lose);
    this.#connect();
  }

  /** How many commands wait for an answer. */
  get waiting() {
    return this.#unanswered.size;
  }

  /** Send *command*, again over each new connection until it is answered; return its id. */
  send(command) {
    return this.#put(command, null);
  }

  /** Send *command* and return its answer; throws a Refusal. */
  ask(command) {
    return new Promise((resolve, reject) => this.#put(command, { resolve, reject }));
  }

  /** Never send the commands of these *ids* again. */
  forget(ids) {
    for (const id of ids) this.#unanswered.delete(id);
  }

  /** Go on here after another tab has taken the seat. */
  resume() {
    if (this.state === "taken-over") this.#again(0);
  }

  /** Give the connection up, not the seat. */
  close() {
    removeEventListener("online", this.#hurry);
    removeEventListener("offline", this.#lose);
    this.#onstate = this.#onevent = () => {};
    this.#end();
  }

  #put(command, asker) {
    const id = ++this.#lastId;
    const sent = { ...command, id };
    this.#unanswered.set(id, { command: sent, asker, race: this.#race, at: performance.now() });
    if (this.state === "open" && this.#heard) this.#write(sent);
    return id;
  }

  #write(command) {
    this.#socket.send(JSON.stringify(command));
    setTimeout(() => this.#check(command.id), DEAD_MS);
  }

  /** Give the connection up if the answer to a command that was sent over it is still missing. */
  #check(id) {
    const waiting = this.#unanswered.get(id);
    if (waiting && this.state === "open" && performance.now() - waiting.at >= DEAD_MS) this.#lose();
  }

  #connect() {
    const socket = new WebSocket(this.#address, SUBPROTOCOL);
    this.#socket = socket;
    this.#heard = false;
    socket.onopen = () => socket.send(JSON.stringify(this.#hello()));
    socket.onmessage = (message) => socket === this.#socket && this.#take(JSON.parse(message.data));
    socket.onclose = (close) => socket === this.#socket && this.#closed(close);
  }

  #hello() {
    const token = identity.get("token");
    const who = token ? { token } : { name: identity.get("name") };
    const word = identity.get("word");
    const more = { client: "page", locale: document.documentElement.lang, wants: ["choices"], ...(word && { word }) };
    return { type: "Hello", ...who, ...more };
  }

  #take(event) {
    if (event.type === "Welcome") this.#welcome(event);
    if (event.race) this.#race = event.race;
    this.#onevent(event);
    if (!this.#heard && ["Snapshot", "Rooms"].includes(event.type)) this.#resend();
    if (event.id) this.#settle(event);
  }

  #welcome(event) {
    identity.set("name", event.name);
    identity.set("player", event.player);
    if (event.token) identity.set("token", event.token);
    this.#welcomed = true;
    this.#failures = 0;
    this.#become("open");
  }

  /** Send what was not answered, now that it is known which race is on: a move of an older one has no place in it. */
  #resend() {
    this.#heard = true;
    for (const [id, { command, asker, race }] of this.#unanswered) {
      if ("ply" in command && race && race !== this.#race) {
        this.#unanswered.delete(id);
        asker?.reject(new Refusal({ reason: "STALE_RACE", params: { sent: race, now: this.#race } }));
      } else {
        this.#unanswered.get(id).at = performance.now();
        this.#write(command);
      }
    }
  }

  #settle(event) {
    const waiting = this.#unanswered.get(event.id);
    if (!waiting) return;
    this.#unanswered.delete(event.id);
    this.lag_ms = Math.round(performance.now() - waiting.at);
    if (event.type === "Refused") waiting.asker?.reject(new Refusal(event));
    else waiting.asker?.resolve(event);
  }

  #closed({ code, reason }) {
    const meaning = CLOSE[code];
    if (meaning?.name === "TAKEN_OVER") this.#become("taken-over");
    else if (meaning?.name === "BAD_TOKEN" && identity.get("name")) this.#comeAsNew();
    else if (meaning && !meaning.reconnects) this.#final(new Refusal({ reason: meaning.name, params: { why: reason } }));
    else this.#again(this.#wait());
  }

  /** The server has forgotten this player, as one with a new database does. */
  #comeAsNew() {
    forgetIdentity();
    this.#again(0);
  }

  #final(reason) {
    this.#end();
    this.#become("ended", reason);
    for (const { asker } of this.#unanswered.values()) asker?.reject(reason);
    this.#unanswered.clear();
  }

  #end() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  /** Twice as long each time, within a limit, and half of it by chance: not all come back in one moment. */
  #wait() {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures++);
    return longest / 2 + Math.random() * (longest / 2);
  }

  #again(wait_ms) {
    this.#end();
    this.#become(this.#welcomed || this.#failures > 1 ? "lost" : "connecting");
    this.#timer = setTimeout(() => this.#connect(), wait_ms);
  }

  #lose = () => {
    if (["open", "connecting", "lost"].includes(this.state)) this.#again(this.#wait());
  };

  #hurry = () => {
    if (this.state === "lost") this.#again(0);
  };

  #become(state, reason = null) {
    if (this.state === state && !reason) return;
    this.state = state;
    this.#onstate(state, reason);
  }
}
