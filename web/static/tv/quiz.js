// Between games on the TV: how the tournament stands; or what would you have done? Decisions that phones vote on, and
// before the first game the day's puzzle.
import { optionWords, ranked, worth } from "../scoreboard/advice.js";
import { $, asked, fill, follow, h, start, t, table } from "../shared/core.js";
import { nextWords } from "../shared/sides.js";
import { matches, standings } from "../shared/tournament.js";
import { lying, standing, why } from "../shared/position.js";

const POLL_MS = 2000, // votes are asked for at this interval
  AWAY_MS = 16_000, // the winner, or how to join, holds the stage for so long
  SHOWN_MS = 20_000, // then a question does
  WINNER_MS = 8000, // of a match of a tournament
  MATCHES = 5, ROWS = 6, // that the stage has room for
  ANSWER_MS = 12_000; // the puzzle's answer stands at the end of its time
let since = Date.now(), at = 0, puzzle = null, running = 0;

export function quiz() {
  follow((snapshot, before) => {
    if (!start.advice && !snapshot.tournament) { $("quiz").hidden = true; return; }
    if (before && before.number === snapshot.number && Boolean(before.state) === Boolean(snapshot.state)) return;
    since = Date.now();
    $("quiz").hidden = true;
    turn(++running);
  });
}

/** Shows and hides the question in turns, until the next change on the table. */
async function turn(run) {
  if (run !== running) return;
  const { state, abandoned, tournament } = table.snapshot;
  if (tournament && (!state || state.over || abandoned)) return tournamentOnStage(run, tournament, state);
  if (!state) await puzzleOnStage();
  else if (state.over && !abandoned) await voteOnStage(run);
  else return;
  setTimeout(() => turn(run), POLL_MS);
}

// Between the matches of a tournament: who plays next and how it stands, once the winner has had the stage.
function tournamentOnStage(run, tournament, state) {
  if (state && Date.now() - since < WINNER_MS) return setTimeout(() => turn(run), POLL_MS);
  const few = h("ul", { class: "matches" }),
    due = tournament.matches.findIndex((match) => !match.won);
  matches(few, { matches: tournament.matches.slice(Math.max(0, due < 0 ? -MATCHES : due - 1)).slice(0, MATCHES) });
  fill($("quiz"), [tournament], () => [
    h("h2", {}, nextWords(tournament)),
    tournament.next ? h("p", {}, t("tournament.start_how")) : null,
    tournament.form === "knockout" && !tournament.over ? few : standings(tournament, ROWS),
  ]);
  $("quiz").hidden = false;
}

async function puzzleOnStage() {
  const past = Date.now() - since, seated = !$("seated").hidden; // who sits down is greeted, not asked
  if (past < AWAY_MS || seated) { $("quiz").hidden = true; return; }
  // a new day may begin meanwhile
  if (past > AWAY_MS + SHOWN_MS + ANSWER_MS) { since = Date.now(); puzzle = null; return; }
  puzzle ??= await asked("/api/puzzle");
  if (!puzzle || table.snapshot.state) return;
  const options = puzzle.options.slice(0, 4), answered = past > AWAY_MS + SHOWN_MS;
  const shown = options.map(({ line, value }, place) => ({
    words: optionWords(line), top: answered && !place, worth: answered ? worth(value, puzzle.goal) : null,
  }));
  if (!answered) shown.sort((one, other) => one.words.localeCompare(other.words)); // the order tells nothing
  show(`${t("learn.puzzle")} · ${puzzle.title}`, puzzleOf(puzzle), shown, answered && puzzle);
}

const puzzleOf = (told) => ({ ...told, scores: told.state.scores, turn_points: told.state.turn_points ?? 0 });

async function voteOnStage(run) {
  const told = await asked("/api/vote");
  if (run !== running) return;
  const questions = told?.questions ?? [];
  const voting = questions.findIndex((one) => one.votes && !one.shown);
  const past = (Date.now() - since) % (AWAY_MS + SHOWN_MS);
  if (past > AWAY_MS && $("quiz").hidden) at += 1;
  const one = questions[voting >= 0 ? voting : at % questions.length];
  if (!one || (voting < 0 && past < AWAY_MS)) { $("quiz").hidden = true; return; }
  const options = one.options.map((line, place) => ({
    words: optionWords(line), top: one.shown && place === one.best,
    worth: one.shown ? worth(one.values[place], one.goal) : null,
  }));
  const waiting = t("learn.votes", { count: one.votes, wanted: told.wanted });
  show(t("learn.vote"), one, options, one.shown && one, `${waiting} ${t("tv.vote_here", { page: "/learn" })}`);
}

/** @param answer the question with its reasons once they are shown; false before */
function show(title, position, options, answer, hint = "") {
  fill($("quiz"), [title, position, options, Boolean(answer), hint], () => [
    h("h2", {}, title),
    standing(position),
    lying(position),
    ranked(options),
    answer ? why(answer.reasons) : hint ? h("p", { class: "quiet" }, hint) : null,
  ]);
  $("quiz").hidden = false;
}
