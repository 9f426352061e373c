// A slow replay of a play beside its verdict, once its clip is whole.

import { clipOf, filmUrl } from "./clips.js";

const LOOK_MS = 1500; // between looks for the clip; it is whole some seconds after the play
const MOST_LOOKS = 8;
const SPEED = 0.25;
const BEFORE_S = 0.7; // of the film, before the first touch and after the last
const AFTER_S = 0.5;

const box = document.getElementById("replay");
const film = document.getElementById("film");
let turn = 0;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function foundClip(here, verdict, mine) {
  for (let looks = 0; looks < MOST_LOOKS && mine === turn; looks += 1) {
    const clip = await clipOf(here, verdict).catch(() => null);
    if (clip !== null) return clip.is_playable ? clip : null;
    await sleep(LOOK_MS);
  }
  return null;
}

/** Shows `verdict`'s play slowly, once; a later call takes its place. */
export async function replay(matchId, verdict) {
  turn += 1;
  const mine = turn;
  box.hidden = true;
  const here = `/api/v1/matches/${encodeURIComponent(matchId)}`;
  const clip = await foundClip(here, verdict, mine);
  if (clip === null || mine !== turn) return;
  const url = await filmUrl(here, clip).catch(() => null);
  if (url === null || mine !== turn) return;
  const touches = verdict.plays.map((play) => play.touch.end_us);
  const [first, last] = touches.length > 0 ? [Math.min(...touches), Math.max(...touches)] : [verdict.when.end_us, verdict.when.end_us];
  const inFilm = (us) => Math.max((us - clip.shows.start_us) / 1e6, 0);
  const until = inFilm(last) + AFTER_S;
  film.ontimeupdate = () => { if (film.currentTime >= until) end(url, mine); };
  film.onended = () => end(url, mine);
  film.onerror = () => end(url, mine);
  film.src = url;
  film.onloadedmetadata = () => {
    film.currentTime = Math.max(inFilm(first) - BEFORE_S, 0);
    film.playbackRate = SPEED;
    box.hidden = false;
    film.play().catch(() => end(url, mine));
  };
}

function end(url, mine) {
  URL.revokeObjectURL(url);
  if (mine === turn) box.hidden = true;
}
