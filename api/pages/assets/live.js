// The live page: the picture, the score with its lines, verdicts as they come, calls, and putting right.

import { arrange, button, element, isSmall, nameOf, numberText, once } from "./elements.js";
import { enterCount, fillCalls, hearCalls, showTold } from "./calls.js";
import { openFix, openQuickFix } from "./fix.js";
import { addressParts, followMatch, followTable } from "./follow.js";
import { aboutMatch, getJson, getObjectUrl, permits } from "./net.js";
import { isRoundOver } from "./rounds.js";
import { isLeading, seatMark } from "./seats.js";
import { offer } from "./offers.js";
import { clockText } from "./times.js";
import { fillTop, livePath, page } from "./top.js";
import { isNotable, isOverturned, isQuiet, isWaiting, replacements } from "./verdicts.js";
import { verdictRow } from "./verdict_row.js";
import { WaitingBefore } from "./waiting.js";
import { counted, itemText, knows, pileText, reasonText, t } from "./words.js";

const PICTURE_MS = 150; // between pictures while playing
const PICTURE_REST_MS = 2000; // when there is nothing new
const LOST_SHOWN_US = 12e6; // a lost view is told for this long after it came back
const PAGE_OF_ROWS = 150;

const byId = (id) => document.getElementById(id);
const [table] = addressParts();
const wanted = new URLSearchParams(location.search).get("match"); // one match of the table; null: its newest, and the next when that comes
const ownPath = wanted === null ? location.pathname : `${location.pathname}?match=${encodeURIComponent(wanted)}`;
let matchId = null;
let state = "waiting";
let view = null;
let may = new Set(); // what this page may enter into this match; nothing until it is told
let hasJokers = false; // whether it is known to be played with some
let takesCounts = false; // whether cards that were counted can be entered now

/** Buttons are shown to those who may press them, in a match that takes what they enter. */
async function learnWhatMay(id) {
  const [permitted, about] = await Promise.all([permits, aboutMatch(id)]);
  if (id !== matchId) return;
  may = about.is_open ? permitted : new Set();
  takesCounts = may.has("call") && (about.takes_counts ?? !isOver());
  hasJokers = about.has_jokers === true;
  byId("call-side").hidden = !may.has("call");
  showCalls();
  rows.clear();
  showScore(view.score);
  showVerdicts();
}

// -- score ------------------------------------------------------------------------------------------------

function playerCard(player, index, players) {
  const card = element("article", "player");
  card.classList.toggle("leads", isLeading(player, players, view.score.game));
  const head = element("div", "head");
  head.append(seatMark(index), nameOf(player.player), element("span", "seat", t(`seat.${player.seat}`)), element("span", "total", numberText(player.total)));
  const lines = element("table");
  for (const line of player.lines) {
    const row = lines.insertRow();
    row.append(
      element("td", "", line.rule ? `${itemText(line.item)} (${line.rule})` : itemText(line.item)),
      element("td", "", `${line.count} × ${numberText(line.points_each)}`),
      element("td", "", numberText(line.points)),
    );
  }
  card.append(head, lines);
  return card;
}

const UNCOUNTED = new Set(["nerts_uncounted", "cards_uncounted", "hand_uncounted"]);

function openItem(item) {
  const row = element("li", "", t("live.open_item", { reason: reasonText(item), rule: item.rule, pile: pileText(item.pile) }));
  if (takesCounts && UNCOUNTED.has(item.reasons[0]?.key)) row.append(countForm(`${t("live.count")}: ${pileText(item.pile)}`, () => ({ pile: item.pile })));
  return row;
}

/** Where a person enters how many cards there are of what `read` names: `{pile}` or `{deck}`. */
function countForm(label, read, ...before) {
  const form = element("form");
  const count = Object.assign(element("input"), { type: "number", min: 0, max: 432, required: true, ariaLabel: label });
  const enter = Object.assign(element("button", "", t("live.count_enter")), { type: "submit" });
  form.append(...before, count, enter);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const told = { ...read(), count: Number(count.value) };
    once(enter, () => takeCount(told));
  });
  return form;
}

/** While a match runs a count is told; after its end it is judged again, and what that changes is seen first. */
async function takeCount(told) {
  if (isOver()) openQuickFix(matchId, null, view, t("live.count_more"), { kind: "count", ...told });
  else await enterCount(told);
}

