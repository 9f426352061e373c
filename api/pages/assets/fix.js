// Putting a verdict right: pick what was wrong, see what would change, enter it. Nothing is entered unseen.

import { button, element, numberText, once } from "./elements.js";
import { postJson } from "./net.js";
import { seatMark } from "./seats.js";
import { cardText, partsText, pileText, reasonText, rulingText, t } from "./words.js";

const dialog = document.getElementById("fix");
const NAME_KEY = "touchjudge-reviewer";

/** Who decides, as entered the last time on this machine. */
export function rememberedName() {
  try {
    return localStorage.getItem(NAME_KEY) ?? "";
  } catch {
    return "";
  }
}

export function rememberName(name) {
  try {
    localStorage.setItem(NAME_KEY, name);
  } catch {
    // a browser that keeps nothing asks again
  }
}

function frame(title, ...content) {
  const body = element("div", "body");
  const head = element("div", "head");
  const heading = element("h2", "", title);
  heading.id = "fix-title";
  head.append(heading, button(t("fix.cancel"), () => dialog.close(), "plain"));
  body.append(head, ...content);
  dialog.replaceChildren(body);
  if (!dialog.open) dialog.showModal();
  return body;
}

function saidBy(verdict) {
  if (verdict === null) return "";
  const said = element("p", `said ${verdict.ruling}`);
  said.append(element("span", "ruling", rulingText(verdict.ruling)), ` ${reasonText(verdict)}`);
  return said;
}

function part(title, ...content) {
  const made = element("section");
  const choices = element("div", "choices");
  choices.append(...content);
  made.append(element("h3", "", title), choices);
  return made;
}

const isRed = (suit) => suit === "D" || suit === "H";

/** All that can be put right about `verdict`. */
export function openFix(matchId, verdict, view) {
  let playIndex = 0;
  const play = () => verdict.plays[playIndex];
  let suit = play()?.card?.at(-1) ?? "H";

  function draw() {
    const parts = [saidBy(verdict)];
    if (verdict.plays.length > 1) {
      parts.push(part(t("fix.play"), ...verdict.plays.map((each, i) => {
        const made = button(`${each.player ?? t("verdict.nobody")}: ${cardText(each.card)}`, () => { playIndex = i; suit = play().card?.at(-1) ?? suit; draw(); });
        made.setAttribute("aria-pressed", String(i === playIndex));
        return made;
      })));
    }
    if (verdict.plays.length > 0) parts.push(...cardParts(), ownerPart());
    const reviews = view.reviews.filter((review) => review.verdict_id === verdict.verdict_id && !review.is_taken_back);
    const undos = [
      ...(verdict.entries.length > 0 ? [button(t("fix.undo_this"), () => preview(t("fix.undo_this"), { kind: "undo", entry: Math.max(...verdict.entries) }), "danger")] : []),
      ...reviews.map((review) => button(`${t("fix.undo_review")}: ${review.review_id}`, () => preview(t("fix.undo_review"), { kind: "undo", entry: review.entry }), "danger")),
    ];
    if (undos.length > 0) parts.push(part(t("fix.undo"), ...undos));
    parts.push(part(t("appeal.title"), ...view.score.players.map((player, i) => {
      const made = button("", () => openAppeal(matchId, verdict, view, player.seat, draw));
      made.append(seatMark(i), element("bdi", "", player.player));
      return made;
    })));
    frame(t("fix.title"), ...parts);
  }

  function cardParts() {
    const suits = [..."SHDC"].map((letter) => {
      const made = button(cardText(`A${letter}`).slice(1), () => { suit = letter; draw(); }, isRed(letter) ? "red" : "");
      made.setAttribute("aria-label", cardText(`A${letter}`).charAt(1));
      made.setAttribute("aria-pressed", String(letter === suit));
      return made;
    });
    const ranks = [..."A23456789TJQK"].map((rank) => {
      const card = rank + suit;
      const made = button(cardText(card), () => preview(t("fix.was_card", { card: cardText(card) }), { kind: "card", verdict_id: verdict.verdict_id, play: playIndex, card }), isRed(suit) ? "red" : "");
      made.disabled = card === play().card;
      return made;
    });
    return [part(t("fix.card"), ...ranks), part(t("fix.suit"), ...suits)];
  }

  const ownerPart = () => part(t("fix.owner"), ...view.score.players.map((player, i) => {
    const made = button("", () => preview(t("fix.was_owner", { player: player.player }), { kind: "owner", verdict_id: verdict.verdict_id, play: playIndex, seat: player.seat }));
    made.append(seatMark(i), element("bdi", "", player.player));
    made.disabled = player.seat === play().seat;
    return made;
  }));

  const preview = (title, body) => openPreview(matchId, verdict, view, title, body, draw);
  draw();
}

