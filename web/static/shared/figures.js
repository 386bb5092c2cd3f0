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
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, t("evening.player")),
            columns.map(([key]) => h("th", { scope: "col", class: "n" }, t(`figure.${key}`))),
          ),
        ),
        h(
          "tbody",
          {},
          names.map((name) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, name),
              columns.map(([, told]) => h("td", { class: "n" }, told(players[name]))),
            ),
          ),
        ),
      ),
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

function bars(faces) {
  const most = Math.max(1, ...faces);
  return s(
    "svg",
    {
      class: "plot",
      viewBox: "0 0 360 128",
      role: "img",
      "aria-label": t("evening.faces_label", { counts: faces.map((count, at) => `${at + 1}: ${count}`).join(", ") }),
    },
    faces
      .map((count, at) => [
        s("rect", {
          class: "bar",
          x: 12 + at * 58,
          y: 96 - (count / most) * 66,
          width: 42,
          height: (count / most) * 66,
          rx: 4,
        }),
        s("text", { x: 33 + at * 58, y: 120, "text-anchor": "middle" }, `${at + 1}`),
        s("text", { x: 33 + at * 58, y: 90 - (count / most) * 66, "text-anchor": "middle" }, String(count)),
      ])
      .flat(),
  );
}
