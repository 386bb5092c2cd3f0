// The scoreboard's parts: the stage, the track, the players, the log. Each keeps itself as the snapshots say.
import { $, fill, follow, h, isolate, number, settings, t, table, text } from "../shared/core.js";
import { blanks, chip, colourOf, dice, unknown } from "../shared/dice.js";
import { gameName, goalWords, lastWords, leadWords, roundWords } from "../shared/facts.js";
import { bestDice, explains, lessonWords, targetOf, toDo, toGo, worthOf } from "../shared/facts.js";
import { blind, can, eventWords, gap, inQuestion, lengthOf } from "../shared/sides.js";
import { lying, nextStarter, sentences, sides, staying, whoIsOn } from "../shared/sides.js";
import { inWords, track } from "./track.js";

// Notices that ask for the next step; of others something is wrong.
const CALM = new Set([
  "throw", "decide", "banking", "choose_point", "choose_entry", "choose_keep", "hold", "hold_all", "hold_on",
  "again_or_bank", "throw_or_bank", "freeze", "clear_tray", "restored",
]);

// Letters of a sentence that is written smaller where room is short: to a player, of a winner, of a leader, to all.
const LONG_SENTENCE = 40, LONG_WIN = 13, LONG_LEAD = 26, LONG_TITLE = 32;
const LONG_NUMBER = 3; // letters, of points that are written smaller on a phone

// The refusals that only the rules explain.
const WHY = new Set(["illegal_hold", "hold_on", "freeze", "decide_first", "count", "choose_point"]);

/** Which game, whose turn and what to do, the dice, what they are worth, what happened last. */
export function stage() {
  const screen = document.body.classList.contains("tv"); // where the lead stands beside it
  follow((snapshot) => {
    const on = whoIsOn(snapshot),
      state = snapshot.state,
      { who, what, how } = toDo(snapshot),
      winner = winnerOf(snapshot);
    $("match").hidden = !state;
    if (state)
      fill($("match"), [snapshot.game, goalWords(snapshot), roundWords(snapshot)], () => [
        h("b", {}, gameName(snapshot)),
        ...[goalWords(snapshot), roundWords(snapshot)].filter(Boolean).map((words) => h("span", {}, words)),
      ]);
    const box = /** @type {HTMLElement} */ ($("who").closest(".stage"));
    box.classList.toggle("won", Boolean(winner));
    box.classList.toggle("idle", !state);
    box.classList.toggle("few", Boolean(snapshot.panels.sheet)); // dice so few that their worth stands beside them
    const fresh = state?.throw_sizes.length && snapshot.phase !== "asking" && worthOf(snapshot)?.value === 0;
    box.classList.toggle("fresh", Boolean(fresh));
    box.style.setProperty("--on", colourOf((winner ?? on)?.colour ?? 0));
    const most = winner ? LONG_WIN : who || (screen && !fresh) ? LONG_SENTENCE : LONG_TITLE,
      letters = `${who ?? ""}${what}`.length > most;
    $("who").classList.toggle("wordy", letters || Boolean(lengthOf(who ?? "")));
    fill($("who"), [who, what, on?.name, on?.colour, winner?.name, state?.over], () =>
      heading(snapshot, who, what, winner ?? on),
    );
    const { frozen, loose } = lying(snapshot);
    fill(
      $("felt"),
      [frozen, loose, bestDice(snapshot), state?.throw_sizes, snapshot.phase, snapshot.question?.id, on?.colour],
      () => felt(snapshot, frozen, loose, on),
    );
    drawWorth(snapshot);
    chance(snapshot);
    $("phase").dataset.phase = snapshot.phase; // for tests: the heading tells it to people
    const notice = $("notice"), code = snapshot.notice?.code ?? "";
    const explaining = explains(snapshot) && !blind(), // else what is ill needs the room
      taught = explaining && snapshot.phase !== "asking" && !wrong(snapshot) ? lessonWords(snapshot) : "",
      more = state?.over ? nextStarter(snapshot) : taught || how;
    notice.hidden = !more && !explaining; // where the game explains itself this place has one height
    notice.classList.toggle("lessons", explaining);
    notice.classList.toggle("taught", Boolean(taught));
    notice.classList.toggle("asked", snapshot.phase === "asking");
    notice.classList.toggle("alarm", snapshot.phase !== "asking" && wrong(snapshot));
    fill(notice, [more, code, taught], () =>
      [
        more.split("\n").map((line) => h("span", { class: more.includes("\n") ? "step" : null }, line)),
        WHY.has(code) && !taught
          ? [" ", h("a", { href: `/help#rules-${snapshot.game}/${code}` }, t("why"))]
          : [],
      ].flat(2),
    );
    const ill = snapshot.notice?.code === "ill" ? null : table.ill; // that notice names a part and the cure, too
    box.classList.toggle("ill", Boolean(ill));
    $("ill").hidden = !ill;
    fill($("ill"), ill, () =>
      ill ? [h("b", {}, t(`part.${ill.part}`), ":"), " ", h("span", { lang: "en" }, ill.says)] : [],
    );
    const last = lastWords(snapshot), holder = /** @type {HTMLElement} */ ($("last").parentElement);
    holder.hidden = !last;
    text($("last"), last);
  });
}

