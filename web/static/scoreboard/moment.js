// What deserves it owns the stage for two seconds: what happened in large words, the dice that did it, whom it struck.
import { $, follow, h, has, isolate, number, t } from "../shared/core.js";
import { chip, colourOf, dice } from "../shared/dice.js";
import { toDo } from "../shared/facts.js";
import { eventWords, lengthOf, sides } from "../shared/sides.js";

const HELD_MS = 2000;

/** Show them; return a function that shows more: elements with `colour`, `held_ms`, and the `number` of their line. */
export function moments() {
  const box = $("moment");
  let over = null, queue = [], drawn = null;
  const next = () => {
    drawn = queue.shift();
    box.hidden = !drawn;
    box.replaceChildren(...(drawn ?? []));
    box.parentElement?.classList.toggle("taken", Boolean(drawn));
    if (drawn) box.style.setProperty("--struck", drawn.colour);
    over = drawn ? setTimeout(next, drawn.held_ms ?? HELD_MS) : null;
  };
  follow((snapshot, before, news) => {
    queue = queue.filter((each) => stays(each, snapshot));
    if (drawn && !stays(drawn, snapshot)) { clearTimeout(over); next(); }
    if (!news) return;
    if (news.takenBack) queue = [];
    // Play goes on: the newest moments replace the ones that wait, also if there are none.
    else if (news.events.length) queue = news.events.filter(held).map((event) => drawing(snapshot, event));
    if (news.takenBack || !over) { clearTimeout(over); next(); }
  });
  return (more) => {
    queue.push(more);
    if (!over) next();
  };
}

// What is about one line makes room when play goes on.
const stays = ({ number: line }, { number: newest, phase }) =>
  line === undefined || (line === newest && phase !== "settling");

const held = (event) => event.cheered && event.code !== "game_over"; // the winner's screen stays

// Some moments are decided after their throw: the dice are the event's own, else those of that throw.
function drawing(snapshot, event) {
  const all = sides(snapshot),
    thrown = snapshot.events.findLast((each) => each.code === "threw" && each.number <= event.number),
    lying = event.args.dice ?? thrown?.args.dice;
  const struck = [all[event.side], all.find((side) => side.name === event.args.on)].filter(Boolean);
  const nothing = `moment.${event.code}_nothing`, // a loss of no points
    big = event.args.points === 0 && has(nothing) ? nothing : `moment.${event.code}`,
    args = { ...event.args, points: number(event.args.points ?? 0) };
  const { who, what } = toDo(snapshot);
  const parts = [
    ...struck.map((side) => h("p", { class: "whose" }, chip(side.colour), h("bdi", { class: "named" }, side.name))),
    h("p", { class: "cried" }, has(big) ? t(big, args) : eventWords(event)),
    lying ? dice(lying) : null,
    who ? h("p", { class: lengthOf(who) ? "next wordy" : "next" }, `${isolate(who)}, ${what}`) : null,
  ].filter(Boolean);
  return Object.assign(parts, { colour: struck.length ? colourOf(struck[0].colour) : "var(--brass)" });
}