/** A player asks for another look; `seat` null: who it is, is picked first. */
export function openAppeal(matchId, verdict, view, seat = null, back = () => dialog.close()) {
  let chosen = seat;
  const grounds = Object.assign(element("textarea"), { rows: 2, maxLength: 2000 });
  const label = element("label", "", t("appeal.grounds"));
  label.append(grounds);
  const error = element("p", "error");
  error.setAttribute("role", "alert");
  const who = element("div", "choices");
  const enter = button(t("appeal.enter"), () => once(enter, async () => {
    try {
      await postJson(`/api/v1/matches/${encodeURIComponent(matchId)}/appeals`, { verdict_id: verdict.verdict_id, seat: chosen, grounds: grounds.value });
      done(t("appeal.entered"));
    } catch (refused) {
      error.textContent = refused.message;
    }
  }), "primary");

  function drawChoice() {
    who.replaceChildren(...view.score.players.map((player, i) => {
      const made = button("", () => { chosen = player.seat; drawChoice(); grounds.focus(); });
      made.append(seatMark(i), element("bdi", "", player.player));
      made.setAttribute("aria-pressed", String(player.seat === chosen));
      return made;
    }));
    enter.disabled = chosen === null;
  }
  drawChoice();
  const actions = element("div", "actions");
  actions.append(button(t("fix.back"), back), enter);
  frame(t("review.appeal"), saidBy(verdict), who, label, error, actions);
  (chosen === null ? who.querySelector("button") : grounds).focus();
}

/** One correction at once: what would change, then to enter it. */
export const openQuickFix = (matchId, verdict, view, title, body) => openPreview(matchId, verdict, view, title, body, () => dialog.close());

/** Whether two tries would change just the same. */
const isSameConsequence = (a, b) => JSON.stringify([a.changes, a.cards, a.score_after]) === JSON.stringify([b.changes, b.cards, b.score_after]);

/** The dry run of `body`, and the button that enters it. `verdict` null: it is about none. */
async function openPreview(matchId, verdict, view, title, body, back, note = "") {
  const path = `/api/v1/matches/${encodeURIComponent(matchId)}/corrections`;
  const ask = () => ({ ...body, ...(said.reason ? { reason: said.reason } : {}), ...(said.reviewer ? { reviewer: said.reviewer } : {}) });
  const said = { reason: "", reviewer: rememberedName() };
  frame(title, saidBy(verdict), element("p", "quiet", t("fix.asking")));
  try {
    showPreview(await postJson(path, ask()));
  } catch (refused) {
    const actions = element("div", "actions");
    actions.append(button(t("fix.back"), back));
    frame(title, saidBy(verdict), element("p", "error", refused.message), actions);
  }

  /** Enters what was shown: with a name and a reason it is tried once more, and must change just the same. */
  async function enterAs(would, asked) {
    const again = await postJson(path, asked);
    if (!isSameConsequence(again, would)) throw Object.assign(new Error(""), { status: 409 });
    await postJson(path, { ...asked, confirm: again.confirm });
  }

  function showPreview(would) {
    const reviewer = field("fix.reviewer", { value: said.reviewer, maxLength: 200 });
    const reason = field("fix.reason", { value: said.reason, maxLength: 2000, autocomplete: "off" });
    const fields = element("div", "fields");
    fields.append(...(body.kind === "count" ? [] : [reason.label]), reviewer.label); // a count needs no reason
    const error = element("p", "error");
    error.setAttribute("role", "alert");
    const enter = button(t("fix.confirm"), async () => {
      enter.disabled = true;
      Object.assign(said, { reason: reason.input.value.trim(), reviewer: reviewer.input.value.trim() });
      rememberName(said.reviewer);
      try {
        await enterAs(would, ask());
        done(t("fix.entered"));
      } catch (refused) {
        if (refused.status === 409) openPreview(matchId, verdict, view, title, body, back, `${t("fix.again")} ${refused.message}`);
        else error.textContent = refused.message;
        enter.disabled = false;
      }
    }, "primary");
    const actions = element("div", "actions");
    actions.append(button(t("fix.back"), back), enter);
    frame(title, saidBy(verdict), ...(note ? [element("p", "error", note)] : []), consequence(would), fields, error, actions);
    enter.focus();
  }
}

