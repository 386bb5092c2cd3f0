// A finished game as a picture for a chat: the luckiest throw from its photo and how rare it is, who won, how it went.
import { number, t } from "../shared/core.js";
import { listed } from "../shared/sides.js";
import { wonWords, when } from "../shared/past.js";

const SIDE = 1080, EDGE = 64, ROW = 74, PHOTO_HIGH = 470;
const TEXT = "Figtree, system-ui, sans-serif", DISPLAY = "Fraunces, Georgia, serif";
const AROUND = 0.35; // of a die's size: what the crop shows around the dice

/**
 * Draw it, then hand it to the phone's own share sheet, or save it.
 * @param sides each with name, colour, score
 * @param race [seat, score after the change], oldest first
 * @param rare the luckiest throw: player, values, chance, and throw and boxes of its photo; null where none is known
 */
export async function share(game, sides, race, rare) {
  const canvas = document.createElement("canvas"),
    look = getComputedStyle(document.documentElement),
    ink = (name) => look.getPropertyValue(name).trim();
  canvas.width = canvas.height = SIDE;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const ordered = [...sides].sort((one, other) => other.score - one.score);
  pen.fillStyle = ink("--panel");
  pen.fillRect(0, 0, SIDE, SIDE);
  const photo = rare ? await photoOf(rare) : null;
  words(pen, wonWords(game), EDGE, EDGE + 40, 60, ink("--text"), DISPLAY);
  words(pen, `${game.title} · ${when(game.started)}`, EDGE, EDGE + 92, 30, ink("--quiet"));
  let top = 220;
  if (rare) {
    if (photo) cropped(pen, photo, rare.boxes, top - 26);
    top += photo ? PHOTO_HIGH + 40 : 30;
    const odds = t("share.one_in", { many: rarity(rare.chance) });
    words(pen, odds, EDGE, top + 50, 96, ink("--brass"), DISPLAY, SIDE / 2);
    const beside = EDGE + 30 + Math.min(SIDE / 2, pen.measureText(odds).width);
    const thrown = `${t("share.threw", { player: rare.player })} ${rare.values.join(", ")}`;
    words(pen, t("share.as_good"), beside, top + 6, 32, ink("--text"), TEXT, SIDE - EDGE - beside);
    words(pen, thrown, beside, top + 48, 32, ink("--quiet"), TEXT, SIDE - EDGE - beside);
    top += 130;
  }
  const row = Math.min(ROW, (photo ? 190 : 420) / ordered.length);
  ordered.forEach((side, at) => {
    const y = top + at * row;
    pen.fillStyle = ink(`--p${side.colour}`);
    pen.beginPath();
    pen.arc(EDGE + 18, y - row * .18, row * .26, 0, 7);
    pen.fill();
    words(pen, side.name, EDGE + 56, y, row * .58, ink("--text"), TEXT, SIDE - 360);
    pen.textAlign = "right";
    words(pen, number(side.score), SIDE - EDGE, y, row * .66, ink("--text"), DISPLAY);
    pen.textAlign = "left";
  });
  if (!photo) lines(pen, ordered, race, top + ordered.length * row, ink);
  words(pen, t("share.by"), EDGE, SIDE - 24, 28, ink("--quiet"));
  /** @type {Blob | null} */
  const png = await new Promise((done) => canvas.toBlob(done, "image/png"));
  if (!png) return;
  const file = new File([png], "peg-and-pip.png", { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    const title = `${game.title}, ${listed(game.players)}`;
    // A cancelled dialog is no fault. A browser that refuses, since the tap is too long ago, lets it be saved.
    const done = await navigator.share({ files: [file], title }).then(() => true, (why) => why.name === "AbortError");
    if (done) return;
  }
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Of how many throws one is this good, to two digits: more would be no news.
function rarity(chance) {
  const many = 1 / chance, unit = 10 ** Math.max(0, Math.floor(Math.log10(many)) - 1);
  return number(Math.round(many / unit) * unit);
}

// The photo of the throw, or null where it has none or it has been cleared.
async function photoOf({ throw: thrown, boxes }) {
  if (!thrown || !boxes?.length) return null;
  const image = new Image();
  image.src = `/api/throws/${thrown}.jpg`;
  return image.decode().then(() => image, () => null);
}

// The part of the photo that holds the dice, as wide as the picture.
function cropped(pen, photo, boxes, top) {
  const room = AROUND * Math.max(...boxes.map(([, , wide]) => wide)),
    left = Math.min(...boxes.map(([x]) => x)) - room,
    right = Math.max(...boxes.map(([x, , across]) => x + across)) + room,
    above = Math.min(...boxes.map(([, y]) => y)) - room,
    below = Math.max(...boxes.map(([, y, , down]) => y + down)) + room;
  const shape = (SIDE - 2 * EDGE) / PHOTO_HIGH,
    wide = Math.min(photo.naturalWidth, Math.max(right - left, (below - above) * shape)),
    high = Math.min(photo.naturalHeight, wide / shape);
  const inside = (middle, size, most) => Math.max(0, Math.min(most - size, middle - size / 2));
  const x = inside((left + right) / 2, wide, photo.naturalWidth),
    y = inside((above + below) / 2, high, photo.naturalHeight);
  pen.save();
  pen.beginPath();
  (pen.roundRect ?? pen.rect).call(pen, EDGE, top, SIDE - 2 * EDGE, PHOTO_HIGH, 28); // iOS 15 knows no round one
  pen.clip();
  pen.drawImage(photo, x, y, wide, high, EDGE, top, SIDE - 2 * EDGE, PHOTO_HIGH);
  pen.restore();
}

function words(pen, text, x, y, size, colour, face = TEXT, most = SIDE - 2 * EDGE) {
  pen.font = `700 ${size}px ${face}`;
  pen.fillStyle = colour;
  pen.fillText(text, x, y, most);
}

function lines(pen, sides, race, top, ink) {
  const most = Math.max(1, ...race.map(([, score]) => score)),
    wide = SIDE - 2 * EDGE,
    high = SIDE - EDGE - 40 - top,
    x = (at) => EDGE + (at / Math.max(1, race.length)) * wide,
    y = (score) => top + high - (score / most) * high;
  pen.lineWidth = 7;
  pen.lineJoin = "round";
  for (const side of sides) {
    pen.strokeStyle = ink(`--p${side.colour}`);
    pen.beginPath();
    pen.moveTo(x(0), y(0));
    let score = 0;
    race.forEach(([seat, after], at) => {
      if (seat === side.seat) {
        pen.lineTo(x(at), y(score));
        pen.lineTo(x(at + 1), y((score = after)));
      }
    });
    pen.lineTo(x(race.length), y(score));
    pen.stroke();
  }
}
