// Statistics of players as a table, and the faces that each threw as bars.
import { h, number, s, t } from "./core.js";

/**
 * What turns brought and what dice showed, a row and a plot a player.
 * @param whole whether the players are those of all games
 */
export function figures(players, label, whole) {
  const names = Object.keys(players);
  const mean = (each) => (each.scoring ? number((each.points / each.scoring).toFixed(1)) : "–");
  const share = (each) =>
    each.turns ? t("evening.percent", { percent: number(Math.round((100 * each.scoring) / each.turns)) }) : "–";
  const columns = /** @type {[key: string, told: (each: any) => string][]} */ ([
    ...(whole
      ? [
          ["games", (each) => number(each.games)],
          ["won", (each) => number(each.won)],
          ["lost", (each) => number(each.lost)],
        ]
      : []),
    ["throws", (each) => number(each.throws)],
    ...(whole
      ? []
      : [
          ["scoring", share],
          ["brought", mean],
        ]),
  ]);
  return h(
    "div",
    { class: "stack" },
    tableOf(
      label,
      t("evening.player"),
      columns.map(([key]) => t(`figure.${key}`)),
      names.map((name) => [name, ...columns.map(([, told]) => told(players[name]))]),
    ),
    h("h3", {}, t("evening.faces")),
    h(
      "div",
      { class: "plots" },
      names
        .filter((name) => players[name].throws)
        .map((name) => h("figure", {}, h("figcaption", {}, name), bars(players[name].faces))),
    ),
  );
}

/**
 * A table in a box that scrolls sideways.
 * @param {string} label
 * @param {string} first the head of the names
 * @param {string[]} heads those of the numbers
 * @param {string[][]} rows each a name and its numbers
 */
export const tableOf = (label, first, heads, rows, kind = "") =>
  h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h(
      "table",
      { class: kind || null },
      h(
        "thead",
        {},
        h("tr", {}, h("th", { scope: "col" }, first), heads.map((head) => h("th", { scope: "col", class: "n" }, head))),
      ),
      h(
        "tbody",
        {},
        rows.map(([name, ...cells]) =>
          h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, name)), cells.map((one) => h("td", { class: "n" }, one))),
        ),
      ),
    ),
  );

/** How often each face came, as bars; with `even` also a line where each would be if all were. */
export function bars(faces, even = 0) {
  const most = Math.max(1, ...faces),
    y = (count) => 96 - (count / most) * 66;
  return s(
    "svg",
    {
      class: "plot",
      viewBox: "0 0 360 128",
      role: "img",
      "aria-label": t("evening.faces_label", { counts: faces.map((count, at) => `${at + 1}: ${count}`).join(", ") }),
    },
    even ? [s("path", { class: "even", d: `M6 ${y(even)}H354` })] : [],
    faces
      .map((count, at) => [
        s("rect", { class: "bar", x: 12 + at * 58, y: y(count), width: 42, height: 96 - y(count), rx: 4 }),
        s("text", { x: 33 + at * 58, y: 120, "text-anchor": "middle" }, `${at + 1}`),
        s("text", { x: 33 + at * 58, y: y(count) - 6, "text-anchor": "middle" }, String(count)),
      ])
      .flat(),
  );
}
