// The evening's tournament: what is next and how it stands; the host begins it, notes who left, and ends it.
import { $, fill, follow, h, post, start, t, table } from "../shared/core.js";
import { gameName } from "../shared/facts.js";
import { button, dialog, select } from "../shared/elements.js";
import { guard } from "../shared/guard.js";
import { seats } from "../shared/seat.js";
import { nextWords } from "../shared/sides.js";
import { matches, standings, startMatch } from "../shared/tournament.js";

export function tournament() {
  follow((snapshot) => {
    const on = snapshot.tournament, playing = snapshot.state && !snapshot.state.over && !snapshot.abandoned;
    $("tournament-box").hidden = !on && !table.owner;
    fill($("tournament"), [on, Boolean(playing), table.owner], () => (on ? shown(on, playing) : [beginButton()]));
  });
  guard($("tournament"));
}

function shown(on, playing) {
  const list = h("ul", { class: "matches" });
  matches(list, on);
  const begin = async () => { if (await startMatch()) location.assign("/control"); };
  return [
    h("p", { class: "next-match", role: "status" }, nextWords(on)),
    h("p", { class: "quiet" }, `${t(`tournament.${on.form}`)}, ${start.titles[on.game]}`),
    on.next && table.paired && !playing
      ? button(t("tournament.start"), begin, { class: "main", "data-key": "match" })
      : null,
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": t("tournament.title") },
      standings(on),
    ),
    list,
    h("p", { class: "quiet" }, t(`tournament.ties_${on.form}`)),
    table.owner ? hosting(on) : null,
  ];
}

function hosting(on) {
  const number = () => table.snapshot.number,
    act = (path, body) => post(path, { number: number(), ...body });
  const name = (player) => {
    const left = on.left.includes(player);
    return button(
      t(left ? "tournament.back" : "tournament.leaves", { name: player }),
      () => act("/api/tournament/left", { player, left: !left }),
      { "data-key": `left-${player}` },
    );
  };
  return h(
    "details",
    { class: "fold", open: $("tournament").querySelector("details")?.open }, // as it was: two may leave
    h("summary", {}, t("tournament.host")),
    h(
      "div",
      { class: "choices" },
      on.over ? beginButton() : on.players.map(name),
      button(t("tournament.end"), () => act("/api/tournament/end", {}), { class: "danger", "data-key": "end" }),
    ),
  );
}

const beginButton = () => button(t("tournament.begin"), begin, { "data-key": "begin" });

const HANDICAP = /\s*\+\s*(\d+)$/;

function begin() {
  const { header, sitting } = table.snapshot;
  const names = h("textarea", { id: "cup-names", rows: 6, autocomplete: "off", spellcheck: "false" }),
    kind = select({ id: "cup-game", onchange: () => rules() }, Object.entries(start.titles), header?.game),
    form = select({ id: "cup-form" }, ["knockout", "round_robin"].map((each) => [each, t(`tournament.${each}`)])),
    by = h("small", { class: "quiet" });
  const rulesOf = () => (header?.game === kind.value ? header.rules ?? {} : {}),
    rules = () => {
      by.textContent = Object.keys(rulesOf()).length
        ? t("tournament.rules_same", { game: gameName(table.snapshot) })
        : t("tournament.rules_usual");
    };
  const lines = () => names.value.split(/[\n,]/).map((each) => each.trim()).filter(Boolean);
  const lots = () => {
    const drawn = lines();
    for (let at = drawn.length - 1; at > 0; at -= 1) {
      const other = Math.floor(Math.random() * (at + 1));
      [drawn[at], drawn[other]] = [drawn[other], drawn[at]];
    }
    names.value = drawn.join("\n");
  };
  const go = async () => {
    const handicaps = Object.fromEntries(
      lines().filter((each) => HANDICAP.test(each))
        .map((each) => [each.replace(HANDICAP, ""), Number(HANDICAP.exec(each)?.[1])]),
    );
    const players = lines().map((each) => each.replace(HANDICAP, ""));
    const body = { form: form.value, game: kind.value, players, rules: rulesOf(), handicaps };
    if (await post("/api/tournament", { number: table.snapshot.number, ...body })) box.close();
  };
  const box = dialog(
    t("tournament.begin"),
    h("label", { for: "cup-names" }, t("tournament.names")),
    names,
    button(t("tournament.lots"), lots, { "data-key": "lots" }),
    h("label", { for: "cup-game" }, t("new.game")),
    kind,
    by,
    h("label", { for: "cup-form" }, t("tournament.form")),
    form,
    button(t("tournament.do"), go, { class: "main" }),
  );
  rules();
  seats().then((here) => {
    const known = [...new Set([...here.map((each) => each.name), ...Object.keys(sitting.colours ?? {})])];
    if (!names.value) names.value = known.join("\n");
  });
}
