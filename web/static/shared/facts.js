// What a glance must tell: which game, whose turn and what to do, what it is worth, who leads, what happened, how far.
import { has, isolate, number, own, settings, start, t, table } from "./core.js";
import { actions, can, eventWords, forHouse, housesTurn, inQuestion, laidAside } from "./sides.js";
import { listed, miscount, nextWords, noticeWords, phraseWords, sentences, sides, staying } from "./sides.js";

/** The note of a goal that stands above the turn, not below the players. */
export const LAST_ROUND = "goal.last_round";

/** Return the name of the game on the table. */
export function gameName({ game }) {
  return own(start.titles, game) ?? game;
}

/** Return the score that ends the race, or null in a game of a fixed number of rounds. */
export const targetOf = ({ panels, track }) =>
  panels.goal?.target ?? (panels.sheet || !track ? null : Math.ceil((track.holes + 1) * track.points_per_hole));

/** Whether each player has one turn left: the target is reached, and no longer what counts. */
const lastRound = ({ panels, state }) => Boolean(panels.goal?.notes.includes(LAST_ROUND)) && !state?.over;

/** Return the goal in words: "First to 121 points", or "Most points after 13 rounds". */
export function goalWords(snapshot) {
  const { panels } = snapshot;
  if (lastRound(snapshot)) return t("goal.last_round_wins");
  if (panels.goal === null && panels.sheet)
    return roundWords(snapshot) ? t("goal.most") : t("goal.rounds", { rounds: panels.sheet.rows.length });
  return t("goal.target", { points: number(targetOf(snapshot)) });
}

/** Return the round in words: "Round 3", or "Round 3 of 13"; empty in a last round, which the goal tells. */
export function roundWords(snapshot) {
  const { state, panels } = snapshot;
  if (!state?.round || state.over || lastRound(snapshot)) return "";
  const args = { round: state.round, rounds: panels.sheet?.rows.length };
  return panels.sheet ? t("stage.round_of", args) : t("stage.round", args);
}

/** Return how far a side still has to go: "78 to go"; empty where no target is left to reach. */
export function toGo(snapshot, side) {
  const target = targetOf(snapshot);
  if (target === null || snapshot.state?.over || lastRound(snapshot) || side.score >= target) return "";
  return t("player.to_go", { points: number(target - side.score) });
}

const LONG_NAMES = 24; // letters of names that a heading has room for; of more it says how many share the lead

/** Return who leads and by how much: "Ben leads by 12", or who won and by how much. */
export function leadWords(snapshot) {
  const ordered = staying(sides(snapshot)).sort((one, other) => other.score - one.score);
  if (ordered.length < 2) return "";
  const [first, second] = ordered,
    by = number(first.score - second.score);
  const winners = ordered.filter((side) => side.won);
  if (winners.length === 1 && winners[0] === first && first.score > second.score)
    return t("lead.won_by", { name: first.name, points: by });
  if (winners.some((side) => side.score !== first.score)) return ""; // a game that all but one have won
  if (first.score === 0) return t("lead.nobody");
  const level = ordered.filter((side) => side.score === first.score);
  if (level.length === ordered.length) return t("lead.level", { points: number(first.score) });
  const names = level.map((side) => side.name),
    short = names.join("").length <= LONG_NAMES;
  if (level.length > 1)
    return t(short ? "lead.shared" : "lead.shared_by", {
      names: listed(names),
      count: number(level.length),
      points: number(first.score),
    });
  return t("lead.by", { name: first.name, points: by });
}

const HEADLINES = new Set(["game_over", "abandoned"]); // events that the heading tells

/** Return what happened last, in one or two sentences: "Ben threw 2, 2, 4, 6. Ben loses 18 points." */
export function lastWords({ events, question, notice, state, panels }) {
  const newest = events.at(-1)?.number,
    doubted = inQuestion(question),
    all = (question?.values ?? []).map((value, at) => (at === doubted ? "?" : value)), // those of the keep zone last
    seen = notice?.code === "count" ? all.slice(0, notice.args.seen) : all;
  if (seen.length) return t("last.question", { player: state.player, dice: seen.join(", ") });
  const froze = events.find((event) => event.number === newest && event.code === "froze")?.args.count ?? 0,
    kept = panels.kept.length - froze;
  const words = (event) =>
    event.code === "threw" && kept > 0 && panels.dice.length + froze === event.args.dice.length
      ? t("last.threw_beside", { player: event.args.player, dice: event.args.dice.join(", "), count: kept })
      : eventWords(event);
  return sentences(events.filter(({ number: each, code }) => each === newest && !HEADLINES.has(code)).map(words));
}

/**
 * Return what is to be done now: { who, what, how }.
 *
 * `who` is the player to act, or null where the sentence names nobody. `how` explains or warns, and may be empty.
 */
