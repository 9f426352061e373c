// The touches of a play on one time axis, with what is not known about them drawn, and the sums behind the order.

import { element, svg } from "./elements.js";
import { seatColour, seatMark } from "./seats.js";
import { exactMs as ms, leastMs, mostMs } from "./times.js";
import { msText, namesText, t } from "./words.js";

const ROW = 38; // height of a play, in pixels
const BAR = 24; // of its bar
const LETTER = 9; // width of a letter of the axis, at most
let WIDTH = 900;
let LEFT = 150;
let playheadUs = null; // the frame that is shown
let shown = []; // what is drawn, to draw it anew in another width
const byId = (id) => document.getElementById(id);
let scale = null; // microseconds -> x, of the axis that is shown

/** Draws the touches of `verdict`; `detail` brings the guard, and may come later; `players` their colours. */
export function showTouches(verdict, detail, players) {
  const { plays } = verdict;
  shown = [verdict, detail, players];
  byId("touches").hidden = byId("sums").hidden = plays.length === 0;
  if (plays.length === 0) return;
  WIDTH = Math.min(Math.max(byId("axis").clientWidth, 260), 1400);
  LEFT = WIDTH < 560 ? 104 : 170;
  byId("axis").replaceChildren(axis(verdict, detail?.guard_us ?? null, players));
  byId("arithmetic").replaceChildren(...sums(plays, detail));
  if (playheadUs !== null) showTouches.playhead(playheadUs);
}

/** The line of the frame that is shown in the evidence. */
showTouches.playhead = (tUs) => {
  playheadUs = tUs;
  const line = byId("playhead");
  if (!line || !scale) return;
  const x = scale(tUs);
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
  line.setAttribute("visibility", x >= LEFT && x <= WIDTH ? "visible" : "hidden");
};

/** The play that was surely there first. */
const earliestOf = (plays) => plays.reduce((first, play) => (play.touch.end_us < first.touch.end_us || (play.touch.end_us === first.touch.end_us && play.touch.start_us < first.touch.start_us) ? play : first));

