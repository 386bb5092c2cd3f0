// The cribbage track: rows of thirty holes, serpentine, in groups of five; two pegs for each player, the second hollow.
import { number, s, t } from "../shared/core.js";
import { colourOf, markOf } from "../shared/dice.js";

const STEP = 10.6, GROUP = 3.2, LEFT = 22, ROW_HEIGHT = 28, TOP = 12.5, NUMBERS = 18;
const widthOf = (perRow, step) => LEFT * 2 + step * (perRow - 1) + GROUP * (perRow / 5 - 1);

/**
 * Where a hole is, in the drawing's units; 0 is the start pocket, past the end the finish pocket.
 * @returns {[x: number, y: number]}
 */
function place(hole, holes, perRow, step) {
  const rows = holes / perRow, width = widthOf(perRow, step);
  if (hole <= 0) return [8, TOP];
  const last = Math.min(hole, holes) - 1;
  const row = Math.floor(last / perRow), along = last % perRow, leftward = row % 2 === 1;
  const x = LEFT + along * step + Math.floor(along / 5) * GROUP;
  const end = rows % 2 === 0 ? 8 : width - 8;
  if (hole > holes) return [end, TOP + (rows - 1) * ROW_HEIGHT];
  return [leftward ? width - x : x, TOP + row * ROW_HEIGHT];
}

/**
 * Draw the track, numbered in points: `points` a hole. Return the function that moves the pegs.
 *
 * Its arguments are the sides, each {seat, colour, banked, ahead, back, on}, and the label.
 */
export function track(holder, holes, points = 1, perRow = 30, step = STEP) {
  const rows = holes / perRow,
    pegs = s("g"),
    known = new Map();
  const at = (hole) => place(hole, holes, perRow, step),
    width = widthOf(perRow, step);
  const drawing = s(
    "svg",
    { class: "track", viewBox: `0 0 ${width} ${TOP + (rows - 1) * ROW_HEIGHT + NUMBERS + 4}`, role: "img" },
    lanes(rows, width),
    directions(holes, perRow, at, width),
    points === 1 ? halfway(at(holes / 2)) : [],
    holesOf(holes, at),
    numbers(holes, at, points, width),
    pockets(at(holes + 1)),
    pegs,
  );
  holder.replaceChildren(drawing);
  return (shown, label) => {
    drawing.setAttribute("aria-label", label);
    const spots = new Map();
    for (const peg of shown)
      for (const hole of new Set([peg.banked, peg.ahead, peg.back].map((each) => capped(each, holes))))
        spots.set(hole, [...(spots.get(hole) ?? []), peg.seat]);
    const stand = (peg, hole, kind) =>
      put(
        pegs,
        known,
        `${peg.seat}.${peg.colour} ${kind}`,
        peg,
        at(hole),
        berth(spots.get(capped(hole, holes)), peg.seat, hole <= 0),
        kind,
      );
    for (const peg of shown) {
      stand(peg, peg.back, "peg back").style.opacity = peg.back === 0 || peg.back === peg.banked ? "0" : "1";
      stand(peg, peg.ahead, "peg ahead").style.opacity = peg.ahead === peg.banked ? "0" : "1";
      stand(peg, peg.banked, "peg");
    }
    for (const [key, element] of known)
      if (!shown.some((peg) => key.startsWith(`${peg.seat}.${peg.colour} `))) {
        element.remove();
        known.delete(key);
      }
  };
}

const capped = (hole, holes) => Math.max(0, Math.min(hole, holes + 1));

// Pegs that share a hole stand side by side across the lane, the smaller the more they are. The start has room for
// three columns of them.
const PEG = 11, ACROSS = 17; // of a peg with its rim; across a lane
/** @returns {[along: number, down: number, scale: number]} what is added to x and to y, and the scale of a peg */
function berth(seats, seat, start) {
  const at = seats.indexOf(seat),
    columns = !start || seats.length < 3 ? 1 : seats.length < 7 ? 2 : 3,
    rows = Math.ceil(seats.length / columns),
    pitch = Math.min(PEG, (start ? ACROSS + 8 : ACROSS) / rows),
    scale = Math.min(1, Math.max(0.42, pitch / PEG), columns > 1 ? 1.5 / columns : 1);
  const wide = Math.min(pitch, PEG * scale);
  return [
    ((at % columns) - (columns - 1) / 2) * wide,
    (Math.floor(at / columns) - (rows - 1) / 2) * (columns > 1 ? wide : pitch),
    scale,
  ];
}

