// The control sheet: at most three big buttons for the moment, the rest behind "More".
import { $, dialog, fill, follow, h, number, play, post, start, t, table, text, toast } from "../shared/core.js";
import { die } from "../shared/dice.js";
import { enterThrow } from "./keys.js";
import { phones } from "../shared/hosting.js";
import { newGame } from "./newgame.js";
import { eventWords, housesTurn, sensible, sides } from "../shared/sides.js";

export function sheet() {
  follow((snapshot) => {
    const { game, options, phase, state, abandoned, next_starter, rule_of_thumb, events, panels, notice } = snapshot,
      newest = events.at(-1)?.number;
    fill(
      $("big"),
      [
        game,
        options,
        phase,
        state?.throw_sizes,
        state?.turn_points,
        state?.over,
        abandoned,
        next_starter,
        rule_of_thumb,
        newest,
        notice?.code,
      ],
      () => big(snapshot),
    );
    fill($("pick"), [options, state?.dice, panels.sheet?.offers, panels.keeping, rule_of_thumb], () => pick(snapshot));
    fill(
      $("rest"),
      [
        keysOf($("big")),
        options,
        phase,
        state?.throw_sizes,
        state?.over,
        abandoned,
        game,
        newest,
      ],
      () => rest(snapshot),
    );
  });
}

const button = (key, words, onclick, kind = "") =>
  h("button", { type: "button", class: kind, "data-key": key, onclick }, words);

const MOST_BIG = 3;

function big(snapshot) {
  const state = snapshot.state;
  if (!table.paired && (!state || snapshot.abandoned))
    return [h("a", { class: "button main", href: "/control", "data-key": "pair" }, t("control.open"))];
  if (!state) return [button("new", t("control.new_game"), () => newGame(start.games), "main")];
  if (state.over || snapshot.abandoned) {
    const next = button(
      "next",
      t("control.next_game"),
      () => post("/api/next", { number: table.snapshot.number }),
      "main",
    );
    return table.paired ? [next, button("new", t("control.new_game"), () => newGame(start.games))] : [next];
  }
  const shown = [];
  if (snapshot.phase === "asking")
    shown.push(button("ask", t("control.look"), () => dispatchEvent(new Event("pegpip-ask")), "main"));
  snapshot.options.forEach((line, at) => {
    const words = !housesTurn(snapshot) && bigWords(line, snapshot.option_points[at]);
    if (words)
      shown.push(
        button(
          JSON.stringify(line),
          words,
          () => play(line),
          sensible(snapshot, line) ? "main" : plain(line) && line.do !== "stop" ? "danger" : "",
        ),
      );
  });
  // The camera sees what is thrown: to type it is the way out for a table that is blind.
  if (state.throw_sizes.length && shown.length < MOST_BIG)
    shown.push(
      button(
        "enter",
        t("control.enter"),
        () => enterThrow(table.snapshot),
        snapshot.notice?.code === "ill" ? "main" : "",
      ),
    );
  const picking = !housesTurn(snapshot) && snapshot.options.some((line) => line.do === "score" || line.do === "keep");
  if (shown.length < 2 && !picking) shown.push(undoButton(snapshot, "undo"));
  return shown.slice(0, MOST_BIG);
}

const signed = (points) => `${points < 0 ? "−" : "+"}${number(Math.abs(points))}`;

// A decision that is a word alone.
const plain = (line) => Object.keys(line).length === 1;

function bigWords(line, points) {
  if (line.do === "stop") return t("control.bank", { points: number(points) });
  if (plain(line)) return [t(`control.${line.do}`), points ? h("b", {}, signed(points)) : ""];
  if (line.do === "point") return [t("control.point"), die(line.value), h("b", {}, signed(points))];
  return null;
}

// What would be taken back stands on the button: the newest thing that happened.
function undoButton(snapshot, key) {
  const newest = snapshot.events.at(-1),
    words = newest ? eventWords(newest) : "";
  return button(
    key,
    [h("span", {}, t("control.undo")), words ? h("small", {}, words) : null].filter(Boolean),
    () => undo(words),
    "undo",
  );
}

