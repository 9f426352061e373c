// There is no such page: the way to those that there are.

import { lookOnChanges } from "./changes.js";
import { getJson } from "./net.js";
import { offer } from "./offers.js";
import { fillTop, livePath } from "./top.js";

fillTop("");
lookOnChanges(async () => {
  const matches = await getJson("/api/v1/matches");
  offer(matches, (match) => livePath(match, matches));
}, document.getElementById("away"));
