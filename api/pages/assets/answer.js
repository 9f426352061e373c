// A person's answer to a verdict, in two steps: decide and see what follows, then publish.

import { button, element } from "./elements.js";
import { consequence, rememberedName, rememberName } from "./fix.js";
import { postJson } from "./net.js";
import { seatMark } from "./seats.js";
import { cardText, rulingText, t } from "./words.js";

const RACE = new Set(["FIRST", "TIE", "TOO_CLOSE"]);

/** Whether several came for one place: then it is asked who was first, else whether it was a play at all. */
const isRace = ({ plays, ruling }) => plays.length > 1 && (RACE.has(ruling) || new Set(plays.map((play) => play.seat)).size > 1);

/** Whether `choice` says no more than what holds already: that is answered by "it stands". */
const isWhatHolds = (verdict, { ruling, keeps }) => ruling === verdict.ruling && (ruling !== "FIRST" || verdict.plays[keeps[0]].stands);

/** What can be answered to a verdict instead of it: a ruling, and the positions of the cards that stay. `keeps` null: that is asked too. */
const choicesOf = (verdict) => rulingsOf(verdict).filter((choice) => !isWhatHolds(verdict, choice));

function rulingsOf(verdict) {
  const all = [...verdict.plays.keys()];
  if (!isRace(verdict)) return [{ ruling: "LEGAL", keeps: all }, { ruling: "ILLEGAL", keeps: [] }, { ruling: "UNDECIDED", keeps: null }];
  return [...all.map((i) => ({ ruling: "FIRST", keeps: [i] })), ...["TIE", "TOO_CLOSE", "UNDECIDED"].map((ruling) => ({ ruling, keeps: null })), { ruling: "ILLEGAL", keeps: [] }];
}

/** The choice that most likely holds instead; null where none is likelier than another. */
function likeliest(verdict, choices) {
  if (!isRace(verdict)) return choices.find(({ ruling }) => ruling === (verdict.ruling === "LEGAL" ? "ILLEGAL" : "LEGAL"));
  const others = choices.filter(({ ruling, keeps }) => ruling === "FIRST" && !verdict.plays[keeps[0]].stands);
  return verdict.ruling === "FIRST" && others.length === 1 ? others[0] : null;
}

/** Scrolls the column of the answer so that it is seen, and nothing else: the pictures stay where they are. */
function bringIntoView() {
  const side = document.getElementById("side");
  const [whole, made] = [side, document.getElementById("answer")].map((each) => each.getBoundingClientRect());
  if (made.bottom > whole.bottom) side.scrollTop += Math.min(made.bottom - whole.bottom, made.top - whole.top);
  else if (made.top < whole.top) side.scrollTop -= whole.top - made.top;
}

export class AnswerForm {
  /** `viewOf` gives the match as it is known; `nextOpen` the way to the next play that waits, null: none does; `focusList` goes on by key. */
  constructor(here, { viewOf, nextOpen, focusList }) {
    this.path = `${here}/resolutions`;
    this.viewOf = viewOf;
    this.nextOpen = nextOpen;
    this.focusList = focusList;
    this.body = document.getElementById("answer-body");
    this.verdict = null;
    this.would = null;
    this.decision = null;
    this.published = null; // the verdict that was answered here last
    this.drafts = new Map(); // verdict id -> the reason typed so far
  }

  /** Shows the form for `verdict`; one that is being filled in for the same verdict stays. */
  show(verdict, isAnswered) {
    const isSame = this.verdict?.verdict_id === verdict.verdict_id && this.isAnswered === isAnswered;
    this.verdict = verdict;
    this.isAnswered = isAnswered;
    document.getElementById("answer").classList.remove("done");
    if (isAnswered) this.drawAnswered();
    if (isSame) return;
    document.getElementById("side").scrollTop = 0; // the heading names the play, and then the ruling
    Object.assign(this, { would: null, decision: null, kept: new Set(), choice: null, choices: choicesOf(verdict) });
    if (!isAnswered) this.drawForm();
  }

  /** What is left to do once the verdict is answered. */
  drawAnswered() {
    const isNews = this.published === this.verdict.verdict_id;
    const said = isNews ? t("review.published") : t(`standing.${this.verdict.standing}`);
    const go = this.nextOpen();
    document.getElementById("answer").classList.toggle("done", !isNews && !go); // the heading of the play says it
    const made = element("div", "answered");
    made.append(Object.assign(element("p", "quiet", said), { role: "status" }), ...(go ? [button(t("review.next_open"), go, "primary")] : []));
    this.body.replaceChildren(made);
  }

  decide(decision) {
    if (!this.verdict || this.isAnswered || document.getElementById("answer").hidden) return;
    this.decision = decision;
    this.would = null;
    if (decision === "overturned" && this.choice === null) this.choose(likeliest(this.verdict, this.choices));
    this.drawForm();
    const focus = decision === "overturned" ? this.body.querySelector("input[name=ruling]:checked") ?? this.body.querySelector("input[name=ruling]") : this.body.querySelector("[name=reason]");
    focus?.focus({ preventScroll: true });
    bringIntoView();
  }

  /** One step back: from the preview to the form, from the form to nothing decided. */
  back() {
    if (!this.verdict || this.isAnswered) return;
    if (this.would) this.would = null;
    else this.decision = null;
    this.drawForm();
    this.focusList();
  }

  /** The next step, as Enter asks for it: see what follows, then publish. */
  next() {
    if (this.would) this.publish();
    else if (this.decision) this.preview();
  }

  /** Takes a choice, with the cards that stay by it; where that is asked too, all stay until somebody says otherwise. */
  choose(choice) {
    this.choice = choice;
    this.kept = new Set(choice === null ? [] : choice.keeps ?? this.verdict.plays.keys());
  }

