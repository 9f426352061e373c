// Follows a match for ever: finds it, reads its stream, comes back after every loss, and says when it is stale.

import { eventBatches, getJson, Refusal } from "./net.js";
import { seat } from "./words.js";

const SEEK_MS = 1500; // between looks while the server is away, and at first for a match that is not there
const REST_MS = 5000; // between looks for a match that has not come for a while
const REFUSED_MS = 10_000; // before a line that was refused is asked for again
const QUIET_MS = 6000; // no message for this long (signs of life come every second): the line is dead
const STILL_MS = 8000; // messages come, but the newest frame is this old: the chain stands still
const NEWER_MS = 4000; // between looks for a newer match once this one is over

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the page's address names after its first part: the table or the match, then what follows. */
export const addressParts = () => location.pathname.split("/").filter(Boolean).slice(1).map(decodeURIComponent);

/** Follows the newest match of `table`. See `follow`. */
export function followTable(table, show, options = {}) {
  const newest = async () => {
    const here = await getJson(`/api/v1/matches?table=${encodeURIComponent(table)}`);
    return here.length > 0 ? { matchId: here.at(-1).match_id } : { matchId: null, others: await getJson("/api/v1/matches") };
  };
  return follow({ find: newest, absent: "stale.waiting", isSucceeded: true }, show, options);
}

/** Follows one match. See `follow`. */
export function followMatch(matchId, show, options = {}) {
  const named = async () => {
    const all = await getJson("/api/v1/matches"); // to ask for one that is not there would be an error
    return all.some((match) => match.match_id === matchId) ? { matchId } : { matchId: null, others: all };
  };
  return follow({ find: named, absent: "stale.missing", isSucceeded: false }, show, options);
}

/**
 * Calls `show(view)` whenever something changed. `view` is { score, verdicts, verdictsBefore, reviews,
 * calls, matchId, snapshots, stale, refused, code, others } with `stale` a key of the catalogue or null, `snapshots` how
 * often all of it came anew, `others` the matches that there are while the one that is wanted is not (null: it is,
 * or that is not known). What comes again under its name replaces what was there. `aim.find()` gives the match to
 * follow and, where there is none, the `others`; `aim.absent` is told then; `aim.isSucceeded`: a later match takes over.
 */
function follow(aim, show, { delayS = 0 } = {}) {
  const EMPTY = { score: null, verdicts: [], verdictsBefore: 0, reviews: [], calls: [] };
  const view = { ...EMPTY, matchId: null, snapshots: 0, stale: "stale.seeking", refused: null, code: "", others: null };
  let listening = null;
  let lastId = null;
  let heardAt = 0;
  let movedAt = 0;
  let newestUs = -1;

  const setStale = (stale, others = null) => {
    if (view.stale === stale && JSON.stringify(view.others) === JSON.stringify(others)) return;
    Object.assign(view, { stale, others });
    show(view);
  };

  const hear = (tUs, state) => {
    heardAt = performance.now();
    if (tUs !== newestUs || state !== "playing") {
      newestUs = tUs;
      movedAt = heardAt;
    }
  };

  function start(shot) {
    view.snapshots += 1;
    view.score = shot.score;
    view.verdicts = shot.verdicts;
    view.verdictsBefore = shot.verdicts_before ?? 0;
    view.reviews = shot.reviews ?? [];
    view.calls = shot.calls ?? [];
    hear(shot.score.t_us, shot.score.state);
  }

  /** `items` with `item` in the place of the one with the same name, or at the end. */
  function put(items, item, name) {
    const place = items.findLastIndex((other) => other[name] === item[name]);
    return place < 0 ? [...items, item] : items.map((other, i) => (i === place ? item : other));
  }

  const takers = {
    snapshot: start,
    verdict: (verdict) => { view.verdicts = put(view.verdicts, verdict, "verdict_id"); },
    revision: (verdict) => { view.verdicts = put(view.verdicts, verdict, "verdict_id"); },
    review: (review) => { view.reviews = put(view.reviews, review, "review_id"); },
    call: (call) => { view.calls = put(view.calls, call, "entry"); },
    score: (score) => {
      view.score = score;
      hear(score.t_us, score.state);
    },
    alive: ({ t_us: tUs, state }) => {
      hear(tUs, state);
      if (view.score) view.score = { ...view.score, t_us: tUs, state };
    },
  };

  function take(batch) {
    heardAt = performance.now();
    for (const { event, id, value } of batch) {
      takers[event]?.(value);
      if (id) lastId = id;
    }
    if (view.score === null) return;
    seat(view.score);
    view.stale = performance.now() - movedAt > STILL_MS ? "stale.still" : null;
    view.others = null;
    show(view);
  }

  async function listen(matchId) {
    if (matchId !== view.matchId) {
      lastId = null;
      Object.assign(view, EMPTY, { matchId });
    }
    listening = new AbortController();
    heardAt = movedAt = performance.now();
    const query = delayS > 0 ? `?delay_s=${delayS}` : "";
    const path = `/api/v1/matches/${encodeURIComponent(matchId)}/stream${query}`;
    for await (const batch of eventBatches(path, { signal: listening.signal, lastId })) take(batch);
  }

  /** Follows the match once, until it is lost; how long to wait before the next try. */
  async function tryOnce(waitedMs) {
    try {
      const { matchId, others } = await aim.find();
      view.refused = null;
      if (matchId === null) {
        setStale(aim.absent, others);
        return Math.min(waitedMs * 1.4, REST_MS);
      }
      await listen(matchId);
      setStale("stale.gone");
    } catch (error) {
      const isRefused = error instanceof Refusal && [401, 403].includes(error.status);
      view.refused = isRefused ? error.message : null;
      view.code = isRefused ? error.code : "";
      setStale(isRefused ? "stale.refused" : "stale.gone");
      if (isRefused) return REFUSED_MS;
    }
    return SEEK_MS;
  }

  async function run() {
    let waitMs = SEEK_MS;
    for (;;) {
      waitMs = await tryOnce(Math.min(waitMs, REST_MS));
      await sleep(waitMs);
    }
  }

  // A browser may hold a dead line open without an error: silence is noticed here.
  setInterval(() => {
    if (listening && performance.now() - heardAt > QUIET_MS) listening.abort();
  }, 1000);

  // A later match on the same table takes over the page.
  setInterval(async () => {
    if (!aim.isSucceeded || !view.score || view.stale === "stale.gone" || !["finished", "broken"].includes(view.score.state)) return;
    try {
      if ((await aim.find()).matchId !== view.matchId) listening?.abort();
    } catch {
      // the stream notices by itself
    }
  }, NEWER_MS);

  show(view);
  run();
}
