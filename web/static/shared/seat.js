// The seat of whoever holds this phone: who they are, whether it is their turn, and a buzz when it is.
import { $, asked, fill, follow, h, number, start, t } from "./core.js";
import { chip } from "./dice.js";
import { housesTurn, nextWords, sides } from "./sides.js";

const BUZZ_MS = [180, 90, 180];

/** Whether it is the turn of the player who has that name. */
const isTurnOf = (name, snapshot) =>
  Boolean(snapshot.state && !snapshot.state.over && !snapshot.abandoned) &&
  snapshot.state?.player === name &&
  !housesTurn(snapshot);

/** Return what a seated player is doing: their turn, playing (with the points), in the next game, or waiting. */
export function seatWords(snapshot, name) {
  if (isTurnOf(name, snapshot)) return t("seat.your_turn", { name });
  const side = snapshot.state?.over ? null : sides(snapshot).find((each) => each.name === name);
  return side ? t("seat.playing", { name, points: number(side.score) }) : waitingWords(snapshot, name);
}

// During a tournament the next game is a match, often between others; it is `next` also while it is played.
function waitingWords({ state, abandoned, tournament }, name) {
  if (!tournament?.next || tournament.next.players.includes(name)) return t("seat.seated", { name });
  const you = t("seat.you", { name });
  return state && !state.over && !abandoned ? you : `${you} · ${nextWords(tournament)}`;
}

/** Keep the line "You are Ben" on a page of a seated phone; buzz and mark the page's title when the turn comes. */
export function seat() {
  const mine = start.seat,
    title = document.title;
  if (!mine) return;
  follow((snapshot, before) => {
    const on = isTurnOf(mine.name, snapshot);
    document.title = on ? `● ${t("seat.your_turn", { name: mine.name })}` : title;
    if (on && before && !isTurnOf(mine.name, before)) navigator.vibrate?.(BUZZ_MS);
    if (!$("you")) return;
    const words = seatWords(snapshot, mine.name),
      colour = sides(snapshot).find((each) => each.name === mine.name)?.colour ?? mine.colour;
    $("you").classList.toggle("turn", on);
    fill($("you"), [words, colour], () => [chip(colour), h("a", { href: "/me" }, words)]);
  });
}

/** The names and pegs of those who sit at the table, as list items. */
export const seatedOf = (seats) => seats.map((each) => h("li", {}, chip(each.colour), h("bdi", {}, each.name)));

/** Fetch who sits down for the next game: [{ name, colour }]; none where the table can't be reached. */
export const seats = async () => (await asked("/api/seats"))?.seats ?? [];
