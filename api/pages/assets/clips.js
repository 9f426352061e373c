// The clip of a verdict and its single frames, as the server keeps them.

import { isSmall } from "./elements.js";
import { getJson, getObjectUrl, Refusal } from "./net.js";

const BUSY_MS = 700; // the server shows frames one by one: it is asked again
const MOST_TRIES = 8;

/** The clip that was cut for `verdict`: the shortest, where several show it; null where none is kept, or not yet. */
export async function clipOf(here, verdict) {
  const clips = await getJson(`${here}/clips?verdict_id=${encodeURIComponent(verdict.verdict_id)}`);
  if (clips.length === 0) return null;
  const best = clips.reduce((a, b) => (b.asked.end_us - b.asked.start_us < a.asked.end_us - a.asked.start_us ? b : a));
  return best;
}

/** A clip with the times of its frames, and where its piles lie in them. */
export const wholeClip = (here, clip) => getJson(`${here}/clips/${encodeURIComponent(clip.clip_id)}`);

/** The frame of time `tUs` as an address for an image; with `verdictId` what was seen of it is drawn in, legibly. */
export async function frameUrl(here, clip, tUs, verdictId = null) {
  const query = new URLSearchParams(verdictId ? { drawn: "true", verdict_id: verdictId, ...(isSmall() ? { small: "true" } : {}) } : {});
  const path = `${here}/clips/${encodeURIComponent(clip.clip_id)}/frames/${tUs}.jpg?${query}`;
  for (let tries = 1; ; tries += 1) {
    try {
      return await getObjectUrl(path, "default");
    } catch (refused) {
      if (!(refused instanceof Refusal) || refused.status !== 503 || tries === MOST_TRIES) throw refused;
      await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
    }
  }
}

/** The clip as a film. Its time 0 is its first frame's time. */
export const filmUrl = (here, clip) => getObjectUrl(`${here}/clips/${encodeURIComponent(clip.clip_id)}/video`, "default");
