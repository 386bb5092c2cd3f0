// Setting up a game: who plays, what, by which house rules. Names are remembered by the table, and on this phone.
import { asked, fill, h, has, own, post, settings, start, t, table, text } from "../shared/core.js";
import { chip, die } from "../shared/dice.js";
import { gameName, leadWords } from "../shared/facts.js";
import { button, dialog, fold, select, tick } from "../shared/elements.js";
import { seats } from "../shared/seat.js";
import { gameOf } from "../shared/sides.js";
import { HOUSE, termsForm } from "./terms.js";

export function newGame(games) {
  const go = async () => { if (await form.begin()) box.close(); },
    begin = button(t("new.begin"), go, { class: "main" }),
    form = gameForm(games, begin),
    box = dialog(t("control.new_game"), form.parts, begin);
}

/** What a set-up asks, as elements, and what begins the game: the snapshot, or null after telling why not. */
export function gameForm(games, beginButton) {
  const last = lastGame();
  // The house may have been renamed since.
  const players = (last.players ?? ["", ""]).map((name) => (name === last.terms?.house?.player ? HOUSE : name));
  const names = /** @type {string[] & { drawn?: number, placeholders: Set<string> }} */ (
    Object.assign(players, { placeholders: new Set(players.filter((name) => name !== HOUSE)) })), wished = new Map();
  const terms = termsForm(last.terms ?? {}, (plays) => { seatHouse(names, plays); show(); });
  let known = remembered();
  let game = games.find((each) => each.game === last.game) ?? games[0];
  let rules = { ...(last.game === game.game ? last.rules : {}) };

  const before = h("div", { class: "row names" }),
    who = h("div", { class: "stack" }),
    what = h("div", { class: "stack" });
  let finished = null;
  const choose = (each) => {
    game = each;
    rules = {};
    firstTime();
    show();
  };
  const cards = games.map((each, at) => gameCard(each, at, each === game, () => choose(each))),
    choice = h("fieldset", { class: "cards" }, h("legend", {}, t("new.game")), cards);

  const firstTime = () => { if (finished) terms.isNew(!finished.has(game.game)); };
  const show = () => {
    fill(before, [known, names], () => knownNames(known, names, game, show));
    fill(who, [names.length, game.game, names.drawn], () =>
      [
        names.map((name, seat) => seatRow({ names, wished, seat, game, show, house: terms.plays() && name === HOUSE })),
        game.max_players && names.length >= game.max_players
          ? null
          : button(t("new.add"), () => { names.push(""); show(); }, { "data-key": "add" }),
        h("small", { class: "quiet" }, t("new.several")),
      ].flat(),
    );
    fill(what, [game.game, rules], () => [
      presets(game, (chosen) => { rules = chosen; show(); }),
      ...game.switches.map((each) => switchRow(each, rules)),
    ]);
  };
  const begin = async () => {
    const players = names.map((name) => name.trim()).filter(Boolean);
    const header = { transcript: 1, game: game.game, players, rules: differing(game, rules), terms: terms.told() };
    const colours = Object.fromEntries(
      players.filter((name) => wished.has(name)).map((name) => [name, wished.get(name)]),
    );
    settings.set("last-game", JSON.stringify(header));
    settings.set("names", JSON.stringify([...new Set([...players, ...known])].slice(0, 30)));
    const rolled = first.value === "roll" ? { roll_off: true } : {};
    return post("/api/games", { ...header, number: table.snapshot.number, colours, ...rolled });
  };
  // Says which game would end before it does; another phone may have begun one since this was opened.
  const ends = h("p", { class: "notice", hidden: true });
  let named = null;
  const warn = () => {
    const { state, abandoned } = table.snapshot,
      game = gameOf(table.snapshot);
    if (named === game || !state || state.over || abandoned) return false;
    named = game;
    ends.hidden = false;
    text(ends, t("new.ends", { game: gameName(table.snapshot), lead: leadWords(table.snapshot) }));
    text(beginButton, t("new.end_and_begin"));
    return true;
  };
  const first = select({ id: "new-first" }, [["seat", t("new.first_seat")], ["roll", t("new.roll_off")]]);
  const parts = [
    ends,
    choice,
    h("fieldset", { class: "stack" }, h("legend", {}, t("new.players")), who, before, terms.house),
    terms.explained,
    h("label", { for: "new-first" }, t("new.first")),
    first,
    fold(t("new.rules"), what),
    fold(t("new.terms"), h("div", { class: "stack" }, terms.more)),
  ];
  warn();
  show();
  // Who sat down with a phone plays, with that peg, unless somebody has begun to type other names.
  const before_seats = JSON.stringify(names);
  seats().then((here) => {
    if (!here.length || JSON.stringify(names) !== before_seats) return;
    const most = game.max_players ?? here.length;
    names.splice(0, names.length, ...here.slice(0, most).map((each) => each.name));
    names.placeholders.clear();
    while (names.length < game.min_players) names.push("");
    if (terms.plays()) seatHouse(names, true);
    for (const each of here) wished.set(each.name, each.colour);
    names.drawn = (names.drawn ?? 0) + 1;
    show();
  });
  earlier().then((games) => {
    known = [...new Set([...known, ...games.flatMap((each) => each.players)])];
    if (start.evening) finished = new Set(games.filter((each) => each.over).map((each) => each.game));
    firstTime();
    terms.knows([...new Set(games.map((each) => each.dice).filter(Boolean))]);
    show();
  });
  let begun = null; // a second tap begins no second game
  const once = async () => {
    if (warn()) { ends.scrollIntoView({ block: "nearest" }); return null; }
    const told = await (begun ??= begin());
    if (!told) begun = null;
    return told;
  };
  return { parts, begin: once };
}