async function undo(words) {
  if (await play({ undo: 1 })) toast(words ? t("control.undone_what", { words }) : t("control.undone"));
}

// What needs more room than a button: rows of a sheet, dice to keep.
function pick(snapshot) {
  if (housesTurn(snapshot)) return [];
  const rows = snapshot.options.filter((line) => line.do === "score"),
    keeps = snapshot.options.filter((line) => line.do === "keep");
  return [rows.length ? rowPicker(snapshot, rows) : null, keeps.length ? keepPicker(snapshot, keeps) : null];
}

const BEST_ROWS = 3;

function rowPicker(snapshot, rows) {
  const { rows: order, offers } = snapshot.panels.sheet,
    place = (line) => order.indexOf(line.category),
    worth = (line) => offers[place(line)];
  const sorted = [...rows].sort((a, b) => worth(b) - worth(a) || place(a) - place(b));
  const key = (line) =>
    h(
      "button",
      {
        type: "button",
        class: sensible(snapshot, line) ? "main" : "",
        "data-key": line.category,
        onclick: () => play(line),
      },
      `${t(`category.${line.category}`, {}, line.category)} `,
      h("b", {}, number(worth(line))),
    );
  const rest = sorted.slice(BEST_ROWS);
  return h(
    "div",
    { class: "stack", role: "group", "aria-label": t("control.score_in") },
    h("div", { class: "best" }, sorted.slice(0, BEST_ROWS).map(key)),
    rest.length
      ? h(
          "details",
          { class: "fold" },
          h("summary", {}, t("control.other_rows")),
          h("div", { class: "choices" }, rest.map(key)),
        )
      : null,
  );
}

// Tap the dice that stay; the button plays them when the rules allow exactly those.
function keepPicker(snapshot, keeps) {
  const rule = snapshot.rule_of_thumb?.do === "keep" ? snapshot.rule_of_thumb.dice : null;
  const dice = snapshot.panels.dice,
    { word, chosen: first } = snapshot.panels.keeping,
    chosen = new Set(placesOf(rule ?? first, dice));
  const points = new Map(
    keeps.map((line) => [[...line.dice].sort().join(), snapshot.option_points[snapshot.options.indexOf(line)]]),
  );
  const go = h("button", { type: "button", "data-key": "keep", onclick: () => play({ do: "keep", dice: values() }) });
  const values = () => [...chosen].map((at) => dice[at]).sort();
  const show = () => {
    const worth = points.get(values().join());
    go.disabled = worth === undefined;
    go.className = worth !== undefined && sensible(snapshot, { do: "keep", dice: values() }) ? "main" : "";
    go.textContent = [
      t(`control.${word}`, { count: dice.length - chosen.size, values: values().join(", ") || "–" }),
      worth ? `+${number(worth)}` : "",
    ]
      .join(" ")
      .trim();
  };
  const keys = dice.map((value, at) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": String(chosen.has(at)),
        "data-key": `die-${at}`,
        "aria-label": t("control.keep_die", { value }),
        onclick: (event) => {
          if (!chosen.delete(at)) chosen.add(at);
          event.currentTarget.setAttribute("aria-pressed", String(chosen.has(at)));
          show();
        },
      },
      die(value, { quiet: true }),
    ),
  );
  show();
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "quiet" }, t(`control.keep_${word}`)),
    h("div", { class: "faces dice-keys" }, keys),
    go,
  );
}

// Where among the dice those lie that are chosen to begin with.
function placesOf(first, dice) {
  const wanted = [...first];
  return dice.flatMap((value, at) => {
    const found = wanted.indexOf(value);
    if (found < 0) return [];
    wanted.splice(found, 1);
    return [at];
  });
}

const keysOf = (box) => [...box.children].map((each) => each.dataset.key);

