// A table set up on one page, from its name to its first game; what of it can be seen or heard answers at once.
import { $, asked, goLive, ready, repeat, start, t, table, text } from "../shared/core.js";
import { field, told } from "./fields.js";
import { lights, relaid } from "../scoreboard/lights.js";
import { menu } from "../shared/menu.js";
import { gameForm } from "../control/newgame.js";
import { preview } from "../calibrate/preview.js";

const PAUSE_MS = 500,
  LOOK_MS = 3000;
/** @type {[section: "table" | "strip" | "sound", keys: string[]][]} */
const ASKED = [
  ["table", ["name", "language"]],
  ["strip", ["layout", "brightness", "night"]],
  ["sound", ["volume", "effects", "speech"]],
];

await ready;
menu();
$("unpaired").hidden = table.owner;
const tools = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".tools"));
for (const part of tools) part.hidden = !table.owner;
if (table.owner) {
  begin();
  lights();
  if ($("picture")) {
    repeat(PAUSE_MS, async () => text($("none"), await preview() ? "" : t("camera.none")));
    repeat(LOOK_MS, look);
  }
  await load();
}
goLive();

async function load() {
  const { settings, message } = await told();
  $("ill").hidden = !message;
  text($("ill"), message ?? "");
  const known = (section, key) => settings.find((one) => one.section === section && one.key === key);
  if (settings)
    for (const [section, keys] of ASKED)
      $(`${section}-fields`).replaceChildren(...keys.map((key) => field(known(section, key), relaid)));
}

function begin() {
  const button = $("begin"), form = gameForm(start.games, button);
  $("game-fields").append(...form.parts);
  button.addEventListener("click", async () => {
    if (await form.begin()) location.assign(button.dataset.next ?? "/");
  });
}

// Whether the camera knows its tray.
async function look() {
  const health = await asked("/healthz");
  text($("calibrated"), health?.parts.calibration?.says ?? $("calibrated").textContent);
}
