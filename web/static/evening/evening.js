// The evening: who has lost how many games, past games move by move with their photos, and figures drawn as SVG.
import { $, fill, follow, goLive, h, isolate, number, ready, s, t } from "../shared/core.js";
import { dice } from "../shared/dice.js";
import { menu } from "../shared/menu.js";
import { raceOf } from "../shared/race.js";
import { share } from "./share.js";
import { lineWords, listed } from "../shared/sides.js";
import { standings } from "./standings.js";
import { asked, chart, gaveAway, storyOf } from "../scoreboard/story.js";
import { inWords, track } from "../scoreboard/track.js";

await ready;
menu();
let shown = null;
await load().catch(() => {}); // drawn whole before it is shown
goLive();
follow((snapshot, before) => {
  if (
    before &&
    (before.state?.over !== snapshot.state?.over ||
      before.game !== snapshot.game ||
      before.sitting.games !== snapshot.sitting.games)
  )
    load();
});

async function load() {
  const { games, sitting } = await (await fetch("/api/evening", { cache: "no-store" })).json();
  const won = sitting.games_won ?? {};
  const lost = Object.entries(sitting.games_lost).sort((a, b) => (won[b[0]] ?? 0) - (won[a[0]] ?? 0) || a[1] - b[1]);
  fill($("sitting"), lost, () =>
    lost.length
      ? h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, t("evening.player")),
              h("th", { scope: "col", class: "n" }, t("figure.won")),
              h("th", { scope: "col", class: "n" }, t("evening.lost")),
            ),
          ),
          h(
            "tbody",
            {},
            lost.map(([name, count]) =>
              h(
                "tr",
                {},
                h("td", {}, name),
                h("td", { class: "n" }, number(Math.round((won[name] ?? 0) * 100) / 100)),
                h("td", { class: "n" }, number(count)),
              ),
            ),
          ),
        )
      : h("p", { class: "quiet" }, t("evening.none")),
  );
  fill($("games"), games, () => games.map(card));
  fill($("standings"), games, () => standings(games));
  if (shown === null && games.length) await open(games[0]);
  const { players } = await (await fetch("/api/evening/players", { cache: "no-store" })).json();
  $("players-box").hidden = !Object.keys(players).length;
  fill($("players"), players, () => figures(players, t("evening.everyone"), true));
}

function how(game) {
  return [when(game.started), game.over ? t("evening.won", { names: listed(game.winners) }) : t("evening.going")]
    .filter(Boolean)
    .join(" · ");
}

function card(game) {
  return h(
    "li",
    {},
    h(
      "span",
      {},
      h("b", {}, game.over ? t("evening.won", { names: listed(game.winners) }) : t("evening.going")),
      h("br"),
      t("evening.game", { title: game.title, players: listed(game.players) }),
      h("br"),
      h("small", { class: "quiet" }, when(game.started)),
    ),
    h("button", { type: "button", "data-key": `g${game.id}`, onclick: () => open(game) }, t("evening.open")),
  );
}

// The table's clock may have been wrong (no network), so the day is told as it was noted.
function when(started) {
  const at = new Date(started);
  return started && !Number.isNaN(at.getTime())
    ? at.toLocaleString(document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang, {
        dateStyle: "medium",
        timeStyle: "short",
      })
    : "";
}

async function open(game) {
  shown = game.id;
  const response = await fetch(`/api/evening/${game.id}`, { cache: "no-store" });
  if (!response.ok) return;
  const { moves, players } = await response.json(), { all, race } = moves.length ? courseOf(game, moves) : {};
  const box = $("game");
  box.hidden = false;
  box.replaceChildren(
    h("h2", {}, t("evening.game", { title: game.title, players: listed(game.players) })),
    ...(moves.length
      ? [
          h("h3", {}, t("evening.scores")),
          raceOf(all, race),
          h("h3", {}, t("evening.replay")),
          replay(game, moves, all),
          h("h3", {}, t("evening.figures")),
          figures(players, t("evening.figures"), false),
        ]
      : []),
    h(
      "p",
      { class: "row" },
      moves.length
        ? h(
            "button",
            { type: "button", "data-key": "share", onclick: () => share(game.title, how(game), all, race) },
            t("canShare" in navigator ? "share.do" : "share.save"),
          )
        : null,
      h("a", { class: "button", href: `/api/evening/${game.id}.jsonl`, download: true }, t("evening.transcript")),
    ),
  );
}

// The sides of a past game as it ended, in the colours that they wore, and every change of a score.
function courseOf(game, moves) {
  // Teams have keys of their own; of players' an object would put "2" before "Ann".
  const last = moves.at(-1).state.scores,
    names = game.players.every((name) => Object.hasOwn(last, name)) ? game.players : Object.keys(last);
  const all = names.map((name, seat) => ({ name, seat, colour: game.colours[seat], score: last[name] }));
  const race = moves.flatMap((move, at) =>
    all
      .filter(({ name }) => move.state.scores[name] !== (at ? moves[at - 1].state.scores[name] : 0))
      .map(({ name, seat }) => [seat, move.state.scores[name]]),
  );
  return { all, race };
}

