// The overlay for a video (OBS): the score of each side and the dice that lie, on a transparent page.
import { $, fill, follow, goLive, h, number, ready } from "../shared/core.js";
import { chip, dice } from "../shared/dice.js";
import { lying, sides } from "../shared/sides.js";

await ready;
follow((snapshot) => {
  const shown = sides(snapshot).map((side) => ({ ...side, on: side.to_play || side.won }));
  fill($("sides"), shown, () =>
    shown.map(({ name, colour, score, on }) =>
      h("li", { "data-on": on ? "" : null }, chip(colour), h("bdi", {}, name), h("b", {}, number(score))),
    ),
  );
  const { frozen, loose } = lying(snapshot), values = [...frozen, ...loose];
  fill($("dice"), values, () => (values.length ? dice(values) : []));
});
goLive();
