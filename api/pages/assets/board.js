// All tables at a glance: who plays, how it stands, where a person is needed. What it all adds up to: tournament.js.

import { lookOnChanges } from "./changes.js";
import { arrange, element, link, numberText } from "./elements.js";
import { getJson } from "./net.js";
import { isLeading, seatMark } from "./seats.js";
import { fillTop, page } from "./top.js";
import "./tournament.js";
import { counted, knows, pileText, reasonText, rulingText, seat, t } from "./words.js";

const STILL_MS = 8000; // a table that plays without a new frame for so long has camera trouble

const byId = (id) => document.getElementById(id);
const moved = new Map(); // table -> { tUs, at }: when its newest frame last changed
const cards = new Map(); // table -> { text, card }

fillTop("board");

/** How the camera of a table is: ok, still, lost. */
function cameraOf(table) {
  const { state, t_us: tUs } = table.score;
  const known = moved.get(table.table);
  if (!known || known.tUs !== tUs) moved.set(table.table, { tUs, at: performance.now() });
  if (state === "broken") return "lost";
  return state === "playing" && performance.now() - moved.get(table.table).at > STILL_MS ? "still" : "ok";
}

function sign(text, tone = "") {
  return element("span", `sign ${tone}`, text);
}

function signsOf({ attention, score }, camera) {
  const made = element("p", "signs");
  if (attention.appeals_open > 0) made.append(sign(`${t("board.disputes")}: ${attention.appeals_open}`, "warn"));
  if (attention.undecided > 0) made.append(sign(`${t("board.undecided")}: ${attention.undecided}`, "warn"));
  if (camera !== "ok") made.append(sign(`${t("board.camera")}: ${t(`board.camera_${camera}`)}`, "bad"));
  else if (score.state === "playing") made.append(sign(`${t("board.camera")}: ${t("board.camera_ok")}`));
  if (score.open_items.length > 0) made.append(sign(t("state.provisional")));
  return made;
}

function playersOf(score) {
  const list = element("ul", "players");
  score.players.forEach((player, i) => {
    const row = element("li", isLeading(player, score.players, score.game) ? "leads" : "");
    row.append(seatMark(i), element("bdi", "", player.player), element("b", "", numberText(player.total)));
    list.append(row);
  });
  return list;
}

function lastOf(verdict) {
  const last = element("p", `last ${verdict.ruling}`);
  const said = `${rulingText(verdict.ruling)}: ${reasonText(verdict)}`;
  last.append(element(verdict.standing === "overturned" ? "s" : "span", "", said));
  last.title = pileText(verdict.pile);
  return last;
}

function cardOf(table, camera) {
  const { match, score, attention } = table;
  seat(score);
  const card = element("li", `table ${score.state}`);
  card.classList.toggle("attention", attention.appeals_open + attention.undecided > 0);
  card.classList.toggle("trouble", camera !== "ok");
  const head = element("div", "head");
  const name = element("h2");
  name.append(element("bdi", "", table.table), " ", element("small", "", knows(`game.${score.game}`) ? t(`game.${score.game}`) : score.game));
  head.append(name, element("span", `pill ${score.state}`, t(`state.${score.state}`)));
  const pages = element("nav");
  pages.setAttribute("aria-label", table.table);
  pages.append(link(t("nav.live"), page(`/live/${encodeURIComponent(table.table)}`)), link(t("nav.review"), page(`/review/${encodeURIComponent(match.match_id)}`), "review"));
  card.append(head, signsOf(table, camera), playersOf(score), ...(table.last_verdict ? [lastOf(table.last_verdict)] : []), pages);
  return card;
}

/** The card of a table, made anew only where it would look otherwise: focus stays where it is. */
function keptCard(table) {
  const camera = cameraOf(table);
  const text = JSON.stringify([{ ...table, score: { ...table.score, t_us: 0 } }, camera]);
  const known = cards.get(table.table);
  if (known?.text === text) return known.card;
  const card = cardOf(table, camera);
  cards.set(table.table, { text, card });
  return card;
}

async function look() {
  const tables = await getJson("/api/v1/tables");
  arrange(byId("tables"), tables.map(keptCard));
  byId("empty").hidden = tables.length > 0;
  const waiting = tables.filter(({ attention }) => attention.appeals_open + attention.undecided > 0).length;
  byId("summary").textContent = tables.length > 0 ? t("board.summary", { tables: counted("board.tables", tables.length), waiting: counted("board.waiting", waiting) }) : "";
}

lookOnChanges(look, byId("away"));
