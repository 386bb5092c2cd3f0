// All that the scoreboard shows, which is on the control page too.
import { advice } from "./advice.js";
import { illness } from "../shared/ill.js";
import { lights } from "./lights.js";
import { menu } from "../shared/menu.js";
import { moments } from "./moment.js";
import { panels } from "./panels.js";
import { aloud, board, log, players, stage } from "./stage.js";
import { seat } from "../shared/seat.js";
import { story } from "./story.js";

export function everything() {
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
  seat();
  illness();
}
