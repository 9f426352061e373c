// The list of matches, looked up again every few seconds.

import { element } from "./elements.js";

function link(text, href) {
  const made = element("a", "", text);
  made.href = href;
  return made;
}

function row(match) {
  const item = element("li");
  const table = encodeURIComponent(match.table);
  const id = encodeURIComponent(match.match_id);
  const pages = element("nav");
  pages.append(
    link("live", `/live/${table}`),
    link("overlay", `/overlay/${table}`),
    link("score", `/api/v1/matches/${id}/score`),
    link("verdicts", `/api/v1/matches/${id}/verdicts`),
  );
  item.append(element("strong", "", match.match_id), element("span", "", `${match.game}, ${match.players.join(" · ")}, ${match.state}`), pages);
  return item;
}

async function refresh() {
  try {
    const matches = await (await fetch("/api/v1/matches", { cache: "no-store" })).json();
    document.getElementById("matches").replaceChildren(...matches.map(row));
    document.getElementById("empty").hidden = matches.length > 0;
  } catch {
    // the server is away; the next look may find it
  }
  setTimeout(refresh, 3000);
}
refresh();
