// Learn: vote on the costliest decisions of the last game, solve the puzzle of the day, see how well people decide.
import { $, asked, fill, follow, goLive, h, post, ready, settings, start, t, table } from "../shared/core.js";
import { menu } from "../shared/menu.js";
import { button, photoOf } from "../shared/elements.js";
import { lying, standing, why } from "../shared/position.js";
import { optionWords, ranked, worth } from "../scoreboard/advice.js";

const POLL_MS = 2000; // other phones' votes are asked for at this interval while a question is open
let guessed = null, polling, name = settings.get("voter");

await ready;
menu();
goLive();
await Promise.all([drawPuzzle(), drawRatings()]);
$("rated").hidden = false; // shown last, so that nothing moves down
follow((snapshot, before) => { if (!before || before.number !== snapshot.number) drawVote(); });

/** The name by which the table counts this phone once, even if it stores nothing. It says nothing about the phone. */
function voter() {
  if (!name) {
    name = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    settings.set("voter", name);
  }
  return name;
}

async function drawVote() {
  clearTimeout(polling);
  const { number, state, abandoned } = table.snapshot;
  const over = state?.over && !abandoned,
    told = over ? await asked(`/api/vote?voter=${voter()}`) : null;
  if (number !== table.snapshot.number) return; // the newer one has asked for itself
  if (over && !told?.questions.every((one) => one.shown)) polling = setTimeout(drawVote, POLL_MS); // or out of reach
  if (told || !over) $("vote-box").hidden = !told?.questions.length;
  if (told) fill($("vote"), told, () => told.questions.map((one, at) => question(one, at, told.wanted)));
}

function question(one, at, wanted) {
  const send = (path, body) => async () => { if (await post(path, body)) drawVote(); };
  return h(
    "article",
    { class: "stack" },
    h("h3", {}, t("learn.what_would_you", { player: one.player, at: at + 1 })),
    one.photo && photoOf(one.photo, t("evening.photo")),
    standing(one),
    lying(one),
    h(
      "div",
      { class: "stack" },
      one.options.map((line, option) =>
        one.shown
          ? answer(one, option)
          : button(optionWords(line), send("/api/vote", { question: at, option, voter: voter() }), {
              "data-key": `${at}-${option}`,
              "aria-pressed": String(one.mine === option),
            }),
      ),
    ),
    one.shown
      ? why(one.reasons)
      : h("p", { class: "quiet", role: "status" }, t("learn.votes", { count: one.votes, wanted })),
    !one.shown &&
      start.paired &&
      button(t("learn.show"), send("/api/vote/show", { question: at }), { "data-key": `${at}-show` }),
  );
}

/** An option whose worth is shown: the best, the one that was taken, and how many voted for it. */
function answer(one, option) {
  const marks = [
    option === one.best ? t("learn.best") : null,
    option === one.taken ? t("learn.taken", { player: one.player }) : null,
    one.counts[option] ? t("learn.chosen_by", { count: one.counts[option] }) : null,
  ].filter(Boolean);
  return h(
    "p",
    { class: option === one.best ? "spread top" : "spread" },
    h("span", {}, optionWords(one.options[option]), marks.length ? ` (${marks.join(", ")})` : ""),
    h("b", {}, worth(one.values[option], one.goal)),
  );
}

async function drawPuzzle() {
  const told = await asked("/api/puzzle");
  if (!told) return;
  const draw = () =>
    fill($("puzzle"), [told, guessed], () => [
      h("p", {}, h("b", {}, told.title), ` · ${t(`learn.${told.grade}`)}`),
      standing({ player: told.player, scores: told.state.scores, turn_points: told.state.turn_points ?? 0 }),
      lying(told),
      ...(guessed === null ? choices(told, draw) : solved(told)),
    ]);
  draw();
}

function choices(told, draw) {
  const shown = [...told.options.keys()].slice(0, 4),
    tap = (place) => () => { guessed = place; draw(); };
  shown.sort((one, other) => key(told, one).localeCompare(key(told, other))); // the order tells nothing
  return shown.map((place) =>
    button(optionWords(told.options[place].line), tap(place), { "data-key": `p${place}` }),
  );
}

function key(told, place) { return JSON.stringify(told.options[place].line); }

function solved(told) {
  return [
    h("p", { class: "can" }, t(guessed === 0 ? "learn.right" : "learn.wrong")),
    ranked(
      told.options.slice(0, 4).map(({ line, value }, place) => ({
        words: optionWords(line) + (place === guessed ? ` (${t("learn.yours")})` : ""),
        worth: worth(value, told.goal),
        top: !place,
      })),
    ),
    why(told.reasons),
    h("p", { class: "quiet" }, t("learn.tomorrow")),
  ];
}

async function drawRatings() {
  const told = await asked("/api/evening/ratings");
  fill($("ratings"), told, () =>
    told?.ratings.length
      ? told.ratings.map((one) =>
          h(
            "p",
            { class: "spread" },
            h("span", {}, h("bdi", {}, one.player), ` · ${one.title}`, h("br"), rated(one)),
            h("b", {}, worth(one.regret, one.goal)),
          ),
        )
      : [h("p", { class: "quiet" }, t("learn.no_ratings"))],
  );
}

function rated(one) {
  const range = () => ({ count: one.decisions, low: worth(one.low, one.goal), high: worth(one.high, one.goal) });
  const told = one.low === null ? t("learn.one_decision") : t("learn.decisions", range());
  const like = one.like ? t("learn.like", { level: t(`level.${one.like}`) }) : t("learn.too_few");
  return h("small", { class: "quiet" }, `${told} · ${like}`);
}
