// The virtual tray: hands for dice that only the camera can read. This page knows where dice lie, never what they show.
import { $, asked, fill, follow, goLive, h, number } from "../shared/core.js";
import { post, ready, repeat, start, t, table, text } from "../shared/core.js";
import { advice } from "../scoreboard/advice.js";
import { asking } from "../control/ask.js";
import { button } from "../shared/elements.js";
import { menu } from "../shared/menu.js";
import { moments } from "../scoreboard/moment.js";
import { panels } from "../scoreboard/panels.js";
import { sheet } from "../control/sheet.js";
import { can, deciding, noticeWords, sensible, whoIsOn } from "../shared/sides.js";
import { aloud, board, log, players, stage } from "../scoreboard/stage.js";
/** @import { Tray, TrayZones } from "../types/page" */

const PICTURE_MS = 120, GONE_MS = 1000, DICE_MS = 400, STEP_MM = 6, SHAKE_PX = 700, JITTER_PX = 4;
const grips = new Map(), TWICE_MS = 450;
// While a decision is due, or dice roll, nothing may be thrown: the decisions stand below the tray.
const STILL = new Set(["asking", "settling"]);
/** @type {Tray} */
let tray = { dice: [], zones: null };
let dragged = null, holding = false, tapped = { id: null, at: 0 };

await ready;
menu();
stage();
advice();
moments();
board();
players();
panels();
log();
aloud();
$("throw").addEventListener("click", throwDice);
$("lift").addEventListener("click", () => act("lift", {}));
$("shake").addEventListener("click", () => act("shake", {}));
shaking();
follow(hint);
follow(beside);
follow(now);
$("watching").hidden = start.hands;
$("hands").hidden = $("tray-hint").hidden = !start.hands; // a guest's phone has no hands: it may watch
if (table.plays) {
  $("sheet").hidden = false;
  sheet();
  asking();
}
await repeat(DICE_MS, look); // dice beside the tray take their places before the page is shown
goLive();
watch();

// On a phone the stage is below the tray: what matters stands beside it.
function now(snapshot) {
  const on = whoIsOn(snapshot), points = snapshot.state?.turn_points, words = noticeWords(snapshot);
  text($("tray-now"), [on?.name, points ? `+${number(points)}` : null, can(snapshot)].filter(Boolean).join(" · "));
  $("tray-notice").hidden = !words;
  text($("tray-notice"), words);
}

async function act(what, body) {
  const lying = await post(`/api/tray/${what}`, body);
  if (lying) take(lying);
  return lying;
}

// -- the picture, as the camera sees it -------------------------------------------------------------------------------
function watch() {
  const picture = $("picture");
  let shown = null;
  const fetched = async () => {
    if (document.hidden) return PICTURE_MS;
    const response = await fetch("/api/tray.jpg", { cache: "no-cache" }), tag = response.headers.get("ETag");
    if (!response.ok) return GONE_MS;
    if (tag === shown) return PICTURE_MS; // nothing has moved: a few bytes have said so
    const before = picture.src, fresh = new Image();
    fresh.src = URL.createObjectURL(await response.blob());
    await fresh.decode();
    picture.src = fresh.src;
    if (before.startsWith("blob:")) URL.revokeObjectURL(before);
    shown = tag;
    return PICTURE_MS;
  };
  const next = () => fetched().catch(() => GONE_MS).then((wait_ms) => setTimeout(next, wait_ms));
  setTimeout(next, PICTURE_MS);
}

async function look() {
  const lying = holding ? null : await asked("/api/tray");
  if (lying && !holding) take(lying); // the bar says when the table is gone; the next look tries again
}

function take(lying) {
  tray = lying;
  const inside = tray.dice.filter((die) => die.place !== "out");
  // A grip stays the same element for as long as its die is in the tray: a hand may be on it.
  for (const [id, grip] of grips) {
    if (inside.some((die) => die.id === id)) continue;
    grip.remove();
    grips.delete(id);
    if (id === dragged) { dragged = null; holding = false; } // a grip that is gone tells of no drop
  }
  for (const die of inside) {
    if (!grips.has(die.id)) { grips.set(die.id, handle(die)); $("handles").append(grips.get(die.id)); }
    const grip = grips.get(die.id);
    grip.className = `grip ${die.place}`;
    grip.setAttribute("aria-label", t(`tray.die_${die.place}`, { id: die.id + 1 }));
    if (die.id !== dragged) lay(grip, die);
  }
  beside();
  hint();
}

