// A colour and a shape for every seat: told apart by either alone (colours after Okabe and Ito).

import { svg } from "./elements.js";

const polygon = (points) => svg("polygon", { points });

const MARKS = [
  ["#e69f00", () => svg("circle", { cx: 12, cy: 12, r: 9 })],
  ["#56b4e9", () => svg("rect", { x: 4, y: 4, width: 16, height: 16, rx: 2 })],
  ["#00b88a", () => polygon("12,2.5 22,21 2,21")],
  ["#f0e442", () => polygon("12,1 22.5,12 12,23 1.5,12")],
  ["#f08050", () => polygon("12,1.5 14.9,9 22.8,9.4 16.6,14.4 18.7,22 12,17.7 5.3,22 7.4,14.4 1.2,9.4 9.1,9")],
  ["#e59cc4", () => polygon("7,3 17,3 22.5,12 17,21 7,21 1.5,12")],
  ["#7aa8ff", () => polygon("9,2 15,2 15,9 22,9 22,15 15,15 15,22 9,22 9,15 2,15 2,9 9,9")],
  ["#f4f6f5", () => polygon("12,2 22.5,10 18.5,22 5.5,22 1.5,10")],
];

/** The colour of the `index`-th seat. */
export const seatColour = (index) => MARKS[index % MARKS.length][0];

/** The mark of the `index`-th seat. It says nothing that the name beside it does not, so it is hidden to readers. */
export function seatMark(index) {
  const [colour, shape] = MARKS[index % MARKS.length];
  const mark = svg("svg", { viewBox: "0 0 24 24", class: "seat-mark", "aria-hidden": "true", "data-shape": index % MARKS.length });
  const made = shape();
  made.setAttribute("fill", colour);
  mark.append(made);
  return mark;
}
