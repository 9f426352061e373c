// Putting a verdict right: pick what was wrong, see what would change, enter it. Nothing is entered unseen.

import { button, element, numberText } from "./elements.js";
import { postJson } from "./net.js";
import { seatMark } from "./seats.js";
import { cardText, reasonText, rulingText, t } from "./words.js";

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
      const made = button("", () => appeal(player));
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

  async function appeal(player) {
    const grounds = element("textarea");
    grounds.rows = 2;
    const label = element("label", "", t("appeal.grounds"));
    label.append(grounds);
    const error = element("p", "error");
    const enter = button(t("appeal.enter"), async () => {
      try {
        await postJson(`/api/v1/matches/${encodeURIComponent(matchId)}/appeals`, { verdict_id: verdict.verdict_id, seat: player.seat, grounds: grounds.value });
        done(t("appeal.entered"));
      } catch (refused) {
        error.textContent = refused.message;
      }
    }, "primary");
    const actions = element("div", "actions");
    actions.append(button(t("fix.back"), draw), enter);
    frame(`${t("appeal.title")}: ${player.player}`, saidBy(verdict), label, error, actions);
    grounds.focus();
  }

  const preview = (title, body) => openPreview(matchId, verdict, view, title, body, draw);
  draw();
}

/** One correction at once: what would change, then to enter it. */
export const openQuickFix = (matchId, verdict, view, title, body) => openPreview(matchId, verdict, view, title, body, () => dialog.close());

/** The dry run of `body`, and the button that enters it. */
async function openPreview(matchId, verdict, view, title, body, back, note = "") {
  frame(title, saidBy(verdict), element("p", "quiet", t("fix.asking")));
  const path = `/api/v1/matches/${encodeURIComponent(matchId)}/corrections`;
  try {
    const would = await postJson(path, body);
    showPreview(would);
  } catch (refused) {
    const actions = element("div", "actions");
    actions.append(button(t("fix.back"), back));
    frame(title, saidBy(verdict), element("p", "error", refused.message), actions);
  }

  function showPreview(would) {
    const reviewer = Object.assign(element("input"), { value: rememberedName(), maxLength: 200 });
    const label = element("label", "", t("fix.reviewer"));
    label.append(reviewer);
    const error = element("p", "error");
    const enter = button(t("fix.confirm"), async () => {
      enter.disabled = true;
      try {
        rememberName(reviewer.value);
        await postJson(path, { ...body, ...(reviewer.value ? { reviewer: reviewer.value } : {}), confirm: would.confirm });
        done(t("fix.entered"));
      } catch (refused) {
        if (refused.status === 409) openPreview(matchId, verdict, view, title, body, back, `${t("fix.again")} ${refused.message}`);
        else error.textContent = refused.message;
        enter.disabled = false;
      }
    }, "primary");
    const actions = element("div", "actions");
    actions.append(button(t("fix.back"), back), enter);
    frame(title, saidBy(verdict), ...(note ? [element("p", "error", note)] : []), consequence(would), label, error, actions);
    enter.focus();
  }
}

function done(text) {
  const body = element("div", "body");
  const said = element("h2", "", text);
  said.id = "fix-title";
  body.append(said);
  dialog.replaceChildren(body);
  setTimeout(() => dialog.close(), 1200);
}

/** What a correction or an answer changes: verdicts before and after, and the score. */
export function consequence(would) {
  const made = element("section");
  made.append(element("h3", "", t("fix.would")));
  if (would.changes.length === 0) made.append(element("p", "quiet", t("fix.nothing")));
  const list = element("ol", "changes");
  for (const { before, after } of would.changes) {
    const item = element("li");
    if (before) item.append(element("s", "", `${rulingText(before.ruling)}: ${reasonText(before)}`));
    item.append(element("span", "", after ? `${rulingText(after.ruling)}: ${reasonText(after)}` : t("fix.gone")));
    list.append(item);
  }
  made.append(list, scoreChange(would));
  return made;
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
