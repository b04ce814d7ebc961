// The server: what is asked of /api, and a place in a room or the lobby. A lost connection is made again, and what
// was not answered is sent again as it was: with the same id and ply that is harmless.

import {CLOSE, SUBPROTOCOL} from "./protocol.js";
import {forgetIdentity, identity} from "./settings.js";

/** Why something was refused: `reason`, `rule` and `params`, as texts.js makes a sentence of them. */
export class Refusal extends Error {
	constructor({reason, rule = "", params = {}}) {
		super(reason);
		Object.assign(this, {reason, rule, params});
	}
}

const PATIENCE_MS = 15_000;

/**
 * Fetch /api/*path*. Throws a Refusal where the server says no, UNREACHED where no answer comes.
 * Where *own* is false nobody is named: what is fetched so opens no deal.
 */
export async function get(path, own = true) {
	const token = own && identity.get("token");
	const headers = token ? {Authorization: `Bearer ${token}`} : {};
	const answer = await fetch(`/api/${path}`, {headers, signal: AbortSignal.timeout(PATIENCE_MS)}).catch(unreached);
	const body = await answer.json().catch(unreached);
	if (answer.ok) return body;
	if (body.reason === "BAD_TOKEN" && token) return get(path, false);
	throw new Refusal(body);
}

function unreached() {
	throw new Refusal({reason: "UNREACHED"});
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** After so long no answer comes any more: the connection is dead, whatever the browser thinks. */
const DEAD_MS = 6_000;

/** What a room can be called: for anything else there is no door. */
const CODE = /^[a-z\d-]{1,32}$/i;

/** After a lost connection so many commands a second are sent again: of more a server takes only the first few hundred. */
const AGAIN_S = 40;

/**
 * A connection to *room*, null for the lobby. *onevent* gets every event, *onstate* each new state, with the Refusal that
 * ended it: "connecting", "open", "lost" (comes back by itself), "taken-over" (until `resume`) or "ended".
 */
export function connect(room, {onevent = () => {}, onstate}) {
	const address = location.origin.replace("http", "ws") + (room === null ? "/ws" : `/ws/${encodeURIComponent(room)}`);
	const unanswered = new Map();
	let socket = null;
	let [welcomed, heard, closed] = [false, false, false];
	let [failures, timer, flowing, lastId] = [0, 0, 0, 0];
	let unsent = [];
	let race = "";

	/** Send *command*, again over each new connection until it is answered; return its id. */
	function send(command, asker = null) {
		const id = ++lastId;
		unanswered.set(id, {command: {...command, id}, asker, race});
		if (unsent.length) unsent.push(id);
		else if (self.state === "open" && heard) write(id);
		return id;
	}

	function write(id) {
		const waiting = unanswered.get(id);
		const at = (waiting.at = performance.now());
		socket.send(JSON.stringify(waiting.command));
		setTimeout(() => self.state === "open" && unanswered.get(id)?.at === at && lose(), DEAD_MS);
	}

	function open() {
		const made = (socket = new WebSocket(address, SUBPROTOCOL));
		heard = false;
		made.onopen = () => made.send(JSON.stringify(hello()));
		made.onmessage = ({data}) => made === socket && take(JSON.parse(data));
		made.onclose = close => made === socket && ended(close);
	}

	function take(event) {
		if (event.type === "Welcome") welcome(event);
		if (event.type === "Renamed") identity.set("name", event.name);
		race = event.race ?? race;
		onevent(event);
		if (!heard && ["Snapshot", "Rooms"].includes(event.type)) resend();
		if (event.id) settle(event);
	}

	function welcome({name, player, token}) {
		identity.set("name", name);
		identity.set("player", player);
		if (token) identity.set("token", token);
		welcomed = true;
		failures = 0;
		become("open");
	}

	/** Now that it is known which race is on: a move of an older one has no place in it. */
	function resend() {
		heard = true;
		for (const [id, {command, race: of}] of unanswered) if ("ply" in command && of && of !== race) unanswered.delete(id);
		unsent = [...unanswered.keys()];
		flow();
	}

	function flow() {
		for (const id of unsent.splice(0, AGAIN_S)) if (unanswered.has(id)) write(id);
		if (unsent.length) flowing = setTimeout(flow, 1000);
	}

	function settle(event) {
		const waiting = unanswered.get(event.id);
		if (!waiting) return;
		unanswered.delete(event.id);
		self.lag_ms = Math.round(performance.now() - waiting.at);
		if (event.type === "Refused") waiting.asker?.reject(new Refusal(event));
		else waiting.asker?.resolve(event);
	}

	function ended({code, reason}) {
		const name = CLOSE[code];
		if (["BAD_TOKEN", "FORGOTTEN"].includes(name)) forgetIdentity();
		if (name === "TAKEN_OVER") become("taken-over");
		else if (name === "BAD_TOKEN") again(0); // as one with a new database does not know this player, who comes as new
		else if (!name) lose();
		else finish(new Refusal({reason: name, params: paramsOf(reason)}));
	}

	function finish(refusal) {
		cut();
		become("ended", refusal);
		for (const {asker} of unanswered.values()) asker?.reject(refusal);
	}

	function cut() {
		clearTimeout(timer);
		clearTimeout(flowing);
		unsent = [];
		const former = socket;
		socket = null;
		former?.close();
	}

	function again(wait_ms) {
		cut();
		become(welcomed || failures > 1 ? "lost" : "connecting");
		timer = setTimeout(open, wait_ms);
	}

	/** Come back after a wait: twice as long each time, half of it by chance, so that not all come at once. */
	function lose() {
		if (["taken-over", "ended"].includes(self.state)) return;
		const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures++);
		again((longest * (1 + Math.random())) / 2);
	}

	function hurry() {
		if (self.state === "lost") again(0);
	}

	function become(state, refusal = null) {
		if (closed || self.state === state) return;
		self.state = state;
		onstate(state, refusal);
	}

	function close() {
		closed = true;
		removeEventListener("online", hurry);
		removeEventListener("offline", lose);
		cut();
	}

	const self = {
		state: "connecting",
		lag_ms: null,
		get waiting() {
			return unanswered.size;
		},
		send,
		ask: command => new Promise((resolve, reject) => send(command, {resolve, reject})),
		forget: ids => ids.forEach(id => unanswered.delete(id)),
		resume() {
			welcomed = false;
			again(0);
		},
		close,
	};
	addEventListener("online", hurry);
	addEventListener("offline", lose);
	if (CODE.test(room ?? "-")) open();
	else queueMicrotask(() => finish(new Refusal({reason: "NO_ROOM", params: {room}})));
	return self;
}

/** The parameters in the text of a close: "NO_ROOM room=ROOM". */
const paramsOf = text => Object.fromEntries([...text.matchAll(/ (\w+)=(.*?)(?= \w+=|$)/g)].map(([, ...param]) => param));

/** Send *command* to the lobby and return its answer; throws a Refusal. */
export async function askLobby(command) {
	let lobby;
	const refused = new Promise((_, reject) => {
		const onstate = (state, reason) => ["ended", "lost"].includes(state) && reject(reason ?? new Refusal({reason: "UNREACHED"}));
		lobby = connect(null, {onstate});
	});
	try {
		return await Promise.race([lobby.ask(command), refused]);
	} finally {
		lobby.close();
	}
}

function hello() {
	const [name, token, word] = ["name", "token", "word"].map(key => identity.get(key));
	const who = {...(token ? {token} : {name}), ...(word && {word})};
	return {type: "Hello", ...who, client: "page", locale: document.documentElement.lang, wants: ["choices"]};
}
