// The settings, section by section, and the board as it shines with them.
import { $, fill, goLive, h, ready, t, table, text } from "../shared/core.js";
import { field, told } from "./fields.js";
import { lights, relaid } from "../scoreboard/lights.js";
import { menu } from "../shared/menu.js";

await ready;
menu();
$("unpaired").hidden = table.owner;
$("tools").hidden = !table.owner;
if (table.owner) await load();
goLive();

async function load() {
  const { file, settings, message } = await told();
  $("ill").hidden = !message;
  text($("ill"), message ?? "");
  if (settings) show(file, settings);
}

function show(file, settings) {
  text($("file"), t("settings.file", { file }));
  const sections = [...new Set(settings.map(({ section }) => section))],
    board = $("board");
  fill($("fields"), settings, () =>
    sections.map((section) =>
      h(
        "fieldset",
        { class: "stack" },
        h("legend", {}, t(`settings.${section}`)),
        ...settings.filter((one) => one.section === section).map((one) => field(one, relaid)),
        section === "strip" && board,
      ),
    ),
  );
  board.hidden = false;
  lights();
}
