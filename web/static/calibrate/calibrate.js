// Calibrating: the camera's picture, what is found in it, and what is to be bettered; taking the sheet and the tray.
import { $, asked, fill, goLive, h, number, post, ready, repeat, s, t, table, text } from "../shared/core.js";
import { menu } from "../shared/menu.js";
import { preview } from "./preview.js";

const LOOK_MS = 700;
let lies = false;

await ready;
menu();
$("unpaired").hidden = table.owner;
$("tools").hidden = $("more").hidden = !table.owner;
if (table.owner) {
  $("sheet").addEventListener("click", () => act("sheet", measures(), "calibrate.sheet_taken"));
  $("empty").addEventListener("click", () => act("empty", {}, "calibrate.saved"));
  $("die").addEventListener("click", () => act("die", {}, "calibrate.die_taken"));
  $("lay").addEventListener("click", () => act("lay", { lies: !lies }, null));
  await repeat(LOOK_MS, async () => {
    const look = await asked("/api/calibrate");
    if (look) show(look);
  });
}
goLive();

function show(look) {
  const [width, height] = look.picture_wh ?? [4, 3];
  if (look.picture_wh) preview();
  const found = $("found");
  found.setAttribute("viewBox", `0 0 ${width} ${height}`);
  found.setAttribute("preserveAspectRatio", "none");
  fill(found, [look.markers, look.zones], () => [
    ...look.markers.map((corners) => s("polygon", { class: "marker", points: corners.join(" ") })),
    ...look.zones.flatMap((corners, at) => [
      s("polygon", { class: at ? "zone keep" : "zone", points: corners.join(" ") }),
      s("text", { x: corners[0][0] + 16, y: corners[0][1] + 52 }, t(at ? "calibrate.keep" : "calibrate.throw")),
    ]),
  ]);
  fill($("advice"), look.advice, () =>
    look.advice.length
      ? look.advice.map(({ code, says }) => h("li", { "data-code": code }, t(`advice.${code}`, {}, says)))
      : h("li", { class: "well" }, t("calibrate.well")),
  );
  $("empty").disabled = !look.sheet;
  $("die").disabled = !look.empty;
  for (const [id, next] of [
    ["sheet", !look.sheet],
    ["empty", look.sheet && !look.empty],
    ["die", look.empty],
  ])
    $(id).classList.toggle("main", next);
  const lens = look.lens;
  const unmeasured = lens?.views === lens?.of ? "calibrate.lens_unsure" : "calibrate.lens_views";
  const told = lens?.measured ? "calibrate.lens_measured" : unmeasured;
  text($("lens"), lens ? t(told, { ...lens, degrees: number(lens.degrees) }) : "");
  $("lay").hidden = !look.virtual;
  lies = look.markers.length > 0;
  text($("lay"), t(lies ? "calibrate.lift" : "calibrate.lay"));
  text($("says"), look.says);
}

function measures() {
  const told = [...$("measures").querySelectorAll("input")].filter((input) => input.value !== "");
  return Object.fromEntries(told.map((input) => [input.name, Number(input.value)]));
}

async function act(what, body, done) {
  const look = await post(`/api/calibrate/${what}`, body);
  if (!look) return;
  show(look);
  $("notice").hidden = !done;
  if (done) text($("notice"), t(done));
}
