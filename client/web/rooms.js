// Rooms: coming by a link, and saying who one is.

import {bones, el, say, setTitle, submit} from "./dom.js";
import {OPTIONS} from "./protocol.js";
import {identity} from "./settings.js";
import {refusalText, summary, t} from "./texts.js";

/** Show the room of the path: its door to somebody without a name, else the room itself. */
export async function show(root, {parts}) {
	const code = parts[1].toUpperCase();
	let room = null;
	const enter = async () => {
		const {Room} = await import("./room.js");
		if (root.isConnected) room = new Room(root, parts[1], door);
	};
	const door = async refusal => {
		room?.end();
		root.replaceChildren(bones());
		root.replaceChildren(await doorForm(code, refusal, enter));
	};
	setTitle(t("room.title", {room: code}));
	await (identity.get("name") ? enter() : door());
	return Object.assign(() => room?.end(), {retell: () => room?.retell()});
}

/** The door, whole: what comes later moves its button. */
async function doorForm(room, refusal, enter) {
	const come = async form => {
		await rename(nameIn(form));
		await enter();
	};
	const oninput = () => import("./room.js").catch(() => {}); // it comes again when it is needed
	const [about, why] = await Promise.all([invitation(room), refusal && refusalText(refusal)]);
	const form = trying(
		come,
		"form.door.panel",
		el("h1", t("room.door", {room})),
		about,
		el("p.soft", t("room.doorAbout")),
		nameField({autofocus: true, oninput}),
		submit(t("landing.join")),
	);
	if (why) say(form.lastChild, why);
	return form;
}

/** Who invites and what is played; null where nobody tells. */
async function invitation(room) {
	const signal = AbortSignal.timeout(3_000);
	const told = await fetch(`/api/rooms/${encodeURIComponent(room)}`, {signal}).then(answer => answer.ok && answer.json()).catch(() => null);
	if (!told) return null;
	const {host, phase, options} = told;
	const on = phase === "running" ? [el("br"), el("b", t("room.raceOn"))] : [];
	return el("p", el("b", t("room.invites", {name: host})), el("br"), summary({...OPTIONS, ...options}), on);
}

/** A form that does *deed* once at a time, and says last what was refused, under its field what is missing. */
export function trying(deed, spec, ...fields) {
	const wrong = el("p.wrong", {role: "alert"});
	const onsubmit = async event => {
		const {target: form, submitter} = event;
		const needed = [...form.querySelectorAll(":required")];
		const empty = needed.find(field => !field.value.trim());
		event.preventDefault();
		(empty?.labels[0] ?? form.lastChild).after(wrong);
		say(wrong, empty ? t("page.missing", {field: empty.labels[0].textContent}) : "");
		for (const field of needed) field.ariaInvalid = String(field === empty);
		if (empty) return empty.focus();
		form.inert = true;
		try {
			await deed(form, submitter);
		} catch (refusal) {
			say(wrong, await refusalText(refusal));
		} finally {
			form.inert = false;
		}
	};
	return el(spec, {onsubmit, novalidate: true}, ...fields, wrong);
}

export const askLobby = async command => (await import("./server.js")).askLobby(command);

/** Give this browser's player another *name*; throws a Refusal. */
export async function rename(name) {
	if (name === identity.get("name")) return;
	if (identity.get("token")) await askLobby({type: "Rename", name});
	else identity.set("name", name);
}

export function nameField(props) {
	const field = {name: "name", value: identity.get("name"), required: true, maxlength: 40, autocomplete: "nickname"};
	return el("label.field", el("span", t("page.yourName")), el("input", {...field, spellcheck: "false", ...props}));
}

export const nameIn = form => form.elements.name.value.trim();
