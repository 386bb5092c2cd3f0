// The host's look over doubtful and corrected throws: each die cut out of its photo, as read and as it was.
import { $, asked, fill, goLive, h, number, post, ready, t, table, text } from "../shared/core.js";
import { tableOf } from "../shared/figures.js";
import { menu } from "../shared/menu.js";
import { fold } from "../shared/elements.js";
import { askLabel, labelled } from "./labels.js";

const KEPT = {
  all: () => true,
  open: (each) => !each.settled,
  corrected: (each) => each.source === "corrected",
  doubted: (each) => each.doubt !== null,
};
let throws = [];
const drafts = new Map(); // labels of the throws of which some die is still open: the table keeps whole throws alone

await ready;
menu();
$("unpaired").hidden = table.owner;
$("tools").hidden = !table.owner;
$("filter").addEventListener("change", show);
if (table.owner) await load(); // drawn whole before it is shown
goLive();

async function load() {
  const told = await asked("/api/review");
  if (!told) return;
  ({ throws } = told);
  show();
  const counted = await asked("/api/evidence");
  if (counted) prove(counted);
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
  const shown = throws.filter(KEPT[$("filter").value]).map(drafted),
    settled = throws.filter((each) => each.settled).length;
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
    h("ul", { class: "crops" }, each.dice.map((seen, at) => h("li", {}, cropped(each, seen, at, photo)))),
    fold(t("ask.whole"), h("img", { class: "photo", src: photo, loading: "lazy", alt: t("correct.photo") })),
  ];
}

function drafted(each) {
  const values = drafts.get(each.throw);
  return values ? { ...each, dice: each.dice.map((die, at) => ({ ...die, value: values[at] })) } : each;
}

// The labels of a throw's dice once one is said. What the open ones show follows where one value of the throw is left.
function labels(each, at, value) {
  const said = each.dice.map((die, place) => (place === at ? value : die.value)),
    left = [...each.values];
  each.dice.forEach(({ kept }, place) => {
    const found = left.indexOf(said[place]);
    if (!kept && found >= 0) left.splice(found, 1);
  });
  const open = said.filter((one) => one === null).length,
    follows = left.length === open && new Set(left).size === 1;
  return said.map((one) => one ?? (follows ? left[0] : null));
}

// A die: its picture, what was read and what it shows; a tap says otherwise.
function cropped(each, seen, at, photo) {
  const kind = seen.value === null ? "open" : seen.value === seen.read ? "same" : "other",
    label = t(`review.die.${kind}`, { read: seen.read, value: seen.value === 0 ? t("ask.not_a_die") : seen.value });
  const asks = { "data-key": `${each.throw}-${at}`, "aria-label": label, onclick: () => ask(each, at, photo) };
  return labelled(photo, seen, seen.value, asks, true);
}

function ask(each, at, photo) {
  const seen = each.dice[at];
  const say = async (value) => {
    const values = labels(each, at, value);
    if (values.includes(null)) drafts.set(each.throw, values);
    else {
      const told = await post(`/api/review/${each.throw}`, { values });
      if (!told) return;
      drafts.delete(each.throw);
      ({ throws } = told);
    }
    box.close();
    show();
  };
  const read = h("p", {}, t("review.read_as", { read: seen.read, percent: Math.floor(seen.confidence * 100) })),
    box = askLabel(photo, seen, seen.value, say, read);
}
