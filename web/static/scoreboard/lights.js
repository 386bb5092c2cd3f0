// The LED board as it shines now, drawn in the page while someone looks at it.
import { $, asked, number, repeat, s, t, text } from "../shared/core.js";

const EVERY_MS = 200;
let dots = null;

/** The strip may lie otherwise than it was drawn. */
export function relaid() { dots = null; }

/** Draws the lights into #lights while #lights-fold is open (or always, when there is no fold). */
export function lights() {
  const fold = $("lights-fold"), drawing = $("lights");
  if (!drawing) return;
  repeat(EVERY_MS, async () => {
    const frame = fold && !fold.open ? null : await asked("/api/board");
    if (frame && frame.leds.length !== dots?.length) {
      const told = await asked("/api/board/spots");
      dots = told && lamps(drawing, folded(told.spots));
    }
    if (!frame || !dots) return; // the next look tries again; the bar says when the table is gone
    frame.leds.forEach(([r, g, b], at) => shine(dots[at], r, g, b));
    text($("lights-draw"), t("lights.draw", { amps: number((frame.milliamps / 1000).toFixed(2)) }));
  });
}

function lamps(drawing, spots) {
  const xs = spots.map(([x]) => x), ys = spots.map(([, y]) => y);
  const gaps = spots.slice(1).map(([x, y], at) => Math.hypot(x - spots[at][0], y - spots[at][1]));
  const pitch = gaps.sort((one, other) => one - other)[gaps.length >> 1] || 1; // the median: a spare LED may lie apart
  const left = Math.min(...xs) - pitch, top = Math.min(...ys) - pitch;
  drawing.setAttribute("viewBox", `${left} ${top} ${Math.max(...xs) + pitch - left} ${Math.max(...ys) + pitch - top}`);
  const dots = spots.map(([x, y]) => s("circle", { cx: x, cy: y, r: pitch * 0.38 }));
  drawing.replaceChildren(...dots);
  return dots;
}

// A strip that lies straight is drawn folded, to and fro, as the track is: a thread of light helps nobody.
function folded(spots) {
  const xs = spots.map(([x]) => x),
    ys = spots.map(([, y]) => y),
    high = Math.max(...ys) - Math.min(...ys),
    wide = Math.max(...xs) - Math.min(...xs);
  if (spots.length < 61 || wide < 20 * high) return spots;
  const row = Math.ceil(spots.length / 4);
  return spots.map((_, at) => {
    const line = Math.floor(at / row),
      along = at % row;
    return [line % 2 ? row - 1 - along : along, line * 2];
  });
}

// An LED's number is light, a screen's is not: lift the dim ones so that a glow of 8 in 255 can be seen.
function shine(dot, r, g, b) {
  if (!dot) return;
  const lift = (value) => Math.round(255 * (value / 255) ** 0.45);
  const colour = r + g + b === 0 ? "#1d1611" : `rgb(${lift(r)} ${lift(g)} ${lift(b)})`;
  if (dot.getAttribute("fill") !== colour) dot.setAttribute("fill", colour);
}
