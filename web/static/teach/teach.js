// Teaching a set of dice: throw them, confirm or correct each die; taught sets can be forgotten.
import { $, dialog, fill, goLive, h, post, ready, t, table, text } from "../shared/core.js";
import { crop } from "../control/ask.js";
import { die } from "../shared/dice.js";
import { menu } from "../shared/menu.js";

const LOOK_MS = 700;
let view = null, values = [], asking = null;

await ready;
menu();
$("unpaired").hidden = table.owner;
$("begin").hidden = !table.owner;
if (table.owner) {
  $("begin").addEventListener("submit", (event) => {
    event.preventDefault();
    tell("begin", { name: $("name").value.trim() });
  });
  $("end").addEventListener("click", () => tell("end", {}));
  $("right").addEventListener("click", () => tell("label", { number: view.throw.number, values }));
  await watch();
}
goLive();

async function watch() {
  if (!document.hidden) {
    try {
      const response = await fetch("/api/teach", { cache: "no-store" });
      if (response.ok) show(await response.json());
    } catch { /* the sign in the bar says that the table is away; it is asked again */ }
  }
  setTimeout(watch, LOOK_MS);
}

async function tell(act, body) {
  const told = await post(`/api/teach/${act}`, body);
  if (told) show(told);
}

function show(told) {
  if (told.throw?.number !== view?.throw?.number || told.set !== view?.set) {
    values = told.throw?.dice.map((each) => each.read) ?? [];
    asking?.close(); // it asks about a die of the throw before
  }
  view = told;
  const on = told.set !== null;
  $("begin").hidden = on;
  $("end").hidden = !on;
  $("lesson").hidden = !told.throw;
  $("known").hidden = !told.sets.length;
  const known = told.sets.find((each) => each.name === told.set)?.throws ?? 0;
  text($("now"), on ? t("teach.now", { name: named(told.set), count: known, enough: told.enough }) : "");
  fill($("dice"), [told.throw?.number, values], () =>
    (told.throw?.dice ?? []).map((seen, at) => h("li", {}, cropped(seen, at))),
  );
  fill($("sets"), told.sets, () => told.sets.map(known_set));
}

function named(name) { return name || t("new.dice_usual"); }

function picture() { return `/api/teach.jpg?throw=${view.throw.number}`; }

// A die: its picture and its value; a tap says otherwise.
function cropped(seen, at) {
  const canvas = h("canvas", { width: 160, height: 160, "aria-hidden": "true" });
  crop(canvas, picture(), seen.box_xywh);
  const value = values[at], other = value !== seen.read;
  return h(
    "button",
    {
      type: "button",
      class: `cropped ${other ? "other" : "same"}`,
      "data-key": `${view.throw.number}-${at}`,
      "aria-label": t("teach.die", { value: value || t("ask.not_a_die") }),
      onclick: () => ask(seen, at),
    },
    canvas,
    h("span", { class: "reads", "aria-hidden": "true" }, value ? die(value, { quiet: true }) : h("b", {}, "✕")),
  );
}

function ask(seen, at) {
  const canvas = h("canvas", { class: "crop", width: 400, height: 400, role: "img", "aria-label": t("ask.crop") });
  crop(canvas, picture(), seen.box_xywh);
  const say = (value) => {
    values = values.map((each, place) => (place === at ? value : each));
    asking.close();
    show(view);
  };
  const face = (value) =>
    h(
      "button",
      {
        type: "button",
        class: value === values[at] ? "likely" : "",
        "aria-label": t("ask.is", { value }),
        onclick: () => say(value),
      },
      die(value, { quiet: true }),
    );
  asking = dialog(
    t("review.which"),
    canvas,
    h("div", { class: "faces" }, [1, 2, 3, 4, 5, 6].map(face)),
    h("button", { type: "button", onclick: () => say(0) }, t("ask.not_a_die")),
  );
}

function known_set(each) {
  const state = t(each.usable ? "teach.usable" : "teach.few", { count: each.throws, enough: view.enough });
  return h(
    "li",
    { class: "spread" },
    h("div", {}, h("b", {}, named(each.name)), h("p", { class: "quiet" }, state)),
    h(
      "button",
      {
        type: "button",
        "data-key": `forget-${each.name}`,
        "aria-label": t("teach.forget_set", { name: named(each.name) }),
        onclick: () => tell("forget", { name: each.name }),
      },
      t("teach.forget"),
    ),
  );
}
