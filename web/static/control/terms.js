// What is agreed on a game besides its rules: whether the house plays, whether it is serious, which dice are thrown.
import { h, start, t } from "../shared/core.js";

export const HOUSE = start.house ?? "House";
const LEVELS = ["careless", "steady", "best"];

/**
 * Draw the form, filled in with `last`; `knows` are the names of dice to offer.
 *
 * `seats` adds the house to the players, or takes it away.
 */
export function termsForm(last, seats) {
  const level = h(
    "select",
    { id: "new-house" },
    h("option", { value: "" }, t("new.house_none")),
    LEVELS.map((each) => h("option", { value: each, selected: last.house?.level === each }, t(`level.${each}`))),
  );
  const serious = h("input", { type: "checkbox", id: "new-serious", checked: last.serious });
  const chances = h("input", { type: "checkbox", id: "new-chances", checked: last.chances });
  const lessons = h("input", { type: "checkbox", id: "new-lessons", checked: last.lessons });
  lessons.addEventListener("change", () => { lessons.dataset.chosen = "yes"; });
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
  level.addEventListener("change", () => seats(level.value !== ""));
  const told = () => ({
    ...(level.value ? { house: { player: HOUSE, level: level.value } } : {}),
    ...(serious.checked ? { serious: true } : {}),
    ...(chances.checked ? { chances: true } : {}),
    ...(lessons.checked ? { lessons: true } : {}),
    ...(dice.value.trim() ? { dice: dice.value.trim() } : {}),
  });
  const house = h("div", { class: "stack" }, h("label", { for: "new-house" }, t("new.house")), level);
  const explained = h(
    "label",
    { class: "tick" },
    lessons,
    h("span", {}, h("b", {}, t("new.lessons")), h("br"), h("small", {}, t("new.lessons_means"))),
  );
  // A game that nobody here has finished yet is explained, unless somebody has chosen.
  const isNew = (first) => { if (!lessons.dataset.chosen) lessons.checked = first; };
  const more = [
    h(
      "label",
      { class: "tick" },
      serious,
      h("span", {}, h("b", {}, t("new.serious")), h("br"), h("small", {}, t("new.serious_means"))),
    ),
    h(
      "label",
      { class: "tick" },
      chances,
      h("span", {}, h("b", {}, t("new.chances")), h("br"), h("small", {}, t("new.chances_means"))),
    ),
    h("label", { for: "new-dice" }, t("new.dice")),
    dice,
    list,
  ];
  return { house, explained, isNew, more, told, knows, plays: () => level.value !== "" };
}
