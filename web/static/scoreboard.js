// The scoreboard: what everyone in the pub looks at. A paired phone is sent on to the controls by a button.
import { $, follow, goLive, ready, table } from "./core.js";
import { advice } from "./advice.js";
import { menu } from "./menu.js";
import { aloud, board, log, players, stage } from "./stage.js";
import { story } from "./story.js";
import { lights } from "./lights.js";
import { moments } from "./moment.js";
import { panels } from "./panels.js";

await ready;
menu();
stage();
advice();
story();
moments();
board();
players();
panels();
log();
lights();
aloud();
follow(() => { $("to-control").hidden = false; });
document.body.dataset.paired = table.paired ? "yes" : "no";
goLive();
