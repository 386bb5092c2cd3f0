// A position to decide in, as puzzles and votes show it: who plays, the scores, the dice, why an option is best.
import { h, number, t } from "./core.js";
import { dice } from "./dice.js";
import { phraseWords } from "./sides.js";

/** Who is to play, the scores, and the points of the turn so far. */
export function standing({ player, scores, turn_points: points }) {
  const named = Object.entries(scores).map(([name, score]) => `${name} ${number(score)}`).join(" · ");
  return h("p", {}, named, h("br"), t("learn.to_play", { player, points: number(points) }));
}

/** The dice of a position: those kept, then the loose ones. */
export function lying({ dice: loose, kept }) {
  return h(
    "div",
    { class: "stack" },
    kept.length ? h("p", {}, t("learn.kept"), " ", dice(kept)) : null,
    loose.length ? dice(loose) : null,
  );
}

/** Why the best option is the best, in a sentence made from the numbers. */
export function why(reasons) {
  return h("p", {}, reasons.map(({ code, args }) => phraseWords({ code: `fact.${code}`, args })).join(" "));
}