function put(layer, known, key, peg, [x, y], [along, down, scale], kind) {
  let element = known.get(key);
  if (!element) {
    const hollow = kind.includes("ahead"),
      back = kind.includes("back");
    element = s(
      "g",
      {},
      s("circle", {
        r: hollow ? 4.6 : back ? 3.4 : 5.2,
        ...(hollow ? { style: { stroke: colourOf(peg.colour) } } : { fill: colourOf(peg.colour) }),
      }),
      hollow || back ? [] : markOf(peg.colour, 5.4),
    );
    known.set(key, element);
    layer.append(element);
  }
  element.setAttribute("class", peg.on ? `${kind} on` : kind);
  const [right, below] = [x + along, y + down].map((each) => each.toFixed(1));
  element.style.transform = `translate(${right}px, ${below}px) scale(${scale.toFixed(2)})`;
  return element;
}

function lanes(rows, width) {
  const turn = ROW_HEIGHT / 2;
  let path = `M8 ${TOP}`;
  for (let row = 0; row < rows; row += 1) {
    const right = row % 2 === 0,
      last = row === rows - 1;
    path += `H${right ? width - (last ? 8 : LEFT) : last ? 8 : LEFT}`;
    if (!last) path += `a${turn} ${turn} 0 0 ${right ? 1 : 0} 0 ${ROW_HEIGHT}`;
  }
  return s("path", { class: "lane", d: path, "stroke-linejoin": "round" });
}

// Which way a row runs: an arrow at each turn, and a small one in the middle of every ten holes.
function directions(holes, perRow, at, width) {
  const arrow = (x, y, along, down, size) => {
    const [dx, dy] = [along * size, down * size];
    return `M${x - dx / 2 - dy} ${y - dy / 2 - dx}l${dx + dy} ${dy + dx} ${dy - dx} ${dx - dy}`;
  };
  let small = "",
    turns = "";
  for (let hole = 5; hole < holes; hole += 10) {
    const [x, y] = at(hole),
      [next] = at(hole + 1);
    small += arrow((x + next) / 2, y, Math.sign(next - x), 0, 2);
  }
  for (let hole = perRow; hole < holes; hole += perRow) {
    const [x, y] = at(hole),
      side = x > width / 2 ? width - LEFT + ROW_HEIGHT / 2 : LEFT - ROW_HEIGHT / 2;
    turns += arrow(side, y + ROW_HEIGHT / 2, 0, 1, 3.4);
  }
  const ways = [s("path", { class: "way", d: small }), s("path", { class: "way turn", d: turns })];
  return s("g", { "aria-hidden": "true" }, ways);
}

function holesOf(holes, at) {
  return s("g", {}, Array.from({ length: holes }, (_, before) => {
    const [x, y] = at(before + 1);
    return s("circle", { class: "hole", cx: x.toFixed(1), cy: y, r: 2.3 });
  }));
}

// In whole points of the game, about every tenth hole. A long number stays inside the drawing, beside the turns.
const LETTER = 8.8, TURN = 17;
function numbers(holes, at, points, width) {
  const marks = [], step = roundStep(10 * points), end = Math.round(holes * points);
  for (let score = step; score <= end; score += step) {
    const [x, y] = at(Math.ceil(score / points - 1e-6)), words = number(score), half = (words.length * LETTER) / 2;
    const inside = Math.max(half + TURN, Math.min(width - half - TURN, x));
    marks.push(s("text", { class: "mark", x: inside.toFixed(1), y: y + NUMBERS }, words));
  }
  return s("g", { "aria-hidden": "true" }, marks);
}

// The least round number from `points` on, 1, 2 or 5 times a power of ten; `points` itself if it is whole.
function roundStep(points) {
  if (Number.isInteger(points)) return points;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(points)));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= points);
}

// The line at half the way, as on a cribbage board.
const halfway = ([x, y]) => s("path", { class: "half", d: `M${x - 6.5} ${y - 8}V${y + 8}` });

function pockets([x, y]) {
  return s("g", { "aria-hidden": "true" },
    s("circle", { cx: 8, cy: TOP, r: 5.6, fill: "var(--hole)", stroke: "#f4e6c8", "stroke-width": .8 }),
    s("circle", { cx: x, cy: y, r: 6.2, fill: "var(--hole)", stroke: "#d3a04d", "stroke-width": 1.6 }),
    s("path", {
      d: `M${x - 1.8} ${y + 3.4}V${y - 3.6}h4.6l-1.4 1.6 1.4 1.6h-4.6`,
      fill: "none",
      stroke: "#d3a04d",
      "stroke-width": 1,
    }),
  );
}

/** The track in words, for those who hear the page. */
export function inWords(sides) {
  return t("track.label", { pegs: sides.map((side) => t("track.peg", side)).join("; ") });
}