function rest(snapshot) {
  const state = snapshot.state, playing = state && !state.over && !snapshot.abandoned;
  const items = [];
  const shown = keysOf($("big"));
  if (playing && state.throw_sizes.length && !shown.includes("enter"))
    items.push(button("enter-2", t("control.enter"), () => enterThrow(table.snapshot)));
  if (!shown.includes("undo")) items.push(undoButton(snapshot, "undo-2"));
  if (snapshot.options.some((line) => line.do === "spend"))
    items.push(button("spend", t("control.spend"), () => spend(table.snapshot)));
  if (!table.paired) return h("div", { class: "choices" }, items);
  items.push(button("new-2", t("control.new_game"), () => newGame(start.games)));
  if (playing) items.push(button("leave", t("control.leave"), () => leave(table.snapshot)));
  if (playing) items.push(button("abandon", t("control.abandon"), abandon, "danger"));
  else if (state && table.owner)
    items.push(
      button("end", t("control.end_sitting"), () => post("/api/evening/end", { number: table.snapshot.number })),
    );
  if (start.voice)
    items.push(
      button("voice", t("control.voice_on"), () => speak(true)),
      button("quiet", t("control.voice_off"), () => speak(false)),
    );
  items.push(button("phones", t("control.phones"), phones));
  return h("div", { class: "choices" }, items);
}

const speak = (on) => post("/api/voice", { on });

function abandon() {
  const sure = dialog(
    t("control.abandon"),
    h("p", {}, t("control.abandon_sure")),
    h(
      "button",
      {
        type: "button",
        class: "danger",
        onclick: async () => {
          sure.close();
          await post("/api/abandon", { number: table.snapshot.number });
        },
      },
      t("control.abandon_do"),
    ),
  );
}

function leave({ header, state }) {
  const there = header.players.filter((name) => !state.left?.includes(name));
  const who = h(
    "select",
    { id: "leave-who" },
    there.map((name) => h("option", { value: name }, name)),
  );
  const sure = dialog(
    t("control.leave"),
    h("p", {}, t("control.leave_sure")),
    h("label", { for: "leave-who" }, t("control.leave_who")),
    who,
    h(
      "button",
      {
        type: "button",
        class: "danger",
        onclick: async () => {
          if (await play({ leave: who.value })) sure.close();
        },
      },
      t("control.leave_do"),
    ),
  );
}

function spend(snapshot) {
  const offers = snapshot.options.filter((line) => line.do === "spend"),
    names = [...new Set(offers.map((line) => line.on))];
  const most = (name) => Math.max(...offers.filter((line) => line.on === name).map((line) => line.points));
  const all = sides(snapshot),
    me = all.find((side) => side.to_play),
    effect = h("p", { role: "status" });
  const on = h(
    "select",
    { id: "spend-on", onchange: () => show() },
    names.map((name) => h("option", { value: name }, name)),
  );
  const points = h("input", {
    id: "spend-points",
    type: "number",
    inputmode: "numeric",
    min: 1,
    max: most(names[0]),
    value: most(names[0]),
    oninput: () => show(),
  });
  const show = () => {
    // what it does stands there before it is done
    points.max = String(most(on.value));
    const loss = Math.max(0, Math.min(Number(points.value), Number(points.max))),
      other = all.find((side) => side.name === on.value);
    text(
      effect,
      [me, other]
        .map((side) =>
          t("control.spend_effect", {
            name: side.name,
            from: number(side.score),
            to: number(Math.max(0, side.score - loss)),
          }),
        )
        .join(" · "),
    );
  };
  show();
  const box = dialog(
    t("control.spend"),
    h("p", {}, t("control.spend_how")),
    h("label", { for: "spend-on" }, t("control.spend_on")),
    on,
    h("label", { for: "spend-points" }, t("control.spend_points")),
    points,
    effect,
    h(
      "button",
      {
        type: "button",
        class: "main",
        onclick: async () => {
          if (await play({ do: "spend", on: on.value, points: Number(points.value) })) box.close();
        },
      },
      t("control.spend_do"),
    ),
  );
}
