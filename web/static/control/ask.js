// A reading in doubt: the crop, the question, six faces with the likely one first. Nobody's guess but the players'.
import { dialog, follow, h, post, t, table } from "../shared/core.js";
import { die } from "../shared/dice.js";
import { inQuestion, miscount } from "../shared/sides.js";
import { settle } from "./guard.js";
import { askDice } from "./keys.js";

let box = null, keys = null, asked = null, waved = null;

export function asking() {
  follow((snapshot) => {
    const question = snapshot.question;
    if (!table.plays || !question || question.id !== asked) {
      keys?.close();
      box?.close();
      box = keys = asked = null;
    }
    if (table.plays && question && question.id !== asked && question.id !== waved) {
      open(question);
      settle(box);
    }
  });
  addEventListener("pegpip-ask", () => {
    if (table.snapshot.question) {
      waved = null;
      open(table.snapshot.question);
    }
  });
}

function open(question) {
  asked = question.id;
  box?.close();
  const doubtful = inQuestion(question);
  const countFits = question.wanted.includes(question.values.length);
  const parts = /** @type {HTMLElement[]} */ ([h("p", {}, t(`doubt.${question.code}`))]);
  // The likeliest answer to a wrong number of dice is another throw.
  const again = miscount(table.snapshot);
  if (again) parts.push(h("p", { class: "asked-count" }, t("ask.counted", again)));
  const whole = question.photo ? h("img", { class: "photo", src: question.photo, alt: t("ask.photo") }) : null;
  const one = doubtful !== null;
  if (one) {
    parts.push(...oneDie(question, doubtful).filter((part) => part !== null));
    if (whole) parts.push(h("details", { class: "fold" }, h("summary", {}, t("ask.whole")), whole));
  } else if (whole) parts.push(whole);
  parts.push(
    h(
      "div",
      { class: "row" },
      again ? key("ask.again", () => answer(question, null), "main") : null,
      countFits ? allRight(question, one || again ? "" : "main") : null,
      key("ask.by_hand", () => byHand(question)),
      again ? null : key("ask.no_throw", () => answer(question, null)),
    ),
  );
  const player = table.snapshot.state?.player;
  box = dialog(player ? t("correct.title", { player }) : t("ask.title"), ...parts);
  box.addEventListener("close", () => { waved = question.id; });
}

const key = (words, onclick, kind = "") => h("button", { type: "button", class: kind, onclick }, t(words));

function allRight(question, kind) {
  const words = t("ask.all_right", { values: [...question.values].join(", ") });
  return h("button", { type: "button", class: kind, onclick: () => answer(question, [...question.values]) }, words);
}

// The die that the table is least sure of, cut out of the photo, and six faces: the likely one first.
function oneDie(question, at) {
  const likely = question.values[at], rest = [1, 2, 3, 4, 5, 6].filter((value) => value !== likely);
  const canvas = h("canvas", { class: "crop", width: 400, height: 400, role: "img", "aria-label": t("ask.crop") });
  if (question.photo) crop(canvas, question.photo, question.boxes_xywh[at]);
  const settle = (value) =>
    answer(
      question,
      question.values.map((old, each) => (each === at ? value : old)),
    );
  return [
    question.photo ? canvas : null,
    h("p", { class: "can" }, t("ask.which")),
    h(
      "div",
      { class: "faces" },
      [likely, ...rest].map((value, place) =>
        h(
          "button",
          {
            type: "button",
            class: place ? "" : "likely",
            autofocus: !place,
            "aria-label": t("ask.is", { value }),
            onclick: () => settle(value),
          },
          die(value, { quiet: true }),
        ),
      ),
    ),
    question.wanted.includes(question.values.length - 1)
      ? h(
          "button",
          {
            type: "button",
            onclick: () =>
              answer(
                question,
                question.values.filter((_, each) => each !== at),
              ),
          },
          t("ask.not_a_die"),
        )
      : null,
  ];
}

export function crop(canvas, photo, [x, y, w, h_]) {
  const image = new Image();
  image.addEventListener("load", () => {
    const side = Math.max(w, h_) * 1.5, left = x + w / 2 - side / 2, top = y + h_ / 2 - side / 2;
    canvas.getContext("2d").drawImage(image, left, top, side, side, 0, 0, canvas.width, canvas.height);
  });
  image.src = photo;
}

const answer = (question, values) => post("/api/answers", { question: question.id, values });

function byHand(question) {
  const photo = question.photo ? h("img", { class: "photo low", src: question.photo, alt: t("ask.photo") }) : null;
  keys = askDice(t("keys.title"), question.wanted, (values) => answer(question, values), photo);
}
