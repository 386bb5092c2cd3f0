// The scoreboard's parts: the stage, the track, the players, the log. Each keeps itself as the snapshots say.
import { $, fill, follow, h, number, settings, t, table, text } from "../shared/core.js";
import { chip, colourOf, dice } from "../shared/dice.js";
import { can, eventWords, gap, lengthOf, lying, noticeWords, sides, whoIsOn } from "../shared/sides.js";
import { inWords, track } from "./track.js";

const CALM = new Set([
  "banking",
  "choose_point",
  "choose_entry",
  "choose_keep",
  "hold",
  "hold_all",
  "hold_on",
  "again_or_bank",
  "throw_or_bank",
  "freeze",
  "clear_tray",
  "restored",
]);

// The refusals that only the rules explain.
const WHY = new Set(["illegal_hold", "hold_on", "freeze", "decide_first", "count", "choose_point"]);

/** Who is on, what lies, what it is worth, what can be done. */
export function stage() {
  follow((snapshot) => {
    const on = whoIsOn(snapshot),
      state = snapshot.state;
    fill($("who"), [on?.name, on?.colour, state?.player, state?.round, state?.over], () =>
      heading(snapshot, on, state),
    );
    const { frozen, loose } = lying(snapshot);
    fill(
      $("felt"),
      [
        frozen,
        loose,
        snapshot.phase,
        snapshot.thrown,
        snapshot.game,
        snapshot.state?.outcome,
        snapshot.question?.id,
        on?.colour,
      ],
      () => felt(snapshot, frozen, loose, on),
    );
    drawWorth(snapshot, state, on);
    text($("can"), can(snapshot));
    chance(snapshot);
    const phase = $("phase");
    phase.dataset.phase = snapshot.phase;
    text(phase, t(`phase.${snapshot.phase}`));
    const words = noticeWords(snapshot), notice = $("notice");
    notice.hidden = !words;
    notice.classList.toggle("calm", CALM.has(snapshot.notice?.code));
    fill(notice, words, () =>
      [
        h("span", {}, words),
        WHY.has(snapshot.notice?.code)
          ? [" ", h("a", { href: `/help#rules-${snapshot.game}/${snapshot.notice.code}` }, t("why"))]
          : [],
      ].flat(),
    );
  });
}

function heading(snapshot, on, state) {
  if (!state) return [h("span", {}, t("stage.idle"))];
  if (!on) return [h("span", {}, t("stage.over"))];
  const teams = snapshot.header.players.length > snapshot.sides.length;
  const whose = teams ? t("stage.for_team", { player: state.player, team: on.name }) : state.player;
  return [
    chip(on.colour),
    h("span", { class: `named ${lengthOf(whose)}` }, t("stage.on", { player: whose })),
    h("span", { class: "round" }, t("stage.round", { round: state.round })),
  ];
}

function felt(snapshot, frozen, loose, on) {
  if (snapshot.state?.outcome)
    return sides(snapshot)
      .filter((side) => side.won)
      .map((side) =>
        h("p", { class: "winner" }, chip(side.colour), h("bdi", { class: `named ${lengthOf(side.name)}` }, side.name)),
      );
  if (snapshot.phase === "settling") return [h("p", {}, t("stage.settling"))];
  if (snapshot.question?.values.length) return [dice(snapshot.question.values)];
  if (!frozen.length && !loose.length) return [h("p", {}, t(snapshot.state ? "stage.empty" : "stage.waiting"))];
  const kept = frozen.length ? dice(frozen, "frozen", "dice.frozen") : null;
  kept?.style.setProperty("--ring", colourOf(on?.colour ?? 0));
  return [kept, loose.length ? dice(loose) : null];
}

function drawWorth(snapshot, state, on) {
  const worth = $("worth");
  worth.hidden = !state || state.over || snapshot.abandoned || !snapshot.panels.worth;
  if (worth.hidden) return;
  const none = state.turn_points === 0; // nothing to lose yet: what stands is said quietly
  worth.classList.toggle("none", none);
  text($("points"), none ? number(on?.score ?? 0) : `+${number(state.turn_points)}`);
  const past = on && on.peg.provisional > snapshot.track.holes;
  fill(
    $("makes"),
    [on?.name, on?.ahead, past, none],
    () =>
      on &&
      (none ? t("stage.stands") : [t("stage.would_make"), " ", h("b", {}, past ? t("stage.home") : number(on.ahead))]),
  );
}

