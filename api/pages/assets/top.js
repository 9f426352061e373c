// What every page has at its top: the way to the other pages, and the language.

import { element, link, svg } from "./elements.js";
import "./signin.js";
import { lang, t } from "./words.js";

const NAMES = { en: "English", ar: "العربية", mr: "मराठी", su: "Basa Sunda", af: "Afrikaans" };

/** An address of ours that keeps the chosen language. */
export function page(path) {
  const asked = new URLSearchParams(location.search).get("lang");
  return asked ? `${path}${path.includes("?") ? "&" : "?"}lang=${encodeURIComponent(asked)}` : path;
}

/** Where a match is watched, of all that there are: the newest of a table under its name, where the next one takes over. */
export function livePath(match, all) {
  const path = `/live/${encodeURIComponent(match.table)}`;
  const newest = all.findLast((each) => each.table === match.table);
  return newest?.match_id === match.match_id ? path : `${path}?match=${encodeURIComponent(match.match_id)}`;
}

function brand() {
  const made = link("", page("/"), "brand");
  const mark = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  mark.append(
    svg("rect", { x: 3, y: 3, width: 12, height: 17, rx: 2.5, fill: "#f4f6f5", transform: "rotate(-8 9 12)" }),
    svg("circle", { cx: 16, cy: 15, r: 6, fill: "none", stroke: "#4fd18b", "stroke-width": 2.6 }),
    svg("circle", { cx: 16, cy: 15, r: 1.8, fill: "#4fd18b" }),
  );
  made.append(mark, t("app.name"));
  return made;
}

function languages() {
  const label = element("label", "language");
  label.append(element("span", "", t("app.language")));
  const choice = element("select");
  choice.setAttribute("aria-label", t("app.language"));
  for (const code of (document.documentElement.dataset.languages ?? "en").split(" ")) {
    const option = element("option", "", NAMES[code] ?? code);
    option.value = code;
    option.lang = code;
    option.selected = code === lang;
    choice.append(option);
  }
  choice.addEventListener("change", () => {
    const address = new URL(location.href);
    address.searchParams.set("lang", choice.value);
    location.assign(address);
  });
  label.append(choice);
  return label;
}

/** Fills the top of the page; `here` is the part that the page belongs to, `more` adds links: `[[name, text, path]]`. */
export function fillTop(here, more = []) {
  const nav = element("nav");
  nav.setAttribute("aria-label", t("nav.pages"));
  for (const [name, text, path] of [["home", t("nav.home"), "/"], ["board", t("nav.board"), "/board"], ...more]) {
    const made = link(text, page(path));
    if (name === here) made.setAttribute("aria-current", "page");
    nav.append(made);
  }
  document.getElementById("top").replaceChildren(brand(), nav, languages());
}
