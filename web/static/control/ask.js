// A reading in doubt: the crop, the question, six faces with the likely one first. Nobody's guess but the players'.
import { follow, h, post, t, table } from "../shared/core.js";
import { closeUp, likelyFirst } from "../shared/dice.js";
import { button, dialog, fold } from "../shared/elements.js";
import { inQuestion, miscount } from "../shared/sides.js";
import { settle } from "../shared/guard.js";
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
  const { values, wanted, photo } = question,
    at = inQuestion(question), one = at !== null,
    again = miscount(table.snapshot); // the likeliest answer to a wrong number of dice is another throw
  const say = (answered) => post("/api/answers", { question: question.id, values: answered }),
    byHand = () => { keys = askDice(t("keys.title"), wanted, say, photo ? whole(photo, "photo low") : null); };
  const player = table.snapshot.state?.player, allRight = t("ask.all_right", { values: values.join(", ") });
  box = dialog(
    player ? t("correct.title", { player }) : t("ask.title"),
    question.code === "count" && again ? null : h("p", {}, t(`doubt.${question.code}`)),
    again && h("p", { class: "asked-count" }, t("ask.counted", again)),
    ...(one ? oneDie(question, at, say) : []),
    photo && (one ? fold(t("ask.whole"), whole(photo)) : whole(photo, "photo low")), // the answers stay in view
    h(
      "div",
      { class: "row" },
      again && button(t("ask.again"), () => say(null), { class: "main" }),
      wanted.includes(values.length) && button(allRight, () => say(values), { class: one || again ? null : "main" }),
      button(t("ask.by_hand"), byHand),
      !again && button(t("ask.no_throw"), () => say(null)),
    ),
  );
  box.addEventListener("close", () => { waved = question.id; });
}

const whole = (photo, kind = "photo") => h("img", { class: kind, src: photo, alt: t("ask.photo") });

// The die that the table is least sure of, cut out of the photo, and six faces: the likely one first.
function oneDie({ values, wanted, photo, boxes_xywh: boxes }, at, say) {
  return [
    photo && closeUp(photo, boxes[at]),
    h("p", { class: "can" }, t("ask.which")),
    likelyFirst((value) => say(values.map((old, each) => (each === at ? value : old))), values[at]),
    wanted.includes(values.length - 1) &&
      button(t("ask.not_a_die"), () => say(values.filter((_, each) => each !== at))),
  ];
}
