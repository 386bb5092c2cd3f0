// What the camera sees, live: for a host who hangs it, lights it, or wonders what it is looking at.
import { $, follow, goLive, ready, repeat, t, table, text } from "../shared/core.js";
import { menu } from "../shared/menu.js";
import { preview } from "./preview.js";

const PAUSE_MS = 250;

await ready;
menu();
$("unpaired").hidden = table.owner;
$("tools").hidden = !table.owner;
follow(({ thrown, kept }) =>
  text($("seen"), thrown.length + kept.length ? t("camera.read", { values: [...thrown, ...kept].join(" ") }) : ""),
);
if (table.owner) await repeat(PAUSE_MS, async () => text($("none"), await preview() ? "" : t("camera.none")));
goLive();