function field(key, more) {
  const input = Object.assign(element("input"), more);
  const label = element("label", "", t(key));
  label.append(input);
  return { input, label };
}

function done(text) {
  const body = element("div", "body");
  const said = element("h2", "", text);
  said.id = "fix-title";
  body.append(said);
  dialog.replaceChildren(body);
  setTimeout(() => dialog.close(), 1200);
}

/** What a correction or an answer changes: whose card stays, verdicts before and after, and the score. */
export function consequence(would) {
  const made = element("section", "consequence");
  made.append(element("h3", "", t("fix.would")));
  if (would.changes.length === 0) made.append(element("p", "quiet", t("fix.nothing")));
  const list = element("ol", "changes");
  for (const { before, after } of would.changes) {
    const item = element("li");
    if (before) item.append(element("s", "", `${rulingText(before.ruling)}: ${reasonText(before)}`));
    item.append(element("span", "", after ? `${rulingText(after.ruling)}: ${reasonText(after)}` : t("fix.gone")));
    list.append(item);
  }
  made.append(list);
  if (would.cards.length > 0) made.append(element("h3", "", t("fix.whose")), cardFates(would));
  made.append(scoreChange(would));
  return made;
}

/** Each card with its player, and whether it stays; those whose lot changes stand out. */
function cardFates({ cards, score_after: { players } }) {
  const list = element("ul", "fates");
  for (const fate of cards) {
    const isChanged = fate.stayed !== null && fate.stayed !== fate.stays;
    const row = element("li", `${fate.stays ? "stays" : "goes"} ${isChanged ? "changed" : ""}`);
    const place = players.findIndex((player) => player.seat === fate.seat);
    const what = partsText([cardText(fate.card), pileText(fate.pile)]);
    const name = element("bdi", "name", fate.player ?? t("verdict.nobody"));
    const lot = `fix.${fate.stays ? "stays" : "goes_back"}${isChanged ? "_now" : ""}`;
    row.append(...(place < 0 ? [] : [seatMark(place)]), name, element("span", "what", what), element("b", "lot", t(lot)));
    list.append(row);
  }
  return list;
}

function scoreChange({ score_before: before, score_after: after }) {
  const made = element("table", "score-change");
  const head = made.createTHead().insertRow();
  for (const text of [t("fix.score"), t("fix.before"), t("fix.after")]) {
    const cell = element("th", "", text);
    cell.scope = "col";
    head.append(cell);
  }
  const rows = made.createTBody();
  after.players.forEach((player) => {
    const was = before.players.find((other) => other.seat === player.seat)?.total ?? 0;
    const row = rows.insertRow();
    const name = element("th");
    name.scope = "row";
    name.append(element("bdi", "", player.player));
    row.append(name, element("td", "", numberText(was)), element("td", was === player.total ? "" : "changed", numberText(player.total)));
  });
  return made;
}
