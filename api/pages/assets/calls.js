// Big buttons for what people call out, and the same by key: 1, 2 ... for each player, with Shift for "stuck".

import { button, element } from "./elements.js";
import { postJson } from "./net.js";
import { seatColour, seatMark } from "./seats.js";
import { cardText, counted, pileText, t } from "./words.js";

const byId = (id) => document.getElementById(id);
const MAIN_CALLS = { nerts: "nerts", spit: "spit" };
const MORE_CALLS = ["start", "round_end", "counted"];
const SAID_MS = 6000;

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
  pressed?.classList.add("heard");
  setTimeout(() => pressed?.classList.remove("heard"), 700);
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

function callSet(player, index) {
  const set = element("div", "call-set");
  set.style.setProperty("--seat", seatColour(index));
  const main = button("", () => call(mainCall, player, main), "main");
  main.dataset.call = mainCall;
  const who = element("span", "who");
  who.append(seatMark(index), element("bdi", "", player.player));
  main.append(element("span", "", t(`call.${mainCall}`)), who);
  if (index < 9) main.append(element("kbd", "", index + 1));
  const stuck = button(t("call.stuck"), () => call("stuck", player, stuck));
  stuck.setAttribute("aria-label", t("live.call_for", { call: t("call.stuck"), player: player.player }));
  set.append(main, stuck);
  return set;
}

function jokerRow() {
  const row = element("form", "row");
  const who = element("select");
  who.setAttribute("aria-label", t("live.who"));
  who.append(...players.map((player) => new Option(player.player, player.seat)));
  const rank = element("select");
  rank.setAttribute("aria-label", t("live.joker_rank"));
  rank.append(...[..."A23456789TJQK"].map((letter) => new Option(letter === "T" ? "10" : letter, letter)));
  const suit = element("select");
  suit.setAttribute("aria-label", t("live.joker_suit"));
  suit.append(...[..."CDHS"].map((letter) => new Option(cardText(`A${letter}`).slice(1), letter)));
  const enter = Object.assign(element("button", "", t("live.joker_enter")), { type: "submit" });
  row.append(element("span", "quiet", t("live.joker")), who, rank, suit, enter);
  row.addEventListener("submit", async (event) => {
    event.preventDefault();
    const card = rank.value + suit.value;
    try {
      await postJson(`/api/v1/matches/${encodeURIComponent(matchId)}/declarations`, { seat: who.value, card });
      say(t("call.heard", { call: t("call.declared", { card: cardText(card) }), player: who.selectedOptions[0].text }));
    } catch (error) {
      say(error.message, true);
    }
  });
  return row;
}

/** What a player says before the first card. */
function seatRow(player, index) {
  const row = element("div", "row");
  row.append(seatMark(index), element("bdi", "", player.player), ...["ready", "dealt"].map((name) => {
    const made = button(t(`call.${name}`), () => call(name, player, made));
    made.setAttribute("aria-label", t("live.call_for", { call: t(`call.${name}`), player: player.player }));
    return made;
  }));
  return row;
}

/** Buttons for this match; made anew only where its players or game are others. */
export function fillCalls(id, score) {
  matchId = id;
  const key = JSON.stringify([id, score.game, score.players.map((player) => [player.seat, player.player]), ["finished", "broken"].includes(score.state)]);
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
  everyone.append(...["stuck", ...MORE_CALLS].map((name) => {
    const made = button(t("live.call_for", { call: t(`call.${name}`), player: name === "stuck" ? `(${t("live.everyone")})` : "" }).trim(), () => call(name, null, made));
    return made;
  }));
  byId("more-buttons").replaceChildren(everyone, ...players.map(seatRow), ...(score.game === "nerts" || score.game === "speed" ? [jokerRow()] : []));
}

function callText(item) {
  if (item.kind === "called") return t("live.call_line", { player: item.player ?? t("live.everyone"), call: t(`call.${item.call}`) });
  const what = item.kind === "declared" ? t("call.declared", { card: cardText(item.card) }) : counted(`call.${item.kind}`, item.count, { pile: item.pile ? pileText(item.pile) : "" });
  return t("live.call_line", { player: item.player ?? item.by, call: what });
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
