// There is no such page: the way to those that there are.

import { lookOnChanges } from "./changes.js";
import { getJson } from "./net.js";
import { offer } from "./offers.js";
import { fillTop } from "./top.js";

fillTop("");
lookOnChanges(async () => offer(await getJson("/api/v1/matches"), (match) => `/live/${encodeURIComponent(match.table)}`), document.getElementById("away"));
