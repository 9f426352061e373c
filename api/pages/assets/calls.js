// Big buttons for what people call out, and the same by key: 1, 2 ... for each player, with Shift for "stuck".

import { arrange, button, element, once } from "./elements.js";
import { postJson } from "./net.js";
import { seatColour, seatMark } from "./seats.js";
import { cardText, counted, pileText, t } from "./words.js";

const byId = (id) => document.getElementById(id);
const MAIN_CALLS = { nerts: "nerts", spit: "spit" };
const MORE_CALLS = ["start", "round_end", "counted"];
const SAID_MS = 6000;
const MOST_TOLD = 4; // of what was heard last

let matchId = null;
let players = [];
let mainCall = "nerts";
let builtFor = "";
let saidTimer = 0;

function say(text, isError = false) {
  byId("call-said").textContent = text;
  byId("call-said").className = isError ? "error" : "quiet";
  clearTimeout(saidTimer);
  saidTimer = setTimeout(() => { byId("call-said").textContent = ""; }, SAID_MS);
}

async function call(name, player, pressed) {
  pressed.classList.add("heard");
  setTimeout(() => pressed.classList.remove("heard"), 700);
  try {
    await postJson(`/api/v1/matches/${encodeURIComponent(matchId)}/calls`, { call: name, ...(player ? { seat: player.seat } : {}) });
    say(t("call.heard", { call: t(`call.${name}`), player: player?.player ?? t("live.everyone") }));
  } catch (error) {
    say(error.message, true);
  }
}

/** How many cards a pile has left, or how many have a player's back, as somebody counted them. */
export async function enterCount({ pile, deck, count }) {
  try {
    await postJson(`/api/v1/matches/${encodeURIComponent(matchId)}/counts`, pile ? { pile, count } : { deck, count });
    say(pile ? counted("call.cards_counted", count, { pile: pileText(pile) }) : counted("call.backs_counted", count));
  } catch (error) {
    say(error.message, true);
  }
}

function callButton(text, name, player, className = "") {
  const made = button(text, () => once(made, () => call(name, player, made)), className);
  return made;
}

function callSet(player, index) {
  const set = element("div", "call-set");
  set.style.setProperty("--seat", seatColour(index));
  const main = callButton("", mainCall, player, "main");
  main.dataset.call = mainCall;
  const who = element("span", "who");
  who.append(seatMark(index), element("bdi", "", player.player));
  main.append(element("span", "", t(`call.${mainCall}`)), who);
  if (index < 9) main.append(element("kbd", "", index + 1));
  const stuck = callButton(t("call.stuck"), "stuck", player);
  stuck.setAttribute("aria-label", t("live.call_for", { call: t("call.stuck"), player: player.player }));
  set.append(main, stuck);
  return set;
}

/** A choice in which nothing is chosen yet. */
function choice(label, options) {
  const made = Object.assign(element("select"), { required: true });
  made.setAttribute("aria-label", label);
  made.append(Object.assign(new Option(label, ""), { disabled: true, selected: true }), ...options.map(([text, value]) => new Option(text, value)));
  return made;
}

/** What a player says that a joker stands for: chosen whole, seen as a sentence, and only then entered. */
function jokerRow() {
  const row = element("form", "row");
  row.id = "joker";
  const who = choice(t("live.who"), players.map((player) => [player.player, player.seat]));
  const rank = choice(t("live.joker_rank"), [..."A23456789TJQK"].map((letter) => [letter === "T" ? "10" : letter, letter]));
  const suit = choice(t("live.joker_suit"), [..."CDHS"].map((letter) => [cardText(`A${letter}`).slice(1), letter]));
  const next = Object.assign(element("button", "", `${t("live.joker_enter")} …`), { type: "submit" });
  const choose = () => row.replaceChildren(element("span", "quiet", t("live.joker")), who, rank, suit, next);
  choose();
  row.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!next.isConnected) return;
    const said = { player: who.selectedOptions[0].text, card: cardText(rank.value + suit.value) };
    const enter = button(t("fix.confirm"), () => once(enter, async () => {
      if (await declare(who.value, rank.value + suit.value, said)) for (const each of [who, rank, suit]) each.value = "";
      choose();
    }), "primary");
    row.replaceChildren(element("b", "", t("live.joker_sure", said)), button(t("fix.back"), choose), enter);
    enter.focus();
  });
  return row;
}

