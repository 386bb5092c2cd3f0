// The control sheet: three fixed places for the acts of the moment, choices above them, the rest behind "More".
import { $, acting, fill, follow, h, icon, number, play, post, start, t, table, text, toast } from "../shared/core.js";
import { die } from "../shared/dice.js";
import { guard } from "../shared/guard.js";
import { enterThrow } from "./keys.js";
import { phones } from "../shared/hosting.js";
import { button, closeOnEscape, dialog, fold, select } from "../shared/elements.js";
import { newGame } from "./newgame.js";
import { startMatch } from "../shared/tournament.js";
import { blind, eventWords, gameOf, housesTurn, laidAside, sensible, sides } from "../shared/sides.js";

let entering = null; // the open dialog whose answer counts for the snapshot that it was opened on alone

export function sheet() {
  follow((snapshot, before) => {
    if (entering?.open && before?.number !== snapshot.number) {
      entering.close();
      if (!acting()) toast(t("error.stale")); // another phone, or the camera, was faster
    }
    const { game, options, option_points: points, phase, state, abandoned, rule_of_thumb, events, panels } = snapshot,
      newest = events.at(-1)?.number,
      playing = [game, options, phase, state?.throw_sizes, state?.over, abandoned];
    const shown = [playing, points, newest, snapshot.notice?.code, snapshot.tournament?.next, blind()];
    fill($("big"), shown, () => big(snapshot));
    const offered = [options, points, state?.dice, panels.sheet?.offers, panels.keeping, rule_of_thumb];
    fill($("pick"), [offered, laidAside(snapshot.notice)?.dice], () => pick(snapshot));
    fill($("rest"), playing, () => rest(snapshot));
  });
  const more = /** @type {HTMLDetailsElement} */ ($("more"));
  document.addEventListener("click", ({ target }) => {
    const on = /** @type {Element} */ (target);
    if (!more.contains(on) || on.closest("button")) more.open = false;
  });
  closeOnEscape(more);
  guard($("sheet"));
  stepAside($("sheet"));
}

const FADE = 10; // pixels above the sheet in which the page fades out

// A line of the scores that the sheet would cut in half is not shown: what stands above the sheet is whole.
function stepAside(box) {
  const step = () => {
    const edge = box.getBoundingClientRect(),
      whole = edge.top - FADE;
    for (const line of document.querySelectorAll(".last, .lead, .player")) {
      const { top, bottom, left, right } = line.getBoundingClientRect(),
        behind = right > edge.left && left < edge.right;
      line.classList.toggle("under", behind && top < edge.top && bottom > whole);
    }
  };
  follow(step);
  new ResizeObserver(step).observe(box);
  addEventListener("resize", step);
  addEventListener("scroll", step, { passive: true });
}

const act = (key, words, onclick, kind = "") => button(words, onclick, { class: kind, "data-key": key });

// Each act has a place of its own, and no other act ever comes there: left what ends the turn or the game, in the
// middle what goes on, right Undo. A place without an act stays empty.
function big(snapshot) {
  const { state, abandoned } = snapshot,
    over = state?.over || abandoned,
    places = !state || over ? between(snapshot, over) : turn(snapshot);
  return places.map((each) => each ?? h("span", { class: "free" }));
}

function between({ state, tournament }, over) {
  const first = !over && !tournament?.next;
  const fresh = table.paired
    ? act("new", [icon("plus"), t("control.new_game")], () => newGame(start.games), first ? "main" : "")
    : state ? null : h("a", { class: "button main", href: "/control", "data-key": "pair" }, t("control.open"));
  const next = () => post("/api/next", { number: table.snapshot.number });
  if (tournament?.next && table.paired) {
    const match = act("match", [icon("play"), t("tournament.start")], startMatch, "main");
    return [match, fresh, state ? undoButton(table.snapshot) : null];
  }
  if (!state) return [fresh];
  return [act("next", [icon("play"), t("control.next_game")], next, "main"), fresh, undoButton(table.snapshot)];
}

function turn(snapshot) {
  const { state, options, option_points: points, phase, notice } = snapshot,
    stop = housesTurn(snapshot) ? undefined : options.find((line) => line.do === "stop");
  const bank = () => act(
    JSON.stringify(stop),
    [icon("hand-coins"), t("control.bank", { points: number(points[options.indexOf(stop)]) })],
    () => play(stop),
    sensible(snapshot, stop) ? "main" : "",
  );
  const ask = () => act("ask", [icon("circle-help"), t("control.look")], answerIt, "main");
  // The camera sees what is thrown: to type it is the way out for a table that is blind.
  const enter = () => act(
    "enter",
    [icon("keyboard"), t("control.enter")],
    () => { entering = enterThrow(table.snapshot); },
    notice?.code === "ill" || blind() ? "main" : "",
  );
  return [
    stop ? bank() : null,
    phase === "asking" ? ask() : state.throw_sizes.length ? enter() : null,
    undoButton(snapshot),
  ];
}

