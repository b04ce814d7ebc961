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

  #address;
  #onevent;
  #onstate;
  #socket = null;
  #welcomed = false;
  #heard = false;
  #failures = 0;
  #timer = 0;
  #lastId = 0;
  #race = "";
  #unanswered = new Map();

  /** *room*: null for the lobby; *onevent* gets every event, *onstate* each new state, with the Refusal that ended it. */
  constructor(room, { onevent, onstate }) {
    const path = room === null ? "/ws" : `/ws/${encodeURIComponent(room)}`;
    this.#address = location.origin.replace("http", "ws") + path;
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
  send(command, asker = null) {
    const id = ++this.#lastId;
    this.#unanswered.set(id, { command: { ...command, id }, asker, race: this.#race });
    if (this.state === "open" && this.#heard) this.#write(id);
    return id;
  }

  /** Send *command* and return its answer; throws a Refusal. */
  ask(command) {
    return new Promise((resolve, reject) => this.send(command, { resolve, reject }));
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
    this.#cut();
  }

  #write(id) {
    const waiting = this.#unanswered.get(id);
    const at = (waiting.at = performance.now());
    this.#socket.send(JSON.stringify(waiting.command));
    setTimeout(() => this.state === "open" && this.#unanswered.get(id)?.at === at && this.#lose(), DEAD_MS);
  }

  #connect() {
    const socket = (this.#socket = new WebSocket(this.#address, SUBPROTOCOL));
    this.#heard = false;
    socket.onopen = () => socket.send(JSON.stringify(hello()));
    socket.onmessage = ({ data }) => socket === this.#socket && this.#take(JSON.parse(data));
    socket.onclose = (close) => socket === this.#socket && this.#closed(close);
  }

  #take(event) {
    if (event.type === "Welcome") this.#welcome(event);
    this.#race = event.race ?? this.#race;
    this.#onevent(event);
    if (!this.#heard && ["Snapshot", "Rooms"].includes(event.type)) this.#resend();
    if (event.id) this.#settle(event);
  }

  #welcome({ name, player, token }) {
    identity.set("name", name);
    identity.set("player", player);
    if (token) identity.set("token", token);
    this.#welcomed = true;
    this.#failures = 0;
    this.#become("open");
  }

  /** Send what was not answered, now that it is known which race is on: a move of an older one has no place in it. */
  #resend() {
    this.#heard = true;
    for (const [id, { command, race }] of this.#unanswered)
      if ("ply" in command && race && race !== this.#race) this.#unanswered.delete(id);
      else this.#write(id);
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
    const { name, reconnects } = CLOSE[code] ?? CLOSE[1006];
    if (name === "TAKEN_OVER") this.#become("taken-over");
    else if (name === "BAD_TOKEN") this.#comeAsNew();
    else if (reconnects) this.#lose();
    else this.#final(new Refusal({ reason: name, params: { why: reason } }));
  }

  /** The server has forgotten this player, as one with a new database does. */
  #comeAsNew() {
    forgetIdentity();
    this.#again(0);
  }

  #final(refusal) {
    this.#cut();
    this.#become("ended", refusal);
    for (const { asker } of this.#unanswered.values()) asker?.reject(refusal);
  }

  #cut() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #again(wait_ms) {
    this.#cut();
    this.#become(this.#welcomed || this.#failures > 1 ? "lost" : "connecting");
    this.#timer = setTimeout(() => this.#connect(), wait_ms);
  }

  /** Come back after a wait: twice as long each time, within a limit, and half of it by chance, so that not all come at once. */
  #lose = () => {
    if (["taken-over", "ended"].includes(this.state)) return;
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures++);
    this.#again((longest * (1 + Math.random())) / 2);
  };

  #hurry = () => {
    if (this.state === "lost") this.#again(0);
  };

  #become(state, refusal = null) {
    if (this.state === state) return;
    this.state = state;
    this.#onstate(state, refusal);
  }
}

function hello() {
  const [name, token, word] = ["name", "token", "word"].map((key) => identity.get(key));
  const who = { ...(token ? { token } : { name }), ...(word && { word }) };
  return { type: "Hello", ...who, client: "page", locale: document.documentElement.lang, wants: ["choices"] };
}
