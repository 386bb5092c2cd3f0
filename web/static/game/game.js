// A past game at its own address: who won, move by move, how the scores went, luck and decisions, figures, a picture.
import { $, asked, follow, goLive, h, number, ready, start, t, text } from "../shared/core.js";
import { chip, colourOf } from "../shared/dice.js";
import { figures } from "../shared/figures.js";
import { menu } from "../shared/menu.js";
import { button } from "../shared/elements.js";
import { played, wonWords, when } from "../shared/past.js";
import { raceOf } from "../shared/race.js";
import { listed } from "../shared/sides.js";
import { chart, storyOf } from "../scoreboard/story.js";
import { courseOf, replay } from "./replay.js";
import { share } from "./share.js";

const address = `/api/evening/${Number(location.pathname.split("/").at(-1))}`;
const AGAIN_MS = 1000;
let luck = null, drawn = null;

await ready;
menu();
const told = await fetched(),
  clips = new Set(start.replay ? (await asked("/api/replays"))?.throws : []);
if (told) draw(told);
else text($("won"), t("game.none"));
goLive();
// Drawn anew when it has ended, or a correction or an undo has changed how it ended.
follow(async (snapshot, before, news) => {
  if (!told || !before || (!news?.takenBack && played(before) === played(snapshot))) return;
  const now = await asked(address);
  if (now && (now.game.over || told.game.over) && JSON.stringify(now) !== JSON.stringify(told)) location.reload();
});
if (told?.game.over && start.advice) weigh();

// A table out of reach is asked again: it knows the game.
async function fetched() {
  const answer = await asked(address);
  if (answer !== undefined) return answer;
  await new Promise((done) => setTimeout(done, AGAIN_MS));
  return fetched();
}

function draw({ game, moves, players }) {
  const shareWords = t("canShare" in navigator ? "share.do" : "share.save");
  const { all, race } = moves.length ? courseOf(game, moves) : { all: [], race: [] };
  text($("won"), wonWords(game));
  text($("when"), [game.title, listed(game.players), when(game.started)].filter(Boolean).join(" · "));
  const ordered = [...all].sort((one, other) => other.score - one.score);
  $("finals").replaceChildren(...ordered.map((side) => final(game, side)));
  $("acts").replaceChildren(
    ...[
      moves.length ? button(shareWords, save, { class: "main", "data-key": "share" }) : "",
      h("a", { class: "button", href: `${address}.jsonl`, download: true }, t("evening.transcript")),
    ].filter(Boolean),
  );
  for (const part of [$("replay"), $("course"), $("figures")]) part.hidden = !moves.length;
  if (!moves.length) return;
  const moving = replay(moves, all, clips, (line) => {
    const move = luck?.moves.find((each) => each.line === line);
    return move ? { ...move, goal: luck.goal } : null;
  });
  $("replay").append(moving.box);
  $("course").append(raceOf(all, race));
  $("figures").append(figures(players, t("evening.figures"), false));
  drawn = { game, moves, all, race, moving };

  async function save() {
    const rare = game.over ? await asked(`${address}/luckiest`) : null;
    await share(game, all, race, rare && { ...rare, ...moves[rare.line - 2] });
  }
}

function final(game, side) {
  const won = game.winners.includes(side.name);
  return h(
    "li",
    { class: won ? "player first" : "player", style: { "--colour": colourOf(side.colour) } },
    chip(side.colour),
    h("span", { class: "name" }, h("bdi", {}, side.name), h("small", {}, won ? t("player.winner") : "")),
    h("span", { class: "counters" }),
    h("span", { class: "gap" }),
    h("span", { class: "score" }, number(side.score)),
  );
}

// Luck and decisions are worked out by the table, which takes a while: they come last.
async function weigh() {
  const [story, run] = await Promise.all(["luck", "chances"].map((what) => asked(`${address}/${what}`)));
  if (!story) return;
  luck = story;
  $("luck").append(...[...storyOf(luck), drawn && chart(drawn.all, run)].filter((part) => part !== null));
  $("luck").hidden = false;
  drawn?.moving.show();
}