// What a game is, before it is chosen: its name, its players, a sentence about it, a few dice as its picture.
function gameCard(each, at, checked, choose) {
  const { min_players: least, max_players: most } = each,
    players = most ? t("new.players_range", { least, most }) : t("new.players_from", { least });
  return h(
    "label",
    { class: "card" },
    h("input", { type: "radio", name: "new-game", value: each.game, checked, onchange: choose }),
    h("span", { class: "card-dice" }, [0, 1, 2].map((place) => die(1 + ((2 * at + 3 * place) % 6)))),
    h("b", {}, each.title),
    h("small", {}, players),
    h("small", { lang: has(`pitch.${each.game}`) ? null : "en" }, t(`pitch.${each.game}`, {}, each.pitch)),
  );
}

// The game on the table; on a table without one that which this phone began last.
function lastGame() {
  const { header, terms } = table.snapshot;
  return header ? { ...header, terms } : JSON.parse(settings.get("last-game", "null")) ?? {};
}

function seatHouse(names, plays) {
  const at = names.indexOf(HOUSE), free = names.findIndex((name) => !name.trim());
  if (!plays && at >= 0) names[at] = "";
  if (plays && at < 0) names.splice(free < 0 ? names.length : free, free < 0 ? 0 : 1, HOUSE);
  names.drawn = (names.drawn ?? 0) + 1;
}

// A tap seats someone who has played here before.
const MOST_NAMES = 10;

function knownNames(known, names, game, show) {
  const away = known.filter((name) => !names.some((seated) => seated.trim() === name)).slice(0, MOST_NAMES);
  const sit = (name) => () => {
    const free = names.findIndex((seated) => !seated.trim());
    if (free < 0 && game.max_players && names.length >= game.max_players) return;
    if (free < 0) names.push(name); else names[free] = name;
    names.placeholders.delete(name);
    names.drawn = (names.drawn ?? 0) + 1;
    show();
  };
  return away.length
    ? [
        h("span", { class: "quiet" }, t("new.known")),
        away.map((name) =>
          button(h("bdi", {}, name), sit(name), { "data-key": `known-${name}` }),
        ),
      ].flat()
    : null;
}

// The games in the table's journal, the latest first.
const earlier = async () => (start.evening && (await asked("/api/evening"))?.games) || [];

// As the table will give them out: the colour chosen here, else that worn in this sitting, else the first that is free.
const COLOURS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
function coloursOf(names, wished) {
  const chosen = new Set(names.map((name) => wished.get(name.trim())));
  const worn = (name) => {
    const colour = own(table.snapshot.sitting?.colours, name);
    return chosen.has(colour) ? undefined : colour;
  };
  const known = names.map((name) => wished.get(name.trim()) ?? worn(name.trim())),
    taken = new Set(known);
  return known.map((colour) => {
    if (colour !== undefined) return colour;
    const free = COLOURS.find((each) => !taken.has(each)) ?? 0;
    taken.add(free);
    return free;
  });
}

