// The review page: what is disputed, the evidence of it, and a person's answer. All of it by keyboard too.

import { AnswerForm } from "./answer.js";
import { button, element } from "./elements.js";
import { Evidence } from "./evidence.js";
import { addressParts, followMatch } from "./follow.js";
import { openAppeal, openQuickFix } from "./fix.js";
import { aboutMatch, getFile, getJson, permits } from "./net.js";
import { offer } from "./offers.js";
import { clockText } from "./times.js";
import { fillTop } from "./top.js";
import { showTouches } from "./touches.js";
import { isOverturned, isQuiet, isUndecided, isWaiting, replacements } from "./verdicts.js";
import { WaitingBefore } from "./waiting.js";
import { cardText, pileText, reasonText, ruleText, rulingText, t } from "./words.js";

const byId = (id) => document.getElementById(id);
const [matchId] = addressParts();
const here = `/api/v1/matches/${encodeURIComponent(matchId)}`;

const KINDS = ["appealed", "undecided", "too_close", "race", "foul", "answered"];
const FILTERS = {
  open: isWaiting,
  answered: (verdict) => kindOf(verdict) === "answered",
  all: () => true,
};

let view = null;
let all = []; // the verdicts that are known, those from before the snapshot that wait for a person first
let links = replacements(all);
let filter = "open";
let chosenId = decodeURIComponent(location.hash.slice(1)) || null;
let shownText = "";
const before = new WaitingBefore();
const details = new Map(); // verdict id -> what stands behind it
let beginAsking;
const about = new Promise((begin) => { beginAsking = begin; }).then(() => aboutMatch(matchId)); // what is kept of it, and what it takes: asked once it is there
let may = new Set(); // what this page may do with this match; nothing until it is told
const isDetailKept = about.then((known) => known.is_open || !known.why_no_case); // times and arithmetic come from its record
const evidence = new Evidence(here, (tUs) => showTouches.playhead(tUs), () => ["waiting", "playing"].includes(view?.score?.state), about);
const answer = new AnswerForm(here, { viewOf: () => view, nextOpen, focusList });

/** Why a verdict stands on the list; null: it does not. */
function kindOf(verdict) {
  if (verdict.standing === "under appeal") return "appealed";
  if (isQuiet(verdict) || verdict.basis === "review") return null; // what a person ruled is told with what it answers
  if (verdict.standing === "overturned" || verdict.standing === "confirmed") return "answered";
  if (isUndecided(verdict)) return verdict.ruling === "TOO_CLOSE" ? "too_close" : "undecided";
  if (verdict.plays.length > 1) return "race";
  return verdict.ruling === "ILLEGAL" ? "foul" : null;
}

/** Shows what is known now. */
function refresh() {
  all = before.with(view.verdicts);
  links = replacements(all);
  chooseFirst();
  showList();
  showCase();
}

/** What the list under the filter `name` holds, most urgent first. */
function listed(name = filter) {
  const wanted = all.filter((verdict) => kindOf(verdict) !== null && FILTERS[name](verdict));
  return wanted.sort((a, b) => KINDS.indexOf(kindOf(a)) - KINDS.indexOf(kindOf(b)) || a.when.start_us - b.when.start_us);
}

// -- the list ---------------------------------------------------------------------------------------------

function fillFilter() {
  byId("filter").replaceChildren(...Object.keys(FILTERS).map((name) => {
    const made = button(t(`review.filter.${name}`), () => {
      filter = name;
      isPicked = isFilterPicked = true;
      showList();
      const wanted = listed();
      if (isBegun && !wanted.some((verdict) => verdict.verdict_id === chosenId)) choose(wanted[0]?.verdict_id ?? null);
    });
    made.append(" ", element("span", "many"));
    made.dataset.filter = name;
    return made;
  }));
}

/** How many plays each filter holds. */
function counts() {
  const shown = all.filter((verdict) => kindOf(verdict) !== null);
  return Object.fromEntries(Object.entries(FILTERS).map(([name, isWanted]) => [name, shown.filter(isWanted).length]));
}

/** Which filter is on, and what each holds. */
function showFilter() {
  const many = counts();
  for (const made of byId("filter").children) {
    made.setAttribute("aria-pressed", String(made.dataset.filter === filter));
    made.querySelector(".many").textContent = view?.score ? many[made.dataset.filter] : "";
  }
}