/** Whether it was entered. */
async function declare(seat, card, said) {
  try {
    await postJson(`/api/v1/matches/${encodeURIComponent(matchId)}/declarations`, { seat, card });
    say(t("call.heard", { call: t("call.declared", said), player: said.player }));
    return true;
  } catch (error) {
    say(error.message, true);
    return false;
  }
}

/** What a player says before the first card. */
function seatRow(player, index) {
  const row = element("div", "row");
  row.append(seatMark(index), element("bdi", "", player.player), ...["ready", "dealt"].map((name) => {
    const made = callButton(t(`call.${name}`), name, player);
    made.setAttribute("aria-label", t("live.call_for", { call: t(`call.${name}`), player: player.player }));
    return made;
  }));
  return row;
}

/** Buttons for this match; made anew only where its players or game are others. `hasJokers`: whether it is known to be played with some. */
export function fillCalls(id, score, hasJokers) {
  matchId = id;
  const key = JSON.stringify([id, score.game, hasJokers, score.players.map((player) => [player.seat, player.player]), ["finished", "broken"].includes(score.state)]);
  if (key === builtFor) return;
  builtFor = key;
  ({ players } = score);
  mainCall = MAIN_CALLS[score.game] ?? "stuck";
  const isOver = ["finished", "broken"].includes(score.state);
  byId("more-calls").hidden = isOver;
  if (isOver) {
    byId("call-buttons").replaceChildren(element("p", "quiet", t("live.calls_over")));
    return;
  }
  byId("call-buttons").replaceChildren(...players.map(callSet));
  const everyone = element("div", "row");
  everyone.append(...["stuck", ...MORE_CALLS].map((name) => callButton(t("live.call_for", { call: t(`call.${name}`), player: name === "stuck" ? `(${t("live.everyone")})` : "" }).trim(), name, null)));
  byId("more-buttons").replaceChildren(everyone, ...players.map(seatRow), ...(hasJokers ? [jokerRow()] : []));
}

function callText(item) {
  if (item.kind === "called") return t("live.call_line", { player: item.player ?? t("live.everyone"), call: t(`call.${item.call}`) });
  const what = item.kind === "declared" ? t("call.declared", { card: cardText(item.card) }) : counted(`call.${item.kind}`, item.count, { pile: item.pile ? pileText(item.pile) : "" });
  return t("live.call_line", { player: item.player ?? item.by, call: what });
}

const told = new Map(); // entry -> { text, row }

/** What was heard, with the way to take it back; the row is made anew only where it would look otherwise. */
function toldRow(item, takeBack) {
  const text = JSON.stringify([matchId, item, takeBack !== null]);
  const known = told.get(item.entry);
  if (known?.text === text) return known.row;
  const row = element("li");
  row.append(element(item.is_taken_back ? "s" : "span", "", callText(item)));
  if (item.is_taken_back) row.append(element("b", "quiet", t("review.taken_back")));
  else if (takeBack) row.append(button(t("fix.undo_review"), () => takeBack(item.entry)));
  told.set(item.entry, { text, row });
  return row;
}

/** The calls, jokers and counts that were told last; `takeBack(entry)` takes one back, null: this page may not. */
export function showTold(calls, takeBack) {
  const newest = calls.slice(-MOST_TOLD).reverse();
  arrange(byId("told"), newest.map((item) => toldRow(item, takeBack)));
}

let lastHeard = -1;

/** Tell a call that came from elsewhere: another page, a microphone. */
export function hearCalls(calls) {
  const newest = calls.at(-1);
  if (!newest || newest.entry <= lastHeard) return;
  const isFirst = lastHeard < 0;
  lastHeard = newest.entry;
  if (!isFirst) say(callText(newest));
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, select, textarea, dialog") || byId("call-side").hidden) return;
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
  const index = Number(digit) - 1;
  const set = digit ? byId("call-buttons").children[index] : undefined;
  if (!set?.classList.contains("call-set")) return;
  event.preventDefault();
  set.querySelector(event.shiftKey ? "button:not(.main)" : ".main").click();
});
