// What is best now, for who taps for it: closed again at each change, and silent in serious games.
import { $, fill, follow, h, number, settings, start, t, table } from "../shared/core.js";
import { housesTurn } from "../shared/sides.js";

const MOST = 5;

/** The fold under the stage. Nothing is asked of the table before it is opened. */
export function advice() {
  const box = /** @type {HTMLDetailsElement} */ ($("advice"));
  let told = null;
  box.addEventListener("toggle", () => { if (box.open) ask(); });
  follow((snapshot) => {
    const state = snapshot.state;
    box.hidden =
      !start.advice ||
      settings.get("odds", "on") === "off" ||
      !state ||
      state.over ||
      snapshot.abandoned ||
      snapshot.phase === "asking" ||
      snapshot.terms.serious === true ||
      housesTurn(snapshot);
    if (told === snapshot.number) return;
    box.open = false; // each decision is asked for anew
    told = snapshot.number;
    fill($("advised"), null, () => []);
  });

  async function ask() {
    const response = await fetch("/api/odds", { cache: "no-store" }).catch(() => null),
      odds = await response?.json().catch(() => null);
    if (response?.ok && odds.number !== table.snapshot.number) return; // the next snapshot closes it
    fill($("advised"), odds, () =>
      response?.ok ? weighed(odds) : [h("p", { class: "quiet" }, odds?.message ?? t("error.network"))],
    );
  }
}

function weighed({ options, goal, exact }) {
  const shown = options.slice(0, MOST);
  return [
    ranked(shown.map(({ line, value }, at) => ({ words: optionWords(line), worth: worth(value, goal), top: !at }))),
    h(
      "p",
      { class: "quiet" },
      t(`best.${goal}`),
      options.length > MOST ? ` ${t("best.more", { count: options.length - MOST })}` : "",
      exact ? "" : ` ${t("best.approximate")}`,
    ),
  ];
}

/** Options as a list: { words, worth, top }. One whose worth is not told yet has none. */
export const ranked = (options) =>
  h(
    "ol",
    { class: "weighed" },
    options.map(({ words, worth: told, top }) =>
      h("li", { class: top ? "spread top" : "spread" }, h("span", {}, words), told && h("b", {}, told)),
    ),
  );

/** What an option or a loss is worth: "48.2 %" of a win, or points. */
export const worth = (value, goal) =>
  goal === "win" ? t("evening.percent", { percent: fixed(100 * value) }) : fixed(value);
const fixed = (value) =>
  Number(value).toLocaleString(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** An option in words: "throw 4", "bank". */
export function optionWords(line) {
  if (line.throw !== undefined)
    return t("best.throw", { count: Array.isArray(line.throw) ? line.throw.length : line.throw });
  if (line.do === "keep" && !line.dice.length) return t("best.keep_none");
  const args = {
    ...line,
    dice: (line.dice ?? []).join(", "),
    category: line.category ? t(`category.${line.category}`, {}, line.category) : "",
    points: number(line.points ?? 0),
  };
  return t(`best.${line.do}`, args);
}
