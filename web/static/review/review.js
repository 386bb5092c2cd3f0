// The host's look over doubtful and corrected throws: each die cut out of its photo, as read and as it was.
import { $, dialog, fill, goLive, h, number, post, ready, t, table, text } from "../shared/core.js";
import { crop } from "../control/ask.js";
import { die } from "../shared/dice.js";
import { tableOf } from "../shared/figures.js";
import { menu } from "../shared/menu.js";

const KEPT = {
  all: () => true,
  open: (each) => !each.settled,
  corrected: (each) => each.source === "corrected",
  doubted: (each) => each.doubt !== null,
};
let throws = [];

await ready;
menu();
$("unpaired").hidden = table.owner;
$("tools").hidden = !table.owner;
$("filter").addEventListener("change", show);
if (table.owner) await load().catch(() => {}); // drawn whole before it is shown
goLive();

async function load() {
  const response = await fetch("/api/review", { cache: "no-store" });
  if (!response.ok) return;
  ({ throws } = await response.json());
  show();
  const counted = await fetch("/api/evidence", { cache: "no-store" });
  if (counted.ok) prove(await counted.json());
}

// How often a reading was accepted and wrong: in all, and by month, camera and set of dice where there are several.
function prove(found) {
  $("proof").hidden = !found.throws;
  const sums = { throws: number(found.throws), corrected: number(found.corrected), most: percent(found.bound) };
  text($("proof-sum"), t("evidence.sum", sums));
  const parts = Object.entries(found.by).filter(([, rows]) => rows.length > 1);
  fill($("proof-by"), parts, () => parts.map(([kind, rows]) => counts(kind, rows)));
}

const HEADS = ["throws", "asked", "corrected", "bound"];
const counts = (kind, rows) =>
  tableOf(
    t(`evidence.${kind}`),
    t(`evidence.${kind}`),
    HEADS.map((head) => t(`evidence.${head}`)),
    rows.map((row) => [
      row.name || t(`evidence.${kind}_none`),
      ...HEADS.map((head) => (head === "bound" ? percent(row.bound) : number(row[head]))),
    ]),
  );

// An upper bound in percent: rounded up to one digit after the point.
function percent(share) { return number(Math.ceil(1000 * share) / 10); }

function show() {
  const shown = throws.filter(KEPT[$("filter").value]), settled = throws.filter((each) => each.settled).length;
  text($("count"), throws.length ? t("review.count", { count: throws.length, settled }) : t("review.none"));
  $("export").hidden = !settled;
  // Each card by itself, so that settling one die draws no other photo anew.
  const list = $("reviewed");
  const known = new Map([...list.querySelectorAll("li")].map((item) => [item.dataset.throw, item]));
  const cards = shown.map((each) => {
    const item = known.get(String(each.throw)) ?? h("li", { class: "panel stack", "data-throw": each.throw });
    fill(item, each, () => card(each));
    return item;
  });
  if (cards.some((item, at) => list.children[at] !== item) || list.children.length !== cards.length)
    list.replaceChildren(...cards);
}

function card(each) {
  const why = [t(`source.${each.source}`), each.doubt ? t(`doubt.${each.doubt}`, {}, each.doubt) : null]
    .filter(Boolean)
    .join(" · ");
  const photo = `/api/throws/${each.throw}.jpg`;
  return [
    h(
      "div",
      { class: "spread" },
      h("h2", {}, t("review.throw", { number: each.throw, player: each.player, values: each.values.join(", ") })),
      each.settled ? null : h("b", { class: "open-sign" }, t("review.open")),
    ),
    h("p", { class: "quiet" }, why),
    h(
      "ul",
      { class: "crops" },
      each.dice.map((seen, at) => h("li", {}, cropped(each, seen, at, photo))),
    ),
    h(
      "details",
      { class: "fold" },
      h("summary", {}, t("ask.whole")),
      h("img", { class: "photo", src: photo, loading: "lazy", alt: t("correct.photo") }),
    ),
  ];
}

// A die: its picture, what was read and what it shows; a tap says otherwise.
function cropped(each, seen, at, photo) {
  const canvas = h("canvas", { width: 160, height: 160, "aria-hidden": "true" });
  crop(canvas, photo, seen.box_xywh);
  const kind = seen.value === null ? "open" : seen.value === seen.read ? "same" : "other";
  const label = t(`review.die.${kind}`, { read: seen.read, value: seen.value === 0 ? t("ask.not_a_die") : seen.value });
  const worth =
    seen.value === null ? h("b", {}, "?") : seen.value === 0 ? h("b", {}, "✕") : die(seen.value, { quiet: true });
  return h(
    "button",
    {
      type: "button",
      class: `cropped ${kind}`,
      "data-key": `${each.throw}-${at}`,
      "aria-label": label,
      onclick: () => ask(each, at, photo),
    },
    canvas,
    h("span", { class: "reads", "aria-hidden": "true" }, kind === "same" ? null : h("s", {}, String(seen.read)), worth),
  );
}

function ask(each, at, photo) {
  const seen = each.dice[at],
    canvas = h("canvas", { class: "crop", width: 400, height: 400, role: "img", "aria-label": t("ask.crop") });
  crop(canvas, photo, seen.box_xywh);
  const say = async (value) => {
    const values = each.dice.map((other, place) => (place === at ? value : other.value ?? other.read));
    const told = await post(`/api/review/${each.throw}`, { values });
    if (!told) return;
    ({ throws } = told);
    box.close();
    show();
  };
  const box = dialog(
    t("review.which"),
    canvas,
    h("p", {}, t("review.read_as", { read: seen.read, percent: Math.floor(seen.confidence * 100) })),
    h(
      "div",
      { class: "faces" },
      [1, 2, 3, 4, 5, 6].map((value) =>
        h(
          "button",
          {
            type: "button",
            class: value === seen.value ? "likely" : "",
            "aria-label": t("ask.is", { value }),
            onclick: () => say(value),
          },
          die(value, { quiet: true }),
        ),
      ),
    ),
    h("button", { type: "button", onclick: () => say(0) }, t("ask.not_a_die")),
  );
}
