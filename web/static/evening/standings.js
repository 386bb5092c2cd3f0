// Standings and records over all evenings, game by game: points and wins of different games are never thrown together.
import { h, number, own, t } from "../shared/core.js";
import { tableOf } from "../shared/figures.js";

/** A table for each kind of game. `games`: newest first, as /api/evening tells them. */
export function standings(games) {
  const kinds = [...new Set(games.filter((game) => game.over).map((game) => game.title))];
  return kinds.map((title) => {
    const rows = rowsOf(games.filter((game) => game.over && game.title === title).reverse()),
      byScore = [...rows].sort((one, other) => other.score - one.score);
    return h(
      "div",
      { class: "stack" },
      h("h3", {}, title),
      ranked("standings", t("evening.standings_of", { title }), rows, ["games", "won", "lost", "streak", "longest"]),
      ranked("records", t("evening.records_of", { title }), byScore, ["score", "turn", "loss"]),
    );
  });
}

const ranked = (kind, label, rows, columns) =>
  tableOf(
    label,
    t("evening.player"),
    columns.map((key) => t(`figure.${key}`)),
    rows.map((row) => [row.name, ...columns.map((key) => number(row[key]))]),
    kind,
  );

const NONE = { games: 0, won: 0, lost: 0, streak: 0, longest: 0, score: 0, turn: 0, loss: 0 };

// For each player, over the games from the oldest: wins, the current and the longest run of wins, the best score and
// turn, and the most expensive lost turn.
function rowsOf(games) {
  const rows = new Map();
  for (const game of games)
    for (const name of game.players) {
      const row = rows.get(name) ?? { ...NONE, name },
        won = game.winners.some((winner) => holds(game, winner, name));
      const lost = Object.entries(game.games_lost).find(([side]) => holds(game, side, name))?.[1] ?? 0,
        streak = won ? row.streak + 1 : 0,
        best = own(game.bests, name);
      for (const key of ["score", "turn", "loss"]) row[key] = Math.max(row[key], best[key]);
      rows.set(name, {
        ...row,
        games: row.games + 1,
        won: row.won + Number(won),
        lost: row.lost + lost,
        streak,
        longest: Math.max(row.longest, streak),
      });
    }
  return [...rows.values()].sort(
    (one, other) => other.won - one.won || one.lost - other.lost || one.games - other.games,
  );
}

/** Whether that side is this player, or a team that he is of. */
export const holds = (game, side, name) =>
  side === name || (!game.players.includes(side) && side.split(" & ").includes(name));
