// What the pages read out of a snapshot: the sides in seat order, who is on, what lies, what can be done.
import { h, has, isolate, number, t, table } from "./core.js";
/** @import { TournamentView } from "../types/server" */

/** The sides (players, or teams) in seat order, with what each page shows of them; a side is known by its seat. */
export function sides(snapshot) {
  const { counters, notes } = snapshot.panels, playing = !snapshot.abandoned;
  const worth = playing && snapshot.panels.worth; // without worth a turn's points are lost whatever comes
  return snapshot.sides.map((side, seat) => {
    const peg = snapshot.track.pegs[seat];
    return {
      ...side, seat, to_play: playing && side.to_play, notes: notes[seat] ?? [], ahead: worth ? side.ahead : side.score,
      peg: worth ? peg : { ...peg, provisional: peg.banked },
      counters: counters.map(({ label, counts, full }) => ({ label, count: counts[seat], full })),
    };
  });
}

const LONG = 14; // letters, of a name that is written smaller where room is short
export const lengthOf = (name) => (name.length > LONG ? "long" : "");

export const whoIsOn = (snapshot) => sides(snapshot).find((side) => side.to_play) ?? null;

/** Which game of the sitting is on, whatever has been played of it. */
export const gameOf = ({ header, sitting }) => JSON.stringify([header, sitting.games]);

/** Dice as they lie: those frozen or kept apart from the loose ones. */
export function lying({ state, panels, notice, thrown }) {
  if (!state) return { frozen: [], loose: thrown };
  const loose = [...panels.dice],
    moved = laidAside(notice)?.dice ?? [];
  for (const die of moved) loose.splice(loose.indexOf(die), 1);
  return { frozen: [...panels.kept, ...moved], loose };
}

/** What the notice says of dice that lie in the keep zone and may be kept: no line yet, but play goes on from there. */
export const laidAside = (notice) => (notice?.code.startsWith("hold") ? notice.args : null);

const joined = (words, last) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
const oneOf = (words) => joined(words, t("or"));
const either = (values) => oneOf(values.map((value) => number(value)));

/** One line of what can happen now: "Throw 4 dice or bank 10". */
export function can(snapshot) {
  const state = snapshot.state;
  if (!state) return t("can.no_game");
  if (state.over || snapshot.abandoned) return overLine(snapshot.abandoned ? null : state.outcome);
  if (snapshot.phase === "asking") return t("can.asking", { player: state.player });
  if (forHouse(snapshot)) return t(`notice.${snapshot.notice.code}`, plainArgs(snapshot.notice.args));
  const line = actions(snapshot);
  return line.charAt(0).toLocaleUpperCase() + line.slice(1);
}

/** Whether the camera is ill: nothing that is thrown is read, but a phone may enter it. */
export const blind = () => table.ill?.part === "camera";

// To spend is a rare choice: the sentence leaves it out where there is another.
const RARE = "can.spend";

/** What the player to act may do, as part of a sentence: "throw the other 4 dice or bank 10". */
export function actions(snapshot) {
  const { panels, notice } = snapshot,
    { frozen, loose } = lying(snapshot),
    allowed = after(laidAside(notice)) ?? panels.can,
    usual = allowed.filter(({ code }) => code !== RARE);
  return oneOf(
    (usual.length ? usual : allowed).map(({ code, args }) => {
      if ("count" in args && blind()) return t("can.enter"); // a throw, whose dice are counted
      const rest = code === "can.throw" && frozen.length > 0,
        more = !rest ? code : loose.length === args.count[0] ? "can.throw_rest" : "can.throw_all",
        values = code === "can.point" ? setsOf(snapshot, args.values) : null;
      const plain = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, either([value].flat())]));
      return t(more, values ? { values: oneOf(values) } : plain);
    }),
  );
}

// What dice in the keep zone allow: to throw on, and to bank if they are worth enough.
function after(held) {
  if (!held) return null;
  const bank = held.decisions.includes("stop") ? [{ code: "can.bank", args: { points: held.turn_points } }] : [];
  return [{ code: "can.throw", args: { count: held.sizes } }, ...bank];
}

// The dice of each value that may be set aside: "the three 6s", with its points where there is no other choice.
function setsOf({ panels, options, option_points: points }, values) {
  return values.map((value) => {
    const count = panels.dice.filter((each) => each === value).length,
      set = t("face.all", { count: t(`count.${count}`), value }),
      worth = points[options.findIndex((line) => line.value === value)];
    return values.length === 1 ? t("face.worth", { set, count: worth }) : set;
  });
}

/** Who plays next, or who has won. @param {TournamentView} tournament */
export function nextWords({ next, standings }) {
  if (next) return t("tournament.next", { one: next.players[0], other: next.players[1] });
  return t("tournament.winner", { names: listed(standings.filter((row) => row.place === 1).map((row) => row.player)) });
}

/** Who starts the next game, or plays the next match of the tournament, and how; empty until this one is over. */
export function nextStarter({ next_starter: player, tournament }) {
  if (!player) return "";
  if (!tournament) return t("hero.next", { player });
  return tournament.next ? sentences([nextWords(tournament), t("tournament.start_how")]) : nextWords(tournament);
}

function overLine(outcome) {
  if (!outcome) return t("can.abandoned");
  if (!outcome.winners.length) return t("event.game_over"); // who played alone has left
  return t(outcome.winners.length > 1 ? "can.won_shared" : "can.won", { names: listed(outcome.winners) });
}

