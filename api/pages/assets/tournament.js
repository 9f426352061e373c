// What the tables add up to: a tournament's rounds, seatings and standings, or the standings of all matches.

import { lookOnChanges } from "./changes.js";
import { button, element, link, numberText } from "./elements.js";
import { getJson, getObjectUrl, permits, postJson, send } from "./net.js";
import { page } from "./top.js";
import { isolated, namesText, t } from "./words.js";

const SURE_MS = 6000; // within so long a second press ends the tournament
const LONGEST_PLAN = 200_000; // characters, as the server has it; each has four bytes at most
const NO_TEXT = /[\u0000\ufffd]/; // what a picture has in it

const byId = (id) => document.getElementById(id);
let tournament = null; // as it was told last; null: there is none
let shownRound = null; // the round that somebody chose; null: the one that is played
let drawn = ""; // what is on the page, so that nothing is made anew under somebody's fingers

const roundText = (round) => (round.name ? t("board.round_named", { n: round.number, name: round.name }) : t("board.round", { n: round.number }));

function sideRow(side) {
  const row = element("li", side.is_winner ? "leads" : "");
  const names = element("span", "names");
  side.players.forEach((name, i) => names.append(...(i > 0 ? [" & "] : []), element("bdi", "", name)));
  row.append(names);
  if (side.nerts_pile !== null) row.append(element("small", "handicap", t("board.nerts_pile", { n: side.nerts_pile })));
  if (side.is_winner) row.append(element("small", "won", t("board.won")));
  row.append(element("b", "", side.total === null ? "–" : numberText(side.total)));
  return row;
}

function seatingCard(seating) {
  const card = element("li", `seating ${seating.state}`);
  const head = element("div", "head");
  const name = element("h3");
  const table = element("bdi", "", seating.table);
  const shown = link("", page(`/live/${encodeURIComponent(seating.table)}`));
  if (seating.match_id !== null) shown.append(table);
  name.append(seating.match_id === null ? table : shown);
  const state = seating.match_id === null ? t("board.not_begun") : t(`state.${seating.state}`);
  head.append(name, element("span", `pill ${seating.state}`, state));
  const sides = element("ul", "sides");
  sides.append(...seating.sides.map(sideRow));
  card.append(head, sides);
  if (seating.state === "finished" && seating.is_provisional) card.append(element("p", "quiet", t("state.provisional")));
  return card;
}

function drawRound() {
  const { rounds, current_round: current, nerts_pile: usual } = tournament;
  const round = rounds[(shownRound ?? current) - 1] ?? rounds[current - 1];
  byId("tournament-title").textContent = tournament.name;
  const agreed = [round.target === null ? "" : t("board.target", { n: round.target }), usual === null ? "" : t("board.nerts_pile", { n: usual })];
  byId("target").textContent = agreed.filter(Boolean).map(isolated).join(" · ");
  byId("rounds").replaceChildren(...rounds.map((each) => {
    const made = button(roundText(each), () => choose(each.number));
    made.setAttribute("aria-pressed", String(each === round));
    if (each.number === current) made.setAttribute("aria-current", "step");
    return made;
  }));
  byId("seatings").replaceChildren(...round.tables.map(seatingCard));
}

function choose(number) {
  shownRound = number === tournament.current_round ? null : number;
  drawRound();
  byId("rounds").children[number - 1].focus();
}

function standingRow({ rank, name, players, matches, won, points }) {
  const row = element("tr");
  const named = element("td");
  (players ?? [name]).forEach((each, i) => named.append(...(i > 0 ? [" & "] : []), element("bdi", "", each)));
  row.append(element("td", "", rank), named, element("td", "", matches), element("td", "", won), element("td", "", numberText(points)));
  return row;
}

/** All players over all matches, as rows of a tournament have it. */
function rowsOf({ players }) {
  const rankOf = (player) => players.findIndex((other) => other.won === player.won && other.points === player.points) + 1;
  return players.map((player) => ({ ...player, name: player.player, rank: rankOf(player) }));
}

/** Which matches have records that contradict each other: one of them counts for now. */
function contradictions({ matches }) {
  const counting = matches.filter((match) => match.copy_of === null && match.contradicted_by.length > 0);
  return counting.map((match) => t("board.contradicted", { match: match.match_id, others: namesText(match.contradicted_by) }));
}

async function look() {
  const [told, standings] = await Promise.all(["/api/v1/tournament", "/api/v1/standings"].map((path) => getJson(path)));
  const rows = told === null ? rowsOf(standings) : told.standings;
  const contradicted = contradictions(standings);
  const text = JSON.stringify([told, rows, contradicted]);
  if (text === drawn) return;
  drawn = text;
  tournament = told;
  byId("tournament").hidden = told === null;
  for (const id of ["participants-csv", "standings-csv", "end"]) byId(id).hidden = told === null;
  byId("standings").hidden = rows.length === 0;
  byId("contradicted").hidden = contradicted.length === 0;
  byId("contradicted").textContent = contradicted.join(" ");
  byId("players").tBodies[0].replaceChildren(...rows.map(standingRow));
  if (told !== null) drawRound();
}

async function save(path, name) {
  const url = await getObjectUrl(path);
  Object.assign(element("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const of = (name) => (tournament === null ? `/api/v1/standings${name}` : `/api/v1/tournament${name}`);
byId("csv").addEventListener("click", () => save(tournament === null ? of(".csv") : of("/results.csv"), "touchjudge-results.csv"));
byId("json").addEventListener("click", () => save(of(""), "touchjudge-results.json"));
byId("participants-csv").addEventListener("click", () => save(of("/participants.csv"), "touchjudge-participants.csv"));
byId("standings-csv").addEventListener("click", () => save(of("/standings.csv"), "touchjudge-standings.csv"));

/** Does what an organiser asked for, and says how it went. */
async function organise(act, done) {
  const said = byId("plan-said");
  try {
    await act();
    shownRound = null;
    said.className = "quiet";
    said.textContent = done;
    await look();
  } catch (refused) {
    said.className = "error";
    said.textContent = refused.message;
  }
}

byId("load").addEventListener("click", () => byId("plan").click());
byId("plan").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  const text = await file.slice(0, 4 * LONGEST_PLAN + 4).text();
  target.value = ""; // the same file may be chosen again once it was put right
  await organise(() => {
    if (NO_TEXT.test(text) || [...text].length > LONGEST_PLAN) throw new Error(t("board.no_plan", { name: file.name, most: numberText(LONGEST_PLAN) }));
    return postJson("/api/v1/tournament", { toml: text });
  }, t("board.loaded"));
});

let sureUntil = 0;
byId("end").addEventListener("click", async ({ detail: clicks }) => {
  if (clicks > 1) return; // a double click is one press
  const end = byId("end");
  if (performance.now() > sureUntil) {
    sureUntil = performance.now() + SURE_MS;
    end.textContent = t("board.end_sure");
    setTimeout(() => { end.textContent = t("board.end"); }, SURE_MS);
    return;
  }
  sureUntil = 0;
  end.textContent = t("board.end");
  await organise(() => send("DELETE", "/api/v1/tournament"), t("board.ended"));
});

permits.then((may) => { byId("organise").hidden = !may.has("admin"); });
lookOnChanges(look, byId("away"));