/** The dice beside the tray that the game has a use for: of seven, a game of three wants three. */
function spares() {
  const outside = tray.dice.filter((die) => die.place === "out"), inside = tray.dice.length - outside.length;
  return outside.slice(0, Math.max(0, (table.snapshot.tray.dice ?? tray.dice.length) - inside));
}

async function allBack() {
  for (const die of spares()) await back(die);
}

function beside() {
  const spare = spares();
  fill(
    $("beside"),
    spare.map((die) => die.id),
    () =>
      spare.length
        ? [
            h("span", { class: "quiet" }, t("tray.beside")),
            button(t("tray.put_all_back", { count: spare.length }), allBack, { class: "spare", "data-key": "spare" }),
          ]
        : [],
  );
}

function lay(element, die) {
  if (!tray.zones) return;
  const [w, hgt] = tray.zones.picture_wh;
  element.style.left = `${(die.x_px / w) * 100}%`;
  element.style.top = `${(die.y_px / hgt) * 100}%`;
  // As large as a thumb wants it, but 2 px off the middle of another die: who aims at a die gets that die.
  const room = Math.min(
    ...tray.dice
      .filter((other) => other !== die && other.place !== "out")
      .map((other) => Math.max(Math.abs(other.x_px - die.x_px), Math.abs(other.y_px - die.y_px))),
  );
  const most = Number.isFinite(room) ? `calc(${(room / w) * 200}% - 4px)` : "100%";
  element.style.width = `min(max(44px, ${(die.size_px / w) * 125}%), ${most})`;
}

function handle(die) {
  const element = h("button", { type: "button", "data-id": die.id, "data-key": `d${die.id}`, title: t("tray.grip") });
  element.addEventListener("keydown", (event) => byKey(event, die.id));
  element.addEventListener("pointerdown", (event) => grab(event, element, die.id));
  return element;
}

// -- hands ------------------------------------------------------------------------------------------------------------
const dieOf = (id) => tray.dice.find((die) => die.id === id);

function grab(event, element, id) {
  if (event.button) return;
  event.preventDefault();
  element.focus();
  element.setPointerCapture(event.pointerId);
  const box = $("tray").getBoundingClientRect();
  let at = null;
  const move = (moved) => {
    if (!at && Math.hypot(moved.clientX - event.clientX, moved.clientY - event.clientY) < JITTER_PX) return;
    dragged = id;
    holding = true;
    at = [(moved.clientX - box.left) / box.width, (moved.clientY - box.top) / box.height];
    element.style.left = `${at[0] * 100}%`;
    element.style.top = `${at[1] * 100}%`;
  };
  const drop = async (dropped) => {
    element.removeEventListener("pointermove", move);
    if (!at) tap(id, dropped.timeStamp);
    if (at)
      await (at.some((part) => part < -0.02 || part > 1.02)
        ? act("lift", { ids: [id] })
        : act("move", { id, ...toMm(at) }));
    dragged = null;
    holding = false;
  };
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", drop, { once: true });
  element.addEventListener(
    "pointercancel",
    () => {
      dragged = null;
      holding = false;
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", drop);
    },
    { once: true },
  );
}

/** A second tap on the same die soon after the first lays it in the keep zone. */
function tap(id, at) {
  const twice = tapped.id === id && at - tapped.at < TWICE_MS;
  tapped = { id: twice ? null : id, at };
  if (twice) toKeep(id);
}

function byKey(event, id) {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key],
    die = dieOf(id);
  if (step && die) {
    event.preventDefault();
    act("move", { id, x_mm: die.x_mm + step[0] * STEP_MM, y_mm: die.y_mm + step[1] * STEP_MM });
  } else if (event.key === "k" || event.key === "K") toKeep(id);
  else if (event.key === "Delete" || event.key === "Backspace") { event.preventDefault(); act("lift", { ids: [id] }); }
}

/** The tray's zones. They are known once the page shows dice. */
const zones = () => /** @type {TrayZones} */ (tray.zones);

