// What pages are made of: buttons, lists to choose from, boxes to tick, folds, photos, dialogs.
import { h, onTop, t } from "./core.js";
/** @import { Attributes } from "../types/page" */

/** A button: button("Bank", play, { class: "main" }). */
export const button = (words, onclick, attributes = {}) =>
  h("button", { type: "button", ...attributes, onclick }, words);

/** A list to choose from: pairs of a value and its words. */
export const select = (attributes, choices, chosen = null) =>
  h("select", attributes, choices.map(([value, words]) => h("option", { value, selected: value === chosen }, words)));

/** A part that is folded away until somebody taps its words. */
export const fold = (words, ...parts) => h("details", { class: "fold" }, h("summary", {}, words), ...parts);

/** A box to tick, with a title and what it means. */
export const tick = (box, title, meaning) =>
  h("label", { class: "tick" }, box, h("span", {}, h("b", {}, title), h("br"), h("small", {}, meaning)));

/**
 * The photo of a throw, or `otherwise` once it turns out to be gone: photos go in time.
 * @param {number} thrown
 * @param {string} alt
 * @param {HTMLElement | null} otherwise
 * @param {Attributes} attributes
 */
export function photoOf(thrown, alt, otherwise = null, attributes = {}) {
  const image = h("img", { class: "photo", src: `/api/throws/${thrown}.jpg`, alt, ...attributes });
  image.addEventListener("error", () => (otherwise ? image.replaceWith(otherwise) : image.remove()));
  return image;
}

/** A dialog that leaves the page when it closes. */
export function dialog(title, ...children) {
  const close = button(t("close"), () => box.close(), { class: "plain" });
  const box = h(
    "dialog",
    { "aria-label": title },
    h("div", { class: "stack" }, h("div", { class: "spread" }, h("h2", {}, title), close), ...children),
  );
  box.addEventListener("close", () => {
    box.querySelectorAll("#toast").forEach(onTop);
    box.remove();
  });
  document.body.append(box);
  box.showModal();
  return box;
}

/** Let Escape fold a part away, and give the focus back to what unfolds it. @param {HTMLDetailsElement} folded */
export function closeOnEscape(folded) {
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !folded.open || document.querySelector("dialog[open]")) return;
    folded.open = false;
    folded.querySelector("summary")?.focus();
  });
}
