// A colour and a shape for every seat: told apart by either alone. The same as on drawn pictures.

import { svg } from "./elements.js";
import { fewestWin, seatLooks } from "./words.js";

const lookOf = (index) => seatLooks[index % seatLooks.length];

/** The colour of the `index`-th seat. */
export const seatColour = (index) => lookOf(index).colour;

/** The mark of the `index`-th seat. It says nothing that the name beside it does not, so it is hidden to readers. */
export function seatMark(index) {
  const { colour, points } = lookOf(index);
  const mark = svg("svg", { viewBox: "0 0 24 24", class: "seat-mark", "aria-hidden": "true", "data-shape": index % seatLooks.length });
  mark.append(svg("polygon", { points, fill: colour, "stroke-linejoin": "round" }));
  return mark;
}

/** Whether `player` has the best total and somebody has a worse one: in some games the lowest is the best. */
export function isLeading(player, players, game) {
  const totals = players.map((each) => each.total);
  const best = fewestWin.has(game) ? Math.min(...totals) : Math.max(...totals);
  return player.total === best && totals.some((total) => total !== best);
}
