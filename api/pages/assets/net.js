// Asking the server: the token of the page's address goes along, refusals come in the page's language.

import { knows, t } from "./words.js";

const params = new URLSearchParams(location.search);
const TOKEN_KEY = "touchjudge-token";
const SESSION = "/api/v1/session"; // answers everybody

/** A token in the address is kept for this window, so that links from page to page need none. */
function storedToken() {
  const given = params.get("token");
  try {
    if (given) sessionStorage.setItem(TOKEN_KEY, given);
    return given ?? sessionStorage.getItem(TOKEN_KEY);
  } catch {
    return given; // a browser that keeps nothing
  }
}

const token = storedToken();

/** From now on the token counts that the browser remembers, not one of the address or of this window. */
export function forgetToken() {
  const address = new URL(location.href);
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
  try {
    sessionStorage.removeItem(TOKEN_KEY);
  } catch {
    // a browser that keeps nothing
  }
}

function headers(more = {}) {
  return token ? { Authorization: `Bearer ${token}`, ...more } : more;
}

/** What the server refused, with its status, a word for why (or none), and a sentence in the page's language. */
export class Refusal extends Error {
  constructor(status, text, code = "") {
    super(text);
    this.status = status;
    this.code = code;
  }
}

const BY_STATUS = { 0: "away", 401: "token", 403: "scope", 404: "missing", 422: "input", 429: "busy", 500: "fault" };

/** Why not, in the page's language; what has no sentence of its own is told as the server wrote it. */
function refusalText(status, { code, detail }) {
  const known = code && knows(`refused.${code}`) ? code : BY_STATUS[status];
  return t(`refused.${known ?? "other"}`, { detail });
}

// Characters that turn the direction of all that follows: no name and no reason wants them.
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const MAY_TURN = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\\u(?:061c|20[026])/i;

/** What the server sent as JSON, without characters that would turn the page's own sentences. */
export function parseJson(text) {
  if (!MAY_TURN.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value) => (typeof value === "string" ? value.replace(TURNS, "") : value));
}

let session = null; // a promise of what the server said of who asks; null: nothing yet, or that it knows nobody

/** Who asks: told once, and asked anew for as long as that is nobody. Null: the server does not say. */
async function whoAsks() {
  session ??= fetch(SESSION, { headers: headers(), cache: "no-store" })
    .then(async (answer) => (answer.ok ? parseJson(await answer.text()) : null))
    .catch(() => null);
  const told = await session;
  if (!told?.is_known) session = null;
  return told;
}

/** Asks for nothing that is sure to be refused: a browser would write an error for each into its log. */
async function refuseStrangers() {
  const told = await whoAsks();
  if (told && !told.is_known) throw turnedAway(new Refusal(401, refusalText(401, { code: told.code, detail: told.why_not }), told.code));
}

/** As `fetch`; a server that is away is a refusal too. */
async function ask(path, options) {
  if (path !== SESSION) await refuseStrangers();
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, t("refused.away"));
  }
}

const refusedTakers = new Set();

/** Calls `take` with the refusal whenever the server wants a token that this page has not. */
export const whenRefused = (take) => refusedTakers.add(take);

function turnedAway(refusal) {
  session = null;
  refusedTakers.forEach((take) => take(refusal));
  return refusal;
}

async function refusalOf(answer) {
  const refusal = await toldBy(answer);
  return answer.status === 401 && !answer.url.endsWith(SESSION) ? turnedAway(refusal) : refusal;
}

async function toldBy(answer) {
  try {
    const { code, detail, title } = parseJson(await answer.text());
    return new Refusal(answer.status, refusalText(answer.status, { code, detail: detail ?? title }), code);
  } catch {
    return new Refusal(answer.status, refusalText(answer.status, { code: "", detail: answer.statusText || answer.status }));
  }
}

/** The JSON at `path`. */
export async function getJson(path) {
  const answer = await ask(path, { headers: headers(), cache: "no-store" });
  if (!answer.ok) throw await refusalOf(answer);
  return parseJson(await answer.text());
}

/** What this page may do here: `call`, `correct`, `resolve` ...; told once. */
export const permits = whoAsks().then((told) => new Set(told?.permits ?? []));

/** What is kept of a match, and what it still takes: see the server's `MatchDetailOut`. One of which nothing is told takes nothing. */
export const aboutMatch = (matchId) => getJson(`/api/v1/matches/${encodeURIComponent(matchId)}`).catch(() => ({ is_open: false, is_over: true, why_only_shown: "?", why_no_case: "?" }));