// "Zoe, Max" are two names: the second takes the next seat, or a new one before a seat that somebody has filled. Names
// that stood there from the start, of the settings or of the last game, are placeholders.
const LONGEST = 24;
function seatEach(names, seat) {
  const typed = names[seat].split(",").map((name) => name.trim().slice(0, LONGEST)).filter(Boolean);
  const after = names.slice(seat + 1),
    filled = after.findIndex((name) => name.trim() && !names.placeholders.has(name)),
    free = filled < 0 ? after.length : filled;
  for (const name of typed) names.placeholders.delete(name); // a typed name may be that of a placeholder
  if (!typed.length || typed[0] === names[seat]) return;
  names.splice(seat, Math.min(typed.length, 1 + free), ...typed); // the game refuses too many when it begins
  names.drawn = (names.drawn ?? 0) + 1;
}

function seatRow({ names, wished, seat, game, show, house }) {
  const name = names[seat],
    field = h("input", {
      value: name,
      readonly: house,
      maxlength: 5 * LONGEST,
      autocomplete: "off",
      "data-key": `seat-${seat}`,
      "aria-label": t("new.seat", { seat: seat + 1 }),
    });
  // A tap goes on to the next colour that nobody here has.
  const recolour = () => {
    const all = coloursOf(names, wished),
      next = COLOURS.map((step) => (all[seat] + 1 + step) % COLOURS.length).find((colour) => !all.includes(colour));
    if (next === undefined || !names[seat].trim()) return;
    wished.set(names[seat].trim(), next);
    names.drawn = (names.drawn ?? 0) + 1;
    show();
  };
  const colour = () =>
    button(chip(coloursOf(names, wished)[seat]), recolour, {
      class: "plain",
      "data-key": `colour-${seat}`,
      "aria-label": t("new.colour", { seat: seat + 1 }),
    });
  field.addEventListener("input", () => {
    names[seat] = field.value;
    row.firstElementChild?.replaceWith(colour());
    show(); // the names that may still be tapped: drawn later they would move under the tap that leaves the field
  });
  field.addEventListener("change", () => {
    seatEach(names, seat);
    show();
  });
  const leave = () => { names.splice(seat, 1); show(); },
    away = button("✕", leave, { "data-key": `away-${seat}`, "aria-label": t("new.remove", { seat: seat + 1 }) });
  const row = h("div", { class: "seat" }, colour(), field, names.length > game.min_players && !house && away);
  return row;
}

function presets(game, choose) {
  const entries = Object.entries(game.presets);
  if (!entries.length) return null;
  return h(
    "div",
    { class: "row" },
    entries.map(([name, values]) =>
      button(t(`preset.${name}`, {}, name), () => choose({ ...values }), { "data-key": name }),
    ),
  );
}

function switchRow(each, rules) {
  const value = rules[each.key] ?? each.default,
    title = t(`house_rule.${each.key}`, {}, each.title),
    meaning = t(`house_rule.${each.key}.means`, {}, each.meaning),
    field = (how, chosen) =>
      h("input", { ...how, "data-key": each.key, onchange: ({ target }) => { rules[each.key] = chosen(target); } });
  if (typeof each.default === "boolean")
    return tick(field({ type: "checkbox", checked: value }, (box) => box.checked), title, meaning);
  return h(
    "label",
    { class: "stack" },
    h("span", {}, h("b", {}, title), h("br"), h("small", {}, meaning)),
    field({ type: "number", inputmode: "numeric", min: each.minimum, value }, (input) => Number(input.value)),
  );
}

const differing = (game, rules) =>
  Object.fromEntries(
    game.switches
      .filter((each) => rules[each.key] !== undefined && rules[each.key] !== each.default)
      .map((each) => [each.key, rules[each.key]]),
  );
const remembered = () => {
  try {
    return JSON.parse(settings.get("names", "[]"));
  } catch {
    return [];
  }
};
