// A die to label: its picture with what is said of it, as a button, and the dialog that asks which number it shows.
import { h, t } from "../shared/core.js";
import { closeUp, die, faces, thumbnail } from "../shared/dice.js";
import { button, dialog } from "../shared/elements.js";

/**
 * A die cut out of its photo; a tap on it asks.
 * @param {string} photo
 * @param {{ box_xywh: number[], read: number }} seen as the reader saw it
 * @param {number | null} value what it shows; 0 for no die, null while nobody has said
 * @param {Record<string, any>} attributes its key, its label, and what a tap does
 * @param {boolean} struck whether a value that was read and is not so stands beside it
 */
export function labelled(photo, seen, value, { onclick, ...attributes }, struck = false) {
  const kind = value === null ? "open" : value === seen.read ? "same" : "other",
    shows = value ? die(value) : h("b", {}, value === null ? "?" : "✕"),
    read = struck && kind !== "same" && h("s", {}, String(seen.read)),
    said = h("span", { class: "reads", "aria-hidden": "true" }, read, shows);
  return button([thumbnail(photo, seen.box_xywh), said], onclick, { class: `cropped ${kind}`, ...attributes });
}

/**
 * Ask which number a die shows: `say` gets it, 0 for no die. Return the dialog; `more` stands below the picture.
 * @param {string} photo
 * @param {{ box_xywh: number[] }} seen
 * @param {number | null} value
 * @param {(value: number) => void} say
 * @param {HTMLElement | null} more
 */
export const askLabel = (photo, seen, value, say, more = null) =>
  dialog(
    t("review.which"),
    closeUp(photo, seen.box_xywh),
    more,
    faces(say, value),
    button(t("ask.not_a_die"), () => say(0)),
  );
