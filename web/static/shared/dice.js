// Dice and players' pegs, drawn as SVG.
import { h, s, t } from "./core.js";

const SPOTS = {
  1: [[50, 50]],
  2: [
    [27, 27],
    [73, 73],
  ],
  3: [
    [25, 25],
    [50, 50],
    [75, 75],
  ],
  4: [
    [27, 27],
    [73, 27],
    [27, 73],
    [73, 73],
  ],
  5: [
    [26, 26],
    [74, 26],
    [50, 50],
    [26, 74],
    [74, 74],
  ],
  6: [
    [28, 24],
    [72, 24],
    [28, 50],
    [72, 50],
    [28, 76],
    [72, 76],
  ],
};

/** A die showing that value. It is an image with a name unless `quiet` (then something beside it tells). */
export function die(value, { quiet = false } = {}) {
  const named = quiet ? { "aria-hidden": "true" } : { role: "img", "aria-label": String(value) };
  return s(
    "svg",
    { class: "die", viewBox: "0 0 100 100", ...named },
    s("rect", {
      x: 3,
      y: 3,
      width: 94,
      height: 94,
      rx: 20,
      fill: "var(--ivory)",
      stroke: "#b9a57f",
      "stroke-width": 2,
    }),
    s("path", {
      d: "M20 6h60a14 14 0 0 1 14 14v6C80 12 30 10 6 28v-8A14 14 0 0 1 20 6z",
      fill: "#fff",
      opacity: ".55",
    }),
    (SPOTS[value] ?? []).map(([x, y]) =>
      s("circle", { cx: x, cy: y, r: value === 1 ? 11.5 : 9.3, fill: "var(--pip)" }),
    ),
  );
}

/** A row of dice, told as one image: "Dice: 1, 4, 6". */
export function dice(values, kind = "", label = "dice.lie") {
  return h(
    "div",
    { class: `dice ${kind}`, role: "img", "aria-label": t(label, { values: values.join(", ") }) },
    values.map((value) => die(value, { quiet: true })),
  );
}

/** Dice that are still to be thrown: blank. The sentence beside them tells how many. */
export const blanks = (count) =>
  h("div", { class: "dice", "aria-hidden": "true" }, Array.from({ length: count }, () => {
    const blank = die(0, { quiet: true });
    blank.classList.add("ghost");
    return blank;
  }));

/** A die that nobody can tell yet: blank, with a question mark. */
export function unknown() {
  const asked = die(0, { quiet: true });
  asked.classList.add("unknown");
  asked.append(s("text", { x: 50, y: 74, "text-anchor": "middle" }, "?"));
  return asked;
}

// Each player has a colour and a mark of its own, so that nobody needs to tell orange from green.
const MARKS = [
  () => [], // steady
  (r) => [s("path", { class: "mark-line", d: `M${-r * 0.5} 0H${r * 0.5}` })],
  (r) => [
    s("path", { class: "mark-line", d: `M${-r * 0.45} ${-r * 0.28}H${r * 0.45}M${-r * 0.45} ${r * 0.28}H${r * 0.45}` }),
  ],
  (r) => [s("path", { class: "mark-line", d: `M${-r * 0.5} 0H${r * 0.5}M0 ${-r * 0.5}V${r * 0.5}` })],
  (r) => [s("circle", { class: "mark-line", r: r * 0.42, style: { fill: "none" } })],
  (r) => [
    s("path", {
      class: "mark-line",
      d: `M${-r * 0.4} ${-r * 0.4}L${r * 0.4} ${r * 0.4}M${r * 0.4} ${-r * 0.4}L${-r * 0.4} ${r * 0.4}`,
    }),
  ],
  (r) => [s("path", { class: "mark-line", d: `M0 ${-r * 0.5}V${r * 0.5}` })],
  (r) => [
    s("path", { class: "mark-line", d: `M${-r * 0.28} ${-r * 0.45}V${r * 0.45}M${r * 0.28} ${-r * 0.45}V${r * 0.45}` }),
  ],
  (r) => [s("path", { class: "mark-line", d: `M0 ${-r * 0.5}L${r * 0.48} ${r * 0.36}H${-r * 0.48}Z` })],
  (r) => [s("path", { class: "mark-line", d: `M${-r * 0.38} ${-r * 0.38}H${r * 0.38}V${r * 0.38}H${-r * 0.38}Z` })],
];

export const colourOf = (colour) => `var(--p${colour % MARKS.length})`;
export const markOf = (colour, radius) => MARKS[colour % MARKS.length](radius);

/** A player's peg seen from above. */
export function chip(colour) {
  return s("svg", { class: "chip", viewBox: "-10 -10 20 20", "aria-hidden": "true" },
    s("g", { class: "peg" }, s("circle", { r: 8.5, fill: colourOf(colour) }), markOf(colour, 9)));
}
