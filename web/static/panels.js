// What a game shows besides names, scores and the track, drawn from its data: a sheet, a ladder, pots.
import { $, fill, follow, h, number, t } from "./core.js";
import { chip, colourOf } from "./dice.js";
import { sides } from "./sides.js";

export function panels() {
  follow((snapshot) => {
    const { sheet, ladder, pots } = snapshot.panels;
    fill($("panels"), [sheet, ladder, pots, snapshot.sides], () => [sheet && sheetOf(snapshot, sheet), ladder && ladderOf(snapshot, ladder), ...pots.map(potOf)]);
  });
}

function sheetOf(snapshot, sheet) {
  const all = sides(snapshot);
  const head = h("tr", {}, h("th", { scope: "col" }, t("sheet.row")), all.map((side) => h("th", { class: "n", scope: "col" }, chip(side.colour), " ", h("bdi", {}, side.name))));
  const rows = sheet.rows.map((row, at) => h("tr", {}, h("th", { scope: "row" }, t(`category.${row}`, {}, row)), all.map((side) => cell(sheet.columns[side.seat][at], side.to_play ? sheet.offers[at] : null))));
  const total = h("tr", {}, h("th", { scope: "row" }, t("sheet.total")), all.map((side) => h("td", { class: "n" }, h("b", {}, number(side.score)))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("sheet.title") }, h("table", {}, h("thead", {}, head), h("tbody", {}, rows, total)));
}

function cell(entered, offer) {
  if (entered !== null) return h("td", { class: "n" }, number(entered));
  return h("td", { class: "n" }, offer === null ? "" : h("span", { class: "offer" }, `(${number(offer)})`));
}

function ladderOf(snapshot, { target, notes }) {
  const all = sides(snapshot).sort((a, b) => b.score - a.score);
  return h("div", { class: "stack" }, h("p", { class: "quiet" }, notes.map((note) => t(note)).join(" · ")), h("ul", { class: "ladder" }, all.map((side) => rung(side, target))));
}

function rung(side, target) {
  const percent = (score) => `${Math.min(1, score / target) * 100}%`;
  return h("li", { style: { "--colour": colourOf(side.colour), "--part": percent(side.score), "--ahead": percent(side.ahead) } },
    h("span", { class: "spread" }, h("bdi", {}, side.name), h("b", {}, number(side.score))),
    h("span", { class: "rail", "aria-hidden": "true" }, h("i", { class: "ghost" }), h("i", {})));
}

const potOf = ({ label, points }) => h("p", { class: "spread" }, h("span", {}, t(label)), h("b", {}, number(points)));
