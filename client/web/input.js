// An attempt played on a table: what is done there becomes a move, what the attempt tells is shown.

import {RANKS, cardsOf, fits, moveText, moved, step, wholeSuits} from "./attempt.js";
import {buzz, cardName, play} from "./cards.js";
import {announce} from "./dom.js";
import {keys, pointer} from "./hands.js";
import {PILES} from "./protocol.js";
import {settings} from "./settings.js";
import {pileName} from "./table.js";
import {t} from "./texts.js";

/** Let *attempt* be played on *view*; *onrefusal* is told what the server refused, *help* opened. Returns what ends it. */
export function bind(view, attempt, onrefusal, help) {
	const player = playerOf(view, attempt, onrefusal);
	const hand = pointer(view, player);
	const typing = keys(view, attempt, player, hand, help);
	const stop = attempt.on(change => {
		player.take(change);
		hand.check();
		typing.read();
	});
	player.take({cause: "laid", steps: [], item: null});
	return () => {
		stop();
		hand.end();
		typing.end();
		player.putDown();
	};
}

function playerOf(view, attempt, onrefusal) {
	let chosen = null;
	let landed = null;
	let shown = null;
	let aimed;

	function lift(place) {
		putDown();
		const can = attempt.isRun(place.pile, place.count);
		if (can) lit(place);
		else askWhy(place);
		return can;
	}

	const targetsOf = ({pile, count}) => (settings.get("placementHelp") && attempt.targets(pile, count)) || [];

	/** Light what takes the run, most of all where it would go if what is *held* were dropped now. */
	function lit(place, held) {
		const targets = targetsOf(place);
		aimed = held?.over(targets);
		view.light(targets, place.card.dataset.card[1], aimed);
	}

	const aim = (place, held) => held.over(targetsOf(place)) === aimed || lit(place, held);

	function drop(place, held) {
		const {pile, count} = place;
		const targets = attempt.targets(pile, count);
		const over = held.over(targets);
		view.light();
		const auto = settings.get("autoPlacement") && !held.near() && (!targets || targets.length);
		if (over === pile && !auto) return held.home();
		if (over && over !== pile && (targets?.includes(over) ?? true)) return rest(held, moveText(pile, over, count));
		if (auto) {
			held.drop();
			return attempt.playBest(pile, count);
		}
		held.home();
		if (over) refuse(place, () => attempt.play(moveText(pile, over, count)));
	}

	function rest(held, move) {
		if (!attempt.playing) return held.home();
		held.drop();
		return attempt.play(move, true);
	}

	function letGo(held) {
		view.light();
		held.home();
	}

	function tap(place) {
		const before = chosen;
		if (!before) return choose(place);
		if (before.pile !== place.pile) return to(place);
		putDown();
		return before.count === place.count ? false : choose(place);
	}

	/** Play to the best target; return whether that is what a double tap does here. */
	function best(place) {
		const {pile, count, card} = place;
		if (!settings.get("doubleTap") || !card || pile === "h") return false;
		putDown();
		if (attempt.targets(pile, count)?.length === 0) askWhy(place);
		else attempt.playBest(pile, count);
		return true;
	}

	function choose(place) {
		if (!place.card || place.pile === "h") return false;
		if (!attempt.isRun(place.pile, place.count)) askWhy(place);
		else {
			chosen = place;
			view.choose(place.pile, place.count);
			lit(place);
			announce(chosenText(place, attempt.targets(place.pile, place.count)));
		}
		return false;
	}

	function to(place) {
		const {pile, count} = chosen;
		const other = attempt.targets(pile, count)?.includes(place.pile) === false && canMove(place);
		putDown();
		if (other) return choose(place);
		move(pile, place.pile, count);
		return true;
	}

	function type(text) {
		const {source, target, count} = step(text);
		putDown();
		move(source, target, count);
	}

	function move(pile, target, count) {
		const ask = () => attempt.play(moveText(pile, target, count));
		if (attempt.targets(pile, count)?.includes(target) ?? true) ask();
		else refuse({pile, count}, ask);
	}

	/** Whether a tap rather means another run: the light says that this one does not go there. */
	const canMove = place => targetsOf(place).length > 0;

	function putDown() {
		const any = Boolean(chosen);
		chosen = null;
		view.choose();
		view.light();
		return any;
	}

	function askWhy(place) {
		const {pile, count} = place;
		refuse(place, count <= RANKS.length && pile !== "h" && (() => attempt.playBest(pile, count)));
	}

	/** Refuse here what can't be; with interactive rules the server is asked, and refuses it with the rule. */
	function refuse({pile, count}, ask) {
		const asks = ask && settings.get("interactiveRules") && attempt.playing && attempt.waiting === 0;
		if (!asks || !ask()) shake(pile, count);
	}

	function shake(pile, count) {
		view.refuse(pile, count);
		play("refused");
		buzz([30]);
	}

	function take({cause, steps, refused = null, hinted = null, item}) {
		const {table, joined} = attempt;
		const before = shown;
		shown = table;
		if (table) view.show(table, {joined, steps, cause, dropped: cause === "own" && item.dropped});
		if (chosen && !stillThere(chosen)) putDown();
		else if (chosen) lit(chosen);
		if (hinted) view.hint(hinted);
		sound(cause, steps, before);
		if (refused) tellRefusal(refused, item);
		const sentence = table && told({cause, steps, hinted, item}, before);
		if (sentence) announce(sentence);
	}

	const stillThere = ({pile, count, card}) => attempt.playing && view.run(pile, count)[0] === card;

	function tellRefusal(refused, item) {
		const run = item.move ? step(item.move) : item.run;
		if (run) shake(run.source, run.count);
		if (settings.get("interactiveRules") || !refused.rule) onrefusal(refused);
	}

	/** A tick for a card laid down; a higher one once the server says that it lies joined. */
	function sound(cause, steps, before) {
		const laid = steps.at(-1);
		if (cause === "taken-back" || cause === "dealt") landed = null;
		else if (laid && wholeSuits(shown) > wholeSuits(before)) play("gone");
		else if (laid) {
			play("down");
			const {target, count} = step(laid);
			landed = {place: PILES.indexOf(target), count};
		}
		const marks = landed && attempt.choices && attempt.joined[landed.place];
		if (marks?.at(-landed.count) === "1") play("joined");
		if (attempt.choices) landed = null;
	}

	return {lift, lit, aim, drop, letGo, tap, best, type, putDown, take};
}

