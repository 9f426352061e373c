// The options of an overlay's address. What is unknown or makes no sense is left out, and told where asked for.

import { isolated, t } from "./words.js";

export const SURFACES = ["bar", "cards", "verdict", "ticker", "timer", "replay"];
const USUAL = ["bar", "verdict"];

const oneOf = (...names) => ({
  read: (text) => (names.includes(text) ? text : null),
  wanted: () => names.join(", "),
});
const number = (least, most) => ({
  read: (text) => (/^\d+(\.\d+)?$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null),
  wanted: () => `${least} … ${most}`,
});
const listed = (text) => text.split(",").map((item) => item.trim()).filter(Boolean);

const KINDS = {
  theme: oneOf("dark", "light", "contrast"),
  layout: oneOf("bottom", "top", "left", "right"),
  verdicts: oneOf("notable", "all"),
  debug: oneOf("0", "1"), // 1: what was left out stays on the picture; 0: it is never told
  scale: number(0.5, 2),
  delay_s: number(0, 120),
  accent: { read: (text) => (/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text) ? `#${text.replace("#", "")}` : null), wanted: () => "ff8800" },
  show: { read: (text) => (listed(text).length > 0 && listed(text).every((item) => SURFACES.includes(item)) ? listed(text) : null), wanted: () => SURFACES.join(", ") },
  players: { read: (text) => (listed(text).length > 0 ? listed(text) : null), wanted: () => "south,Ana" },
  lang: { read: (text) => (text === document.documentElement.lang ? text : null), wanted: () => document.documentElement.dataset.languages },
  token: { read: (text) => text, wanted: () => "" },
};

const DEFAULTS = { theme: "dark", layout: "bottom", verdicts: "notable", debug: null, scale: 1, delay_s: 0, accent: null, show: USUAL, players: null };

/** A sentence for each name in `wanted` that nobody of `players` bears. */
export function strangersIn(wanted, players) {
  const known = players.flatMap((player) => [player.seat, player.player]);
  return (wanted ?? []).filter((name) => !known.includes(name)).map((name) => t("option.player", { name, known: known.map(isolated).join(t("list.comma")) }));
}

/** The options that the address names, and a sentence for each that was left out. */
export function readOptions(search, surface) {
  const options = { ...DEFAULTS };
  const faults = [];
  const seen = new Set();
  for (const [name, text] of new URLSearchParams(search)) {
    if (seen.has(name) && Object.hasOwn(KINDS, name)) faults.push(t("option.twice", { name }));
    seen.add(name);
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : null;
    const value = kind?.read(text) ?? null;
    if (kind === null) faults.push(t("option.unknown", { name, known: Object.keys(KINDS).join(", ") }));
    else if (value === null) faults.push(t("option.bad", { name, value: text, wanted: kind.wanted() }));
    else options[name] = value;
  }
  if (SURFACES.includes(surface)) options.show = [surface];
  else if (surface !== undefined) faults.push(t("option.surface", { name: surface, known: SURFACES.join(", ") }));
  return { options, faults };
}
