// The pub's screen: everything at once, readable from five metres, and a cheer for what deserves one.
import { $, fill, follow, goLive, h, ready, t, text } from "./core.js";
import { dice } from "./dice.js";
import { eventWords } from "./sides.js";
import { panels } from "./panels.js";
import { board, players, stage } from "./stage.js";

const CHEER_MS = 3500, CODE_MS = 2000, LINES = 2;

await ready;
stage();
board(3);
players();
panels();
follow(lines);
follow(proof);
follow(cheer);
clock();
code();
goLive();

function lines(snapshot) {
  const happened = snapshot.events.slice(-LINES).reverse();
  $("players").hidden = snapshot.panels.sheet !== null; // it has the names and the totals
  fill($("log"), happened, () => happened.map((event) => h("li", {}, eventWords(event))));
}

function proof(snapshot) {
  const thrown = snapshot.throws.findLast((each) => each.photo);
  $("proof").hidden = !thrown;
  if (!thrown) return;
  const source = `/api/throws/${thrown.number}.jpg`;
  if ($("proof-photo").getAttribute("src") !== source) $("proof-photo").src = source;
  const words = t("tv.proof", { player: thrown.player, values: thrown.values.join(", ") });
  $("proof-photo").alt = words;
  text($("proof-words"), words);
}

let hiding = null;
function cheer(snapshot, before, news) {
  if (!news) return;
  clearTimeout(hiding);
  $("cheer").hidden = true; // a correction takes back what was cheered
  const event = news.events.findLast((each) => each.cheered);
  if (!event) return;
  $("cheer").replaceChildren(h("span", {}, eventWords(event)));
  $("cheer").hidden = false;
  hiding = setTimeout(() => { $("cheer").hidden = true; }, CHEER_MS);
}

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
