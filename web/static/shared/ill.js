// Which part of the table is ill, for the pages that show the game: asked now and then while somebody looks.
import { asked, redraw, repeat, table } from "./core.js";

const LOOK_MS = 15_000;
// Whose illness players feel, the worst first. The help page tells of the others, such as a league that is away.
const FELT = ["table", "camera", "life", "disk", "journal", "taught", "strip"];

/** Keep `table.ill` as the table tells it, and have the page drawn anew when that changes. */
export const illness = () => repeat(LOOK_MS, async () => {
  const told = await asked("/healthz");
  if (!told) return; // the bar says that the table is gone
  const part = FELT.find((each) => told.parts[each]?.ok === false),
    says = part ? told.parts[part].says : "";
  if (table.ill?.part === part && (table.ill?.says ?? "") === says) return;
  table.ill = part ? { part, says } : null;
  redraw();
});
