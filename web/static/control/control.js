// The control page: the scoreboard, with the sheet from below for a phone that is paired.
import { $, follow, goLive, post, ready, settings, start, table } from "../shared/core.js";
import { aside } from "./aside.js";
import { asking } from "./ask.js";
import { keepAwake } from "./awake.js";
import { correctable } from "./correct.js";
import { everything } from "../scoreboard/everything.js";
import { letIn } from "../shared/hosting.js";
import { sheet } from "./sheet.js";

await ready;
everything();
pairing();
await first();
sheet();
asking();
correctable();
aside();
goLive();
if (table.paired) keepAwake();

function pairing() {
  $("phone-name").value = settings.get("phone-name", "");
  $("as-screen").checked = new URLSearchParams(location.search).has("screen");
  $("pair-form").addEventListener("submit", (event) => { event.preventDefault(); pair($("pin").value); });
  $("pair-button").addEventListener("click", ask);
  follow(show);
  if (!table.paired) $("pin").focus({ preventScroll: true });
}

function show() {
  $("pair").hidden = table.paired;
  $("sheet").hidden = !table.paired;
}

function request(path, body) {
  const name = $("phone-name").value;
  settings.set("phone-name", name);
  return post(path, { ...body, name: name.slice(0, 24) }, { problem: $("pair-problem") });
}

// The first phone of a new table, by the QR code on the screen or the terminal: nothing to type.
async function first() {
  const code = new URLSearchParams(location.hash.slice(1)).get("first");
  if (!code) return;
  history.replaceState(null, "", "/control");
  if (!table.paired && (await request("/api/pair", { first: code })))
    location.replace(start.settings ? "/setup" : "/control");
}

async function pair(pin) {
  if (!(await request("/api/pair", { pin, screen: $("as-screen").checked }))) return $("pin").focus();
  paired();
}

// A fresh page has everything that only a paired phone, or a screen, is given.
function paired() {
  if ($("as-screen").checked) location.assign("/tv");
  else location.reload();
}

// By the table's button or the host: this phone shows the dice that the screen and the board show when it is its turn.
async function ask() {
  const asked = await request("/api/pair/ask", { screen: $("as-screen").checked });
  if (!asked) return;
  $("pair-button").disabled = true;
  if (await letIn(asked, $("pair-code"), $("pair-dice"), $("pair-problem"))) return paired();
  $("pair-button").disabled = false;
}
