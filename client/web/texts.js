// What people read, in the language of the page: i18next's JSON, version 4.

let words = {};
let plurals = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

export const LANGUAGES = { en: "English", ru: "Русский", id: "Bahasa Indonesia", ca: "Català" };

const SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const CARD = /^([A2-9TJQK])([SHDC])$/;

/** Fetch the texts of *language*, from now on those of the page. */
export async function load(language) {
  const answer = await fetch(`/locales/${language}.json`);
  if (!answer.ok) throw new Error(`no texts in ${language}`);
  words = await answer.json();
  plurals = new Intl.PluralRules(language);
  numbers = new Intl.NumberFormat(language);
  document.documentElement.lang = language;
}

/** @returns {string | undefined} the text of "group.key". */
function find(key) {
  const dot = key.indexOf(".");
  return words[key.slice(0, dot)]?.[key.slice(dot + 1)];
}

/** @returns {boolean} whether there is a text under *key*. */
export const has = (key) => find(key) !== undefined;

/** @returns {string} the text of *key*, with *params* put in; `count` chooses the plural. */
export function t(key, params = {}) {
  const text = (params.count !== undefined && find(`${key}_${plurals.select(params.count)}`)) || find(key) || key;
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name) => (name in params ? shown(params[name]) : whole));
}

const shown = (value) => (typeof value === "number" ? number(value) : String(value));

/** @returns {string} a number as the language writes it. */
export const number = (value) => numbers.format(value);

/** @returns {string} minutes, seconds and tenths, the rest cut off: the same in every language. */
export function clock(ms) {
  const [whole, tenth] = [Math.floor(ms / 1000), Math.floor((ms % 1000) / 100)];
  return `${minutes(whole * 1000)}.${tenth}`;
}

/** @returns {string} minutes and seconds, as for a limit. */
export function minutes(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @returns "10♥" for "TH"; anything else as it is. */
export function cardText(text) {
  const found = CARD.exec(text);
  return found ? (found[1] === "T" ? "10" : found[1]) + SIGNS[found[2]] : text;
}

/** @returns {string} the sentence that says what was wrong and what would be right. */
export function refusalText({ reason, rule = "", params = {} }) {
  const key = [`refusal.${reason}_${rule}`, `refusal.${reason}`, `error.${reason}`].find(has);
  const readable = Object.entries(params).map(([name, value]) => [name, find(`param.${name}_${value}`) ?? cardText(value)]);
  return key ? t(key, Object.fromEntries(readable)) : t("error.unknown", { reason });
}
