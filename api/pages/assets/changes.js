// Looks again whenever something changed on the server: one connection for all that a page shows.

import { eventBatches, Refusal } from "./net.js";
import { t } from "./words.js";

const REST_MS = 200; // between looks, however fast changes come
const AGAIN_MS = 1500; // before a lost connection is tried again
const REFUSED_MS = 10_000; // before one that was refused is
const QUIET_MS = 6000; // signs of life come every second: after so long without, the line is dead

const looks = [];
let away = null; // the box that tells why nothing new comes
let lookedAt = -Infinity;
let isLooking = false;
let isWanted = false;
let timer = 0;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Tells why nothing new comes; null: it does. */
function tell(error) {
  away.hidden = error === null;
  if (error === null) return;
  const isRefused = error instanceof Refusal && error.status !== 0 && error.status < 500;
  away.textContent = isRefused ? error.message : t("home.away");
}

async function lookNow() {
  [isLooking, isWanted, timer] = [true, false, 0];
  const failed = (await Promise.allSettled(looks.map((look) => look()))).filter(({ status }) => status === "rejected").map(({ reason }) => reason);
  failed.filter((error) => !(error instanceof Refusal)).forEach((error) => reportError(error)); // the page's own fault
  tell(failed[0] ?? null);
  [isLooking, lookedAt] = [false, performance.now()];
  if (isWanted) want();
}

/** Looks at once, or as soon as the last look has rested. */
function want() {
  isWanted = true;
  if (isLooking || timer) return;
  const rest = lookedAt + REST_MS - performance.now();
  if (rest > 0) timer = setTimeout(lookNow, rest);
  else lookNow();
}

/** Resolves once somebody can see the page: a hidden one holds no connection. */
const shown = () => new Promise((resolve) => {
  const look = () => {
    if (document.hidden) return;
    document.removeEventListener("visibilitychange", look);
    resolve();
  };
  document.addEventListener("visibilitychange", look);
  look();
});

async function listen() {
  const line = new AbortController();
  let heardAt = performance.now();
  const watch = setInterval(() => { if (performance.now() - heardAt > QUIET_MS) line.abort(); }, 1000);
  const leave = () => { if (document.hidden) line.abort(); };
  document.addEventListener("visibilitychange", leave);
  try {
    for await (const batch of eventBatches("/api/v1/stream", { signal: line.signal })) {
      heardAt = performance.now();
      if (batch.some(({ event, value }) => event === "changed" || (event === "alive" && value.playing > 0))) want();
    }
  } finally {
    clearInterval(watch);
    document.removeEventListener("visibilitychange", leave);
  }
}

async function follow() {
  for (;;) {
    await shown();
    let isRefused = false;
    try {
      await listen(); // what changed meanwhile is told first
      tell(new Refusal(0, ""));
    } catch (error) {
      isRefused = error instanceof Refusal && [401, 403].includes(error.status);
      if (!document.hidden) tell(error);
    }
    if (!document.hidden) await sleep(isRefused ? REFUSED_MS : AGAIN_MS);
  }
}

/** Calls `look` whenever something changed on the server, and while matches are played every second; `box` tells why it cannot. */
export function lookOnChanges(look, box) {
  looks.push(look);
  away = box;
  if (looks.length === 1) follow();
}
