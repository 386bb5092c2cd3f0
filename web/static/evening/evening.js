// The evening: who leads it, its games with an address each, standings over all evenings, figures.
import { $, asked, fill, follow, goLive, h, icon, number, ready, t, text } from "../shared/core.js";
import { chip } from "../shared/dice.js";
import { figures, tableOf } from "../shared/figures.js";
import { menu } from "../shared/menu.js";
import { gameLink, played } from "../shared/past.js";
import { listed } from "../shared/sides.js";
import { rivals } from "./rivals.js";
import { standings } from "./standings.js";
import { tournament } from "./hosted.js";

const AGAIN_MS = 1000; // games that did not come are asked for again at this interval

await ready;
menu();
await load(); // drawn whole before it is shown
tournament();
goLive();
follow((snapshot, before) => { if (before && played(before) !== played(snapshot)) load(); });

async function load() {
  const [told, everyone] = await Promise.all(["/api/evening", "/api/evening/players"].map(asked));
  if (told === undefined || everyone === undefined) setTimeout(load, AGAIN_MS);
  if (!told || !everyone) return;
  const { games, sitting } = told,
    { players } = everyone;
  const won = sitting.games_won ?? {};
  const lost = Object.entries(sitting.games_lost).sort((a, b) => (won[b[0]] ?? 0) - (won[a[0]] ?? 0) || a[1] - b[1]);
  text($("tonight"), lead(lost, won, sitting.games));
  fill($("sitting"), [lost, won], () =>
    lost.length
      ? tableOf(
          t("evening.sitting"),
          t("evening.player"),
          [t("figure.won"), t("evening.lost")],
          lost.map(([name, count]) => [name, number(Math.round((won[name] ?? 0) * 100) / 100), number(count)]),
        )
      : h("p", { class: "quiet" }, t("evening.none")),
  );
  fill($("games"), games, () => games.map(card));
  $("standings-box").hidden = !games.some((game) => game.over);
  fill($("standings"), games, () => standings(games));
  const pairs = rivals(games);
  $("rivals-box").hidden = !pairs.length;
  fill($("rivals"), games, () => pairs);
  $("players-box").hidden = !Object.keys(players).length;
  fill($("players"), players, () => figures(players, t("evening.everyone"), true));
}

// Who has won most of this evening's games.
function lead(ordered, won, games) {
  const most = Math.max(0, ...ordered.map(([name]) => won[name] ?? 0)),
    first = ordered.map(([name]) => name).filter((name) => (won[name] ?? 0) === most);
  if (!most || !games) return t("evening.sitting");
  const counted = number(Math.round(most * 100) / 100);
  if (first.length > 1) return t("evening.level", { names: listed(first), won: counted });
  return t("evening.leads", { name: first[0], won: counted, games: number(games) });
}

function card(game) {
  const at = game.players.indexOf(game.winners[0]),
    what = t("evening.game", { title: game.title, players: listed(game.players) });
  return h("li", {}, gameLink(game, at < 0 ? icon("dices") : chip(game.colours[at]), what, `g${game.id}`));
}
