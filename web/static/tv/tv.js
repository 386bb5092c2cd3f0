// The pub's screen: everything at once, readable from five metres, and a cheer for what deserves one.
import { worth } from "../scoreboard/advice.js";
import { $, asked, fill, follow, goLive, h, number, ready, repeat, start, t, table, text } from "../shared/core.js";
import { dice } from "../shared/dice.js";
import { illness } from "../shared/ill.js";
import { seatedOf, seats } from "../shared/seat.js";
import { sides } from "../shared/sides.js";
import { again } from "./again.js";
import { remarks } from "./remark.js";
import { quiz } from "./quiz.js";
import { moments } from "../scoreboard/moment.js";
import { panels } from "../scoreboard/panels.js";
import { chancesOf, raceOf } from "../shared/race.js";
import { board, players, stage } from "../scoreboard/stage.js";

const CODE_MS = 2000, SCENE_MS = 8000, COLUMNS = 5;
/** @type {({ title: string, moves: { words: string, throw: any }[] } | null)[]} */
let scenes = [null];
let scene = 0, turning = null;
const shownScene = () => scenes[scene % scenes.length];

await ready;
stage();
board(true);
players();
panels(COLUMNS);
follow(retell); // first: what is remembered of a game goes before the next one is drawn
follow(newest);
follow(race);
follow(photos);
remarks(moments());
again();
quiz();
clock();
repeat(CODE_MS, code);
illness();
goLive();

// A game that is over: what it is remembered by, its luckiest throws, in turns. What was decided is voted on.
async function retell(snapshot) {
  clearInterval(turning);
  scenes = [null];
  scene = 0;
  if (!start.advice || !snapshot.state?.outcome || snapshot.abandoned) return;
  const story = await asked("/api/story");
  if (story?.number !== table.snapshot.number) return;
  const scenesOf = (title, moves, words) =>
    moves.length ? [{ title, moves: moves.map((move) => ({ words: words(move), throw: move.photo })) }] : [];
  scenes = [
    null,
    ...scenesOf(t("story.luckiest"), story.luckiest, (move) =>
      t("tv.luck", { player: move.player, values: move.action.throw.join(", "), worth: worth(move.luck, story.goal) }),
    ),
  ];
  clearInterval(turning);
  turning = setInterval(() => { scene += 1; newest(table.snapshot); photos(table.snapshot); }, SCENE_MS);
}

// What a game that is over is remembered by.
function newest(snapshot) {
  const remembering = shownScene();
  $("log").classList.toggle("scene", remembering !== null);
  const told = remembering
    ? [remembering.title, ...remembering.moves.map((move) => move.words)]
    : snapshot.highlights.map((each) => remembered(sides(snapshot), each));
  fill($("log"), told, () => told.map((words) => h("li", {}, words)));
}

async function race(snapshot) {
  if (start.advice && snapshot.terms.chances && snapshot.state && !snapshot.abandoned) {
    const run = await asked("/api/chances"); // refused where they are not known, and in a serious game
    if (run && run.number !== table.snapshot.number) return;
    if (run) { fill($("race"), [run, snapshot.sides], () => chancesOf(sides(snapshot), run)); return; }
  }
  fill($("race"), [snapshot.race, snapshot.sides], () =>
    snapshot.race.length ? raceOf(sides(snapshot), snapshot.race) : [],
  );
}

// The tray of the newest throw or question; of a game that is over the throws that it is remembered by.
function photos(snapshot) {
  const thrown = snapshot.throws.findLast((each) => each.photo),
    question = snapshot.question?.photo,
    remembering = shownScene(),
    all = sides(snapshot);
  const proof = (number, words, said) => ({ source: `/api/throws/${number}.jpg`, words, said });
  const shown = question
    ? [{ source: question, words: t("ask.photo") }]
    : remembering
      ? remembering.moves
          .filter((each) => each.throw)
          .map((each) => proof(each.throw, each.words, true))
      : snapshot.highlights.length
        ? snapshot.highlights.filter((each) => each.throw).map((each) => proof(each.throw, remembered(all, each), true))
        : thrown
          ? [proof(thrown.number, t("tv.proof", { player: thrown.player, values: thrown.values.join(", ") }))]
          : [];
  fill($("photos"), shown, () =>
    shown.map(({ source, words, said }) => {
      const image = h("img", { src: source, alt: words }),
        figure = h("figure", {}, image, said && h("figcaption", { class: "named" }, words));
      image.addEventListener("error", () => figure.remove()); // photos go in time
      return figure;
    }),
  );
}

function remembered(all, { kind, side, points }) {
  return t(`highlight.${kind}`, { player: all[side].name, points: number(points) });
}

// The dice of a phone that asks to be let in: whoever holds the button compares them with the phone's.
async function code() {
  const told = await asked("/api/pair");
  if (!told) return; // the bar says when the table is gone
  $("code").hidden = !told.code;
  if (start.screen && told.hosted !== start.hosted) return location.reload(); // another code belongs there now
  fill($("code"), told.code, () => (told.code ? [h("span", {}, t("tv.code")), dice(told.code)] : []));
  const here = table.snapshot.state ? [] : await seats();
  $("seated").hidden = !here.length;
  fill($("seated"), here, () => seatedOf(here));
}

function clock() {
  const shown = /** @type {const} */ ({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    tell = () => text($("clock"), new Date().toLocaleTimeString(document.documentElement.lang, shown));
  tell();
  setInterval(tell, 10_000);
}