const winnerOf = (snapshot) => (snapshot.state?.outcome ? sides(snapshot).find((side) => side.won) : null);
const wrong = ({ notice }) =>
  Boolean(notice) && !CALM.has(notice.code) && !notice.code.startsWith("house_");

function heading(snapshot, who, what, on) {
  if (!who)
    return [
      on && snapshot.phase !== "asking" ? chip(on.colour) : null,
      h("span", { id: "can" }, what),
    ];
  const teams = snapshot.header.players.length > snapshot.sides.length;
  const whose = teams && on ? t("stage.for_team", { player: who, team: on.name }) : isolate(who);
  return [
    on ? chip(on.colour) : null,
    h("span", { class: `named ${lengthOf(whose)}` }, whose),
    " ",
    h("span", { id: "can" }, what),
  ];
}

function felt(snapshot, frozen, loose, on) {
  if (snapshot.phase === "settling" || snapshot.state?.over || snapshot.abandoned) return [];
  const group = (row, label) => h("figure", { class: "group" }, row, h("figcaption", {}, t(label)));
  if (snapshot.question?.values.length) {
    const row = dice(snapshot.question.values), asked = inQuestion(snapshot.question);
    if (asked !== null) row.children[asked].replaceWith(unknown());
    // Where their number is in doubt the dice of the keep zone follow those that were thrown.
    const kept = snapshot.question.code === "count" ? snapshot.kept.length : 0;
    if (!kept || kept >= row.children.length) return [group(row, "lies.seen")];
    const beside = dice(snapshot.question.values.slice(-kept), "frozen", "dice.frozen");
    beside.style.setProperty("--ring", colourOf(on?.colour ?? 0));
    return [group(dice(snapshot.question.values.slice(0, -kept)), "lies.seen"), group(beside, "lies.kept")];
  }
  const [count] = snapshot.state?.throw_sizes ?? [];
  if (!frozen.length && !loose.length) return count ? [group(blanks(count), "lies.to_throw")] : [];
  const kept = frozen.length ? dice(frozen, "frozen", "dice.frozen") : null,
    stay = snapshot.panels.sheet && snapshot.state?.throw_sizes.length; // with a sheet: what is not thrown again
  kept?.style.setProperty("--ring", colourOf(on?.colour ?? 0));
  return [
    kept ? group(kept, "lies.kept") : null,
    loose.length ? group(ringed(dice(loose), loose, bestDice(snapshot)), stay ? "lies.kept" : "lies.thrown") : null,
  ];
}

// The dice that the best choice sets aside have a ring.
function ringed(row, values, best) {
  const wanted = [...best];
  values.forEach((value, at) => {
    const found = wanted.indexOf(value);
    if (found < 0) return;
    wanted.splice(found, 1);
    row.children[at].classList.add("ringed");
  });
  return row;
}

function drawWorth(snapshot) {
  const worth = worthOf(snapshot);
  $("worth").hidden = !worth;
  if (!worth) return;
  $("worth").classList.toggle("none", worth.value === 0);
  text($("worth-label"), worth.label);
  const gained = worth.value > 0 && worth.label === t("worth.turn");
  const points = gained ? `+${number(worth.value)}` : number(worth.value);
  $("points").classList.toggle("wide", points.length > LONG_NUMBER);
  text($("points"), points);
  text($("makes"), worth.note);
}

function chance(snapshot) {
  const safe = settings.get("odds", "on") === "off" ? null : snapshot.safe_chance, box = $("chance");
  const playing = snapshot.state && !snapshot.state.over && !snapshot.abandoned;
  const nothing = snapshot.state?.turn_points === 0 && !snapshot.panels.kept.length; // that could be lost
  box.hidden = !playing || nothing || safe === null || safe === undefined || safe >= 1;
  if (box.hidden) return;
  const percent = Math.min(99, Math.round(100 * safe)), // never a promise
    points = snapshot.panels.worth ? snapshot.state.turn_points : 0;
  fill(box, [percent, points], () => [
    h("span", { class: "gauge", "aria-hidden": "true" }, h("i", { style: { width: `${percent}%` } })),
    h("span", {}, t(points ? "stage.keeps" : "stage.succeeds", { percent: number(percent), points: number(points) })),
  ]);
}

