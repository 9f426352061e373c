// When a round began and ended, by calls, by verdicts that hold, and by what lies still.

import { isOverturned } from "./verdicts.js";

const STILL_US = 10e6; // so long nobody played: the cards are being counted, whether or not somebody called

/** When the round began and, where it is over, when it ended: by calls and by verdicts that hold. */
export function roundOf({ score, verdicts, calls }) {
  const ends = verdicts.filter((verdict) => verdict.outcome === "ROUND_END" && !isOverturned(verdict)).map((verdict) => verdict.when.end_us);
  const starts = calls.filter((call) => call.call === "start" && !call.is_taken_back).map((call) => call.t_us);
  const lastEnd = Math.max(...ends, -Infinity);
  const lastStart = Math.max(...starts, score.started_us ?? score.t_us);
  return lastStart >= lastEnd ? { from: lastStart, to: score.t_us, isOver: false } : { from: Math.max(...starts.filter((us) => us < lastEnd), ...ends.filter((us) => us < lastEnd), score.started_us ?? 0), to: lastEnd, isOver: true };
}

/** When the last card was played; -Infinity: none was. */
const lastPlayUs = ({ verdicts }) => Math.max(-Infinity, ...verdicts.filter((verdict) => verdict.plays.length > 0).map((verdict) => verdict.when.end_us));

/** Whether a round is over, so that what was not counted can be counted: it was called, or nobody plays any more. */
export function isRoundOver(view) {
  const { state, t_us: nowUs } = view.score;
  if (state === "finished" || state === "broken") return true;
  const round = roundOf(view);
  const playedUs = lastPlayUs(view);
  return round.isOver ? round.to >= playedUs : playedUs > -Infinity && nowUs - playedUs > STILL_US;
}
