// How the scores went, or the chances to win, as lines in the players' own colours.
import { h, isolate, number, s, t } from "./core.js";
import { chip, colourOf } from "./dice.js";

/**
 * The race so far.
 * @param sides each with seat, name, colour, score
 * @param race [seat, score after the change], oldest first
 */
export function raceOf(sides, race) {
  const ordered = [...sides].sort((one, other) => other.score - one.score);
  const label = t("evening.scores_label", {
    ends: ordered.map((side) => `${isolate(side.name)} ${number(side.score)}`).join(", "),
  });
  return plot(ordered, race, () => 0, Math.max(1, ...race.map(([, score]) => score)), label);
}

/**
 * The chances to win so far.
 * @param sides each with seat, name, colour
 * @param chances 0 to 1 by seat: before the first line and after each
 * @param exact whether they are; else the scale is marked as approximate
 */
export function chancesOf(sides, { chances, exact }) {
  const percent = (all, seat) => Math.round(100 * all[seat]), [first, ...later] = chances, now = chances.at(-1);
  const ordered = [...sides].sort((one, other) => now[other.seat] - now[one.seat]);
  const label = t("story.chances_label", {
    now: ordered
      .map((side) => `${isolate(side.name)} ${t("evening.percent", { percent: percent(now, side.seat) })}`)
      .join(", "),
  });
  return plot(
    ordered,
    later.flatMap((all) => all.map((_, seat) => [seat, percent(all, seat)])),
    (seat) => percent(first, seat),
    100,
    exact ? label : `${label} ${t("story.approximate")}`,
    exact ? "" : "≈ ",
  );
}

function plot(sides, race, begin, most, label, about = "") {
  const wide = 1000, high = 300, end = Math.max(1, race.length);
  const x = (at) => (at / end) * wide, y = (score) => high - (score / most) * high;
  const lines = sides.map((side) => {
    let path = `M0 ${y(begin(side.seat)).toFixed(0)}`;
    race.forEach(([seat, score], at) => {
      if (seat === side.seat) path += `H${x(at).toFixed(0)}L${x(at + 1).toFixed(0)} ${y(score).toFixed(0)}`;
    });
    const line = s("path", { d: `${path}H${wide}`, "vector-effect": "non-scaling-stroke" });
    line.style.stroke = colourOf(side.colour);
    return line;
  });
  return h(
    "div",
    { class: "race", style: { "--ends": sides.length } },
    h(
      "div",
      { class: "lines", role: "img", "aria-label": label },
      h("span", { class: "most", "aria-hidden": "true" }, `${about}${number(most)}`),
      s("svg", { viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: "none", "aria-hidden": "true" }, lines),
    ),
    h(
      "ol",
      { class: "ends", "aria-hidden": "true" },
      sides.map((side) => h("li", {}, chip(side.colour), h("bdi", { class: "named" }, side.name))),
    ),
  );
}
