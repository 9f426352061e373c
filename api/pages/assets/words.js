// What the page says, in the language that the server chose for it. One catalogue: /words/{language}.json.

export const lang = document.documentElement.lang || "en";
const isRtl = document.documentElement.dir === "rtl";

const RETRY_MS = 1500;

async function load() {
  for (;;) {
    try {
      const answer = await fetch(`/words/${encodeURIComponent(lang)}.json`);
      if (answer.ok) return await answer.json();
    } catch {
      // the server is away: it comes back, and the words with it
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

const { words, plurals, reasons, reason_forms: reasonForms, rules, quiet, seats, fewest_win: fewest } = await load();

/** How each seat of a match is marked, in the order of its players. */
export const seatLooks = seats;

/** Reasons of verdicts that only say that something was not counted. */
export const quietReasons = new Set(quiet);

/** The games in which the lowest total leads. */
export const fewestWin = new Set(fewest);

/** The page's word for `key`, its {arguments} filled in. */
export function t(key, args = {}) {
  const text = words[key];
  if (text === undefined) {
    console.error(`no word for ${key}`);
    return key;
  }
  return fill(text, args);
}

const pluralRules = new Intl.PluralRules(lang);

/** The form of a language that `count` wants; one that the browser does not know has only "other". */
const formOf = (forms, count) => forms[pluralRules.select(count)] ?? forms.other;

/** The sentence `key` for so many, in the language's own form for that number. */
export function counted(key, count, args = {}) {
  const forms = plurals[key];
  if (forms === undefined) {
    console.error(`no plural for ${key}`);
    return `${key} ${count}`;
  }
  return fill(formOf(forms, count), { count, ...args });
}

/** Whether the catalogue has a word for `key`. */
export const knows = (key) => key in words;

const fill = (text, args) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in args ? isolated(String(args[name])) : whole));

const RTL_LETTERS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** What is put into a sentence keeps its own order and leaves the sentence its own: names, cards, times. */
export function isolated(text) {
  if (RTL_LETTERS.test(text)) return isRtl ? `\u2067${text}\u2069` : `\u2068${text}\u2069`;
  return isRtl && /\D/.test(text) ? `\u2066${text}\u2069` : text;
}

/** Parts side by side, each in its own order: Ana · 7♣ · foundation 4. */
export const partsText = (parts) => parts.filter(Boolean).map(isolated).join(" · ");

/** Names as one list: Ana, Ben and Cid. */
export function namesText(names) {
  const each = names.map(isolated);
  return each.length < 2 ? each.join("") : `${each.slice(0, -1).join(t("list.comma"))}${t("list.and")}${each.at(-1)}`;
}

const SUITS = { C: "♣", D: "♦", H: "♥", S: "♠" };

/** `TH` as people write it: 10♥. */
export function cardText(code) {
  if (code === null || code === undefined || code === "??") return t("card.unread");
  if (code === "JK") return t("card.joker");
  const match = /^([2-9TJQKA?])([CDHS?])$/.exec(code);
  if (!match) return code;
  return `${match[1] === "T" ? "10" : match[1]}${SUITS[match[2]] ? `${SUITS[match[2]]}\ufe0e` : "?"}`;
}

const PILE = /\b(table|northeast|northwest|southeast|southwest|north|east|south|west)\/(foundation|tableau|reserve|stock|waste|aside|spit|hand)(?:\[(\d+)\])?/g;
const CARD = /(?<![\p{L}\p{N}])([2-9TJQKA])([CDHS])(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])JK(?![\p{L}\p{N}])/gu;

let seated = {};
let gameName = "";
let fromZero = new Set();

/** The match that is spoken of, by its score: who sits where, what is played, and which piles its table numbers from 0. */
export function seat({ players, game, kinds_from_zero: kinds }) {
  seated = Object.fromEntries(players.map((player) => [player.seat, player.player]));
  gameName = game;
  fromZero = new Set(kinds);
}