function replay(game, moves, all) {
  const wood = h("div", { class: "wood" }),
    pegs = track(wood, moves[0].track.holes, moves[0].track.points_per_hole);
  let at = moves.length - 1,
    luck = null;
  const words = h("p", { "aria-live": "polite" }),
    lying = h("div", { class: "felt" }),
    photo = h("img", { class: "photo", alt: t("evening.photo"), hidden: true });
  const mark = h("p", { class: "mark" }),
    why = h("div", { class: "stack" }),
    fold = h("details", { class: "fold", hidden: !game.over }, h("summary", {}, t("story.open")), why);
  // Nothing is worked out before somebody looks for it.
  const weigh = async () => {
    if (luck || !game.over) return;
    const [told, run] = await Promise.all(["luck", "chances"].map((what) => asked(`/api/evening/${game.id}/${what}`)));
    if (!told) return;
    luck = told;
    why.replaceChildren(...[...storyOf(luck), chart(all, run)].filter((part) => part !== null));
    show();
  };
  fold.addEventListener("toggle", weigh);
  const slider = h("input", {
    type: "range",
    min: 0,
    max: moves.length - 1,
    value: at,
    "aria-label": t("evening.replay"),
  });
  const go = (to) => {
    at = Math.max(0, Math.min(moves.length - 1, to));
    slider.value = String(at);
    show();
    weigh();
  };
  const show = () => {
    const move = moves[at],
      state = move.state,
      who = at && move.line.leave === undefined ? moves[at - 1].state.player : null;
    const scores = Object.entries(state.scores).map(([name, value]) => `${isolate(name)} ${number(value)}`);
    const place = t("evening.move", { at: at + 1, of: moves.length });
    words.textContent = `${place}: ${who ? `${isolate(who)} – ` : ""}${lineWords(move.line)} · ${scores.join(", ")}`;
    // The header is line 1; a throw is no decision but where it was chosen.
    const cost = luck?.moves.find((each) => each.line === at + 2), decided = cost && (cost.best || !cost.action.throw);
    mark.textContent = !decided ? "" : cost.best ? gaveAway(cost, luck.goal) : t("story.well");
    mark.classList.toggle("dear", Boolean(cost?.best));
    fill(lying, [move.line.throw, state.dice], () =>
      (move.line.throw ?? state.dice) ? dice(move.line.throw ?? state.dice) : [],
    );
    const stand = all.map((side) => ({
      ...side,
      back: 0,
      ...move.track.pegs[side.seat],
      ahead: move.track.pegs[side.seat].provisional,
      on: false,
    }));
    pegs(stand, inWords(stand));
    photo.hidden = move.throw === null || move.throw === undefined;
    if (!photo.hidden) photo.src = `/api/throws/${move.throw}.jpg`;
  };
  photo.addEventListener("error", () => { photo.hidden = true; });
  slider.addEventListener("input", () => go(Number(slider.value)));
  show();
  return h(
    "div",
    { class: "stack" },
    h(
      "div",
      { class: "replay" },
      h("button", { type: "button", onclick: () => go(at - 1) }, t("evening.back")),
      slider,
      h("button", { type: "button", onclick: () => go(at + 1) }, t("evening.forth")),
    ),
    wood,
    words,
    mark,
    lying,
    photo,
    fold,
  );
}

// What turns brought and what dice showed, a row and a plot a player.
function figures(players, label, whole) {
  const names = Object.keys(players);
  const mean = (each) => (each.scoring ? number((each.points / each.scoring).toFixed(1)) : "–");
  const share = (each) =>
    each.turns ? t("evening.percent", { percent: number(Math.round((100 * each.scoring) / each.turns)) }) : "–";
  const columns = /** @type {[key: string, told: (each: any) => string][]} */ ([
    ...(whole
      ? [
          ["games", (each) => number(each.games)],
          ["won", (each) => number(each.won)],
          ["lost", (each) => number(each.lost)],
        ]
      : []),
    ["throws", (each) => number(each.throws)],
    ...(whole
      ? []
      : [
          ["scoring", share],
          ["brought", mean],
        ]),
  ]);
  return h(
    "div",
    { class: "stack" },
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, t("evening.player")),
            columns.map(([key]) => h("th", { scope: "col", class: "n" }, t(`figure.${key}`))),
          ),
        ),
        h(
          "tbody",
          {},
          names.map((name) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, name),
              columns.map(([, told]) => h("td", { class: "n" }, told(players[name]))),
            ),
          ),
        ),
      ),
    ),
    h("h3", {}, t("evening.faces")),
    h(
      "div",
      { class: "plots" },
      names
        .filter((name) => players[name].throws)
        .map((name) => h("figure", {}, h("figcaption", {}, name), bars(players[name].faces))),
    ),
  );
}

function bars(faces) {
  const most = Math.max(1, ...faces);
  return s(
    "svg",
    {
      class: "plot",
      viewBox: "0 0 360 128",
      role: "img",
      "aria-label": t("evening.faces_label", { counts: faces.map((count, at) => `${at + 1}: ${count}`).join(", ") }),
    },
    faces
      .map((count, at) => [
        s("rect", {
          class: "bar",
          x: 12 + at * 58,
          y: 96 - (count / most) * 66,
          width: 42,
          height: (count / most) * 66,
          rx: 4,
        }),
        s("text", { x: 33 + at * 58, y: 120, "text-anchor": "middle" }, `${at + 1}`),
        s("text", { x: 33 + at * 58, y: 90 - (count / most) * 66, "text-anchor": "middle" }, String(count)),
      ])
      .flat(),
  );
}