/** What holds of a verdict now: itself, or what holds instead, be it the answer to an answer; none: it was withdrawn. */
function holding(verdict, seen = new Set()) {
  if (!isOverturned(verdict)) return [verdict];
  seen.add(verdict.verdict_id);
  return links.insteadOf(verdict).filter((other) => !seen.has(other.verdict_id)).flatMap((other) => holding(other, seen));
}

/** The ruling that holds of a verdict now; null: it was withdrawn. What a person ruled goes before what follows from it. */
function holdingRuling(verdict) {
  const now = holding(verdict);
  return (now.find((other) => other.basis === "review") ?? now.at(-1))?.ruling ?? null;
}

const holdingRulingText = (verdict) => (holdingRuling(verdict) ? rulingText(holdingRuling(verdict)) : t("verdict.overturned"));
const holdingReason = (verdict) => (holding(verdict).length > 0 ? holding(verdict).map(reasonText).join(t("list.semicolon")) : t("verdict.withdrawn"));

function itemOf(verdict) {
  const item = element("div", `item ${holdingRuling(verdict) ?? ""}`);
  item.id = `item-${verdict.verdict_id}`;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", String(verdict.verdict_id === chosenId));
  const line = element("div", "line");
  const kind = kindOf(verdict);
  line.append(element("span", "ruling", holdingRulingText(verdict)));
  if (["appealed", "answered", "race"].includes(kind)) line.append(element("span", "kind", t(`review.kind.${kind}`)));
  line.append(element("time", "", clockText(verdict.when.end_us)));
  item.append(line, element("p", "", holdingReason(verdict)));
  item.addEventListener("click", () => pick(verdict.verdict_id));
  return item;
}

let listText = "";
function showList() {
  const wanted = listed();
  const text = JSON.stringify([filter, chosenId, wanted.map((verdict) => [verdict, ...holding(verdict)]), counts()]);
  if (text === listText) return;
  listText = text;
  showFilter();
  byId("list").replaceChildren(...wanted.map(itemOf));
  const hadFocus = document.activeElement === byId("list");
  byId("list").hidden = wanted.length === 0;
  if (hadFocus) focusList();
  byId("empty").hidden = wanted.length > 0;
  byId("empty").textContent = t(`review.empty.${filter}`);
  byId("list-name").textContent = t(filter === "open" ? "review.list" : `review.filter.${filter}`);
  byId("count").textContent = wanted.length > 0 ? wanted.length : "";
  if (chosenId && wanted.some((verdict) => verdict.verdict_id === chosenId)) byId("list").setAttribute("aria-activedescendant", `item-${chosenId}`);
  else byId("list").removeAttribute("aria-activedescendant");
}

/** Where the keys of the page go on: the list, or the case where nothing is listed. */
function focusList() {
  byId(byId("list").hidden ? "case" : "list").focus({ preventScroll: true });
}

function pick(verdictId) {
  isPicked = true;
  choose(verdictId);
}

/** Shows a play; null: none, where the list holds none. */
function choose(verdictId) {
  if (verdictId === chosenId && shownText) return;
  chosenId = verdictId;
  history.replaceState(null, "", verdictId === null ? `${location.pathname}${location.search}` : `#${verdictId}`);
  if (verdictId === null) evidence.freeze();
  shownText = "";
  showList();
  byId(`item-${verdictId}`)?.scrollIntoView({ block: "nearest" });
  showCase();
}

/** Goes to the first play that waits for a person; null where none does. */
function nextOpen() {
  const next = listed("open").find((verdict) => verdict.verdict_id !== chosenId);
  if (!next) return null;
  return () => {
    filter = "open";
    pick(next.verdict_id);
    focusList();
  };
}

function step(by) {
  const wanted = listed();
  const place = wanted.findIndex((verdict) => verdict.verdict_id === chosenId);
  const next = wanted[place < 0 ? 0 : Math.min(Math.max(place + by, 0), wanted.length - 1)];
  if (next) pick(next.verdict_id);
}

// -- the case ---------------------------------------------------------------------------------------------

function reviewLine(review, verdict) {
  const isAppeal = review.kind === "appeal";
  const text = isAppeal
    ? t("review.appealed", { player: review.by, grounds: review.text || t("review.no_grounds") })
    : t("review.answered", { reviewer: review.by, reason: review.text });
  const line = element(review.is_taken_back ? "s" : "span", "", text);
  if (review.is_taken_back) return [line, element("b", "quiet", t("review.taken_back"))];
  if (!may.has("correct") || review.kind === "revert" || (isAppeal && review.answered_by)) return [line];
  return [line, button(t(isAppeal ? "review.take_back_appeal" : "review.take_back"), () => takeBack(review, verdict))];
}

