// Teaching a set of dice: throw them, confirm or correct each die; taught sets can be forgotten.
import { $, asked, fill, goLive, h, post, ready, repeat, t, table, text } from "../shared/core.js";
import { menu } from "../shared/menu.js";
import { button } from "../shared/elements.js";
import { askLabel, labelled } from "../review/labels.js";

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
  await repeat(LOOK_MS, async () => {
    const told = await asked("/api/teach");
    if (told) show(told);
  });
}
goLive();

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
const cropped = (seen, at) =>
  labelled(picture(), seen, values[at], {
    "data-key": `${view.throw.number}-${at}`,
    "aria-label": t("teach.die", { value: values[at] || t("ask.not_a_die") }),
    onclick: () => ask(seen, at),
  });

function ask(seen, at) {
  const say = (value) => {
    values = values.map((each, place) => (place === at ? value : each));
    asking.close();
    show(view);
  };
  asking = askLabel(picture(), seen, values[at], say);
}

function known_set(each) {
  const state = t(each.usable ? "teach.usable" : "teach.few", { count: each.throws, enough: view.enough });
  return h(
    "li",
    { class: "spread" },
    h("div", {}, h("b", {}, named(each.name)), h("p", { class: "quiet" }, state)),
    button(t("teach.forget"), () => tell("forget", { name: each.name }), {
      "data-key": `forget-${each.name}`,
      "aria-label": t("teach.forget_set", { name: named(each.name) }),
    }),
  );
}
