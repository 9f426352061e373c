// One verdict as a row of a list.

import { element } from "./elements.js";
import { clockSpan, clockText, mostMs } from "./times.js";
import { isOverturned, isUndecided } from "./verdicts.js";
import { cardText, namesText, partsText, pileText, reasonText, ruleText, rulingText, t } from "./words.js";

/** Who did what where, and how narrowly its time is known. */
function detailOf(verdict) {
  const racing = namesText([...new Set(verdict.plays.map((play) => play.player).filter(Boolean))]);
  const who = verdict.player ?? (racing || (verdict.plays.length > 0 ? t("verdict.nobody") : ""));
  const widthMs = mostMs(verdict.when.end_us - verdict.when.start_us);
  const known = verdict.plays.length > 0 ? t("verdict.touch_known", { ms: widthMs }) : "";
  return partsText([who, verdict.card ? cardText(verdict.card) : "", pileText(verdict.pile), known]);
}

/** The row; `replaced` are the verdicts that hold instead of it. */
export function verdictRow(verdict, replaced) {
  const row = element("li", `verdict ${verdict.ruling}`);
  row.dataset.id = verdict.verdict_id;
  row.classList.toggle("fell", isOverturned(verdict));
  row.classList.toggle("needs", isUndecided(verdict));
  const line = element("div", "line");
  const time = element("time", "", clockText(verdict.when.end_us));
  time.title = t("verdict.between", clockSpan(verdict.when));
  const rule = element("span", "rule", verdict.rule ?? "");
  rule.title = verdict.rule ? ruleText(verdict.rule) : "";
  line.append(element("span", "ruling", rulingText(verdict.ruling)), rule);
  if (verdict.standing !== "standing") line.append(element("span", "standing", t(`standing.${verdict.standing}`)));
  line.append(time);
  row.append(line, element("p", "reason", reasonText(verdict)), element("p", "detail", detailOf(verdict)));
  if (isOverturned(verdict)) {
    const now = replaced.length > 0 ? replaced.map(reasonText).join(t("list.semicolon")) : t("verdict.withdrawn");
    row.append(element("p", "now", t("verdict.now", { reason: now })));
  }
  return row;
}
