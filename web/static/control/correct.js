// Correct any throw from its photo: tap the die in the log, tap what it really was.
import { $, dialog, fill, follow, h, post, t, table, toast } from "../shared/core.js";
import { die } from "../shared/dice.js";
import { askDice } from "./keys.js";
import { lineWords } from "../shared/sides.js";

let offered = null, offer = null;

export function correctable() {
  follow((snapshot) => {
    if (!table.paired) return;
    if (snapshot.correction?.id !== offered) confirm(snapshot.correction);
    list(snapshot.throws);
    earlier();
  });
  $("throws-fold").addEventListener("toggle", earlier);
}

const list = (throws) => fill($("throws"), throws, () => [...throws].reverse().map(row));

// The newest come with the snapshot; all of them are asked for while somebody looks.
async function earlier() {
  const { number } = table.snapshot;
  if (!$("throws-fold").open || !table.paired) return;
  const told = await fetch("/api/throws", { cache: "no-store" }).then((response) => response.json()).catch(() => null);
  if (told && number === table.snapshot.number) list(told.throws);
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
        h(
          "button",
          {
            type: "button",
            class: "pick",
            "data-key": `${thrown.number}-${at}`,
            "aria-label": t("correct.die", { value, player: thrown.player }),
            onclick: () => correct(thrown, at),
          },
          die(value, { quiet: true }),
        ),
      ),
    ),
  );
}

function correct(thrown, at) {
  const settle = async (value) => {
    const values = thrown.values.map((old, each) => (each === at ? value : old));
    if (value !== thrown.values[at] && !(await send(thrown, values))) return;
    box.close();
  };
  const faces = [1, 2, 3, 4, 5, 6].map((value) =>
    h(
      "button",
      {
        type: "button",
        class: value === thrown.values[at] ? "likely" : "",
        autofocus: value === thrown.values[at],
        "aria-label": t("ask.is", { value }),
        onclick: () => settle(value),
      },
      die(value, { quiet: true }),
    ),
  );
  const box = dialog(
    t("correct.title", { player: thrown.player }),
    thrown.photo ? photoOf(thrown) : noPhoto(),
    h("p", { class: "can" }, t("correct.which", { value: thrown.values[at] })),
    h("div", { class: "faces" }, faces),
    h(
      "button",
      {
        type: "button",
        onclick: () => {
          box.close();
          holdHouse(
            askDice(
              t("correct.title", { player: thrown.player }),
              [thrown.values.length],
              (values) => send(thrown, values),
              thrown.photo ? photoOf(thrown, "photo low") : null,
            ),
          );
        },
      },
      t("correct.all"),
    ),
  );
  holdHouse(box);
}

// The house does nothing while this is open.
const HOLD_S = 30;
function holdHouse(box) {
  if (!table.snapshot.terms.house || !box) return;
  const hold = (seconds) => post("/api/house/hold", { seconds }, { quiet: true }),
    again = setInterval(() => hold(HOLD_S), (HOLD_S * 1000) / 2);
  hold(HOLD_S);
  box.addEventListener("close", () => { clearInterval(again); hold(0); });
}

const noPhoto = () => h("p", { class: "quiet" }, t("correct.no_photo"));

function photoOf(thrown, kind = "photo") {
  const image = h("img", { class: kind, src: `/api/throws/${thrown.number}.jpg`, alt: t("correct.photo") });
  image.addEventListener("error", () => image.replaceWith(noPhoto()));
  return image;
}

async function send(thrown, values) {
  const done = await post(`/api/throws/${thrown.number}`, { number: table.snapshot.number, values });
  if (done && !done.correction) toast(t("correct.done")); // one that costs later steps is only on offer yet
  return done;
}

// Later lines that the correction makes illegal would go: say which, and let a person decide.
function confirm(correction) {
  offer?.close();
  offered = correction?.id;
  if (!correction) return;
  const settle = (accept) => () => {
    offer.close();
    post("/api/corrections", { offer: correction.id, accept });
  };
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
      h("button", { type: "button", class: "main", onclick: settle(true) }, t("correct.confirm_do")),
      h("button", { type: "button", onclick: settle(false) }, t("correct.confirm_no")),
    ),
  );
}
