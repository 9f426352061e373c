// What lies over the picture in OBS: 1920 x 1080, scaled to whatever window the streaming program gives it.

import { element, nameOf, numberText } from "./elements.js";
import { addressParts, followTable } from "./follow.js";
import { readOptions, strangersIn } from "./options.js";
import { replay } from "./replay.js";
import { roundOf } from "./rounds.js";
import { isLeading, seatColour, seatMark } from "./seats.js";
import { wallText } from "./times.js";
import { isNotable, isOverturned, isQuiet, replacements } from "./verdicts.js";
import { itemText, reasonText, rulingText, t } from "./words.js";

const SHOW_VERDICT_MS = 6000;
const SHOW_REVERSAL_MS = 12000;
const TICKER_ITEMS = 3;
const NOTICE_MS = 15000; // what was left out of the address is told for so long after it was found
const LEAST_SCALE = 0.42; // smaller, nothing is legible: a narrow window shows the overlay at its own shape

const [table, surface] = addressParts();
const { options, faults } = readOptions(location.search, surface);
const byId = (id) => document.getElementById(id);
const stage = byId("stage");
const verdictBox = byId("verdict");
const shows = (name) => options.show.includes(name);
const totals = new Map();
const standings = new Map(); // what was known of each verdict, to notice reversals
let matchId = null;
let isFirstView = true;
let shownId = null;
let hideTimer = 0;

stage.dataset.layout = options.layout;
document.documentElement.dataset.theme = options.theme;
if (options.accent) stage.style.setProperty("--accent", options.accent);
stage.style.setProperty("--scale", options.scale);
for (const box of document.querySelectorAll("[data-surface]")) box.classList.toggle("is-shown", shows(box.dataset.surface));

let toldText = "";
let noticeTimer = 0;

/** Tells what was left out of the address: a while after it was found, or for as long as debug=1 asks. */
function tellFaults(found) {
  const text = found.join("\n");
  if (options.debug === "0" || text === toldText) return;
  toldText = text;
  byId("fault-list").replaceChildren(...found.map((fault) => element("li", "", fault)));
  byId("faults").hidden = found.length === 0;
  clearTimeout(noticeTimer);
  if (options.debug !== "1") noticeTimer = setTimeout(() => { byId("faults").hidden = true; }, NOTICE_MS);
}
tellFaults(faults);

/** The stage fills the window: 1920 wide or 1080 high, whichever fits; smaller and larger in type where that is narrow. */
function fit() {
  const whole = Math.min(innerWidth / 1920, innerHeight / 1080);
  const scale = innerWidth / innerHeight < 4 / 3 ? Math.max(whole, LEAST_SCALE) : whole;
  const [width, height] = [innerWidth / scale, innerHeight / scale];
  stage.style.width = `${width}px`;
  stage.style.height = `${height}px`;
  stage.style.setProperty("--wide", `${width}px`);
  stage.style.transform = `scale(${scale})`;
  stage.toggleAttribute("data-narrow", width < 1200);
}
addEventListener("resize", fit);
fit();

/** The players asked for, in the order asked for; all where none of those named sits here. */
function chosen(score) {
  const seated = score.players.map((player, index) => ({ ...player, index }));
  if (options.players === null) return seated;
  const named = options.players.map((name) => seated.find((player) => player.seat === name || player.player === name)).filter(Boolean);
  return named.length > 0 ? named : seated;
}

function total(player, players, game) {
  return {
    leads: isLeading(player, players, game),
    changed: totals.has(player.seat) && totals.get(player.seat) !== player.total,
  };
}

function barRow(player, players, game) {
  const row = element("li");
  const { leads, changed } = total(player, players, game);
  row.classList.toggle("leads", leads);
  row.classList.toggle("changed", changed);
  row.style.setProperty("--seat", seatColour(player.index));
  row.append(seatMark(player.index), nameOf(player.player), element("span", "total", numberText(player.total)));
  return row;
}

function playerCard(player, players, game) {
  const card = element("li", "player-card");
  const { leads, changed } = total(player, players, game);
  card.classList.toggle("leads", leads);
  card.classList.toggle("changed", changed);
  card.style.setProperty("--seat", seatColour(player.index));
  const head = element("div", "head");
  head.append(seatMark(player.index), nameOf(player.player), element("span", "total", numberText(player.total)));
  const lines = element("ul", "lines");
  for (const line of player.lines.filter((item) => item.count !== 0)) {
    const row = element("li");
    row.append(element("span", "", itemText(line.item)), element("span", "count", line.count));
    lines.append(row);
  }
  card.append(head, lines);
  return card;
}

let scoreText = "";
function showPlayers(score) {
  const text = JSON.stringify(score.players);
  if (text === scoreText) return;
  scoreText = text;
  tellFaults([...faults, ...strangersIn(options.players, score.players)]);
  const players = chosen(score);
  stage.style.setProperty("--players", players.length);
  stage.toggleAttribute("data-crowd", players.length > 4);
  stage.toggleAttribute("data-many", players.length > 3);
  byId("bar").hidden = !shows("bar");
  if (shows("bar")) byId("players").replaceChildren(...players.map((player) => barRow(player, players, score.game)));
  if (shows("cards")) {
    byId("cards").replaceChildren(...players.map((player) => playerCard(player, players, score.game)));
    byId("cards").hidden = false;
  }
  for (const player of score.players) totals.set(player.seat, player.total);
}

