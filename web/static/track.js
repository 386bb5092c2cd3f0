// The cribbage track: rows of thirty holes, serpentine, in groups of five; two pegs for each player, the second hollow.
import { s, t } from "./core.js";
import { MARKS, colourOf } from "./dice.js";

const ROW = 30, STEP = 10.6, GROUP = 3.2, LEFT = 22, ROW_HEIGHT = 25, TOP = 14;
const WIDTH = LEFT * 2 + STEP * (ROW - 1) + GROUP * 5;

/** Where a hole is, in the drawing's units; 0 is the start pocket, past the end the finish pocket. */
export function place(hole, holes) {
  const rows = holes / ROW;
  if (hole <= 0) return [8, TOP];
  const last = Math.min(hole, holes) - 1;
  const row = Math.floor(last / ROW), along = last % ROW, leftward = row % 2 === 1;
  const x = LEFT + along * STEP + Math.floor(along / 5) * GROUP;
  const end = rows % 2 === 0 ? 8 : WIDTH - 8;
  if (hole > holes) return [end, TOP + (rows - 1) * ROW_HEIGHT];
  return [leftward ? WIDTH - x : x, TOP + row * ROW_HEIGHT];
}

/** Draw the track; returns what moves the pegs: (pegs) with pegs [{seat, banked, ahead, on}]. */
export function track(holder, holes) {
  const rows = holes / ROW, height = TOP * 2 + (rows - 1) * ROW_HEIGHT + 2;
  const pegs = s("g");
  const drawing = s("svg", { class: "track", viewBox: `0 0 ${WIDTH} ${height}`, role: "img" },
    lanes(rows), skunkLine(holes), holesOf(holes), numbers(holes), pockets(holes), pegs);
  holder.replaceChildren(drawing);
  const known = new Map();
  return (shown, label) => {
    drawing.setAttribute("aria-label", label);
    const spots = new Map();
    for (const peg of shown) for (const hole of new Set([peg.banked, peg.ahead])) spots.set(capped(hole, holes), [...(spots.get(capped(hole, holes)) ?? []), peg.seat]);
    for (const peg of shown) {
      put(pegs, known, `${peg.seat}-b`, peg, place(peg.banked, holes), spread(spots.get(capped(peg.banked, holes)), peg.seat), "peg");
      put(pegs, known, `${peg.seat}-a`, peg, place(peg.ahead, holes), spread(spots.get(capped(peg.ahead, holes)), peg.seat), "peg ahead");
      known.get(`${peg.seat}-a`).style.opacity = peg.ahead === peg.banked ? "0" : "1";
    }
    for (const [key, element] of known) if (!shown.some((peg) => key.startsWith(`${peg.seat}-`))) { element.remove(); known.delete(key); }
  };
}

const capped = (hole, holes) => Math.max(0, Math.min(hole, holes + 1));

// Pegs that share a hole stand side by side across the lane.
function spread(seats, seat) {
  const gap = seats.length > 3 ? 4.6 : 6;
  return (seats.indexOf(seat) - (seats.length - 1) / 2) * gap;
}

function put(layer, known, key, peg, [x, y], down, kind) {
  let element = known.get(key);
  if (!element) {
    const hollow = kind.includes("ahead");
    element = s("g", {}, s("circle", { r: hollow ? 4.6 : 5.2, ...(hollow ? { style: { stroke: colourOf(peg.seat) } } : { fill: colourOf(peg.seat) }) }), hollow ? [] : MARKS[peg.seat % 6](5.4));
    known.set(key, element);
    layer.append(element);
  }
  element.setAttribute("class", peg.on ? `${kind} on` : kind);
  element.style.transform = `translate(${x.toFixed(1)}px, ${(y + down).toFixed(1)}px)`;
}

function lanes(rows) {
  let path = `M8 ${TOP}`;
  for (let row = 0; row < rows; row += 1) {
    const y = TOP + row * ROW_HEIGHT, right = row % 2 === 0, edge = right ? WIDTH - 10 : 10;
    path += `H${edge}`;
    if (row < rows - 1) path += `V${y + ROW_HEIGHT}`;
  }
  return s("path", { class: "lane", d: path, "stroke-linejoin": "round" });
}

function holesOf(holes) {
  return s("g", {}, Array.from({ length: holes }, (_, at) => {
    const [x, y] = place(at + 1, holes);
    return s("circle", { class: "hole", cx: x.toFixed(1), cy: y, r: 2.3 });
  }));
}

function numbers(holes) {
  const marks = [];
  for (let hole = 10; hole <= holes; hole += 10) {
    const [x, y] = place(hole, holes);
    marks.push(s("text", { class: "mark", x: x.toFixed(1), y: y + 13 }, String(hole)));
  }
  return s("g", { "aria-hidden": "true" }, marks);
}

// The skunk line: at 60 or less the loser is skunked (RULES.md; doubled on the long board).
function skunkLine(holes) {
  const [x, y] = place(holes / 2, holes);
  return s("path", { class: "skunk", d: `M${x - 6.5} ${y - 8}V${y + 8}` });
}

function pockets(holes) {
  const [fx, fy] = place(holes + 1, holes);
  return s("g", { "aria-hidden": "true" },
    s("circle", { cx: 8, cy: TOP, r: 5.6, fill: "var(--hole)", stroke: "#f4e6c8", "stroke-width": .8 }),
    s("circle", { cx: fx, cy: fy, r: 6.2, fill: "var(--hole)", stroke: "var(--brass)", "stroke-width": 1.6 }),
    s("path", { d: `M${fx - 1.8} ${fy + 3.4}V${fy - 3.6}h4.6l-1.4 1.6 1.4 1.6h-4.6`, fill: "none", stroke: "var(--brass)", "stroke-width": 1 }));
}

/** The track in words, for those who hear the page. */
export function inWords(sides) {
  return t("track.label", { pegs: sides.map((side) => t("track.peg", side)).join("; ") });
}