  request() {
    return {
      verdict_id: this.verdict.verdict_id,
      decision: this.decision,
      ...(this.decision === "overturned" ? { ruling: this.choice.ruling, kept: [...this.kept].sort((a, b) => a - b) } : {}),
      reason: this.drafts.get(this.verdict.verdict_id) ?? "",
      ...(rememberedName() ? { reviewer: rememberedName() } : {}),
    };
  }

  drawForm(error = "") {
    const form = element("form");
    const choices = element("div", "choices big");
    for (const [name, key, text] of [["stands", "s", t("review.stands")], ["overturned", "o", t("review.overturn")]]) {
      const made = button(`${text} `, () => this.decide(name));
      made.append(element("kbd", "", key));
      made.setAttribute("aria-pressed", String(this.decision === name));
      choices.append(made);
    }
    form.append(choices);
    if (this.decision === "overturned") form.append(this.rulings(), ...this.keepers());
    if (this.decision) form.append(this.field("reason", t("review.reason"), this.drafts.get(this.verdict.verdict_id) ?? ""));
    const said = element("p", "error", error);
    said.setAttribute("role", "alert");
    if (this.decision) {
      const sign = element("div", "sign");
      sign.append(this.field("reviewer", t("review.reviewer"), rememberedName()), Object.assign(element("button", "primary", `${t("review.preview")} ↵`), { type: "submit" }));
      form.append(sign);
    }
    form.append(said);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.preview();
    });
    this.body.replaceChildren(form);
  }

  field(name, text, value) {
    const label = element("label", "", text);
    const input = Object.assign(element("input"), { name, value, maxLength: name === "reason" ? 2000 : 200, autocomplete: "off", required: name === "reason" });
    input.addEventListener("input", () => (name === "reason" ? this.drafts.set(this.verdict.verdict_id, input.value) : rememberName(input.value)));
    label.append(input);
    return label;
  }

  rulings() {
    const set = element("fieldset");
    set.append(element("legend", "", t("review.new_ruling")));
    for (const choice of this.choices) {
      const input = Object.assign(element("input"), { type: "radio", name: "ruling", value: choice.ruling, checked: choice === this.choice });
      input.addEventListener("change", () => {
        this.choose(choice);
        this.drawForm();
        this.body.querySelector("input[name=ruling]:checked").focus({ preventScroll: true });
      });
      const label = element("label", choice.ruling);
      const first = choice.ruling === "FIRST" ? this.seatMarkOf(this.verdict.plays[choice.keeps[0]]) : [];
      label.append(input, ...first, element("span", "ruling", this.textOf(choice)));
      set.append(label);
    }
    return set;
  }

  /** A choice as people say it. */
  textOf({ ruling, keeps }) {
    return ruling === "FIRST" ? t("review.was_first", { player: this.verdict.plays[keeps[0]].player ?? t("verdict.nobody") }) : rulingText(ruling);
  }

  seatMarkOf(play) {
    const seat = this.viewOf().score.players.findIndex((player) => player.seat === play.seat);
    return seat < 0 ? [] : [seatMark(seat)];
  }

  keepers() {
    if (this.verdict.plays.length === 0 || this.choice === null || this.choice.keeps !== null) return [];
    const set = element("fieldset");
    set.append(element("legend", "", t("review.keeps")));
    this.verdict.plays.forEach((play, i) => {
      const input = Object.assign(element("input"), { type: "checkbox", name: "kept", value: i, checked: this.kept.has(i) });
      input.addEventListener("change", () => (input.checked ? this.kept.add(i) : this.kept.delete(i)));
      const label = element("label");
      label.append(input, ...this.seatMarkOf(play), element("bdi", "", `${play.player ?? t("verdict.nobody")}: ${cardText(play.card)}`));
      set.append(label);
    });
    return [set];
  }

  async preview() {
    if (this.decision === "overturned" && this.choice === null) {
      this.drawForm(t("review.needs_ruling"));
      this.body.querySelector("[name=ruling]").focus();
      return;
    }
    const asked = this.request();
    if (!asked.reason.trim()) {
      this.drawForm(t("review.needs_reason"));
      this.body.querySelector("[name=reason]")?.focus();
      return;
    }
    try {
      this.would = await postJson(this.path, asked);
      this.drawPreview(asked);
    } catch (refused) {
      this.would = null;
      this.drawForm(refused.message);
      this.body.querySelector("[name=reason]")?.focus();
    }
  }

  drawPreview(asked) {
    const made = element("form");
    const said = element("p", `ruling ${asked.ruling ?? ""}`, asked.decision === "stands" ? t("review.stands") : this.textOf(this.choice));
    const actions = element("div", "actions");
    const publish = Object.assign(element("button", "primary", `${t("review.publish")} ↵`), { type: "submit" });
    actions.append(button(t("fix.back"), () => this.back()), publish);
    made.append(said, element("p", "quiet", asked.reason), consequence(this.would), actions);
    made.addEventListener("submit", (event) => {
      event.preventDefault();
      this.publish();
    });
    this.body.replaceChildren(made);
    publish.focus({ preventScroll: true });
    bringIntoView();
  }

  async publish() {
    if (!this.would) return; // it is being published
    const { confirm } = this.would;
    const asked = this.request();
    this.would = null;
    this.published = asked.verdict_id; // the stream may bring it before the answer does
    try {
      await postJson(this.path, { ...asked, confirm });
      this.drafts.delete(asked.verdict_id);
      if (!this.isAnswered) this.body.replaceChildren(Object.assign(element("p", "quiet", t("review.published")), { role: "status" }));
      this.focusList();
    } catch (refused) {
      this.published = null;
      this.drawForm(refused.status === 409 ? `${t("fix.again")} ${refused.message}` : refused.message);
    }
  }
}
