// Asking the server: the token of the page's address goes along, errors come as the server's own sentence.

const params = new URLSearchParams(location.search);
const TOKEN_KEY = "touchjudge-token";

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

function headers(more = {}) {
  return token ? { Authorization: `Bearer ${token}`, ...more } : more;
}

/** What the server refused, with its status and its own sentence. */
export class Refusal extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

const refusedTakers = new Set();

/** Calls `take` whenever the server wants a token that this page has not. */
export const whenRefused = (take) => refusedTakers.add(take);

async function refusalOf(answer) {
  if (answer.status === 401 && !answer.url.endsWith("/api/v1/session")) refusedTakers.forEach((take) => take());
  try {
    const problem = await answer.json();
    return new Refusal(answer.status, problem.detail ?? problem.title ?? answer.statusText);
  } catch {
    return new Refusal(answer.status, answer.statusText);
  }
}

/** The JSON at `path`. */
export async function getJson(path) {
  const answer = await fetch(path, { headers: headers(), cache: "no-store" });
  if (!answer.ok) throw await refusalOf(answer);
  return answer.json();
}

/** What this page may do here: `call`, `correct`, `resolve` ...; told once. */
export const permits = getJson("/api/v1/session").then((session) => new Set(session.permits), () => new Set());

/** Whether anything can be entered into a match: one that is only shown takes nothing. */
export const isOpen = (matchId) => getJson(`/api/v1/matches/${encodeURIComponent(matchId)}`).then((match) => match.is_open, () => false);

/** What the server answers to `body`; repeated safely, each act under its own key. */
export async function postJson(path, body, key = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`) {
  const answer = await fetch(path, {
    method: "POST",
    headers: headers({ "Content-Type": "application/json", "Idempotency-Key": key }),
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw await refusalOf(answer);
  return answer.status === 204 ? null : answer.json();
}

/** Asks for something to be done that has no answer but that it is done. */
export async function send(method, path) {
  const answer = await fetch(path, { method, headers: headers() });
  if (!answer.ok) throw await refusalOf(answer);
}

/** The bytes at `path` as an address for an image or a video. Revoke it when it is no longer shown. */
export async function getObjectUrl(path, cache = "no-store") {
  const answer = await fetch(path, { headers: headers(), cache });
  if (!answer.ok) throw await refusalOf(answer);
  return URL.createObjectURL(await answer.blob());
}

/** Server-sent events of `path`, in batches as they come: `[{event, data, id}]`. */
export async function* eventBatches(path, { signal, lastId } = {}) {
  const more = { Accept: "text/event-stream", ...(lastId ? { "Last-Event-ID": lastId } : {}) };
  const answer = await fetch(path, { headers: headers(more), cache: "no-store", signal });
  if (!answer.ok) throw await refusalOf(answer);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    yield blocks.map(parseEvent).filter((item) => item.data !== null);
  }
}

function parseEvent(block) {
  const item = { event: "message", data: null, id: null };
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (field === "data") item.data = item.data === null ? value : `${item.data}\n${value}`;
    else if (field === "event" || field === "id") item[field] = value;
  }
  return item;
}
