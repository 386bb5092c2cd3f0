// Rivalries: how often each of two players has won a game in which both played, and the other did not win.
import { h, number, t } from "../shared/core.js";
import { holds } from "./standings.js";

const MOST = 8; // pairs that are shown, those with the most games

/** A line for each pair that has met at least twice. `games`: as /api/evening tells them. */
export function rivals(games) {
  const pairs = new Map();
  for (const game of games.filter((each) => each.over)) {
    const won = new Set(game.players.filter((name) => game.winners.some((winner) => holds(game, winner, name))));
    for (const one of game.players)
      for (const other of game.players) {
        if (one >= other) continue;
        const key = JSON.stringify([one, other]), pair = pairs.get(key) ?? { one, other, games: 0, ones: 0, others: 0 };
        pair.games += 1;
        if (won.has(one) && !won.has(other)) pair.ones += 1;
        if (won.has(other) && !won.has(one)) pair.others += 1;
        pairs.set(key, pair);
      }
  }
  return [...pairs.values()]
    .filter((pair) => pair.games > 1)
    .sort((a, b) => b.games - a.games)
    .slice(0, MOST)
    .map(line);
}

function line({ one, other, ones, others }) {
  const score = `${number(ones)} : ${number(others)}`,
    ahead = ones > others ? one : others > ones ? other : null;
  return h(
    "li",
    { class: "rival" },
    h("bdi", { class: ones >= others ? "ahead" : null }, one),
    h("b", {}, score),
    h("bdi", { class: others >= ones ? "ahead" : null }, other),
    h("span", { class: "unseen" }, ahead ? t("rival.ahead", { name: ahead }) : t("rival.level")),
  );
}
