// The live page: annotated picture, score with its lines, verdicts with reasons and times.

import { clockText, element, spoken } from "./elements.js";
import { followTable, tableOfPage } from "./follow.js";

const PICTURE_MS = 150; // between pictures while playing
const PICTURE_REST_MS = 2000; // when there is nothing new

const byId = (id) => document.getElementById(id);
const picture = byId("picture");
let matchId = null;
let state = "waiting";
let shownVerdicts = [];
let scoreText = "";

function playerCard(player) {
  const card = element("article", "player");
  const header = element("header");
  header.append(element("span", "name", player.player), element("span", "seat", player.seat), element("span", "total", player.total));
  const table = element("table");
  for (const line of player.lines) {
    const row = table.insertRow();
    const rule = line.rule ? ` (${line.rule})` : "";
    row.append(
      element("td", "", `${line.item}${rule}`),
      element("td", "", `${line.count} × ${line.points_each}`),
      element("td", "", line.points),
    );
  }
  card.append(header, table);
  return card;
}

function openItem(item) {
  return element("li", "", `open: ${item.reason} (${item.rule}, ${item.pile})`);
}

function verdictRow(verdict) {
  const row = element("li", verdict.ruling);
  const top = element("div", "top");
  const time = element("time", "", clockText(verdict.when.end_us));
  time.title = `between ${clockText(verdict.when.start_us)} and ${clockText(verdict.when.end_us)}`;
  top.append(element("span", "ruling", spoken(verdict.ruling)), element("span", "rule", verdict.rule ?? ""), time);
  const widthMs = Math.round((verdict.when.end_us - verdict.when.start_us) / 1000);
  const racing = [...new Set(verdict.plays.map((play) => play.player).filter(Boolean))].join(" and ");
  const who = verdict.player ?? (racing || "player not known");
  const what = [who, verdict.card, verdict.pile].filter(Boolean).join(" · ");
  row.append(top, element("p", "reason", verdict.reason), element("p", "evidence", `${what} · touch known to within ${widthMs} ms`));
  return row;
}

function showVerdicts(verdicts) {
  const goesOn = shownVerdicts.every((shown, i) => shown.verdict_id === verdicts[i]?.verdict_id);
  const list = byId("verdicts");
  if (!goesOn) list.replaceChildren();
  for (const verdict of verdicts.slice(goesOn ? shownVerdicts.length : 0)) {
    list.prepend(verdictRow(verdict));
  }
  shownVerdicts = verdicts;
  byId("no-verdicts").hidden = verdicts.length > 0;
  byId("count").textContent = verdicts.length || "";
}

followTable(tableOfPage(), (view) => {
  byId("stale").hidden = view.stale === null;
  byId("stale").textContent = view.stale ?? "";
  if (view.score === null) return;
  ({ matchId } = view);
  ({ state } = view.score);
  document.title = `${view.score.table} · TouchJudge`;
  byId("game").textContent = view.score.game;
  byId("table").textContent = view.score.table;
  byId("state").textContent = state;
  byId("state").className = `pill ${state}`;
  byId("clock").textContent = clockText(view.score.t_us);
  const text = JSON.stringify([view.score.players, view.score.open_items]);
  if (text !== scoreText) {
    scoreText = text;
    byId("players").replaceChildren(...view.score.players.map(playerCard));
    byId("open").replaceChildren(...view.score.open_items.map(openItem));
  }
  showVerdicts(view.verdicts);
});

const isOver = () => state === "finished" || state === "broken";

// Asks for pictures while the match runs, then once more for the last one. A later match starts it again.
function nextPicture() {
  if (matchId === null) {
    setTimeout(nextPicture, 300);
    return;
  }
  const [askedMatch, wasOver] = [matchId, isOver()];
  const rest = (ms) => {
    if (wasOver && isOver() && matchId === askedMatch) setTimeout(awaitPlay, PICTURE_REST_MS);
    else setTimeout(nextPicture, ms);
  };
  const awaitPlay = () => {
    if (isOver() && matchId === askedMatch) setTimeout(awaitPlay, PICTURE_REST_MS);
    else nextPicture();
  };
  const next = new Image();
  next.onload = () => {
    picture.src = next.src;
    picture.hidden = false;
    byId("no-picture").hidden = true;
    rest(state === "playing" ? PICTURE_MS : PICTURE_REST_MS);
  };
  next.onerror = () => {
    if (wasOver && picture.hidden) byId("no-picture").textContent = "No picture is kept with this match.";
    rest(PICTURE_REST_MS);
  };
  next.src = `/api/v1/matches/${encodeURIComponent(matchId)}/picture.jpg?at=${Date.now()}`;
}
nextPicture();