// What a screen reader hears of it

function told({cause, steps, hinted, item}, before) {
	if (cause === "dealt") return t("table.dealt");
	if (cause === "taken-back") return t("table.takenBack");
	if (hinted) return t("table.hinted", {move: moveTold(hinted, before)});
	if (!steps.length || !before) return "";
	if (item?.kind === "undo") return t("table.undone");
	const last = steps.at(-1);
	if (step(last).count > 1 && last[1] === "h") return t("table.sequence");
	return moveTold(last, steps.slice(0, -1).reduce((table, each) => (fits(table, each) ? moved(table, [each]) : table), before));
}

function chosenText({card, count}, targets) {
	const params = {card: cardName(card.dataset.card), more: count - 1, piles: (targets ?? []).map(name => pileName(name)).join(", ")};
	const chosen = count > 1 ? t("table.chosenRun", params) : t("table.chosen", params);
	if (!targets) return chosen;
	return `${chosen} ${targets.length ? t("table.goesTo", params) : t("table.goesNowhere")}`;
}

function moveTold(text, table) {
	const {source, target, count} = step(text);
	const card = cardsOf(table, source).at(-count);
	if (!card) return "";
	const params = {card: cardName(card), more: count - 1, pile: pileName(target, target === "h" ? card[1] : "")};
	return t(count > 1 ? "table.movedRun" : "table.moved", params);
}
