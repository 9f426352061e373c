// The verdicts from before a snapshot that wait for a person: a snapshot holds only the newest verdicts.

import { getJson } from "./net.js";

export class WaitingBefore {
  constructor() {
    this.kept = new Map(); // verdict id -> verdict
    this.askedFor = "";
  }

  /** Asks for them once for every snapshot of a match; calls `done` when they have come. */
  async look(view, done) {
    const asked = `${view.matchId} ${view.snapshots}`;
    if (asked === this.askedFor) return;
    this.askedFor = asked;
    if (!(view.verdictsBefore > 0)) {
      this.kept.clear();
      return;
    }
    try {
      const waiting = await getJson(`/api/v1/matches/${encodeURIComponent(view.matchId)}/verdicts?waiting=true&limit=1000&order=newest`);
      if (asked !== this.askedFor) return;
      this.kept = new Map([...waiting].reverse().map((verdict) => [verdict.verdict_id, verdict]));
      done();
    } catch {
      // the newest are shown all the same
    }
  }

  /** `verdicts` with those before them that waited when they were asked for; what has changed since is in `verdicts`. */
  with(verdicts) {
    const now = new Set(verdicts.map((verdict) => verdict.verdict_id));
    return [...[...this.kept.values()].filter((verdict) => !now.has(verdict.verdict_id)), ...verdicts];
  }
}
