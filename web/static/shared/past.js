// A past game in words: who won it, what it was, when.
import { h, t } from "./core.js";
import { listed } from "./sides.js";

/** Who won: "Ann won", or that the game is not finished. */
export const wonWords = ({ over, winners }) =>
  t(!over ? "evening.going" : winners.length ? "evening.won" : "event.game_over", { names: listed(winners) });

/** When a game began. The table's clock may have been wrong (no network), so the day is told as it was noted. */
export function when(started) {
  const at = new Date(started),
    language = document.documentElement.lang;
  return started && !Number.isNaN(at.getTime())
    ? at.toLocaleString(language === "en" ? "en-GB" : language, { dateStyle: "medium", timeStyle: "short" })
    : "";
}

/**
 * A game as a link to its own page: a picture beside it, who won, what it was, when; `key` keeps the focus.
 * @param {any} game
 * @param {Node} picture
 * @param {string} what
 * @param {string | null} key
 */
export const gameLink = (game, picture, what, key = null) =>
  h(
    "a",
    { class: "game-link", href: `/games/${game.id}`, "data-key": key },
    picture,
    h("span", {}, h("b", {}, wonWords(game)), h("span", {}, what), h("small", {}, when(game.started))),
  );

/** What a snapshot tells of the games played so far: it changes at the end of a game, and by a correction after it. */
export const played = ({ state, game, sitting }) => JSON.stringify([state?.outcome, game, sitting]);
