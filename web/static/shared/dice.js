// Dice and players' pegs, drawn as SVG.
import { h, s, t } from "./core.js";
import { button } from "./elements.js";

const SPOTS = {
  1: [[50, 50]],
  2: [[27, 27], [73, 73]],
  3: [[25, 25], [50, 50], [75, 75]],
  4: [[27, 27], [73, 27], [27, 73], [73, 73]],
  5: [[26, 26], [74, 26], [50, 50], [26, 74], [74, 74]],
  6: [[28, 24], [72, 24], [28, 50], [72, 50], [28, 76], [72, 76]],
};

/** A die showing that value: hidden from screen readers, as something beside it tells, or `named`. */
export function die(value, named = false) {
  const told = named ? { role: "img", "aria-label": String(value) } : { "aria-hidden": "true" },
    shape = { x: 3, y: 3, width: 94, height: 94, rx: 20 },
    shine = "M20 6h60a14 14 0 0 1 14 14v6C80 12 30 10 6 28v-8A14 14 0 0 1 20 6z",
    radius = value === 1 ? 11.5 : 9.3;
  return s(
    "svg",
    { class: "die", viewBox: "0 0 100 100", ...told },
    s("rect", { ...shape, fill: "var(--ivory)", stroke: "#b9a57f", "stroke-width": 2 }),
    s("path", { d: shine, fill: "#fff", opacity: ".55" }),
    (SPOTS[value] ?? []).map(([x, y]) => s("circle", { cx: x, cy: y, r: radius, fill: "var(--pip)" })),
  );
}

const FACES = [1, 2, 3, 4, 5, 6];

/**
 * A button for each face of a die: `tap` gets its value. The likely one is marked, and has the focus in a dialog.
 * @param {(value: number) => void} tap
 * @param {number | null} likely
 */
export const faces = (tap, likely = null, label = "ask.is", order = FACES) =>
  h(
    "div",
    { class: "faces" },
    order.map((value) =>
      button(die(value), () => tap(value), {
        class: value === likely ? "likely" : null,
        autofocus: value === likely,
        "aria-label": t(label, { value }),
      }),
    ),
  );

/** The faces with the likely one first. */
export const likelyFirst = (tap, likely) =>
  faces(tap, likely, "ask.is", [likely, ...FACES.filter((value) => value !== likely)]);

/** Draw a die cut out of its photo into a canvas; its box is [x, y, width, height]. */
function cut(canvas, photo, [x, y, wide, high]) {
  const image = new Image();
  image.addEventListener("load", () => {
    const side = Math.max(wide, high) * 1.5, left = x + wide / 2 - side / 2, top = y + high / 2 - side / 2;
    canvas.getContext("2d").drawImage(image, left, top, side, side, 0, 0, canvas.width, canvas.height);
  });
  image.src = photo;
  return canvas;
}

/** A die cut out of its photo, large: the question is about it. */
export const closeUp = (photo, box) =>
  cut(h("canvas", { class: "crop", width: 400, height: 400, role: "img", "aria-label": t("ask.crop") }), photo, box);

/** A die cut out of its photo, small, beside what tells of it. */
export const thumbnail = (photo, box) =>
  cut(h("canvas", { width: 160, height: 160, "aria-hidden": "true" }), photo, box);

/** A row of dice, told as one image: "Dice: 1, 4, 6". */
export function dice(values, kind = "", label = "dice.lie") {
  return h(
    "div",
    { class: `dice ${kind}`, role: "img", "aria-label": t(label, { values: values.join(", ") }) },
    values.map((value) => die(value)),
  );
}

/** Dice that are still to be thrown: blank. The sentence beside them tells how many. */
export const blanks = (count) =>
  h("div", { class: "dice", "aria-hidden": "true" }, Array.from({ length: count }, () => {
    const blank = die(0);
    blank.classList.add("ghost");
    return blank;
  }));

/** A die that nobody can tell yet: blank, with a question mark. */
export function unknown() {
  const asked = die(0);
  asked.classList.add("unknown");
  asked.append(s("text", { x: 50, y: 74, "text-anchor": "middle" }, "?"));
  return asked;
}

// Each player has a colour and a mark of its own, so that nobody needs to tell orange from green.
const line = (r, path) => // drawn in units of the radius
  s("path", { class: "mark-line", d: path.replace(/-?[.\d]+/g, (at) => String(r * Number(at))) });
const MARKS = [
  () => [], // steady
  (r) => line(r, "M-.5 0H.5"),
  (r) => line(r, "M-.45 -.28H.45M-.45 .28H.45"),
  (r) => line(r, "M-.5 0H.5M0 -.5V.5"),
  (r) => s("circle", { class: "mark-line", r: r * 0.42, style: { fill: "none" } }),
  (r) => line(r, "M-.4 -.4L.4 .4M.4 -.4L-.4 .4"),
  (r) => line(r, "M0 -.5V.5"),
  (r) => line(r, "M-.28 -.45V.45M.28 -.45V.45"),
  (r) => line(r, "M0 -.5L.48 .36H-.48Z"),
  (r) => line(r, "M-.38 -.38H.38V.38H-.38Z"),
];

export const colourOf = (colour) => `var(--p${colour % MARKS.length})`;
export const markOf = (colour, radius) => MARKS[colour % MARKS.length](radius);

/** A player's peg seen from above. */
export function chip(colour) {
  return s("svg", { class: "chip", viewBox: "-10 -10 20 20", "aria-hidden": "true" },
    s("g", { class: "peg" }, s("circle", { r: 8.5, fill: colourOf(colour) }), markOf(colour, 9)));
}