/** What the server answers to `body`; repeated safely, each act under its own key. */
export async function postJson(path, body, key = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`) {
  const answer = await ask(path, {
    method: "POST",
    headers: headers({ "Content-Type": "application/json", "Idempotency-Key": key }),
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw await refusalOf(answer);
  return answer.status === 204 ? null : parseJson(await answer.text());
}

/** Asks for something to be done that has no answer but that it is done. */
export async function send(method, path) {
  const answer = await ask(path, { method, headers: headers() });
  if (!answer.ok) throw await refusalOf(answer);
}

/** The bytes at `path` as an address for an image or a video. Revoke it when it is no longer shown. */
export const getObjectUrl = async (path, cache = "no-store") => (await getFile(path, cache)).url;

/** The same, with what the server says of it in its header `note`; empty: nothing. */
export async function getFile(path, cache, note = "") {
  const answer = await ask(path, { headers: headers(), cache });
  if (!answer.ok) throw await refusalOf(answer);
  return { url: URL.createObjectURL(await answer.blob()), said: (note && answer.headers.get(note)) ?? "" };
}

const CONNECT_MS = 3000; // a socket that is not open by then is not meant to be: there are streams

/**
 * What happens at `path`, in batches as it comes: `[{event, id, value}]`. Over a socket, of which a browser holds many
 * more than the six streams that it holds of one server; over a stream where no socket opens, which also says why not.
 */
export async function* eventBatches(path, { signal, lastId } = {}) {
  await refuseStrangers();
  const socket = await openSocket(path, { signal, lastId });
  yield* socket ? socketBatches(socket, signal) : streamBatches(path, { signal, lastId });
}

/** The socket beside the stream at `path`, once it is open; null: none opens. A token goes along as on a stream: not in the address. */
function openSocket(path, { signal, lastId }) {
  const address = new URL(path.replace(/\/stream(?=$|\?)/, "/socket"), location.href);
  address.protocol = address.protocol.replace("http", "ws");
  if (lastId) address.searchParams.set("last_event_id", lastId);
  return new Promise((resolve) => {
    let socket;
    try {
      socket = new WebSocket(address, token ? ["touchjudge", `bearer.${token}`] : []);
    } catch {
      resolve(null); // a browser that permits none here, or a token that cannot be one
      return;
    }
    const giveUp = () => {
      socket.close();
      resolve(null);
    };
    const timer = setTimeout(giveUp, CONNECT_MS);
    signal?.addEventListener("abort", giveUp, { once: true });
    socket.takes = [];
    socket.onmessage = ({ data }) => socket.takes.push(data);
    socket.onopen = () => resolve(socket);
    socket.onclose = () => resolve(null);
    for (const end of ["open", "close"]) {
      socket.addEventListener(end, () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", giveUp);
      });
    }
  });
}

/** What comes over an open socket until it closes: what came at once is one batch. */
async function* socketBatches(socket, signal) {
  let wake = () => {};
  const leave = () => socket.close();
  signal?.addEventListener("abort", leave, { once: true });
  socket.onmessage = ({ data }) => {
    socket.takes.push(data);
    wake();
  };
  socket.onclose = () => wake();
  try {
    for (;;) {
      signal?.throwIfAborted();
      if (socket.takes.length > 0) yield socket.takes.splice(0).map(parseMessage);
      else if (socket.readyState !== WebSocket.OPEN) return;
      else await new Promise((resolve) => { wake = resolve; });
    }
  } finally {
    signal?.removeEventListener("abort", leave);
    socket.close();
  }
}

function parseMessage(text) {
  const { event, id, data } = parseJson(text);
  return { event, id: id || null, value: data };
}

async function* streamBatches(path, { signal, lastId }) {
  const more = { Accept: "text/event-stream", ...(lastId ? { "Last-Event-ID": lastId } : {}) };
  const answer = await ask(path, { headers: headers(more), cache: "no-store", signal });
  if (!answer.ok) throw await refusalOf(answer);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    yield blocks.map(parseEvent).filter((item) => item.data !== "").map(({ event, data, id }) => ({ event, id, value: parseJson(data) }));
  }
}

function parseEvent(block) {
  const item = { event: "message", data: "", id: null };
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (field === "data") item.data += item.data === "" ? value : `\n${value}`;
    else if (field === "event" || field === "id") item[field] = value;
  }
  return item;
}
