// Small builders. Text always goes in as text: names come from files that anybody may have written.

/** An element with a class and a text. */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined && text !== null) made.textContent = String(text);
  return made;
}

/** Rulings as people say them. */
const SPOKEN = { LEGAL: "legal", ILLEGAL: "foul", FIRST: "first", TIE: "tie", TOO_CLOSE: "too close", FLAG: "look", UNDECIDED: "cannot tell" };

export function spoken(ruling) {
  return SPOKEN[ruling] ?? ruling.toLowerCase();
}

/** Microseconds of the source's clock as m:ss.mmm. */
export function clockText(us) {
  const ms = Math.max(0, Math.round(us / 1000));
  const minutes = Math.floor(ms / 60000);
  const seconds = ((ms % 60000) / 1000).toFixed(3).padStart(6, "0");
  return `${minutes}:${seconds}`;
}
