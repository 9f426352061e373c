// Asks for a token where the server wants one. The browser remembers it, out of reach of scripts.

import { element } from "./elements.js";
import { forgetToken, postJson, whenRefused } from "./net.js";
import { t } from "./words.js";

let dialog = null;

function ask(refusal) {
  if (dialog?.open) return;
  dialog ??= document.body.appendChild(element("dialog", "signin"));
  dialog.setAttribute("aria-labelledby", "signin-title");
  const form = element("form", "body");
  const label = element("label", "", t("signin.token"));
  const token = Object.assign(element("input"), { type: "password", required: true, autocomplete: "off", maxLength: 200 });
  label.append(token);
  const said = element("p", "error");
  said.setAttribute("role", "alert");
  if (refusal.code === "unknown_token") said.textContent = refusal.message;
  const actions = element("div", "actions");
  actions.append(Object.assign(element("button", "primary", t("signin.enter")), { type: "submit" }));
  form.append(Object.assign(element("h2", "", t("signin.title")), { id: "signin-title" }), element("p", "quiet", t("signin.lead")), label, said, actions);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await postJson("/api/v1/session", { token: token.value.trim() });
      forgetToken();
      location.reload();
    } catch (refused) {
      said.textContent = refused.message;
    }
  });
  dialog.replaceChildren(form);
  dialog.showModal();
}

whenRefused(ask);