/** Where any count is entered: also one that was entered wrongly before. */
function showCountMore(score) {
  byId("count-more").hidden = !takesCounts || score.game !== "nerts";
  if (byId("count-more").hidden) return;
  const what = element("select");
  what.setAttribute("aria-label", t("live.count_what"));
  for (const player of score.players) {
    what.append(new Option(pileText(`${player.seat}/reserve`), `pile ${player.seat}/reserve`), new Option(t("live.count_backs", { player: player.player }), `deck ${player.seat}`));
  }
  const read = () => {
    const [kind, name] = what.value.split(" ");
    return { [kind]: name };
  };
  byId("count-row").replaceChildren(countForm(t("live.count_more"), read, what));
}

let countsBuiltFor = "";
let scoreText = "";
function showScore(score) {
  const isCounting = isRoundOver(view);
  const text = JSON.stringify([score.players, score.open_items, takesCounts, isCounting]);
  if (text === scoreText) return;
  scoreText = text;
  byId("players").replaceChildren(...score.players.map(playerCard));
  // What is counted at the end of a round is no news while it is played.
  byId("open").replaceChildren(...score.open_items.filter((item) => isCounting || !UNCOUNTED.has(item.reasons[0]?.key)).map(openItem));
  const who = JSON.stringify([takesCounts, score.game, score.players.map((player) => [player.seat, player.player])]);
  if (who !== countsBuiltFor) showCountMore(score);
  countsBuiltFor = who;
}

// -- verdicts ---------------------------------------------------------------------------------------------

const FILTERS = {
  all: () => true,
  notable: isNotable,
  open: isWaiting,
};
let filter = "all";
let rowsShown = PAGE_OF_ROWS;
const rows = new Map(); // verdict id -> { text, row }
const before = new WaitingBefore();
let older = []; // verdicts from before the snapshot, once asked for

function fillFilter() {
  byId("filter").replaceChildren(
    ...Object.keys(FILTERS).map((name) => {
      const made = button(t(`verdict.${name}`), () => {
        filter = name;
        rowsShown = PAGE_OF_ROWS;
        fillFilter();
        showVerdicts();
      });
      made.setAttribute("aria-pressed", String(name === filter));
      return made;
    }),
  );
}
fillFilter();

function chipsOf(verdict) {
  const chips = element("div", "chips");
  chips.append(button(`${t("fix.title")} …`, () => openFix(matchId, verdict, view)));
  if (verdict.plays.length === 1) {
    const [play] = verdict.plays;
    for (const player of view.score.players.filter((other) => other.seat !== play.seat)) {
      const text = t("fix.was_owner", { player: player.player });
      const body = { kind: "owner", verdict_id: verdict.verdict_id, play: 0, seat: player.seat };
      chips.append(button(text, () => openQuickFix(matchId, verdict, view, text, body), "quick"));
    }
  }
  if (verdict.entries.length > 0) {
    const body = { kind: "undo", entry: Math.max(...verdict.entries) };
    chips.append(button(t("fix.undo"), () => openQuickFix(matchId, verdict, view, t("fix.undo_this"), body), "quick"));
  }
  return chips;
}

/** The row of a verdict, made anew only where it would look otherwise. */
function rowOf(verdict, replaced) {
  const text = JSON.stringify([verdict, replaced.map((other) => other.verdict_id), view.score.players.length]);
  const known = rows.get(verdict.verdict_id);
  if (known?.text === text) return known.row;
  const row = verdictRow(verdict, replaced);
  if (!isOverturned(verdict) && may.has("correct")) row.append(chipsOf(verdict));
  rows.set(verdict.verdict_id, { text, row });
  return row;
}

function showVerdicts() {
  if (!view?.score) return;
  const known = [...older, ...view.verdicts];
  const verdicts = filter === "open" ? before.with(known) : known;
  const { insteadOf } = replacements(verdicts);
  const loud = verdicts.filter((verdict) => !isQuiet(verdict) && FILTERS[filter](verdict));
  const newest = loud.slice(-rowsShown).reverse();
  const made = newest.map((verdict) => rowOf(verdict, insteadOf(verdict)));
  made.forEach((row, i) => row.classList.toggle("newest", i === 0));
  arrange(byId("verdicts"), made);
  byId("no-verdicts").hidden = made.length > 0;
  byId("count").textContent = loud.length > 0 ? loud.length : "";
  byId("older").hidden = loud.length <= rowsShown && !(view.verdictsBefore > older.length);
  const quiet = verdicts.filter(isQuiet);
  byId("quiet").hidden = quiet.length === 0;
  byId("quiet-count").textContent = `(${quiet.length})`;
  if (byId("quiet").open) byId("quiet-list").replaceChildren(...quiet.reverse().map((verdict) => element("li", "", reasonText(verdict))));
}
byId("quiet").addEventListener("toggle", showVerdicts);
byId("older").addEventListener("click", async () => {
  rowsShown += PAGE_OF_ROWS;
  if (view.verdictsBefore > older.length) {
    const first = view.verdicts[0]?.verdict_id;
    const answer = await getJson(`/api/v1/matches/${encodeURIComponent(matchId)}/verdicts`);
    const all = answer.items ?? answer;
    const place = all.findIndex((verdict) => verdict.verdict_id === first);
    older = all.slice(0, Math.max(place, 0));
  }
  showVerdicts();
});

