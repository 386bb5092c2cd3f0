// What is agreed on a game besides its rules: whether the house plays, whether it is serious, which dice are thrown.
import { h, start, t } from "../shared/core.js";
import { select, tick } from "../shared/elements.js";

export const HOUSE = start.house ?? "House";
const LEVELS = ["careless", "steady", "best"];

/**
 * Draw the form, filled in with `last`; `knows` are the names of dice to offer.
 *
 * `seats` adds the house to the players, or takes it away.
 */
export function termsForm(last, seats) {
  const levels = [["", t("new.house_none")], ...LEVELS.map((each) => [each, t(`level.${each}`)])],
    level = select({ id: "new-house", onchange: () => seats(level.value !== "") }, levels, last.house?.level);
  const box = (name, more = {}) => h("input", { type: "checkbox", id: `new-${name}`, checked: last[name], ...more }),
    ticked = (name, input) => tick(input, t(`new.${name}`), t(`new.${name}_means`));
  const serious = box("serious"), chances = box("chances"),
    lessons = box("lessons", { onchange: () => { lessons.dataset.chosen = "yes"; } });
  const list = h("datalist", { id: "known-dice" }),
    knows = (names) => list.replaceChildren(...names.map((name) => h("option", { value: name })));
  const dice = h("input", {
    id: "new-dice",
    value: last.dice ?? "",
    maxlength: 24,
    autocomplete: "off",
    list: "known-dice",
    placeholder: t("new.dice_usual"),
  });
  const told = () => ({
    ...(level.value ? { house: { player: HOUSE, level: level.value } } : {}),
    ...(serious.checked ? { serious: true } : {}),
    ...(chances.checked ? { chances: true } : {}),
    ...(lessons.checked ? { lessons: true } : {}),
    ...(dice.value.trim() ? { dice: dice.value.trim() } : {}),
  });
  const house = h("div", { class: "stack" }, h("label", { for: "new-house" }, t("new.house")), level);
  // A game that nobody here has finished yet is explained, unless somebody has chosen.
  const isNew = (first) => { if (!lessons.dataset.chosen) lessons.checked = first; };
  const more = [
    ticked("serious", serious),
    ticked("chances", chances),
    h("label", { for: "new-dice" }, t("new.dice")),
    dice,
    list,
  ];
  return { house, explained: ticked("lessons", lessons), isNew, more, told, knows, plays: () => level.value !== "" };
}