/** What is published stands in the record for ever: taking it back is an entry too, and shows what it changes first. */
const takeBack = (review, verdict) => openQuickFix(matchId, verdict, view, t(review.kind === "appeal" ? "review.take_back_appeal" : "review.take_back"), { kind: "undo", entry: review.entry });

/** The newest answer to the verdict that is shown, or its open appeal: what "u" takes back. */
function takeBackNewest() {
  const verdict = shownVerdict();
  const open = view?.reviews.filter((review) => review.verdict_id === chosenId && !review.is_taken_back && review.kind !== "revert" && !(review.kind === "appeal" && review.answered_by)) ?? [];
  if (verdict && open.length > 0 && may.has("correct")) takeBack(open.at(-1), verdict);
}

/** Whether a player may still ask for another look: one that was answered or appealed is not asked again. */
const isAppealable = (verdict) => may.has("appeal") && verdict.standing === "standing" && verdict.basis !== "review";

function appealShown() {
  const verdict = shownVerdict();
  if (verdict && isAppealable(verdict)) openAppeal(matchId, verdict, view);
}

function showHead(verdict) {
  const title = byId("case-title");
  const isOpen = isUndecided(verdict) && verdict.standing === "standing";
  const pill = element("span", `pill ${isWaiting(verdict) ? "waits" : ""}`, t(isOpen ? "review.waits" : `standing.${verdict.standing}`));
  title.replaceChildren(element("span", "ruling", holdingRulingText(verdict)), element("span", "", `${verdict.verdict_id} · ${clockText(verdict.when.end_us)}`), pill);
  byId("case-head").className = `panel ${holdingRuling(verdict) ?? ""}`;
  byId("case-said").textContent = holdingReason(verdict);
  byId("case-was").hidden = !isOverturned(verdict);
  byId("case-was").replaceChildren(`${t("review.was")} `, element("s", "", `${rulingText(verdict.ruling)}: ${reasonText(verdict)}`));
  const reviews = view.reviews.filter((review) => review.verdict_id === verdict.verdict_id);
  byId("case-reviews").replaceChildren(...reviews.map((review) => reviewLine(review, verdict)).map((parts) => {
    const item = element("li");
    item.append(...parts);
    return item;
  }));
  byId("appeal-row").replaceChildren(...(isAppealable(verdict) ? [button(`${t("review.appeal")} …`, appealShown)] : []));
}

/** Whether a card stays, by the verdicts that hold instead where others do. */
function standsNow(play, verdict) {
  const instead = isOverturned(verdict) ? holding(verdict).flatMap((other) => other.plays) : [];
  const same = instead.find((other) => other.seat === play.seat && other.card === play.card);
  return (same ?? play).stands;
}

function factLine(play, verdict) {
  const item = element("li");
  const said = t("review.fact_play", { player: play.player ?? t("verdict.nobody"), card: cardText(play.card), pile: pileText(verdict.pile) });
  const from = play.source ? `${t("list.comma")}${t("review.fact_from", { source: pileText(play.source) })}` : "";
  item.append(`${said}${from}: `, element("span", "fate", t(standsNow(play, verdict) ? "review.stays" : "review.goes_back")));
  return item;
}

function showFacts(verdict) {
  byId("fact-list").replaceChildren(...verdict.plays.map((play) => factLine(play, verdict)));
  if (verdict.plays.length === 0) byId("fact-list").replaceChildren(element("li", "quiet", verdict.evidence.length > 0 ? reasonText(verdict) : t("review.told")));
  byId("rule-title").hidden = byId("rule-text").hidden = verdict.rule === null;
  if (verdict.rule !== null) {
    byId("rule-title").textContent = t("review.rule", { rule: verdict.rule });
    byId("rule-text").textContent = ruleText(verdict.rule);
  }
}

const caseName = (verdictId) => `${matchId}-${verdictId}.zip`;

/** Saves the case; the names of the clips that it lacks, empty: none. */
async function exportCase(verdictId) {
  const { url, said } = await getFile(`${here}/verdicts/${encodeURIComponent(verdictId)}/case.zip`, "no-store", "TouchJudge-Missing-Clips");
  const made = Object.assign(element("a"), { href: url, download: caseName(verdictId) });
  made.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return said;
}