const HOLES = 120, WIDE_STEP = 13; // of an empty track, while no game is on; between holes where there is room

/** The wooden track with everyone's pegs; a wide one has longer rows. */
export function board(wide = false) {
  let move = null, holes = 0, points = 0;
  follow((snapshot) => {
    const wanted = snapshot.track?.holes ?? HOLES,
      worth = snapshot.track?.points_per_hole ?? 1;
    if (wanted !== holes || worth !== points) {
      holes = wanted;
      points = worth;
      const rows = wide ? [60, WIDE_STEP] : [];
      move = track($("track"), holes, points, ...rows);
    }
    const all = sides(snapshot);
    const pegs = all.map(({ to_play: on, peg: { banked, provisional }, ...side }) => ({
      ...side, on, banked, ahead: provisional,
    }));
    move(pegs, inWords(all.map(({ name, score, ahead }) => ({ name, banked: number(score), ahead: number(ahead) }))));
  });
}

/** Who leads, then names, scores, how far to go, counters. */
export function players() {
  follow((snapshot) => {
    const all = sides(snapshot),
      lead = all.length ? leadWords(snapshot) : "";
    $("lead").hidden = !lead;
    text($("lead"), lead);
    $("lead").classList.toggle("wordy", lead.length > LONG_LEAD);
    $("players").style.setProperty("--sides", all.length);
    fill($("players"), [all, targetOf(snapshot), snapshot.state?.over], () =>
      all.map((side) => player(snapshot, side, all)),
    );
  });
}

function player(snapshot, side, all) {
  const plus = side.ahead === side.score ? null : h("span", { class: "plus" }, `+${number(side.ahead - side.score)}`);
  const there = staying(all), most = Math.max(...there.map((each) => each.score));
  const leads = most > 0 && side.score === most && there.includes(side) && there.some((each) => each.score < most);
  return h(
    "li",
    {
      class: `player${side.to_play ? " on" : ""}${leads || side.won ? " first" : ""}`,
      style: { "--colour": colourOf(side.colour) },
      "aria-current": side.to_play ? "true" : null,
    },
    chip(side.colour),
    h(
      "span",
      { class: "name" },
      h("bdi", { class: lengthOf(side.name) }, side.name),
      h("small", {}, says(snapshot, side)),
    ),
    pause(),
    h("span", { class: "counters" }, side.counters.map(notches)),
    pause(),
    h("span", { class: "score" }, number(side.score), plus ? " " : null, plus),
    pause(),
    gap(side, all));
}

// Between what is read out of a line: "Ben, 61 to go, 60, 19 behind".
const pause = () => h("span", { class: "unseen" }, ", ");

// A count of none is no news: its notches are drawn from the first on, with their word.
const notches = ({ label, count, full }) =>
  count === 0
    ? null
    : h(
        "span",
        { class: "counted" },
        h(
          "span",
          { class: "notches", "aria-hidden": "true" },
          Array.from({ length: full }, (_, at) => h("i", { class: at < count ? "cut" : "" })),
        ),
        h("small", {}, t(label, { count, most: full })),
      );

function says(snapshot, side) {
  const off = "player.not_on_board", notes = side.notes.filter((note) => note !== off || !snapshot.state?.over);
  const words = side.won ? [t("player.winner")] : notes.map((note) => t(note));
  if (side.games_lost) words.push(t("player.lost", { count: side.games_lost }));
  const far = words.length && !notes.includes(off) ? "" : toGo(snapshot, side);
  if (!far) return words.join(" · ");
  return [far, words.length ? h("span", { class: "note" }, ` · ${words.join(" · ")}`) : null];
}

/** The log in words, newest first, with each throw's dice. */
export function log() {
  follow((snapshot) => {
    const happened = snapshot.events.slice(-30).reverse();
    fill($("log"), happened.map((event) => [event.number, event.code, event.args]), () => happened.map(entry));
  });
}

function entry(event) {
  const values = event.code === "threw" ? event.args.dice : null,
    words = h("span", {}, values ? t("log.threw", { player: event.args.player }) : eventWords(event));
  return h("li", {}, words, values ? h("span", { class: "thrown" }, dice(values)) : null);
}

/** Tells the newest happening to those who hear the page, politely and once. */
export function aloud() {
  follow((snapshot, before, news) => {
    if (news) text($("said"), sentences([...news.events.map(eventWords), can(snapshot)]));
  });
}
