// The transparent score bar: 1920 x 1080, scaled to whatever window the streaming program gives it.

import { element, spoken } from "./elements.js";
import { followTable, tableOfPage } from "./follow.js";

const SHOW_VERDICT_MS = 6000;

const stage = document.getElementById("stage");
const players = document.getElementById("players");
const verdictBox = document.getElementById("verdict");
const staleBox = document.getElementById("stale");
const totals = new Map();
let shownVerdict = null;
let hideTimer = 0;

function fit() {
  const scale = Math.min(innerWidth / 1920, innerHeight / 1080);
  stage.style.transform = `translate(${(innerWidth - 1920 * scale) / 2}px, ${innerHeight - 1080 * scale}px) scale(${scale})`;
}
addEventListener("resize", fit);
fit();

function showPlayers(score) {
  const best = Math.max(...score.players.map((player) => player.total));
  players.replaceChildren(
    ...score.players.map((player) => {
      const row = element("li");
      const leads = player.total === best && score.players.some((other) => other.total < best);
      row.classList.toggle("leads", leads);
      row.classList.toggle("changed", totals.has(player.seat) && totals.get(player.seat) !== player.total);
      totals.set(player.seat, player.total);
      row.append(element("span", "name", player.player), element("span", "total", player.total));
      return row;
    }),
  );
}

/** What to say beside the totals; a score with open items is never called final. */
function standing({ state, open_items: open }) {
  if (state === "broken") return "camera lost";
  if (state !== "finished") return "";
  return open.length > 0 ? "provisional" : "final";
}

function showVerdict(verdict) {
  if (!verdict || verdict.verdict_id === shownVerdict) return;
  shownVerdict = verdict.verdict_id;
  verdictBox.className = verdict.ruling;
  document.getElementById("ruling").textContent = spoken(verdict.ruling);
  const names = verdict.player && !verdict.reason.startsWith(verdict.player);
  document.getElementById("reason").textContent = names ? `${verdict.player}: ${verdict.reason}` : verdict.reason;
  verdictBox.hidden = true;
  void verdictBox.offsetWidth; // restarts the entrance
  verdictBox.hidden = false;
  clearTimeout(hideTimer);
  hideTimer = setTimeout(() => { verdictBox.hidden = true; }, SHOW_VERDICT_MS);
}

let scoreText = "";
followTable(tableOfPage(), (view) => {
  document.body.classList.toggle("is-stale", view.stale !== null);
  staleBox.hidden = view.stale === null;
  staleBox.textContent = view.stale ?? "";
  if (view.score === null) return;
  const text = JSON.stringify(view.score.players);
  if (text !== scoreText) {
    scoreText = text;
    showPlayers(view.score);
  }
  document.getElementById("state").textContent = standing(view.score);
  showVerdict(view.verdicts.at(-1));
});
