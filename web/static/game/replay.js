// A past game move by move: the pegs on the track, the dice, the photo of each throw, what each decision cost.
import { fill, h, isolate, number, t } from "../shared/core.js";
import { dice } from "../shared/dice.js";
import { button } from "../shared/elements.js";
import { lineWords } from "../shared/sides.js";
import { gaveAway } from "../scoreboard/story.js";
import { inWords, track } from "../scoreboard/track.js";

/** The sides of a past game as it ended, in the colours that they wore, and every change of a score. */
export function courseOf(game, moves) {
  // Teams have keys of their own; of players' an object would put "2" before "Ann".
  const last = moves.at(-1).state.scores,
    names = game.players.every((name) => Object.hasOwn(last, name)) ? game.players : Object.keys(last);
  const all = names.map((name, seat) => ({ name, seat, colour: game.colours[seat], score: last[name] }));
  const race = moves.flatMap((move, at) =>
    all
      .filter(({ name }) => move.state.scores[name] !== (at ? moves[at - 1].state.scores[name] : 0))
      .map(({ name, seat }) => [seat, move.state.scores[name]]),
  );
  return { all, race };
}

/**
 * The board, the dice and the photo of each move, with a slider.
 * @param {Set<number>} clips the throws that can be saved in slow motion
 * @param {(line: number) => any} weighed the move of that line of the transcript, with its luck and cost; null before
 */
export function replay(moves, all, clips, weighed) {
  const wood = h("div", { class: "wood" }),
    pegs = track(wood, moves[0].track.holes, moves[0].track.points_per_hole);
  let at = moves.length - 1;
  const words = h("p", { "aria-live": "polite" }),
    lying = h("div", { class: "felt" }),
    photo = h("img", { class: "photo", alt: t("evening.photo"), hidden: true }),
    mark = h("p", { class: "mark" }),
    save = h("a", { class: "button", download: "peg-and-pip.webp", hidden: true }, t("replay.save"));
  const range = { type: "range", min: 0, max: moves.length - 1, value: at },
    slider = h("input", { ...range, "aria-label": t("evening.replay") });
  const go = (to) => {
    at = Math.max(0, Math.min(moves.length - 1, to));
    slider.value = String(at);
    show();
  };
  const show = () => {
    const move = moves[at],
      state = move.state,
      who = at && move.line.leave === undefined ? moves[at - 1].state.player : null;
    const scores = Object.entries(state.scores).map(([name, value]) => `${isolate(name)} ${number(value)}`);
    const place = t("evening.move", { at: at + 1, of: moves.length });
    words.textContent = `${place}: ${who ? `${isolate(who)} – ` : ""}${lineWords(move.line)} · ${scores.join(", ")}`;
    // The header is line 1; a throw is no decision but where it was chosen.
    const cost = weighed(at + 2), decided = cost && (cost.best || !cost.action.throw);
    mark.textContent = !decided ? "" : cost.best ? gaveAway(cost, cost.goal) : t("story.well");
    mark.classList.toggle("dear", Boolean(cost?.best));
    fill(lying, [move.line.throw, state.dice], () =>
      (move.line.throw ?? state.dice) ? dice(move.line.throw ?? state.dice) : [],
    );
    const stand = all.map((side) => {
      const { banked, provisional } = move.track.pegs[side.seat];
      return { ...side, back: 0, banked, ahead: provisional, on: false };
    });
    pegs(stand, inWords(stand));
    save.hidden = !clips.has(move.throw);
    if (!save.hidden) save.href = `/api/replays/${move.throw}.webp`;
    photo.hidden = move.throw === null || move.throw === undefined;
    if (!photo.hidden) photo.src = `/api/throws/${move.throw}.jpg`;
  };
  photo.addEventListener("error", () => { photo.hidden = true; });
  slider.addEventListener("input", () => go(Number(slider.value)));
  show();
  const step = (by, words) => button(t(words), () => go(at + by));
  const box = h(
    "div",
    { class: "stack" },
    h("div", { class: "replay" }, step(-1, "evening.back"), slider, step(1, "evening.forth")),
    wood,
    words,
    mark,
    lying,
    photo,
    save,
  );
  return { box, show };
}