/** What to say beside the totals; a score with open items is never called final. */
function standing({ state, open_items: open }) {
  if (state === "broken") return t("state.camera_lost");
  if (state !== "finished") return "";
  return open.length > 0 ? t("state.provisional") : t("state.final");
}

function showTimer(view) {
  if (!shows("timer")) return;
  const { score } = view;
  const round = roundOf(view);
  byId("timer").hidden = score.state === "waiting";
  byId("time").textContent = wallText(round.to - round.from);
  byId("time-note").textContent = score.state !== "playing" ? t(`state.${score.state}`) : round.isOver ? t("call.round_end") : "";
}

// -- verdicts ---------------------------------------------------------------------------------------------

const isWanted = (verdict) => (options.verdicts === "all" ? !isQuiet(verdict) : isNotable(verdict));

/** The newest thing to tell: a verdict that came, or one that just fell or stands again. Null: nothing new. */
function newsIn(verdicts) {
  let news = null;
  for (const verdict of verdicts) {
    const known = standings.get(verdict.verdict_id);
    const isTurned = known !== undefined && (known === "overturned") !== isOverturned(verdict);
    if (isTurned || (known === undefined && isWanted(verdict) && !isOverturned(verdict))) news = verdict;
    standings.set(verdict.verdict_id, verdict.standing);
  }
  return news;
}

function fillLine(rulingBox, reasonBox, verdict) {
  rulingBox.textContent = rulingText(verdict.ruling);
  const reason = reasonText(verdict);
  const needsName = verdict.player && !reason.includes(verdict.player);
  reasonBox.textContent = needsName ? t("verdict.of", { player: verdict.player, reason }) : reason;
}

function showVerdict(verdict, { insteadOf, replacedBy }) {
  const old = isOverturned(verdict) ? verdict : replacedBy(verdict);
  const now = isOverturned(verdict) ? insteadOf(verdict).at(-1) : verdict;
  shownId = verdict.verdict_id;
  verdictBox.className = `is-shown ${now?.ruling ?? "UNDECIDED"}`;
  byId("old").hidden = !old;
  if (old) fillLine(byId("old-ruling"), byId("old-reason"), old);
  byId("old").className = old?.ruling ?? "";
  if (now) fillLine(byId("ruling"), byId("reason"), now);
  else {
    byId("ruling").textContent = t("verdict.overturned");
    byId("reason").textContent = t("verdict.withdrawn");
  }
  if (!shows("verdict")) return;
  verdictBox.hidden = true;
  void verdictBox.offsetWidth; // restarts the entrance
  verdictBox.hidden = false;
  clearTimeout(hideTimer);
  hideTimer = setTimeout(() => { verdictBox.hidden = true; }, old ? SHOW_REVERSAL_MS : SHOW_VERDICT_MS);
}

function tickerItem(verdict) {
  const item = element("li", verdict.ruling);
  item.append(element("b", "", rulingText(verdict.ruling)), element(isOverturned(verdict) ? "s" : "span", "", reasonText(verdict)));
  return item;
}

let tickerText = "";
function showTicker(verdicts) {
  if (!shows("ticker")) return;
  const last = verdicts.filter((verdict) => !isQuiet(verdict)).slice(-TICKER_ITEMS).reverse();
  const text = JSON.stringify(last.map((verdict) => [verdict.verdict_id, verdict.standing]));
  if (text === tickerText) return;
  tickerText = text;
  byId("ticker").replaceChildren(...last.map(tickerItem));
  byId("ticker").hidden = last.length === 0;
}

function showVerdicts(verdicts) {
  showTicker(verdicts);
  const links = replacements(verdicts);
  const news = newsIn(verdicts);
  const wasFirst = isFirstView;
  isFirstView = false;
  if (news) {
    showVerdict(news, links);
    if (shows("replay") && !wasFirst && isNotable(news)) replay(matchId, links.replacedBy(news) ?? news);
  } else if (!wasFirst) refreshShown(verdicts, links);
}

/** What holds instead may come a moment after the verdict fell. */
function refreshShown(verdicts, links) {
  const shown = verdicts.find((verdict) => verdict.verdict_id === shownId);
  if (!verdictBox.hidden && shown && isOverturned(shown) && links.insteadOf(shown).length > 0) {
    const now = links.insteadOf(shown).at(-1);
    verdictBox.className = `is-shown ${now.ruling}`;
    fillLine(byId("ruling"), byId("reason"), now);
  }
}

followTable(table, (view) => {
  document.body.classList.toggle("is-stale", view.stale !== null);
  byId("stale").hidden = view.stale === null;
  const isKnownWhy = view.refused !== null && view.code !== "no_token";
  byId("stale").textContent = view.stale === null ? "" : isKnownWhy ? view.refused : t(view.stale, { table });
  if (view.score === null) return;
  ({ matchId } = view);
  showPlayers(view.score);
  byId("state").textContent = standing(view.score);
  showTimer(view);
  showVerdicts(view.verdicts);
}, { delayS: options.delay_s });
