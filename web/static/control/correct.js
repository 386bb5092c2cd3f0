// Correct any throw from its photo: tap the die in the log, tap what it really was.
import { $, asked, fill, follow, h, post, t, table, toast } from "../shared/core.js";
import { die, faces } from "../shared/dice.js";
import { button, dialog, photoOf } from "../shared/elements.js";
import { settle } from "../shared/guard.js";
import { askDice } from "./keys.js";
import { lineWords } from "../shared/sides.js";

let offered = null, offer = null;

export function correctable() {
  follow((snapshot) => {
    if (!table.paired) return;
    if (snapshot.correction?.id !== offered) confirm(snapshot.correction);
    if (!$("throws-fold").open) list(snapshot.throws);
    earlier();
  });
  $("throws-fold").addEventListener("toggle", earlier);
}

const list = (throws) => fill($("throws"), throws, () => [...throws].reverse().map(row));

// The newest come with the snapshot; all of them are asked for while somebody looks.
async function earlier() {
  const { number } = table.snapshot;
  if (!$("throws-fold").open || !table.paired) return;
  const told = await asked("/api/throws");
  if (number === table.snapshot.number) list(told?.throws ?? table.snapshot.throws);
}

function row(thrown) {
  return h(
    "li",
    {},
    h("span", {}, h("bdi", {}, thrown.player), " ", h("small", { class: "quiet" }, t(`source.${thrown.source}`))),
    h(
      "span",
      { class: "thrown" },
      thrown.values.map((value, at) =>
        button(die(value), () => correct(thrown, at), {
          class: "pick",
          "data-key": `${thrown.number}-${at}`,
          "aria-label": t("correct.die", { value, player: thrown.player }),
        }),
      ),
    ),
  );
}

function correct(thrown, at) {
  const title = t("correct.title", { player: thrown.player }),
    read = thrown.source === "camera";
  const choose = async (value) => {
    const values = thrown.values.map((old, each) => (each === at ? value : old));
    if (value !== thrown.values[at] && !(await send(thrown, values))) return;
    box.close();
  };
  const all = () => {
    box.close();
    const photo = thrown.photo ? photoOf(thrown.number, t("correct.photo"), noPhoto(), { class: "photo low" }) : null;
    holdHouse(askDice(title, [thrown.values.length], (values) => send(thrown, values), photo));
  };
  const box = dialog(
    title,
    thrown.photo ? framed(thrown, at, (other) => { box.close(); correct(thrown, other); }) : noPhoto(),
    h("p", { class: "can" }, t(read ? "correct.which" : "correct.which_entered", { value: thrown.values[at] })),
    faces(choose, thrown.values[at]),
    button(t("correct.all"), all),
  );
  holdHouse(box);
}

// The photo with a frame on each die that was read; a tap on one asks about that die instead.
function framed(thrown, at, choose) {
  const image = photoOf(thrown.number, t("correct.photo"), noPhoto()),
    frame = h("div", { class: "framed" }, image),
    places = placesOf(thrown);
  image.addEventListener("load", () => {
    const { naturalWidth: wide, naturalHeight: high } = image;
    thrown.boxes.forEach(([x, y, w, height], die) => {
      const place = places[die];
      if (place === undefined) return;
      const label = t("correct.die", { value: thrown.values[place], player: thrown.player });
      frame.append(button("", () => choose(place), {
        class: place === at ? "frame chosen" : "frame",
        "aria-label": label,
        "aria-pressed": String(place === at),
        style: {
          left: `${(100 * x) / wide}%`, top: `${(100 * y) / high}%`,
          width: `${(100 * w) / wide}%`, height: `${(100 * height) / high}%`,
        },
      }));
    });
  });
  return frame;
}

// For each box of the photo, which of the throw's values it is: those that agree first, then what is left, in order.
function placesOf({ boxes, values }) {
  const free = new Set(values.keys()), places = [];
  const take = (die, place) => { places[die] = place; free.delete(place); };
  boxes.forEach(([, , , , read], die) => {
    const place = [...free].find((each) => values[each] === read);
    if (place !== undefined) take(die, place);
  });
  boxes.forEach((_, die) => { if (places[die] === undefined && free.size) take(die, [...free][0]); });
  return places;
}

// The house does nothing while this is open.
const HOLD_S = 30;
function holdHouse(box) {
  if (!table.snapshot.terms.house || !box) return;
  const hold = (seconds) => post("/api/house/hold", { seconds }, { quiet: true }),
    again = setInterval(() => hold(HOLD_S), (HOLD_S * 1000) / 2);
  hold(HOLD_S);
  box.addEventListener("close", () => {
    clearInterval(again);
    if (!document.querySelector("dialog[open]")) hold(0); // else it has led to another one
  });
}

const noPhoto = () => h("p", { class: "quiet" }, t("correct.no_photo"));

async function send(thrown, values) {
  const newest = table.snapshot.throws.find(({ number }) => number === thrown.number) ?? thrown;
  if (String(newest.values) !== String(thrown.values)) return toast(t("error.stale")); // another phone was faster
  const done = await post(`/api/throws/${thrown.number}`, { number: table.snapshot.number, values });
  if (done && !done.correction) toast(t("correct.done")); // one that costs later steps is only on offer yet
  return done;
}

// Later lines that the correction makes illegal would go: say which, and let a person decide.
function confirm(correction) {
  offer?.close();
  offered = correction?.id;
  if (!correction) return;
  const say = (accept) => () => post("/api/corrections", { offer: correction.id, accept });
  offer = dialog(
    t("correct.open"),
    h("p", {}, t("correct.confirm")),
    h(
      "ol",
      { class: "log" },
      correction.dropped.map((gone) =>
        h("li", {}, h("span", {}, lineWords(gone.line)), h("small", { class: "quiet" }, gone.why)),
      ),
    ),
    h(
      "div",
      { class: "row" },
      button(t("correct.confirm_do"), say(true), { class: "main" }),
      button(t("correct.confirm_no"), say(false)),
    ),
  );
  settle(offer);
}
