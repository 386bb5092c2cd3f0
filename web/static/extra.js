// What Crag and Crapola show besides names and scores: the sheets, and the ladder.
import { $, fill, follow, h, number, t } from "./core.js";
import { chip, colourOf } from "./dice.js";
import { sides, targetOf } from "./sides.js";

export const CATEGORIES = ["ones", "twos", "threes", "fours", "fives", "sixes", "odd_straight", "even_straight", "low_straight", "high_straight", "three_of_a_kind", "thirteen", "crag"];
const STRAIGHTS = { odd_straight: "1,3,5", even_straight: "2,4,6", low_straight: "1,2,3", high_straight: "4,5,6" };

/** What three dice score in a row of the sheet (RULES.md, Crag). */
export function crag(category, dice, rules = {}) {
  const sorted = [...dice].sort(), sum = sorted.reduce((a, b) => a + b, 0), kinds = new Set(sorted).size;
  const face = CATEGORIES.indexOf(category) + 1;
  if (face <= 6) return sorted.filter((value) => value === face).length * face;
  if (category in STRAIGHTS) return sorted.join(",") === STRAIGHTS[category] ? 20 : 0;
  if (category === "three_of_a_kind") return kinds === 1 ? 25 : 0;
  if (category === "thirteen") return sum === 13 && !(rules.thirteen_without_double && kinds < 3) ? 26 : 0;
  return sum === 13 && kinds === 2 ? 50 : 0;
}

export function extra() {
  follow((snapshot) => {
    fill($("extra"), [snapshot.game, snapshot.state, snapshot.header], () => {
      if (snapshot.game === "crag") return sheets(snapshot);
      if (snapshot.game === "crapola") return ladder(snapshot);
      return [];
    });
  });
}

function sheets(snapshot) {
  const all = sides(snapshot), state = snapshot.state, dice = state.dice ?? [];
  const head = h("tr", {}, h("th", { scope: "col" }, t("crag.row")), all.map((side) => h("th", { class: "n", scope: "col" }, chip(side.colour), " ", side.name)));
  const rows = CATEGORIES.map((category) => h("tr", {}, h("th", { scope: "row" }, t(`category.${category}`)), all.map((side) => cell(snapshot, state, side, category, dice))));
  const total = h("tr", {}, h("th", { scope: "row" }, t("crag.total")), all.map((side) => h("td", { class: "n" }, h("b", {}, number(side.banked)))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("crag.sheets") }, h("table", {}, h("thead", {}, head), h("tbody", {}, rows, total)));
}

function cell(snapshot, state, side, category, dice) {
  const entered = state.sheets[side.name]?.[category];
  if (entered !== undefined) return h("td", { class: "n" }, number(entered));
  const offered = side.on && dice.length === 3 ? h("span", { class: "offer" }, `(${crag(category, dice, snapshot.header?.rules)})`) : "";
  return h("td", { class: "n" }, offered);
}

function ladder(snapshot) {
  const target = targetOf(snapshot), all = [...sides(snapshot)].sort((a, b) => b.banked - a.banked);
  const news = [t(snapshot.state.direction === 1 ? "crapola.clockwise" : "crapola.anticlockwise"), snapshot.state.last_round ? t("crapola.last_round") : null];
  return h("div", { class: "stack" }, h("p", { class: "quiet" }, news.filter(Boolean).join(" · ")), h("ul", { class: "ladder" }, all.map((side) => rung(side, target))));
}

function rung(side, target) {
  const part = Math.min(1, side.banked / target), ahead = Math.min(1, side.ahead / target);
  return h("li", { style: { "--colour": colourOf(side.colour), "--part": `${part * 100}%`, "--ahead": `${ahead * 100}%` } },
    h("span", { class: "spread" }, h("span", {}, side.name), h("b", {}, number(side.banked))),
    h("span", { class: "rail", "aria-hidden": "true" }, h("i", { class: "ghost" }), h("i", {})));
}