const answerIt = () => dispatchEvent(new Event("pegpip-ask"));
const signed = (points) => `${points < 0 ? "−" : "+"}${number(Math.abs(points))}`;

// What would be taken back stands on the button: the newest thing that happened, and that still stands.
function undoButton(snapshot) {
  const newest = snapshot.events.findLast(({ code }) => code !== "corrected" && code !== "undone"),
    words = newest ? eventWords(newest) : "";
  const said = [h("span", {}, t("control.undo")), h("span", { class: "unseen" }, ` ${words}`)];
  return act("undo", [icon("undo-2"), ...said], () => undo(words), "undo");
}

async function undo(words) {
  if (await play({ undo: 1 })) toast(words ? t("control.undone_what", { words }) : t("control.undone"));
}

// A decision that is a word alone.
const plain = (line) => Object.keys(line).length === 1;

// What is chosen among several: a point, a word alone, rows of a sheet, dice to keep.
function pick(snapshot) {
  if (housesTurn(snapshot)) return [];
  const of = (word) => snapshot.options.filter((line) => line.do === word),
    rows = of("score"),
    keeps = of("keep"),
    choices = [...of("point"), ...snapshot.options.filter((line) => plain(line) && line.do !== "stop")];
  return [
    choices.length ? h("div", { class: "choose" }, choices.map((line) => choice(snapshot, line))) : null,
    rows.length ? rowPicker(snapshot, rows) : null,
    keeps.length ? keepPicker(snapshot, keeps) : null,
  ];
}

function choice(snapshot, line) {
  const points = snapshot.option_points[snapshot.options.indexOf(line)],
    set = [t("control.point"), die(line.value, true), points ? h("b", {}, signed(points)) : ""];
  const kind = equallyGood(snapshot, line, points) ? "main" : plain(line) ? "danger" : "";
  return act(JSON.stringify(line), plain(line) ? t(`control.${line.do}`) : set, () => play(line), kind);
}

// Gold marks the sensible choice, and each that is worth as much.
function equallyGood(snapshot, line, points) {
  if (sensible(snapshot, line)) return true;
  const best = snapshot.options.findIndex((each) => each.do === line.do && sensible(snapshot, each));
  return best >= 0 && snapshot.option_points[best] === points;
}

const BEST_ROWS = 3;

function rowPicker(snapshot, rows) {
  const { rows: order, offers } = snapshot.panels.sheet,
    place = (line) => order.indexOf(line.category),
    worth = (line) => offers[place(line)];
  const sorted = [...rows].sort((a, b) => worth(b) - worth(a) || place(a) - place(b));
  const key = (line) => {
    const words = [`${t(`category.${line.category}`, {}, line.category)} `, h("b", {}, number(worth(line)))];
    return act(line.category, words, () => play(line), sensible(snapshot, line) ? "main" : "");
  };
  const others = sorted.slice(BEST_ROWS);
  return h(
    "div",
    { class: "stack", role: "group", "aria-label": t("control.score_in") },
    h("div", { class: "best" }, sorted.slice(0, BEST_ROWS).map(key)),
    others.length ? fold(t("control.other_rows"), h("div", { class: "choices" }, others.map(key))) : null,
  );
}

// Tap the dice that stay; the button plays them when the rules allow exactly those.
function keepPicker(snapshot, keeps) {
  const rule = snapshot.rule_of_thumb?.do === "keep" ? snapshot.rule_of_thumb.dice : null;
  const dice = snapshot.panels.dice,
    { word, chosen: first } = snapshot.panels.keeping,
    chosen = new Set(placesOf(laidAside(snapshot.notice)?.dice ?? rule ?? first, dice));
  const points = new Map(
    keeps.map((line) => [[...line.dice].sort().join(), snapshot.option_points[snapshot.options.indexOf(line)]]),
  );
  const values = () => [...chosen].map((at) => dice[at]).sort(),
    go = act("keep", "", () => play({ do: "keep", dice: values() }));
  const show = () => {
    const worth = points.get(values().join()),
      words = t(`control.${word}`, { count: dice.length - chosen.size, values: values().join(", ") || "–" });
    go.disabled = worth === undefined;
    go.className = worth !== undefined && sensible(snapshot, { do: "keep", dice: values() }) ? "main" : "";
    go.textContent = worth ? `${words} +${number(worth)}` : words;
  };
  const toggle = (at) => ({ currentTarget: key }) => {
    if (!chosen.delete(at)) chosen.add(at);
    key.setAttribute("aria-pressed", String(chosen.has(at)));
    show();
  };
  const keys = dice.map((value, at) =>
    button(die(value), toggle(at), {
      "aria-pressed": String(chosen.has(at)),
      "data-key": `die-${at}`,
      "aria-label": t("control.keep_die", { value }),
    }),
  );
  show();
  return h(
    "div",
    { class: "stack" },
    h("div", { class: "faces dice-keys", role: "group", "aria-label": t(`control.keep_${word}`) }, keys),
    go,
  );
}

