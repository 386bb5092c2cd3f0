// A game's story once it is over: how it split into luck and decisions, the luckiest throws, the costliest decisions.
import { $, asked, fill, follow, h, number, start, t, table } from "../shared/core.js";
import { optionWords, worth } from "./advice.js";
import { dice } from "../shared/dice.js";
import { tableOf } from "../shared/figures.js";
import { fold, photoOf } from "../shared/elements.js";
import { chancesOf } from "../shared/race.js";
import { lineWords, sides } from "../shared/sides.js";

/** Tells it in #story; hidden while there is none. */
export function story() {
  let told = null;
  follow((snapshot) => {
    const over = start.advice && snapshot.state?.outcome && !snapshot.abandoned;
    if (over && told === snapshot.number) return;
    $("story").hidden = true;
    told = over ? snapshot.number : null;
    if (over) tell(snapshot);
  });
}

const AGAIN_MS = 5000; // a story that did not come is asked for again at this interval

async function tell(snapshot) {
  const [told, run] = await Promise.all(["/api/story", "/api/chances"].map(asked));
  if (table.snapshot.number !== snapshot.number) return;
  if (told === undefined) setTimeout(() => tell(snapshot), AGAIN_MS);
  if (!told) return;
  fill($("story"), [told, run], () => [
    h("h2", {}, t("story.title")),
    told.dearest.length ? h("p", {}, h("a", { class: "button", href: "/learn" }, t("learn.vote"))) : null,
    ...storyOf(told, true),
    chart(sides(snapshot), run),
  ]);
  $("story").hidden = false;
}

/** How the chance to win went; nothing where it is not worked out. */
export const chart = (all, run) =>
  run ? h("figure", { class: "chances" }, h("figcaption", {}, chancesWords(run)), chancesOf(all, run)) : null;

/** What the curves are; it says so where the chances are approximate. */
const chancesWords = ({ exact }) => [t("story.chances"), exact ? "" : t("story.approximate")].join(" ").trim();

/**
 * The parts of a story: accounts, luckiest throws, costliest decisions.
 * @param folded whether the decisions are folded away, because they are voted on
 */
export function storyOf({ goal, players, luckiest, dearest }, folded = false) {
  const list = (moves, words) => h("ol", { class: "told" }, moves.map((move) => scene(move, words(move)))),
    lucky = list(luckiest, (move) => t("story.luck", { player: move.player, worth: worth(move.luck, goal) })),
    costly = list(dearest, (move) => gaveAway(move, goal));
  return [
    accounts(players, goal),
    ...players.filter((one) => (one.percentile ?? 0) >= WORTH_TELLING).map((one) => h("p", {}, beaten(one))),
    ...(luckiest.length ? [h("h3", {}, t("story.luckiest")), lucky] : []),
    ...(!dearest.length
      ? []
      : folded
        ? [fold(t("story.dearest"), costly)]
        : [h("h3", {}, t("story.dearest")), costly]),
  ];
}

const WORTH_TELLING = 0.01; // smallest share of perfect sheets beaten that the story shows: "0 %" would only hurt

/** How a final total compares with perfectly played score sheets. */
const beaten = (one) =>
  t("story.percentile", {
    player: one.player, points: number(one.result), percent: Math.round(100 * one.percentile),
  });

/** What a decision cost, in words; empty for the best. */
export const gaveAway = (move, goal) =>
  move.best
    ? t("story.gave_away", {
        player: move.player,
        did: lineWords(move.action),
        worth: worth(move.gave_away, goal),
        better: optionWords(move.best),
      })
    : "";

function scene(move, words) {
  const photo = move.photo ? photoOf(move.photo, t("evening.photo"), null, { loading: "lazy" }) : null;
  return h("li", {}, photo, h("div", {}, move.action.throw ? dice(move.action.throw) : null, h("p", {}, words)));
}

function accounts(players, goal) {
  const plain = (value) => number(Math.round(goal === "win" ? 100 * value : value)),
    signed = (value) => (value < 0 ? "−" : "+") + plain(Math.abs(value));
  /** @type {[key: string, told: (one: any) => string][]} */
  const columns = [
    ["start", (one) => plain(one.start)],
    ["luck", (one) => signed(one.luck)],
    ["decisions", (one) => signed(one.decisions)],
    ["result", (one) => plain(one.result)],
  ];
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "quiet" }, t(`story.${goal}`)),
    tableOf(
      t("story.title"),
      t("evening.player"),
      columns.map(([key]) => t(`story.column_${key}`)),
      players.map((one) => [one.player, ...columns.map(([, told]) => told(one))]),
    ),
  );
}