/** Lay a die on a free spot of a zone. */
function freeSpot([x, y, w, hgt], id) {
  const others = tray.dice.filter((die) => die.id !== id && die.place !== "out"), pitch = 24;
  for (let row = 0; row * pitch + 14 <= hgt; row += 1) for (let column = 0; column * pitch + 14 <= w; column += 1) {
    const spot = { x_mm: x + 13 + column * pitch, y_mm: y + 13 + row * pitch };
    if (spot.x_mm > x + w - 9 || spot.y_mm > y + hgt - 9) continue;
    if (others.every((die) => Math.hypot(die.x_mm - spot.x_mm, die.y_mm - spot.y_mm) > pitch - 2)) return spot;
  }
  return { x_mm: x + w / 2, y_mm: y + hgt / 2 };
}
const toKeep = (id) => act("move", { id, ...freeSpot(zones().keep, id) });
const back = (die) => act("move", { id: die.id, ...freeSpot(zones().throw, die.id) });

function toMm([fx, fy]) {
  const [a, b, c, d, e, f, g, i, j] = zones().mm_to_px.flat(),
    [w, hgt] = zones().picture_wh;
  const x = fx * w,
    y = fy * hgt; // the inverse of the homography, by its adjugate
  const inverse = [
    e * j - f * i,
    c * i - b * j,
    b * f - c * e,
    f * g - d * j,
    a * j - c * g,
    c * d - a * f,
    d * i - e * g,
    b * g - a * i,
    a * e - b * d,
  ];
  const by = inverse[6] * x + inverse[7] * y + inverse[8];
  return {
    x_mm: (inverse[0] * x + inverse[1] * y + inverse[2]) / by,
    y_mm: (inverse[3] * x + inverse[4] * y + inverse[5]) / by,
  };
}

/** How many dice the table waits for, and which ones a hand would take: loose ones first, then spare, then kept. */
function wanted() {
  const state = table.snapshot.state,
    sizes = state?.throw_sizes ?? [];
  const loose = tray.dice.filter((die) => die.place === "throw"),
    spare = tray.dice.filter((die) => die.place === "out"),
    kept = tray.dice.filter((die) => die.place === "keep");
  const count = sizes.length ? Math.min(sizes[0], tray.dice.length) : loose.length || tray.dice.length;
  return {
    count,
    loose,
    fresh: !sizes.length || table.snapshot.tray.fresh,
    taken: [...loose, ...spare, ...kept].slice(0, count),
  };
}

async function throwDice() {
  const { count, loose, taken, fresh: first } = wanted();
  if (!first && loose.length > count) return act("throw", { count }); // those that stay are laid aside first
  const ids = taken.map((die) => die.id);
  // At the start of a turn everything else is swept up.
  const left = first ? loose.map((die) => die.id).filter((id) => !ids.includes(id)) : [];
  if (left.length && !(await act("lift", { ids: left }))) return null;
  return act("throw", { ids, strength: 0.6 });
}

function hint() {
  const { snapshot } = table, throwing = $("throw"), sizes = snapshot.state?.throw_sizes ?? [];
  throwing.disabled = deciding(snapshot) || STILL.has(snapshot.phase);
  throwing.classList.toggle("main", !throwing.disabled && sizes.some((size) => sensible(snapshot, { throw: size })));
  text(throwing, sizes.length ? t("tray.throw_count", { count: sizes[0] }) : t("tray.throw"));
}

// Drag the tray itself to and fro: a good shake throws the dice in it.
function shaking() {
  const picture = $("picture");
  let path = 0,
    last = null;
  $("tray").addEventListener("pointerdown", (event) => {
    if (event.target === picture) {
      path = 0;
      last = [event.clientX, event.clientY];
      picture.setPointerCapture(event.pointerId);
    }
  });
  $("tray").addEventListener("pointermove", (event) => {
    if (!last) return;
    path += Math.hypot(event.clientX - last[0], event.clientY - last[1]);
    last = [event.clientX, event.clientY];
  });
  $("tray").addEventListener("pointerup", () => { if (last && path > SHAKE_PX) act("shake", {}); last = null; });
  $("tray").addEventListener("pointercancel", () => { last = null; });
}