// Where among the dice those lie that are chosen to begin with.
function placesOf(first, dice) {
  const wanted = [...first];
  return dice.flatMap((value, at) => {
    const found = wanted.indexOf(value);
    if (found < 0) return [];
    wanted.splice(found, 1);
    return [at];
  });
}

function rest(snapshot) {
  const state = snapshot.state, playing = state && !state.over && !snapshot.abandoned;
  const items = [];
  if (snapshot.options.some((line) => line.do === "spend"))
    items.push(act("spend", t("control.spend"), () => { entering = spend(table.snapshot); }));
  if (!table.paired) return items.length ? h("div", { class: "choices" }, items) : [];
  if (playing) items.push(act("new-2", t("control.new_game"), () => newGame(start.games)));
  if (playing) items.push(act("leave", t("control.leave"), () => leave(table.snapshot)));
  if (playing) items.push(act("abandon", t("control.abandon"), abandon, "danger"));
  else if (state && table.owner)
    items.push(act("end", t("control.end_sitting"), endEvening));
  if (start.voice)
    items.push(
      act("voice", t("control.voice_on"), () => speak(true)),
      act("quiet", t("control.voice_off"), () => speak(false)),
    );
  items.push(act("phones", t("control.phones"), phones));
  return h("div", { class: "choices" }, items);
}

async function endEvening() {
  if (await post("/api/evening/end", { number: table.snapshot.number })) toast(t("control.sitting_ended"));
}

const speak = (on) => post("/api/voice", { on });

function abandon() {
  const { number } = table.snapshot; // the game to abandon is the one that was on when this was opened
  const go = () => { sure.close(); post("/api/abandon", { number }); };
  const sure = dialog(
    t("control.abandon"),
    h("p", {}, t("control.abandon_sure")),
    button(t("control.abandon_do"), go, { class: "danger" }),
  );
}

function leave(snapshot) {
  const { header, state } = snapshot,
    there = header.players.filter((name) => !state.left?.includes(name)),
    who = select({ id: "leave-who" }, there.map((name) => [name, name]));
  const go = async () => {
    const gone = gameOf(table.snapshot) !== gameOf(snapshot);
    if (gone) toast(t("error.stale"));
    if (gone || (await play({ leave: who.value }))) sure.close();
  };
  const sure = dialog(
    t("control.leave"),
    h("p", {}, t("control.leave_sure")),
    h("label", { for: "leave-who" }, t("control.leave_who")),
    who,
    button(t("control.leave_do"), go, { class: "danger" }),
  );
}

function spend(snapshot) {
  const offers = snapshot.options.filter((line) => line.do === "spend"),
    names = [...new Set(offers.map((line) => line.on))],
    most = (name) => Math.max(...offers.filter((line) => line.on === name).map((line) => line.points));
  const all = sides(snapshot),
    me = all.find((side) => side.to_play),
    effect = h("p", { role: "status" });
  const on = select({ id: "spend-on", onchange: () => show() }, names.map((name) => [name, name])),
    points = h("input", {
      id: "spend-points",
      type: "number",
      inputmode: "numeric",
      min: 1,
      value: most(names[0]),
      oninput: () => show(),
    });
  const show = () => { // what it does stands there before it is done
    points.max = String(most(on.value));
    const loss = Math.max(0, Math.min(Number(points.value), Number(points.max))),
      other = all.find((side) => side.name === on.value);
    const words = ({ name, score }) =>
      t("control.spend_effect", { name, from: number(score), to: number(Math.max(0, score - loss)) });
    text(effect, [me, other].map(words).join(" · "));
  };
  const go = async () => {
    const line = { do: "spend", on: on.value, points: Number(points.value) };
    if (await play(line, snapshot.number)) box.close();
  };
  show();
  const box = dialog(
    t("control.spend"),
    h("p", {}, t("control.spend_how")),
    h("label", { for: "spend-on" }, t("control.spend_on")),
    on,
    h("label", { for: "spend-points" }, t("control.spend_points")),
    points,
    effect,
    button(t("control.spend_do"), go, { class: "main" }),
  );
  return box;
}
