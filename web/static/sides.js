// What the pages read out of a snapshot: the sides in seat order, who is on, what lies, what can be done.
import { number, t } from "./core.js";

/** The sides (players, or teams) in seat order, with what each page shows of them. */
export function sides(snapshot) {
  const state = snapshot.state;
  if (!state) return [];
  const names = Object.keys(state.scores), players = snapshot.header?.players ?? names;
  const colours = snapshot.sitting?.colours ?? {};
  const onSeat = state.player === null ? -1 : players.indexOf(state.player) % names.length;
  return names.map((name, seat) => {
    const on = seat === onSeat, banked = state.scores[name];
    return {
      name, seat, on, banked, colour: colours[players[seat]] ?? seat, ahead: on ? banked + state.turn_points : banked,
      wipeouts: state.wipeouts?.[name] ?? 0,
      out: state.out?.includes(name) ?? false, fuchled: state.fuchled?.includes(name) ?? false,
      finished: state.finished?.includes(name) ?? false, winner: state.outcome?.winners.includes(name) ?? false,
      onBoard: state.on_board?.[name] ?? true, lost: snapshot.sitting?.games_lost?.[name] ?? 0,
    };
  });
}

export const whoIsOn = (snapshot) => sides(snapshot).find((side) => side.on) ?? null;
export const fuchleAt = (snapshot) => (snapshot.header?.rules?.pandemonium ? 4 : 3);
export const holesOf = (snapshot) => (snapshot.header?.rules?.long_game ? 240 : 120);
export const targetOf = (snapshot) => snapshot.header?.rules?.target ?? 15000;

/** Dice as they lie: those frozen or kept apart from the loose ones. */
export function lying(snapshot) {
  const state = snapshot.state;
  if (!state) return { frozen: [], loose: [...snapshot.thrown] };
  if (state.game === "crib_dice" || snapshot.game === "crib_dice") {
    const frozen = Array(state.frozen).fill(state.point);
    const loose = state.point === null ? state.dice : state.dice.filter((value) => value !== state.point);
    return { frozen, loose };
  }
  if (snapshot.game === "crapola") return { frozen: state.kept.flat(), loose: state.dice };
  return { frozen: [], loose: state.dice ?? [] };
}

/** One line of what can happen now: "Throw 4 or bank 10". */
export function can(snapshot) {
  const state = snapshot.state;
  if (!state) return t("can.no_game");
  if (state.over || snapshot.abandoned) {
    const next = snapshot.next_starter ? ` ${t("can.next_starter", { player: snapshot.next_starter })}` : "";
    return overLine(snapshot.abandoned ? null : state.outcome) + next;
  }
  if (snapshot.phase === "asking") return t("can.asking");
  const parts = [];
  const sizes = state.throw_sizes, decisions = state.decisions;
  if (decisions.includes("point")) parts.push(t("can.point", { values: pointsOffered(snapshot).join(` ${t("or")} `) }));
  if (sizes.length) parts.push(throwWords(snapshot, state, sizes));
  if (decisions.includes("keep") && snapshot.game === "crapola") parts.push(t("can.keep"));
  if (decisions.includes("keep") && snapshot.game === "crag") parts.push(t("can.again"));
  if (decisions.includes("score")) parts.push(snapshot.choice?.category ? t("can.score_choice", { category: t(`category.${snapshot.choice.category}`) }) : t("can.score"));
  if (decisions.includes("stop")) parts.push(t("can.bank", { points: number(state.turn_points) }));
  if (decisions.includes("bomb")) parts.push(t("can.bomb"));
  if (decisions.includes("spend")) parts.push(t("can.spend"));
  const line = parts.join(` ${t("or")} `);
  return line.charAt(0).toLocaleUpperCase() + line.slice(1);
}

function throwWords(snapshot, state, sizes) {
  const count = sizes.join(` ${t("or")} `);
  if (state.bombing) return t("can.bomb_throw", { count });
  if (snapshot.game === "crib_dice" && state.frozen >= 5 && sizes[0] === 2) return t("can.piddle", { count });
  return t("can.throw", { count });
}

function overLine(outcome) {
  if (!outcome) return t("can.abandoned");
  return t(outcome.winners.length > 1 ? "can.won_shared" : "can.won", { names: listed(outcome.winners) });
}

export function pointsOffered(snapshot) {
  return snapshot.options.filter((line) => line.do === "point").map((line) => line.value);
}

export function listed(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${t("and")} ${words.at(-1)}`;
}

/** What the table sees or waits for, in words; empty when there is nothing to say. */
export function noticeWords(snapshot) {
  const notice = snapshot.notice;
  // Who must throw or decide is said already by the line of what can be done.
  if (!notice || notice.code === "throw" || notice.code === "decide") return "";
  if (notice.code === "unclear") return t(`doubt.${notice.args.code}`);
  if (notice.code === "illegal_hold") return t(`notice.illegal_hold.${notice.args.reason}`, plainArgs(notice.args));
  const args = plainArgs(notice.args);
  if ("missing" in args) args.count = args.missing;
  return t(`notice.${notice.code}`, args);
}

/** An event in words, or empty for one that has none. */
export function eventWords(event) {
  const args = plainArgs(event.args);
  if (event.code === "froze") args.count = event.args.dice;
  if (event.code === "point") args.count = event.args.frozen;
  if (event.code === "game_over") return event.args.winners ? overLine(event.args) : t("can.abandoned");
  if (event.code === "entered") args.category = t(`category.${event.args.category}`);
  return t(`event.${event.code}`, args);
}

function plainArgs(args) {
  return Object.fromEntries(Object.entries(args ?? {}).map(([key, value]) => [key, Array.isArray(value) ? value.join(", ") : typeof value === "number" ? number(value) : value]));
}

/** A transcript line in words: "threw 1, 4, 6". */
export function lineWords(line) {
  if (line.throw) return t("line.throw", { values: line.throw.join(", ") });
  const args = { ...plainArgs(line), category: line.category ? t(`category.${line.category}`) : "" };
  return t(`line.${line.do}`, args);
}