/** `south/tableau[2]` as people say it, numbered from 1: Ana's work pile 3. */
export function pileText(code) {
  return code === "table" ? t("pile.table") : code.replace(PILE, (_, owner, kind, index) => onePile(owner, kind, index));
}

function pileName(kind, index) {
  const isSpit = gameName !== "nerts" && knows(`pile.spit_game.${kind}`);
  return t(isSpit ? `pile.spit_game.${kind}` : `pile.${kind}`, { n: index === undefined ? "" : Number(index) + Number(fromZero.has(kind)) }).trim();
}

function onePile(owner, kind, index) {
  const name = pileName(kind, index);
  return owner === "table" ? name : t("pile.of", { player: seated[owner] ?? t(`seat.${owner}`), pile: name });
}

// Small English words that the referee puts into the places of its sentences.
const FRAGMENTS = [
  [/^a card$/i, "fragment.a_card"],
  [/^the card$/i, "fragment.the_card"],
  [/^no card$/i, "fragment.no_card"],
  [/^an empty place$/i, "fragment.empty_place"],
  [/^all turn their waste over as a new stock$/, "fragment.all_reform"],
  [/^all put their top stock card to the bottom$/, "fragment.all_burn"],
  [/^all shuffle their stock$/, "fragment.all_shuffle"],
];

const MILLISECONDS = /^(\d+)(?:-(\d+))? ms$/;

/** How long, in milliseconds or between two of them; it is never broken over two lines. */
export const msText = (least, most) => t("unit.ms", { n: most === undefined ? least : `${least}\u2060–\u2060${most}` });

const NAMES = new Set(["player", "other", "owner", "reviewer", "reason", "told_by", "shown_on"]);

/** A pile of `player`, in a sentence that names the player already: without its owner. */
function ownPile(value, player) {
  const match = new RegExp(`^${PILE.source}$`).exec(value);
  return match && match[1] !== "table" && seated[match[1]] === player ? pileName(match[2], match[3]) : null;
}

/** One argument of a sentence: cards as symbols, piles by name, lists joined as the language joins them. */
function argumentText(name, value, player) {
  if (NAMES.has(name)) return value;
  const fragment = FRAGMENTS.find(([english]) => english.test(value));
  if (fragment) return t(fragment[1]);
  const time = MILLISECONDS.exec(value);
  if (time) return msText(time[1], time[2]);
  if (name === "players") return namesText(value.split(/, | and /));
  const joined = value.replaceAll(" and ", t("list.and"));
  if (name === "pile" && player !== undefined) {
    const own = ownPile(value, player);
    if (own !== null) return own;
  }
  return pileText(joined).replace(CARD, (code) => cardText(code));
}

// What a sentence counts, where it names several numbers: the first of these.
const COUNTED = ["count", "points", "hand", "wanted"];

/** The sentence of a reason; where it counts one, as the language says that. */
function templateOf(reason) {
  const number = COUNTED.map((name) => reason.args[name]).find((value) => value !== undefined);
  const isOne = /^\d+$/.test(number ?? "") && pluralRules.select(Number(number)) === "one";
  return (isOne ? reasonForms[reason.key] : undefined) ?? reasons[reason.key];
}

function sentence(reason) {
  const template = templateOf(reason);
  if (template === undefined) return null;
  const args = Object.fromEntries(Object.entries(reason.args).map(([name, value]) => [name, argumentText(name, value, reason.args.player)]));
  return fill(template, args);
}

/** Why, as a sentence in the page's language; what the server wrote where a reason has no key. */
export function reasonText(item) {
  const said = (item.reasons ?? []).map(sentence);
  return said.length > 0 && said.every((text) => text !== null) ? said.join(t("list.semicolon")) : isolated(item.reason);
}

/** The rule's short form. */
export const ruleText = (id) => rules[id] ?? "";

/** A ruling as people say it. */
export const rulingText = (ruling) => (knows(`ruling.${ruling}`) ? t(`ruling.${ruling}`) : ruling);

/** An item of the score. */
export const itemText = (item) => (knows(`item.${item}`) ? t(`item.${item}`) : item);
