// What is shown on this server instead of what an address names and is not there.

import { element, link } from "./elements.js";
import { page } from "./top.js";
import { knows, partsText, t } from "./words.js";

const MOST = 20;

/** The matches that are meant most likely by `name`: those of a table so called, or the one so called; else all, newest first. */
function likeliest(matches, name) {
  const meant = matches.filter((match) => match.table === name || match.match_id === name);
  return (meant.length > 0 ? meant : matches).slice(-MOST).reverse();
}

function offerOf(match, path) {
  const item = element("li");
  const text = partsText([match.table, match.match_id === match.table ? "" : match.match_id, knows(`game.${match.game}`) ? t(`game.${match.game}`) : match.game, match.players.join(", ")]);
  item.append(link(text, page(path(match))), element("span", `pill ${match.state}`, t(`state.${match.state}`)));
  return item;
}

let shown = "";

/** Offers `matches` in the page's place for it, each under the address that `path(match)` gives; null: nothing. */
export function offer(matches, path, name = "") {
  const box = document.getElementById("offers");
  const text = JSON.stringify(matches);
  box.hidden = matches === null;
  if (matches === null || text === shown) return;
  shown = text;
  const wanted = likeliest(matches, name);
  const list = element("ul");
  list.append(...wanted.map((match) => offerOf(match, path)));
  box.replaceChildren(element("h2", "", t(wanted.length > 0 ? "offer.title" : "home.empty")), list);
}
