// What a game shows besides names, scores and the track, drawn from its data: a sheet, the goal, pots.
import { $, fill, follow, h, number, t } from "../shared/core.js";
import { chip, colourOf } from "../shared/dice.js";
import { LAST_ROUND } from "../shared/facts.js";
import { gap, sides } from "../shared/sides.js";

/** Draw them; a sheet for no more sides than `most`: more see totals, and which row each filled last. */
export function panels(most = Infinity) {
  follow((snapshot) => {
    const { goal, pots } = snapshot.panels,
      all = sides(snapshot),
      sheet = all.length <= most ? snapshot.panels.sheet : null;
    fill($("panels"), [sheet, goal, pots, all, snapshot.state?.over], () => [
      sheet && sheetOf(all, sheet),
      goal && !snapshot.state?.over && goalOf(goal),
      ...pots.map(potOf),
    ]);
  });
}

function sheetOf(all, sheet) {
  const on = all.length > 1 ? all.find((side) => side.to_play) : null, // whose column is marked
    column = (side, more = "") => `n${side === on ? " on" : ""}${more}`;
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, t("sheet.row")),
    all.map((side) =>
      h("th", { class: column(side, " named"), scope: "col" }, chip(side.colour), " ", h("bdi", {}, side.name)),
    ),
  );
  const rows = sheet.rows.map((row, at) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, t(`category.${row}`, {}, row)),
      all.map((side) =>
        h(
          "td",
          { class: column(side, sheet.latest[side.seat] === at ? " latest" : "") },
          cell(sheet.columns[side.seat][at], side.to_play ? sheet.offers[at] : null),
        ),
      ),
    ),
  );
  const total = h(
    "tr",
    { class: "total" },
    h("th", { scope: "row" }, t("sheet.total")),
    all.map((side) => h("td", { class: column(side) }, h("b", {}, number(side.score)), " ", gap(side, all))),
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": t("sheet.title") },
    h(
      "table",
      { class: all.length > FEW ? "sheets many" : "sheets", style: { "--colour": colourOf(on?.colour ?? 0) } },
      h("thead", {}, head),
      h("tbody", {}, rows, total),
    ),
  );
}

const FEW = 2; // whose names fit beside each other on a phone; of more their chips tell

function cell(entered, offer) {
  if (entered !== null) return number(entered);
  return offer === null ? "" : h("span", { class: "offer" }, `(${number(offer)})`);
}

// The target itself, and that the last round is on, stands above the turn.
function goalOf({ notes }) {
  const told = notes.filter((note) => note !== LAST_ROUND);
  return told.length ? h("p", { class: "quiet goal" }, told.map((note) => t(note)).join(" · ")) : null;
}

const potOf = ({ label, points }) => h("p", { class: "spread" }, h("span", {}, t(label)), h("b", {}, number(points)));
