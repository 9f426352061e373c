// Which verdicts matter to whom. The record keeps them all; pages fold what would only be noise.

import { quietReasons } from "./words.js";

const OPEN = new Set(["UNDECIDED", "TOO_CLOSE"]);
const CALLS = new Set(["CALL_VALID", "CALL_INVALID", "ROUND_END", "GAME_WIN", "PLAYOFF", "SPIT_OK", "SPIT_PREMATURE", "ASSIGN", "ALL_STUCK", "LET", "REMOVE_PILE"]);

/** Whether it only says that something was not counted. */
export const isQuiet = (verdict) => verdict.standing !== "under appeal" && quietReasons.has(verdict.reasons?.[0]?.key);

export const isOverturned = (verdict) => verdict.standing === "overturned";

/** Whether a person has to look: nobody has answered, and the pictures do not tell. What a person ruled is answered. */
export const isUndecided = (verdict) => OPEN.has(verdict.ruling) && ["standing", "under appeal"].includes(verdict.standing) && verdict.basis !== "review" && !isQuiet(verdict);

/** Whether it waits for a person: undecided, or under appeal. */
export const isWaiting = (verdict) => isUndecided(verdict) || verdict.standing === "under appeal";

/** Whether spectators want to hear of it: fouls, races, calls, what a person changed. Not every legal card. */
export function isNotable(verdict) {
  if (isQuiet(verdict)) return false;
  if (verdict.ruling !== "LEGAL") return true;
  return CALLS.has(verdict.outcome) || verdict.plays.length > 1 || verdict.standing !== "standing" || verdict.basis === "review";
}

/** The verdicts that hold in place of an overturned one, and the other way round. */
export function replacements(verdicts) {
  const byId = new Map(verdicts.map((verdict) => [verdict.verdict_id, verdict]));
  const before = new Map();
  for (const verdict of verdicts) for (const id of verdict.replaced_by ?? []) before.set(id, verdict);
  return {
    insteadOf: (verdict) => (verdict.replaced_by ?? []).map((id) => byId.get(id)).filter(Boolean),
    replacedBy: (verdict) => before.get(verdict.verdict_id) ?? null,
  };
}