function axis(verdict, guardUs, players) {
  const { plays } = verdict;
  const frames = [...new Set(verdict.evidence.flatMap((item) => item.frames_us))].sort((a, b) => a - b);
  const starts = plays.map((play) => play.touch.start_us);
  const ends = plays.map((play) => play.touch.end_us);
  const reach = Math.max(Math.max(...ends) - Math.min(...starts), 30_000);
  const [from, to] = [Math.min(...starts) - reach * 0.35, Math.max(...ends) + reach * 0.55];
  scale = (us) => LEFT + ((us - from) / (to - from)) * (WIDTH - LEFT - 12);
  const bottom = plays.length * ROW + 10;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${bottom + 50}`, role: "img" });
  picture.append(svg("title", {}, t("review.touches_alt", { players: namesText(plays.map((play) => play.player ?? "?")) })), hatch());
  const earliest = earliestOf(plays);
  if (guardUs !== null && plays.length > 1) picture.append(...guardBand(earliest, guardUs, bottom));
  picture.append(...frames.filter((us) => us > from && us < to).map((us) => svg("line", { x1: scale(us), x2: scale(us), y1: 6, y2: bottom + 6, stroke: "#4c6b5d", "stroke-dasharray": "3 4" })));
  plays.forEach((play, i) => picture.append(...bar(play, i, players)));
  picture.append(svg("line", { x1: LEFT, x2: WIDTH - 12, y1: bottom + 6, y2: bottom + 6, stroke: "#aebdb6" }), ...ticks(Math.min(...starts), from, to, bottom));
  picture.append(svg("line", { id: "playhead", x1: 0, x2: 0, y1: 0, y2: bottom + 6, stroke: "#ffd166", "stroke-width": 2, visibility: "hidden" }));
  return picture;
}

/** Not known whether there was contact: hatched. */
function hatch() {
  const pattern = svg("pattern", { id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  pattern.append(svg("rect", { width: 8, height: 8, fill: "#ffffff", opacity: 0.18 }), svg("rect", { width: 4, height: 8, fill: "#000", opacity: 0.35 }));
  const defs = svg("defs");
  defs.append(pattern);
  return defs;
}

/** Text around `x` that stays inside the picture, whatever its length. */
function axisText(x, y, text) {
  const half = text.length * LETTER / 2;
  return svg("text", { x: Math.min(Math.max(x, half), WIDTH - half), y, "text-anchor": "middle", class: "soft" }, text);
}

function guardBand(earliest, guardUs, bottom) {
  const x = scale(earliest.touch.end_us);
  const width = Math.max(scale(earliest.touch.end_us + guardUs) - x, 1);
  const label = axisText(x + width / 2, bottom + 44, `${t("review.guard")} ${msText(ms(guardUs))}`);
  return [svg("rect", { x, y: 2, width, height: bottom + 4, fill: "#8bbdff", opacity: 0.16 }), label];
}

function bar(play, i, players) {
  const index = players.findIndex((player) => player.seat === play.seat);
  const y = i * ROW + 10;
  const [x0, x1] = [scale(play.touch.start_us), scale(play.touch.end_us)];
  const colour = index < 0 ? "#bebebe" : seatColour(index);
  const name = play.player ?? "?";
  const most = Math.floor((LEFT - 40) / 9);
  const label = svg("text", { x: LEFT - 34, y: y + 17, "text-anchor": "end" }, name.length > most ? `${name.slice(0, most - 1)}…` : name);
  label.append(svg("title", {}, name));
  const mark = seatMark(Math.max(index, 0));
  for (const [key, value] of Object.entries({ x: LEFT - 28, y: y + 3, width: 18, height: 18 })) mark.setAttribute(key, value);
  return [
    label,
    ...(index < 0 ? [] : [mark]),
    svg("rect", { x: x0, y, width: Math.max(x1 - x0, 2), height: BAR, rx: 3, fill: colour, opacity: 0.75 }),
    svg("rect", { x: x0, y, width: Math.max(x1 - x0, 2), height: BAR, rx: 3, fill: "url(#hatch)", stroke: colour, "stroke-width": 2 }),
    svg("rect", { x: x1, y: y + 5, width: Math.max(WIDTH - 12 - x1, 0), height: BAR - 10, fill: colour, opacity: 0.95 }),
    svg("line", { x1, x2: x1, y1: y - 4, y2: y + BAR + 4, stroke: colour, "stroke-width": 3 }),
  ];
}

/** Milliseconds from the earliest start, in round steps, further apart where the unit is a longer word. */
function ticks(zeroUs, from, to, bottom) {
  const apart = Math.max(110, 60 + 11 * msText("").length);
  const wanted = (to - from) / 1000 / (WIDTH / apart);
  const stepMs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((each) => each >= wanted) ?? 10000;
  const made = [];
  for (let at = Math.ceil((from - zeroUs) / 1000 / stepMs) * stepMs; zeroUs + at * 1000 < to; at += stepMs) {
    const x = scale(zeroUs + at * 1000);
    made.push(svg("line", { x1: x, x2: x, y1: bottom + 2, y2: bottom + 10, stroke: "#aebdb6" }), axisText(x, bottom + 26, msText(`${at > 0 ? "+" : ""}${ms(at * 1000)}`)));
  }
  return made;
}

const nameOf = (play) => play.player ?? t("verdict.nobody");

/** The comparison line by line, in the numbers that the referee had. */
function sums(plays, detail) {
  const lines = plays.map((play) => element("li", "", t("review.touch_line", { player: nameOf(play), start: ms(play.touch.start_us), end: ms(play.touch.end_us), width: ms(play.touch.end_us - play.touch.start_us) })));
  const isWhole = (us) => us % 1000 === 0;
  const isRounded = plays.some((play) => !isWhole(play.touch.start_us) || !isWhole(play.touch.end_us));
  const told = isRounded ? [element("li", "quiet", t("review.rounded"))] : []; // sentences and sums then differ
  if (!detail || plays.length < 2) return [...lines, ...told];
  const guardUs = detail.guard_us;
  const first = earliestOf(plays);
  lines.unshift(element("li", "quiet", t("review.guard_is", { guard: ms(guardUs), width: ms(detail.w_max_us), grade: detail.clock_grade })));
  for (const play of plays.filter((other) => other !== first)) {
    const gapUs = play.touch.start_us - first.touch.end_us;
    const isApart = gapUs >= guardUs;
    lines.push(element("li", isApart ? "yes" : "no", t(isApart ? "review.apart" : "review.not_apart", {
      player: nameOf(play), later: ms(play.touch.start_us), earlier: ms(first.touch.end_us), gap: ms(gapUs), guard: ms(guardUs),
      least: Math.max(leastMs(gapUs), 0), most: mostMs(play.touch.end_us - first.touch.start_us),
    })));
  }
  return [...lines, ...told];
}

addEventListener("resize", () => { if (shown.length > 0) showTouches(...shown); });