// -- what needs a person ----------------------------------------------------------------------------------

function showSigns() {
  const open = before.with(view.verdicts).filter(isWaiting);
  const newest = open.at(-1);
  byId("undecided").hidden = !newest;
  if (newest) {
    const more = open.length > 1 ? ` · ${counted("live.undecided_count", open.length)}` : "";
    byId("undecided-what").textContent = newest.standing === "under appeal" ? t("standing.under appeal") : t("live.undecided");
    byId("undecided-why").textContent = `${reasonText(newest)}${more}`;
    byId("undecided-link").href = `${page(`/review/${encodeURIComponent(matchId)}`)}#${newest.verdict_id}`;
  }
  const lost = view.verdicts.findLast((verdict) => verdict.reasons?.[0]?.key === "view_lost");
  byId("lost").hidden = !(lost && state === "playing" && view.score.t_us - lost.when.end_us < LOST_SHOWN_US);
}

const takeCallBack = (entry) => openQuickFix(matchId, null, view, t("fix.undo_review"), { kind: "undo", entry });

function showCalls() {
  fillCalls(matchId, view.score, hasJokers);
  showTold(view.calls, may.has("correct") ? takeCallBack : null);
}

fillTop("live");
(wanted === null ? followTable : followMatch)(wanted ?? table, (now) => {
  view = now;
  byId("stale").hidden = now.stale === null;
  byId("stale").textContent = now.stale === null ? "" : (now.refused ?? t(now.stale, { name: wanted ?? table }));
  byId("table").textContent = wanted === null || wanted === table ? table : `${table} · ${wanted}`;
  document.title = `${table} · ${t("app.name")}`;
  offer(now.others, (match) => livePath(match, now.others), wanted ?? table);
  byId("main").hidden = now.others !== null;
  if (now.score === null) return;
  if (now.matchId !== matchId) {
    matchId = now.matchId;
    older = [];
    [may, hasJokers] = [new Set(), false];
    rows.clear();
    learnWhatMay(matchId);
    fillTop("live", [["live", t("nav.live"), ownPath], ["review", t("nav.review"), `/review/${encodeURIComponent(matchId)}`], ["overlay", t("nav.overlay"), `/overlay/${encodeURIComponent(table)}`]]);
  }
  ({ state } = now.score);
  byId("game").textContent = knows(`game.${now.score.game}`) ? t(`game.${now.score.game}`) : now.score.game;
  byId("state").textContent = t(`state.${state}`);
  byId("state").className = `pill ${state}`;
  byId("clock").textContent = clockText(now.score.t_us);
  showScore(now.score);
  showCalls();
  hearCalls(now.calls);
  showVerdicts();
  showSigns();
  before.look(now, () => {
    showVerdicts();
    showSigns();
  });
});

// -- picture ----------------------------------------------------------------------------------------------

const isOver = () => state === "finished" || state === "broken";
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Shows the newest picture; false where there is none. */
async function showPicture(id) {
  const picture = byId("picture");
  try {
    const url = await getObjectUrl(`/api/v1/matches/${encodeURIComponent(id)}/picture.jpg${isSmall() ? "?small=true" : ""}`);
    const was = picture.src;
    picture.src = url;
    await picture.decode();
    if (was) URL.revokeObjectURL(was);
  } catch {
    return false;
  }
  picture.hidden = false;
  byId("no-picture").hidden = true;
  return true;
}

/** Asks for pictures while the match runs, then once more for the last one; a later match starts it again. */
async function showPictures() {
  for (;;) {
    while (matchId === null) await sleep(300);
    const [askedMatch, wasOver] = [matchId, isOver()];
    const isShown = Boolean(view.score?.has_picture) && (await showPicture(askedMatch));
    if (!isShown && wasOver && byId("picture").hidden) byId("no-picture").textContent = t("live.no_picture_kept");
    await sleep(isShown && state === "playing" && !document.hidden ? PICTURE_MS : PICTURE_REST_MS);
    while (wasOver && isOver() && matchId === askedMatch && isShown === Boolean(view.score?.has_picture)) await sleep(PICTURE_REST_MS);
  }
}
showPictures();
