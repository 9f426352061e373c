// Times and lengths of time as people read them. One rule for all: an interval is never told as narrower than it is.
// In whole milliseconds it begins rounded down and ends rounded up; how wide it is, is rounded up. `referee/clock.py` has
// the same for sentences. Where the sums stand line by line, all digits are told and nothing is rounded; one moment
// (that of a frame) is told to its nearest millisecond.

/** The whole milliseconds that surely passed. */
export const leastMs = (us) => Math.floor(us / 1000);

/** The whole milliseconds than which it is surely no more. */
export const mostMs = (us) => Math.ceil(us / 1000);

/** Microseconds as milliseconds, no digits lost. */
export const exactMs = (us) => String(us / 1000).replace("-", "−");

/** One moment of the source's clock as m:ss.mmm. */
export const clockText = (us) => clockOfMs(Math.round(us / 1000));

/** Between which two such moments something lies. */
export const clockSpan = ({ start_us: startUs, end_us: endUs }) => ({ start: clockOfMs(leastMs(startUs)), end: clockOfMs(mostMs(endUs)) });

function clockOfMs(told) {
  const ms = Math.max(0, told);
  return `${Math.floor(ms / 60000)}:${((ms % 60000) / 1000).toFixed(3).padStart(6, "0")}`;
}

/** Microseconds as m:ss, for a clock on the wall. */
export function wallText(us) {
  const seconds = Math.max(0, Math.floor(us / 1e6));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
