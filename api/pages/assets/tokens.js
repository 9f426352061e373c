// Tokens: who may watch, call, review or run the server. Made and ended here, by those who run it.

import { button, element, once } from "./elements.js";
import { getJson, postJson, send } from "./net.js";
import { fillTop } from "./top.js";
import { lang, namesText, t } from "./words.js";

const byId = (id) => document.getElementById(id);
const dateText = (text) => (text ? new Date(text).toLocaleString(lang, { dateStyle: "medium", timeStyle: "short" }) : "—");

fillTop("tokens");

function row(token) {
  const isEnded = token.revoked_at !== null || (token.expires_at !== null && new Date(token.expires_at) < new Date());
  const made = element("tr", isEnded ? "ended" : "");
  const name = element("td");
  name.append(element("bdi", "", token.name));
  const last = element("td");
  last.append(isEnded ? t("tokens.ended") : revokeButton(token));
  const cell = (title, text) => {
    const td = element("td", "", text);
    td.dataset.title = t(`tokens.${title}`);
    return td;
  };
  const scopes = namesText(token.scopes.map((scope) => t(`tokens.${scope}`)));
  const delay = element("td", "", token.delay_s);
  delay.dataset.title = t("setup.delay");
  made.append(name, cell("scope", scopes), delay, cell("made", dateText(token.made_at)), cell("expires", dateText(token.expires_at)), last);
  return made;
}

function revokeButton(token) {
  const made = button(t("tokens.revoke"), () => once(made, () => revoke(token)), "danger");
  return made;
}

async function show() {
  try {
    const tokens = await getJson("/api/v1/tokens");
    byId("tokens").replaceChildren(...tokens.map(row));
    byId("none").hidden = tokens.length > 0;
    byId("error").textContent = "";
  } catch (refused) {
    byId("error").textContent = refused.message;
  }
}

async function revoke(token) {
  try {
    await send("DELETE", `/api/v1/tokens/${encodeURIComponent(token.token_id)}`);
  } catch (refused) {
    byId("error").textContent = refused.message;
  }
  await show();
}

byId("make").addEventListener("submit", (event) => {
  event.preventDefault();
  once(event.target, () => make(event.target));
});

async function make(fields) {
  const form = new FormData(fields);
  const wanted = { name: form.get("name"), scopes: [form.get("scope")], delay_s: Number(form.get("delay_s") || 0), ...(form.get("days") ? { days: Number(form.get("days")) } : {}) };
  try {
    const { token } = await postJson("/api/v1/tokens", wanted);
    fields.reset();
    await show();
    byId("made").hidden = false;
    byId("text").value = token;
    byId("text").select();
  } catch (refused) {
    byId("error").textContent = refused.message;
  }
}
show();
