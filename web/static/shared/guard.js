// A tap does what its button said when the finger came down, or nothing. Two phones may act at the same moment.
import { acting, follow } from "./core.js";

// A person needs about this long to see that a button has changed, and to hold a finger back.
const SETTLING_MS = 700,
  OWN_SETTLING_MS = 300; // after this phone's own act its owner looks for the change
const SHAKE_MS = 400;

/** Keep taps on what has just changed from doing anything: the box shakes instead. Call after `box` draws itself. */
export function guard(box) {
  let said = saying(box),
    settled_ms = 0,
    waiting = null,
    down = null;
  const steady = () => {
    for (const button of box.querySelectorAll("[aria-disabled]")) button.removeAttribute("aria-disabled");
  };
  follow((snapshot, before) => {
    const now = saying(box);
    if (before && now !== said) {
      const wait_ms = acting() ? OWN_SETTLING_MS : SETTLING_MS;
      settled_ms = performance.now() + wait_ms;
      clearTimeout(waiting);
      waiting = setTimeout(steady, wait_ms);
    }
    said = now;
    if (performance.now() >= settled_ms) return; // else also for what was drawn anew with the same words
    for (const button of box.querySelectorAll("button")) button.setAttribute("aria-disabled", "true");
  });
  box.addEventListener("pointerdown", (event) => {
    down = { words: wordsOf(event.target), at_ms: performance.now() };
  }, true);
  box.addEventListener("click", (event) => {
    const words = wordsOf(event.target),
      at_ms = event.detail && down ? down.at_ms : performance.now();
    if (words === null || (at_ms >= settled_ms && (!event.detail || !down || down.words === words))) return;
    event.preventDefault();
    event.stopPropagation();
    box.classList.add("shaken");
    setTimeout(() => box.classList.remove("shaken"), SHAKE_MS);
  }, true);
}

/** Keep taps on a box that has just opened by itself from doing anything: they were aimed at what it covers. */
export function settle(box) {
  const buttons = box.querySelectorAll("button"),
    stop = (event) => { event.preventDefault(); event.stopPropagation(); };
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  box.addEventListener("click", stop, true);
  setTimeout(() => {
    for (const button of buttons) button.removeAttribute("aria-disabled");
    box.removeEventListener("click", stop, true);
  }, SETTLING_MS);
}

const wordsOf = (element) => {
  const button = element.closest("button");
  return button ? `${button.dataset.key} ${button.textContent}` : null;
};
const saying = (box) => [...box.querySelectorAll("button")].map(wordsOf).join("\n");