export const listed = (words) => joined(words.map(isolate), t("and"));

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
/** Whether a line ({throw: 4} is one too) is the sensible one: by the rule of thumb, or since there is no other. */
export function sensible({ rule_of_thumb: rule, options, state }, line) {
  return rule ? same(rule, line) : options.length + (state?.throw_sizes.length ?? 0) === 1;
}

/** Whether the table waits for a decision before anything may be thrown. */
export const deciding = ({ state, abandoned, options }) =>
  Boolean(state && !state.over && !abandoned && !state.throw_sizes.length && options.length);

/** Whether more dice are seen than may be thrown: none is hidden, and none lies on the floor. */
const tooMany = (seen, wanted) => seen > Math.max(...wanted);

/** The wrong number of dice of an open question: { seen, wanted, many }, or null; `wanted` may be several. */
export function miscount({ question, notice }) {
  if (!question || (question.code !== "count" && question.wanted.includes(question.values.length))) return null;
  const seen = notice?.code === "count" ? notice.args.seen : question.values.length;
  return { seen: number(seen), wanted: question.wanted.join(` ${t("or")} `), many: tooMany(seen, question.wanted) };
}

// Doubts about which dice were thrown, not about what one of them shows.
const WHETHER = new Set(["moved", "found", "unsure", "count", "object"]);

/** Return which die a question is about, by its place; null where it is about the throw. */
export function inQuestion(question) {
  if (!question?.values.length || WHETHER.has(question.code)) return null;
  if (!question.wanted.includes(question.values.length)) return null;
  return question.confidences.indexOf(Math.min(...question.confidences));
}

/** Whether it is the house's turn and the table says what it does. */
export const forHouse = (snapshot) => snapshot?.notice?.code.startsWith("house_") ?? false;

/** Whether the player who is on is the house's, who decides by itself. */
export const housesTurn = ({ state, terms }) => terms?.house !== undefined && state?.player === terms.house.player;
/** Those of the sides that can still win: who has left can't. */
export const staying = (all) => all.filter((side) => !side.notes.includes("player.left"));

/** How far behind the leader a side is, once somebody leads; empty for one that has left. */
export function gap(side, all) {
  const there = staying(all), most = Math.max(...there.map((each) => each.score)), leads = side.score === most;
  const over = all.some((each) => each.won), level = over && leads && !side.won; // a tie that another has won
  if (level || !there.includes(side) || there.every((each) => each.score === most)) return h("span", { class: "gap" });
  const first = over ? "player.won" : "player.leads",
    words = (over ? side.won : leads) ? t(first) : t("player.behind", { points: number(most - side.score) });
  return h("span", { class: leads ? "gap leads" : "gap" }, words);
}

/** What the table sees or waits for, in words; empty when there is nothing to say. */
export function noticeWords(snapshot) {
  const notice = snapshot.notice;
  // Who must throw or decide is said already by the line of what can be done.
  if (!notice || notice.code === "throw" || notice.code === "decide" || forHouse(snapshot)) return "";
  if (notice.code === "unclear") return t(`doubt.${notice.args.code}`);
  if (notice.code === "illegal_hold") return t(`notice.illegal_hold.${notice.args.reason}`, plainArgs(notice.args));
  if (notice.code === "choose_entry" && notice.args.again === 0) return t("hint.score");
  const args = plainArgs(notice.args);
  if (notice.code === "count" && tooMany(notice.args.seen, notice.args.wanted)) return t("ask.counted", args);
  if ("missing" in args) args.count = args.missing;
  return t(`notice.${notice.code}`, args);
}

/** An event in words, or empty for one that has none. */
export function eventWords(event) {
  if (event.code === "game_over") return event.args.winners ? overLine(event.args) : t("can.abandoned");
  const args = plainArgs(event.args);
  if (Array.isArray(event.args?.dice)) args.count ??= event.args.dice.length;
  const usual = `event.${event.code}`,
    some = event.args?.dice?.length === 0 ? 0 : event.args?.points,
    few = usual + (["_nothing", "_one"][some] ?? ""); // no dice kept, a loss of no points, or of one
  return t(has(few) ? few : usual, args, event.words);
}

/** Words as sentences, each with its own end and none twice. */
export const sentences = (words) =>
  [...new Set(words)].filter(Boolean).map((said) => (/[.!?…]$/.test(said) ? said : `${said}.`)).join(" ");

function plainArgs(args) {
  const plain = (name, value) =>
    name === "category"
      ? t(`category.${value}`, {}, value)
      : Array.isArray(value)
        ? value.map(isolate).join(", ")
        : typeof value === "number"
          ? number(value)
          : value;
  return Object.fromEntries(Object.entries(args ?? {}).map(([name, value]) => [name, plain(name, value)]));
}

/** A text with its arguments, as the table sends it, in words. */
export const phraseWords = ({ code, args }) => t(code, plainArgs(args));

/** A transcript line in words: "threw 1, 4, 6". */
export function lineWords(line) {
  if (line.leave !== undefined) return t("line.leave", { player: line.leave });
  if (line.dice?.length === 0) return t("line.keep_nothing");
  return line.throw ? t("line.throw", { values: line.throw.join(", ") }) : t(`line.${line.do}`, plainArgs(line));
}