const HERE = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The command that checks a case, as a shell takes it: on the server's own machine as the server was started there. */
function verifyCommand(verdictId) {
  const name = caseName(verdictId);
  const program = HERE.has(location.hostname) ? byId("verify-row").dataset.program : "touchjudge";
  return `${program} verify ${/^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`}`;
}

function showVerifying(verdict) {
  const command = Object.assign(element("code", "", verifyCommand(verdict.verdict_id)), { dir: "ltr" });
  const copy = button(t("setup.copy"), async () => {
    try {
      await navigator.clipboard.writeText(command.textContent);
      copy.textContent = t("setup.copied");
    } catch {
      getSelection().selectAllChildren(command); // a person can copy it by key
    }
  }, "small");
  byId("verify-row").replaceChildren(element("span", "quiet", t("review.verify")), command, copy);
}

async function showExport(verdict) {
  const row = byId("export-row");
  const known = await about;
  if (verdict.verdict_id !== chosenId) return;
  byId("export").hidden = Boolean(known.why_no_case) || !may.has("inspect");
  if (byId("export").hidden) return;
  showVerifying(verdict);
  const said = element("span", "error");
  said.setAttribute("role", "status");
  row.replaceChildren(said, button(t("review.export"), async () => {
    said.textContent = "";
    try {
      const clips = await exportCase(verdict.verdict_id);
      if (clips) said.textContent = t("review.export_lacks", { clips });
    } catch (refused) {
      said.textContent = refused.message;
    }
  }));
}

const shownVerdict = () => all.find((other) => other.verdict_id === chosenId);

async function showCase() {
  const verdict = shownVerdict();
  byId("case").hidden = !verdict;
  byId("pick").hidden = Boolean(verdict) || byId("list").hidden;
  if (!verdict) return;
  const text = JSON.stringify([verdict, ...holding(verdict), view.reviews.filter((review) => review.verdict_id === verdict.verdict_id), counts().open]);
  if (text === shownText) return;
  shownText = text;
  showHead(verdict);
  showFacts(verdict);
  showExport(verdict);
  answer.show(verdict, kindOf(verdict) === "answered" || isOverturned(verdict));
  showTouches(verdict, details.get(verdict.verdict_id), view.score.players);
  if (evidence.askedFor !== verdict.verdict_id) evidence.show(verdict);
  if (details.has(verdict.verdict_id) || !may.has("inspect") || !(await isDetailKept)) return;
  try {
    details.set(verdict.verdict_id, await getJson(`${here}/verdicts/${encodeURIComponent(verdict.verdict_id)}`));
    if (chosenId === verdict.verdict_id) showTouches(verdict, details.get(verdict.verdict_id), view.score.players);
  } catch {
    // the times are drawn without the guard then
  }
}

// -- keys -------------------------------------------------------------------------------------------------

const KEYS = [
  [["↑ ↓", "k j"], "list"], [[", ."], "frames"], [["Space"], "play"], [["[ ]"], "speed"], [["+ −", "0"], "zoom"],
  [["f"], "freeze"], [["l"], "loop"], [["b"], "side"], [["s"], "stands"], [["o"], "overturn"], [["a"], "appeal"], [["u"], "undo"], [["Enter"], "enter"], [["Esc"], "escape"], [["?"], "help"],
];

function showKeys() {
  const dialog = byId("keys");
  if (dialog.open) {
    dialog.close();
    return;
  }
  const list = element("dl");
  for (const [keys, name] of KEYS) {
    const term = element("dt");
    term.append(...keys.flatMap((key) => [element("kbd", "", key), " "]));
    list.append(term, element("dd", "", t(`review.keys.${name}`)));
  }
  const body = element("div", "body");
  const head = element("div", "head");
  head.append(Object.assign(element("h2", "", t("review.keys")), { id: "keys-title" }), button(t("fix.back"), () => dialog.close(), "plain"));
  body.append(head, list);
  dialog.replaceChildren(body);
  dialog.showModal();
}

const ACTS = {
  ArrowDown: () => step(1), j: () => step(1), ArrowUp: () => step(-1), k: () => step(-1),
  ",": () => evidence.step(-1), ".": () => evidence.step(1), " ": () => evidence.playOrPause(),
  "[": () => evidence.faster(-1), "]": () => evidence.faster(1),
  "+": () => evidence.zoomBy(1.5), "=": () => evidence.zoomBy(1.5), "-": () => evidence.zoomBy(1 / 1.5), 0: () => evidence.zoomReset(),
  l: () => evidence.toggleLoop(), b: () => evidence.togglePair(), f: () => evidence.freeze(),
  s: () => answer.decide("stands"), o: () => answer.decide("overturned"), a: appealShown, u: takeBackNewest,
  Escape: () => answer.back(), "?": showKeys,
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]")) {
    if (event.key === "?" && byId("keys").open) showKeys();
    return; // a dialog has its own keys, Esc among them
  }
  const field = event.target.closest("input:not([type=radio]):not([type=checkbox]):not([type=range]), select, textarea");
  if (field && event.key !== "Escape") return;
  if (event.target.closest("button, input, a") && [" ", "Enter"].includes(event.key)) return;
  if (event.target.closest("input") && event.key.startsWith("Arrow")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === "Enter" && chosenId) {
    event.preventDefault();
    answer.next();
    return;
  }
  const act = Object.hasOwn(ACTS, key) ? ACTS[key] : null;
  if (!act) return;
  event.preventDefault();
  act();
});
addEventListener("hashchange", () => {
  const asked = decodeURIComponent(location.hash.slice(1));
  if (!listed().some((verdict) => verdict.verdict_id === asked)) filter = "all";
  pick(asked);
});

// -- following --------------------------------------------------------------------------------------------

/** A play that the page's address names may be older than the snapshot: then it is asked for. */
async function fetchChosen() {
  if (!chosenId || all.some((verdict) => verdict.verdict_id === chosenId)) return;
  try {
    const found = await getJson(`${here}/verdicts/${encodeURIComponent(chosenId)}`);
    before.kept.set(chosenId, found.verdict);
    refresh();
  } catch {
    // there is no such play: one of the list is picked
  }
}

/** At the start: the first that waits for a person; where none does, all plays that could be disputed. */
function chooseFirst() {
  if (isBegun) return;
  isBegun = true;
  const isListed = (name) => (chosenId ? listed(name).some((verdict) => verdict.verdict_id === chosenId) : listed(name).length > 0);
  if (!isFilterPicked) filter = ["open", "answered"].find((name) => isListed(name) && (chosenId || name === "open")) ?? "all";
  chosenId ??= listed()[0]?.verdict_id ?? null;
}

let isBegun = false; // whether a filter and a play were picked
let isPicked = chosenId !== null; // whether a person picked them
let isFilterPicked = false; // and the filter, perhaps before there was anything to show
let fetchedFor = null;
fillFilter();
showFilter();
byId("match").textContent = matchId;
followMatch(matchId, (now) => {
  view = now;
  byId("stale").hidden = now.stale === null;
  byId("stale").textContent = now.stale === null ? "" : (now.refused ?? t(now.stale, { name: matchId }));
  offer(now.others, (match) => `/review/${encodeURIComponent(match.match_id)}`, matchId);
  byId("main").hidden = now.others !== null;
  if (now.score === null) return;
  beginAsking();
  if (fetchedFor !== now.score.table) {
    fetchedFor = now.score.table;
    const table = encodeURIComponent(now.score.table);
    fillTop("review", [["live", t("nav.live"), `/live/${table}?match=${encodeURIComponent(matchId)}`], ["review", t("nav.review"), location.pathname], ["overlay", t("nav.overlay"), `/overlay/${table}`]]);
    const help = button(`${t("review.keys")} ?`, showKeys, "plain keys-button");
    byId("top").insertBefore(help, byId("top").lastElementChild);
  }
  refresh();
  before.look(now, () => {
    if (!isPicked) [isBegun, chosenId] = [false, null]; // older ones go first
    refresh();
    fetchChosen();
  });
});
fillTop("review");
Promise.all([permits, about]).then(([permitted, known]) => {
  may = known.is_open ? permitted : new Set([...permitted].filter((each) => each === "inspect" || each === "watch"));
  byId("answer").hidden = !may.has("resolve");
  byId("only-shown").hidden = may.has("resolve");
  byId("only-shown").textContent = t(known.is_open ? "review.not_for_you" : "review.only_shown");
  shownText = "";
  if (view?.score) showCase();
});
