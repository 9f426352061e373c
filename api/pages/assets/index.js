// The way in: the matches of this server with their pages, and the address of an overlay to one's liking.

import { lookOnChanges } from "./changes.js";
import { arrange, button, element, link, nameOf, numberText } from "./elements.js";
import { getJson } from "./net.js";
import { SURFACES } from "./options.js";
import { isLeading, seatMark } from "./seats.js";
import { fillTop, livePath, page } from "./top.js";
import { counted, knows, t } from "./words.js";

const byId = (id) => document.getElementById(id);

fillTop("home");
byId("tokens-link").href = page("/tokens");

/** The players of a match, with their totals where they are told. */
function playersOf(match, shown) {
  const list = element("ul", "players");
  const totals = shown?.score.players ?? [];
  match.players.forEach((name, i) => {
    const row = element("li", totals[i] && isLeading(totals[i], totals, match.game) ? "leads" : "");
    row.append(seatMark(i), nameOf(name));
    if (totals[i]) row.append(element("b", "", numberText(totals[i].total)));
    list.append(row);
  });
  return list;
}

function row({ match, path, shown }) {
  const item = element("li");
  const id = encodeURIComponent(match.match_id);
  const head = element("div", "head");
  const name = element("strong");
  name.append(element("bdi", "", match.match_id === match.table ? match.table : `${match.table} · ${match.match_id}`));
  name.append(element("small", "", knows(`game.${match.game}`) ? t(`game.${match.game}`) : match.game));
  head.append(name, element("span", `pill ${match.state}`, t(`state.${match.state}`)));
  const waiting = shown ? shown.attention.undecided + shown.attention.appeals_open : 0;
  const pages = element("nav");
  pages.setAttribute("aria-label", match.match_id);
  pages.append(
    link(t(["waiting", "playing"].includes(match.state) ? "home.watch" : "home.result"), page(path), "primary"),
    element("span", "quiet", t("home.how_live")),
    link(waiting > 0 ? counted("home.to_review", waiting) : t("home.review"), page(`/review/${id}`), waiting > 0 ? "warn" : ""),
    element("span", "quiet", t("home.how_review")),
    button(`${t("home.overlay_setup")} …`, () => openSetup(match.table)),
    element("span", "quiet", t("home.how_overlay")),
  );
  item.append(head, playersOf(match, shown), pages);
  return item;
}

const rows = new Map(); // match id -> { text, item }

/** The row of a match, made anew only where it would look otherwise: focus stays where it is. */
function keptRow(match, path, shown) {
  const text = JSON.stringify([match, path, shown?.attention, shown?.score.players]);
  const known = rows.get(match.match_id);
  if (known?.text === text) return known.item;
  const item = row({ match, path, shown });
  rows.set(match.match_id, { text, item });
  return item;
}

async function look() {
  const [answer, tables] = await Promise.all([getJson("/api/v1/matches"), getJson("/api/v1/tables?every_match=true")]);
  const shownOf = new Map(tables.map((shown) => [shown.match.match_id, shown]));
  const matches = [...answer].reverse();
  arrange(byId("matches"), matches.map((match) => keptRow(match, livePath(match, answer), shownOf.get(match.match_id))));
  byId("empty").hidden = matches.length > 0;
}
lookOnChanges(look, byId("away"));

// -- the overlay's address ----------------------------------------------------------------------------------

let setupTable = "";

function field(label, name, input) {
  const made = element("label", "", label);
  input.name = name;
  made.append(input);
  return made;
}

function choice(name, values) {
  const made = element("select");
  for (const value of values) made.append(new Option(t(`setup.${name}.${value}`), value));
  return field(t(`setup.${name}`), name, made);
}

function input(type, name, value, more = {}) {
  const made = Object.assign(element("input"), { type, value, ...more });
  return field(t(`setup.${name === "delay_s" ? "delay" : name}`), name, made);
}

function surfaces() {
  const made = element("fieldset");
  made.append(element("legend", "", t("setup.show")));
  for (const name of SURFACES) {
    const label = element("label");
    label.append(Object.assign(element("input"), { type: "checkbox", name: "show", value: name, checked: ["bar", "verdict"].includes(name) }), t(`setup.surface.${name}`));
    made.append(label);
  }
  return made;
}

function openSetup(table) {
  setupTable = table;
  if (byId("options").childElementCount === 0) {
    byId("options").append(
      surfaces(),
      choice("theme", ["dark", "light", "contrast"]),
      choice("layout", ["bottom", "top", "left", "right"]),
      choice("verdicts", ["notable", "all"]),
      input("color", "accent", "#4fd18b"),
      input("number", "scale", "1", { min: 0.5, max: 2, step: 0.1 }),
      input("number", "delay_s", "0", { min: 0, max: 120 }),
      input("text", "players", "", { placeholder: "south,north" }),
    );
  }
  byId("setup").hidden = false;
  showAddress();
  byId("setup").scrollIntoView({ block: "start", behavior: "smooth" });
}

const USUAL = { theme: "dark", layout: "bottom", verdicts: "notable", accent: "#4fd18b", scale: "1", delay_s: "0", players: "" };

function showAddress() {
  const form = new FormData(byId("options"));
  const address = new URL(`/overlay/${encodeURIComponent(setupTable)}`, location.origin);
  const shown = form.getAll("show");
  if (shown.join() !== "bar,verdict" && shown.length > 0) address.searchParams.set("show", shown.join(","));
  for (const [name, usual] of Object.entries(USUAL)) {
    const value = form.get(name);
    if (value !== null && value !== usual) address.searchParams.set(name, value.replace("#", ""));
  }
  const asked = new URLSearchParams(location.search).get("lang");
  if (asked) address.searchParams.set("lang", asked);
  byId("address").value = address.href.replaceAll("%2C", ",");
  if (byId("frame").src !== address.href) byId("frame").src = address.href;
}
byId("options").addEventListener("input", showAddress);
byId("options").addEventListener("submit", (event) => event.preventDefault());
byId("copy").addEventListener("click", async () => {
  byId("address").select();
  try {
    await navigator.clipboard.writeText(byId("address").value);
    byId("copy").textContent = t("setup.copied");
    setTimeout(() => { byId("copy").textContent = t("setup.copy"); }, 1500);
  } catch {
    // the address is selected: a person can copy it by key
  }
});
