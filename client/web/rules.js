// The rules of a game, told and shown: texts from the rules' own files, pictures that were played by the engine.

import {laid, moved} from "./attempt.js";
import {still} from "./cards.js";
import {el, icon, say, setTitle, tool} from "./dom.js";
import {GAMES} from "./protocol.js";
import {makeTable} from "./table.js";
import {gameName, read, refusalText, t} from "./texts.js";

const STEP_MS = 1800;

export async function show(root, {parts, hash}) {
	const game = parts[1] in GAMES ? parts[1] : Object.keys(GAMES)[0];
	const [told, drawn] = await Promise.all([read(`rules/${document.documentElement.lang}`), read("rules/pictures")]);
	const {about, ...numbered} = told[game];
	const pictures = new Map(Object.entries(drawn[game] ?? {}).map(([rule, each]) => [rule, picture(game, rule, each, told.page)]));
	setTitle(t("race.rulesOf", {game: gameName(game)}));
	root.append(
		el("nav.choice", {label: t("options.game")}, Object.keys(GAMES).map(each => way(each, each === game))),
		el("h1", t("race.rulesOf", {game: gameName(game)})),
		el("p.lead", about),
		part(told.page.game, numbered, pictures),
		part(told.page.common, told.common),
		part(told.page.race, told.race),
	);
	if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
	return watched([...pictures.values()]);
}

const way = (game, here) => el("a", {href: `/rules/${game}`, "aria-current": here ? "page" : null}, gameName(game));

function part(title, texts, pictures = new Map()) {
	const headings = Object.keys(texts).filter(key => `${key}Text` in texts);
	const articles = headings.map(key => {
		const heading = el("h3", texts[key], /\d/.test(key) && el("span.tag", key));
		return el("article", {id: key}, heading, el("p", texts[`${key}Text`]), pictures.get(key)?.element);
	});
	return el("section.rules-part", el("h2", title), el("div.panel", articles));
}

/** Let the pictures move that are seen whole; with reduced motion they wait to be stepped. */
function watched(pictures) {
	const tell = ({target, isIntersecting}) => pictures.find(({element}) => element === target).seen(isIntersecting);
	const observer = new IntersectionObserver(entries => entries.forEach(tell), {threshold: 0.9});
	for (const {element} of pictures) observer.observe(element);
	return () => (observer.disconnect(), pictures.forEach(({seen}) => seen(false)));
}

function picture(game, rule, {table, joined, plies}, words) {
	const view = makeTable({game, label: words.picture.replace("{{rule}}", rule)});
	const caption = el("p.small.soft");
	const flip = tool("pause", words.pause, {onclick: () => play(!wanted)});
	const tray = plies.some(({steps = []}) => steps.some(each => each[1] === "h")) && view.tray;
	let wanted = !still();
	let visible = false;
	let timer = 0;
	let position;
	let next;

	function play(on) {
		wanted = on;
		const [sign, label] = on ? ["pause", words.pause] : ["play", words.play];
		flip.replaceChildren(icon(sign));
		flip.ariaLabel = flip.title = label;
		goOn();
	}

	function goOn() {
		clearTimeout(timer);
		if (wanted && visible) timer = setTimeout(() => (step(), goOn()), STEP_MS);
	}

	function layAnew() {
		next = 0;
		position = laid(table);
		view.show(position, {joined});
		say(caption, "");
	}

	function step() {
		const ply = plies[next];
		if (!ply) return layAnew();
		next += 1;
		say(caption, "");
		if (ply.refused) refusalText(ply.refused).then(text => say(caption, text));
		if (ply.refused) return view.refuse(ply.ask[0], parseInt(ply.ask.split("v")[1] ?? "1", 16));
		position = moved(position, ply.steps);
		view.show(position, {joined: ply.joined, steps: ply.steps});
	}

	const onward = tool("next", words.step, {onclick: () => (play(false), step())});
	const element = el("figure.moving", view.element, el("figcaption", caption, tray, flip, onward));
	layAnew();
	play(wanted);
	return {element, seen: now => ((visible = now), goOn())};
}