export function toDo(snapshot) {
  const { state, phase, abandoned, question, tournament } = snapshot;
  const screen = document.body.classList.contains("tv");
  const match = tournament?.next ? t("tournament.start_how") : "";
  if (!state && match) return { who: null, what: nextWords(tournament), how: match };
  if (!state) {
    const how = screen ? "hero.idle_screen" : table.paired ? "hero.idle_paired" : "hero.idle_how";
    return { who: null, what: t("hero.idle"), how: t(how) };
  }
  if (abandoned) return { who: null, what: can(snapshot), how: match || t("hero.abandoned_how") };
  if (state.over) return { who: null, what: can(snapshot), how: "" };
  if (phase === "asking") {
    const counts = miscount(snapshot);
    return {
      who: null,
      what: counts
        ? t(counts.many ? "hero.too_many" : "hero.miscounted", counts)
        : t(inQuestion(question) === null ? "hero.whether" : "hero.asking", { player: state.player }),
      how: counts
        ? t(counts.many ? "hero.too_many_how" : "hero.miscounted_how", { player: state.player, ...counts })
        : `${t(`doubt.${question?.code}`)} ${t("can.asking", { player: state.player })}`,
    };
  }
  if (phase === "settling" && housesTurn(snapshot))
    return { who: null, what: t("hero.house_rolling", { player: state.player }), how: "" };
  if (phase === "settling") return { who: state.player, what: t("hero.rolling"), how: "" };
  if (forHouse(snapshot))
    return { who: null, what: can(snapshot), how: table.ill ? "" : t(houseHow(snapshot), { player: state.player }) };
  const how = noticeWords(snapshot) || (table.ill ? "" : hint(snapshot)); // what is ill needs the room
  return { who: state.player, what: actions(snapshot), how };
}

/** Whether this page explains the game as it goes: as the game was set, unless this phone always or never does. */
export function explains({ terms, state, abandoned }) {
  const wish = settings.get("lessons", "auto");
  return Boolean(state && !state.over && !abandoned) && (wish === "on" || (wish === "auto" && terms.lessons === true));
}

/** Return what the last act did and what can be done now, for someone who plays for the first time. */
export const lessonWords = ({ panels }) => panels.lesson.map(phraseWords).join(" ");

// What the house does by itself nobody needs to help with.
const houseHow = ({ notice }) => (notice.code.startsWith("house_awaits") ? "hero.house_how" : "hero.house_alone");

// What the first of the possible acts means that has a hint, and in the last round how far the leader is ahead.
function hint(snapshot) {
  const { state, panels } = snapshot,
    points = number(state.turn_points),
    known = panels.can.map(({ code }) => code.replace("can.", "hint.")).find(has);
  const all = staying(sides(snapshot)),
    first = all.reduce((best, side) => (side.score > best.score ? side : best)),
    behind = first.score - (all.find((side) => side.to_play)?.score ?? 0);
  if (state.turn_points === 0 && lastRound(snapshot) && behind > 0 && !panels.dice.length)
    return t("hint.last_turn", { points: number(behind), name: first.name });
  if (known) return sentences([totalsWords(panels), t(known, { points })]);
  return panels.worth && state.turn_points > 0 && state.throw_sizes.length ? t("hint.risk", { points }) : "";
}

// The totals in this round of a roll-off: "So far: Ann 9 and Ben 3"; empty elsewhere, and before the first throw.
function totalsWords({ can: [{ args }] }) {
  if (!args.players?.length) return "";
  const totals = args.players.map((name, at) => `${isolate(name)} ${number(args.totals[at])}`);
  return t("hint.totals", { totals: listed(totals) });
}

const DECIDES = new Set(["point", "keep"]);
const NOTHING_YET = () => ({ label: t("worth.turn"), value: 0, note: t("worth.so_far") });

/** Return the dice that the best choice sets aside, those of equal points too; none where nothing is to be chosen. */
export function bestDice({ options, option_points: points, panels, notice }) {
  const decided = options.map((line, at) => (DECIDES.has(line.do) ? points[at] : -1)),
    most = Math.max(0, ...decided),
    best = options.filter((_, at) => decided[at] === most);
  if (!best.length || panels.sheet || laidAside(notice)) return [];
  return best[0].dice ?? panels.dice.filter((value) => best.some((line) => line.value === value));
}

/** Return what the turn or the dice are worth: { label, value, note }, or null where no game is on. */
export function worthOf(snapshot) {
  const { state, panels, options, option_points: points, abandoned, notice } = snapshot;
  if (!state || state.over || abandoned || panels.can[0]?.code === "can.roll_off") return null;
  const on = sides(snapshot).find((side) => side.to_play);
  if (panels.sheet) {
    const offers = panels.sheet.offers,
      best = Math.max(...offers.map((offer) => offer ?? -1));
    if (best < 0) return NOTHING_YET();
    const row = panels.sheet.rows[offers.indexOf(best)],
      category = t(`category.${row}`, {}, row);
    return { label: t("worth.dice"), value: best, note: t("worth.in_row", { category }) };
  }
  const laid = laidAside(notice),
    banked = (sum) => t("worth.banked", { player: state.player, points: number((on?.score ?? 0) + sum) });
  if (laid) {
    const note = laid.decisions.includes("stop") ? banked(laid.turn_points) : t("worth.not_yet");
    return { label: t("worth.turn"), value: laid.turn_points, note };
  }
  if (!panels.worth) return snapshot.safe_chance === null ? null : NOTHING_YET(); // the chance stands below it
  const decided = options.map((line, at) => (DECIDES.has(line.do) ? points[at] : -1)),
    best = Math.max(-1, ...decided);
  if (state.turn_points === 0 && best <= 0) return NOTHING_YET();
  const worth = best > state.turn_points ? best : state.turn_points,
    home = on && on.peg.provisional > snapshot.track.holes,
    note = home ? t("worth.home") : banked(worth);
  if (best > state.turn_points) return { label: t("worth.best"), value: worth, note: t("worth.not_yet") };
  return { label: t("worth.turn"), value: worth, note };
}
