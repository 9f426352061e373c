// Follows the newest match of a table for ever: finds it, reads its stream, comes back after every loss.

const SEEK_MS = 1500; // between looks for a match while the server or the match is away
const QUIET_MS = 6000; // no message for this long (signs of life come every second): the line is dead
const STILL_MS = 8000; // messages come, but the newest frame is this old: the chain stands still

const GONE = "connection lost, score may be old";
const STILL = "no new picture, score may be old";

/** The table that the page's own address names. */
export function tableOfPage() {
  return decodeURIComponent(location.pathname.split("/").filter(Boolean).at(-1));
}

/**
 * Calls `show(view)` whenever something changed. `view` is
 * { score, verdicts, matchId, stale } with `stale` a sentence or null.
 */
export function followTable(table, show) {
  const view = { score: null, verdicts: [], matchId: null, stale: "waiting for the match" };
  let source = null;
  let heardAt = performance.now();
  let movedAt = performance.now();
  let newestUs = -1;

  const setStale = (stale) => {
    if (view.stale !== stale) {
      view.stale = stale;
      show(view);
    }
  };
  const hear = (tUs, state) => {
    heardAt = performance.now();
    if (tUs !== newestUs || state !== "playing") {
      newestUs = tUs;
      movedAt = heardAt;
    }
  };

  async function seek() {
    try {
      const answer = await fetch(`/api/v1/matches?table=${encodeURIComponent(table)}`, { cache: "no-store" });
      const matches = answer.ok ? await answer.json() : [];
      if (matches.length > 0) {
        open(matches.at(-1).match_id);
        return;
      }
      setStale("waiting for the match");
    } catch {
      setStale(GONE);
    }
    setTimeout(seek, SEEK_MS);
  }

  function open(matchId) {
    view.matchId = matchId;
    heardAt = movedAt = performance.now();
    source = new EventSource(`/api/v1/matches/${encodeURIComponent(matchId)}/stream`);
    source.addEventListener("snapshot", (event) => {
      const shot = JSON.parse(event.data);
      view.score = shot.score;
      view.verdicts = shot.verdicts;
      hear(shot.score.t_us, shot.score.state);
      view.stale = null;
      show(view);
    });
    source.addEventListener("verdict", (event) => {
      view.verdicts = [...view.verdicts, JSON.parse(event.data)];
      heardAt = performance.now();
      show(view);
    });
    source.addEventListener("score", (event) => {
      view.score = JSON.parse(event.data);
      hear(view.score.t_us, view.score.state);
      view.stale = null;
      show(view);
    });
    source.addEventListener("alive", (event) => {
      const { t_us: tUs, state } = JSON.parse(event.data);
      hear(tUs, state);
      if (view.score) {
        view.score = { ...view.score, t_us: tUs, state };
      }
      view.stale = performance.now() - movedAt > STILL_MS ? STILL : null;
      show(view);
    });
    source.addEventListener("error", () => {
      setStale(GONE);
      if (source.readyState === EventSource.CLOSED) {
        leave();
      }
    });
  }

  function leave() {
    source?.close();
    source = null;
    setStale(GONE);
    setTimeout(seek, SEEK_MS);
  }

  // A browser may hold a dead line open without an error: silence is noticed here.
  setInterval(() => {
    if (source && performance.now() - heardAt > QUIET_MS) {
      leave();
    }
  }, 1000);
  seek();
}
