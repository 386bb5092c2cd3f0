// Your seat: sit down with a name and a peg, see your own games, stand up again.
import { $, asked, fill, follow, goLive, h, number } from "../shared/core.js";
import { post, ready, settings, start, t, table, text } from "../shared/core.js";
import { chip } from "../shared/dice.js";
import { holds } from "../evening/standings.js";
import { tableOf } from "../shared/figures.js";
import { letIn } from "../shared/hosting.js";
import { menu } from "../shared/menu.js";
import { gameLink, played } from "../shared/past.js";
import { seat, seatedOf, seats, seatWords } from "../shared/seat.js";

const COLOURS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  LOOK_MS = 4000,
  AGAIN_MS = 1000; // games that did not come are asked for again at this interval
/** @type {{ name: string, colour: number }[]} */
let here = [];

await ready;
menu();
here = await seats();
if (start.seat) await mine();
else sitting();
draw();
goLive();
seat();
follow(now);
setInterval(async () => { here = await seats(); draw(); }, LOOK_MS);

function draw() {
  const others = here.filter((each) => each.name !== start.seat?.name);
  $("others").hidden = !others.length;
  fill($("seated"), others, () => seatedOf(others));
  if (!$("sit").hidden) pegs();
}

function now(snapshot, before) {
  if (!start.seat) return;
  text($("me-now"), seatWords(snapshot, start.seat.name));
  if (before && played(before) !== played(snapshot)) record();
}

function sitting() {
  $("sit").hidden = false;
  $("seat-name").value = start.seat?.name ?? settings.get("seat-name", settings.get("phone-name", ""));
  pegs();
}

// Pegs that others have can't be taken.
function pegs() {
  const taken = new Set(here.filter((each) => each.name !== start.seat?.name).map((each) => each.colour)),
    was = document.querySelector("#pegs :checked"),
    wish = Number(was instanceof HTMLInputElement ? was.value : start.seat?.colour ?? settings.get("seat-peg", "0")),
    chosen = taken.has(wish) ? COLOURS.find((each) => !taken.has(each)) : wish;
  fill($("pegs"), [chosen, [...taken]], () =>
    COLOURS.map((colour) =>
      h(
        "label",
        { class: taken.has(colour) ? "peg-choice taken" : "peg-choice" },
        h("input", {
          type: "radio",
          name: "peg",
          value: colour,
          checked: colour === chosen,
          disabled: taken.has(colour),
          "aria-label": t(`peg.${colour}`),
          "data-key": `peg-${colour}`,
        }),
        chip(colour),
      ),
    ),
  );
}

$("sit-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = $("seat-name").value.trim(),
    peg = /** @type {HTMLInputElement | null} */ (document.querySelector("#pegs :checked"));
  if (!name || !peg) return $("seat-name").focus();
  settings.set("seat-name", name);
  settings.set("seat-peg", peg.value);
  table.paired ||= await guest(name);
  if (!table.paired) return;
  if (await request("/api/seats", { name, colour: Number(peg.value) })) location.replace("/me");
});
$("stand").addEventListener("click", async () => {
  if (await post("/api/seats/leave", {})) location.replace("/me");
});
$("change").addEventListener("click", () => { $("mine").hidden = true; sitting(); });

const request = (path, body) => post(path, body, { problem: $("seat-problem") });

// A guest asks to be let in.
async function guest(name) {
  const asked = await request("/api/pair/ask", { name });
  return Boolean(asked) && letIn(asked, $("seat-code"), $("seat-dice"), $("seat-problem"));
}

async function mine() {
  const { name, colour } = /** @type {{ name: string, colour: number }} */ (start.seat);
  $("mine").hidden = false;
  $("me-name").replaceChildren(chip(colour), " ", h("bdi", {}, name));
  await record();
}

// The games of the player with this name at this table.
async function record() {
  const { name, colour } = /** @type {{ name: string, colour: number }} */ (start.seat),
    told = start.evening ? await asked("/api/evening") : null;
  if (told === undefined) setTimeout(record, AGAIN_MS);
  if (!told) return;
  const games = told.games.filter((game) => game.players.includes(name)),
    over = games.filter((game) => game.over);
  $("record").hidden = false;
  fill($("figures"), games, () => (over.length ? figuresOf(name, over) : h("p", { class: "quiet" }, t("seat.none"))));
  const worn = (game) => chip(game.colours[game.players.indexOf(name)] ?? colour);
  fill($("games"), games, () => games.map((game) => h("li", {}, gameLink(game, worn(game), game.title))));
}

// For each kind of game: how many, how many won, the best score and turn.
function figuresOf(name, games) {
  const kinds = [...new Set(games.map((game) => game.title))],
    won = (game) => game.winners.some((winner) => holds(game, winner, name)),
    best = (those, what) => Math.max(...those.map((game) => game.bests[name]?.[what] ?? 0));
  const rows = kinds.map((title) => {
    const those = games.filter((game) => game.title === title);
    return [title, those.length, those.filter(won).length, best(those, "score"), best(those, "turn")];
  });
  return tableOf(
    t("seat.record"),
    t("seat.game"),
    ["games", "won", "score", "turn"].map((key) => t(`figure.${key}`)),
    rows.map(([title, ...counts]) => [title, ...counts.map(number)]),
  );
}
