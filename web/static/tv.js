// The pub's screen: everything at once, readable from five metres, and a cheer for what deserves one.
import { $, fill, follow, goLive, h, number, ready, t, text } from "./core.js";
import { dice } from "./dice.js";
import { eventWords, sides } from "./sides.js";
import { moments } from "./moment.js";
import { panels } from "./panels.js";
import { raceOf } from "./race.js";
import { board, players, stage } from "./stage.js";

const CODE_MS = 2000, COLUMNS = 5;

await ready;
stage();
board(true);
players();
panels(COLUMNS);
follow(newest);
follow(race);
follow(photos);
moments();
clock();
code();
goLive();

function newest(snapshot) {
  const told = snapshot.highlights.length ? snapshot.highlights.map((each) => remembered(sides(snapshot), each)) : snapshot.events.slice(-1).map(eventWords);
  fill($("log"), told, () => told.map((words) => h("li", {}, words)));
}

function race(snapshot) {
  fill($("race"), [snapshot.race, snapshot.sides], () => snapshot.race.length ? raceOf(sides(snapshot), snapshot.race) : []);
}

// The tray of the newest throw or question; of a game that is over the throws that it is remembered by.
function photos(snapshot) {
  const thrown = snapshot.throws.findLast((each) => each.photo), asked = snapshot.question?.photo, all = sides(snapshot);
  const proof = (number, words, said) => ({ source: `/api/throws/${number}.jpg`, words, said });
  const shown = asked ? [{ source: asked, words: t("ask.photo") }]
    : snapshot.highlights.length ? snapshot.highlights.filter((each) => each.throw).map((each) => proof(each.throw, remembered(all, each), true))
      : thrown ? [proof(thrown.number, t("tv.proof", { player: thrown.player, values: thrown.values.join(", ") }))] : [];
  fill($("photos"), shown, () => shown.map(({ source, words, said }) => {
    const image = h("img", { src: source, alt: words }), figure = h("figure", {}, image, said && h("figcaption", { class: "named" }, words));
    image.addEventListener("error", () => figure.remove()); // photos go in time
    return figure;
  }));
}

const remembered = (all, { kind, side, points }) => t(`highlight.${kind}`, { player: all[side].name, points: number(points) });

// The dice of a phone that asks to be let in: whoever holds the button compares them with the phone's.
async function code() {
  try {
    const { code: shown } = await (await fetch("/api/pair", { cache: "no-store" })).json();
    $("code").hidden = !shown;
    fill($("code"), shown, () => shown ? [h("span", {}, t("tv.code")), dice(shown)] : []);
  } catch { /* the bar says when the table is gone */ }
  setTimeout(code, CODE_MS);
}

function clock() {
  const tell = () => text($("clock"), new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }));
  tell();
  setInterval(tell, 10_000);
}
