// The control page: the scoreboard, with the sheet from below for a phone that is paired.
import { $, follow, goLive, has, ready, settings, t, table, text } from "./core.js";
import { asking } from "./ask.js";
import { correctable } from "./correct.js";
import { extra } from "./extra.js";
import { lights } from "./lights.js";
import { menu } from "./menu.js";
import { sheet } from "./sheet.js";
import { aloud, board, log, players, stage } from "./stage.js";

await ready;
menu();
stage();
board();
players();
extra();
log();
lights();
aloud();
pairing();
sheet();
asking();
correctable();
goLive();
keepAwake();

function pairing() {
  $("phone-name").value = settings.get("phone-name", "");
  $("pair-form").addEventListener("submit", (event) => { event.preventDefault(); pair($("pin").value); });
  $("pair-button").addEventListener("click", () => pair(""));
  follow(show);
  if (!table.paired) $("pin").focus({ preventScroll: true });
}

function show() {
  $("pair").hidden = table.paired;
  $("sheet").hidden = !table.paired;
}

async function pair(pin) {
  settings.set("phone-name", $("phone-name").value);
  const response = await fetch("/api/pair", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ pin, name: $("phone-name").value.slice(0, 24) }) });
  const told = await response.json();
  $("pair-problem").hidden = response.ok;
  text($("pair-problem"), response.ok ? "" : has(`error.${told.error}`) ? t(`error.${told.error}`) : told.message);
  if (!response.ok) return $("pin").focus();
  // A fresh page has everything that only a paired phone is given.
  location.reload();
}

// The phone of the host stays awake where the browser allows it.
function keepAwake() {
  if (!table.paired || !navigator.wakeLock) return;
  const hold = () => { if (!document.hidden) navigator.wakeLock.request("screen").catch(() => {}); };
  document.addEventListener("visibilitychange", hold);
  hold();
}
