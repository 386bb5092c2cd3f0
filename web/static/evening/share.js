// A finished game as a picture for a chat: who, how far, and how it went.
import { number, t } from "../shared/core.js";

const SIDE = 1080, EDGE = 64, ROW = 74, FONT = "system-ui, sans-serif";

/**
 * Draw it, then hand it to the phone's own share sheet, or save it.
 * @param how when it was, and who won
 * @param sides each with name, colour, score
 * @param race [seat, score after the change], oldest first
 */
export async function share(title, how, sides, race) {
  const canvas = document.createElement("canvas"),
    look = getComputedStyle(document.documentElement),
    ink = (name) => look.getPropertyValue(name).trim();
  canvas.width = canvas.height = SIDE;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const ordered = [...sides].sort((one, other) => other.score - one.score);
  pen.fillStyle = ink("--panel");
  pen.fillRect(0, 0, SIDE, SIDE);
  words(pen, title, EDGE, EDGE + 40, 56, ink("--brass"));
  words(pen, how, EDGE, EDGE + 92, 30, ink("--quiet"));
  const top = 236, row = Math.min(ROW, 500 / ordered.length);
  ordered.forEach((side, at) => {
    const y = top + at * row;
    pen.fillStyle = ink(`--p${side.colour}`);
    pen.beginPath();
    pen.arc(EDGE + 18, y - row * .18, row * .26, 0, 7);
    pen.fill();
    words(pen, side.name, EDGE + 56, y, row * .58, ink("--text"), SIDE - 360);
    pen.textAlign = "right";
    words(pen, number(side.score), SIDE - EDGE, y, row * .66, ink("--text"));
    pen.textAlign = "left";
  });
  lines(pen, ordered, race, top + ordered.length * row, ink);
  /** @type {Blob | null} */
  const png = await new Promise((done) => canvas.toBlob(done, "image/png"));
  if (!png) return;
  const file = new File([png], "peg-and-pip.png", { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    return navigator.share({ files: [file], title }).catch(() => {}); // a cancelled dialog is no fault
  }
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function words(pen, text, x, y, size, colour, most = SIDE - 2 * EDGE) {
  pen.font = `700 ${size}px ${FONT}`;
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
  words(pen, t("share.by"), EDGE, SIDE - 24, 28, ink("--quiet"));
}