function chance(snapshot) {
  const safe = settings.get("odds", "on") === "off" ? null : snapshot.safe_chance, box = $("chance");
  box.hidden = safe === null || safe === undefined || !snapshot.state || snapshot.state.over || snapshot.abandoned;
  if (box.hidden) return;
  const percent = safe > 0.999 && safe < 1 ? 99.9 : Math.round(safe * 1000) / 10;
  fill(box, percent, () => [
    h("span", { class: "gauge", "aria-hidden": "true" }, h("i", { style: { width: `${percent}%` } })),
    h("span", {}, t("stage.safe", { percent: number(percent) })),
  ]);
}

const HOLES = 120, WIDE_STEP = 13; // of an empty track, while no game is on; between holes where there is room

/** The wooden track with everyone's pegs; a wide one has longer rows. */
export function board(wide = false) {
  let move = null, holes = 0;
  follow((snapshot) => {
    const wanted = snapshot.track?.holes ?? HOLES;
    if (wanted !== holes) {
      holes = wanted;
      move = wide ? track($("track"), holes, ...(holes > HOLES ? [60] : [40, WIDE_STEP])) : track($("track"), holes);
    }
    const pegs = sides(snapshot).map(({ name, seat, colour, to_play: on, peg, back }) => ({
      name,
      seat,
      colour,
      on,
      back,
      banked: peg.banked,
      ahead: peg.provisional,
    }));
    move(pegs, inWords(pegs));
  });
}

/** Names, scores, counters. */
export function players() {
  follow((snapshot) => {
    const all = sides(snapshot);
    $("players").style.setProperty("--sides", all.length);
    fill($("players"), all, () => all.map((side) => player(side, all)));
  });
}

function player(side, all) {
  const plus = side.ahead === side.score ? null : h("span", { class: "plus" }, `+${number(side.ahead - side.score)}`);
  const said = says(side);
  return h(
    "li",
    {
      class: side.to_play ? "player on" : "player",
      style: { "--colour": colourOf(side.colour) },
      "aria-current": side.to_play ? "true" : null,
    },
    chip(side.colour),
    h(
      "span",
      { class: "name" },
      h("bdi", { class: lengthOf(side.name) }, side.name),
      said ? h("small", {}, said) : null,
    ),
    h("span", { class: "counters" }, side.counters.map(notches)),
    gap(side, all),
    h("span", { class: "score" }, number(side.score), plus ? " " : null, plus));
}

const notches = ({ label, count, full }) =>
  h(
    "span",
    { class: "notches", role: "img", "aria-label": t(label, { count, most: full }) },
    Array.from({ length: full }, (_, at) => h("i", { class: at < count ? "cut" : "" })),
  );

function says(side) {
  const words = side.won ? [t("player.winner")] : side.notes.map((note) => t(note));
  if (side.games_lost) words.push(t("player.lost", { count: side.games_lost }));
  return words.join(" · ");
}

/** The log in words, newest first, with each throw's dice; `edit` makes a throw's dice a button for paired phones. */
export function log(edit = null) {
  follow((snapshot) => {
    const happened = snapshot.events.slice(-30).reverse();
    fill(
      $("log"),
      [
        happened.map((event) => [event.number, event.code, event.args]),
        table.paired,
        snapshot.throws.map((thrown) => thrown.values),
      ],
      () => happened.map((event) => entry(event)),
    );
    if (edit) edit(snapshot);
  });
}

function entry(event) {
  const words = h("span", {}, eventWords(event));
  const values = event.code === "threw" ? event.args.dice : null;
  return h("li", {}, words, values ? h("span", { class: "thrown" }, dice(values)) : null);
}

/** Tells the newest happening to those who hear the page, politely and once. */
export function aloud() {
  follow((snapshot, before, news) => {
    if (news) text($("said"), [...news.events.map(eventWords), can(snapshot)].join(". "));
  });
}
