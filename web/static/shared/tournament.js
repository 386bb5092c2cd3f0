// The tournament of a table: who plays next, its matches, its standings.
import { fill, h, number, post, t, table } from "./core.js";
/** @import { Match } from "../types/server" */

let starting = null;
/** Start the match that is next; a second tap starts no second one. */
export const startMatch = () => {
  const seen = table.snapshot,
    body = { ...seen.tournament?.next, number: seen.number };
  return (starting ??= post("/api/games", body).finally(() => { starting = null; }));
};

/** Draw the matches into a list. */
export function matches(list, tournament) {
  fill(list, tournament.matches, () => tournament.matches.map(line));
}

/** @param {Match} match */
function line({ round, players, won, scores }) {
  const name = (at) =>
    h("bdi", { class: won && won[at] > won[1 - at] ? "ahead" : null }, players[at] ?? t("tournament.open"));
  return h(
    "li",
    { class: "match-line" },
    h("small", { class: "quiet" }, t("tournament.round", { round: number(round) })),
    name(0),
    h("b", {}, scores ? `${number(scores[0])} : ${number(scores[1])}` : "–"),
    name(1),
    won && !scores
      ? h("small", { class: "quiet" }, t(won[0] === won[1] ? "tournament.both_left" : "tournament.walkover"))
      : null,
  );
}

/** The standings as a table, with at most `most` rows. */
export function standings(tournament, most = Infinity) {
  const columns = tournament.form === "knockout" ? ["played", "won"] : ["played", "won", "difference"];
  const head = (key) =>
    h("th", { scope: "col", class: "n" }, t(key === "won" ? "figure.won" : `tournament.${key}`));
  const cell = (row, key) =>
    h("td", { class: "n" }, key === "difference" && row[key] > 0 ? `+${number(row[key])}` : number(row[key]));
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, t("tournament.place")),
        h("th", { scope: "col" }, t("evening.player")),
        columns.map(head),
      ),
    ),
    h(
      "tbody",
      {},
      tournament.standings.slice(0, most).map((row) =>
        h(
          "tr",
          {},
          h("td", {}, number(row.place)),
          h("th", { scope: "row" }, h("bdi", {}, row.player), asides(tournament, row.player)),
          columns.map((key) => cell(row, key)),
        ),
      ),
    ),
  );
}

// The words beside a name: the handicap, and whether the player has left.
function asides({ handicaps, left }, name) {
  const points = handicaps[name],
    words = [points ? `+${number(points)}` : "", left.includes(name) ? t("tournament.gone") : ""].filter(Boolean);
  return words.length ? h("small", { class: "quiet" }, ` ${words.join(", ")}`) : null;
}
