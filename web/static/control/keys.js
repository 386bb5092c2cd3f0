// Entering a throw by hand: big dice keys, for a table without a camera or a throw that it did not see.
import { fill, h, play, t } from "../shared/core.js";
import { die, faces } from "../shared/dice.js";
import { button, dialog } from "../shared/elements.js";

export const enterThrow = ({ state, number }) =>
  askDice(t("keys.title"), state.throw_sizes, (values) => play({ throw: values }, number));

/**
 * Ask for the values of a number of dice that is one of `sizes`. A photo stays in view.
 *
 * `done` gets the values; it returns something true when the table accepted them.
 * @param {string} title
 * @param {number[]} sizes
 * @param {(values: number[]) => any} done
 * @param {HTMLElement | null} photo
 */
export function askDice(title, sizes, done, photo = null) {
  let values = [];
  const change = (changed) => { values = changed; show(); };
  const shown = h("div", { class: "felt keyed", "aria-live": "polite" }),
    add = (value) => change([...values, value].slice(0, Math.max(...sizes))),
    clear = button(t("keys.clear"), () => change([]));
  const send = button(t("keys.send"), async () => {
    send.disabled = true;
    if (await done(values)) box.close();
    else show();
  }, { class: "main" });
  const show = () => {
    send.disabled = !sizes.includes(values.length);
    fill(shown, values, () =>
      values.length === 0
        ? h("p", {}, t("keys.wanted", { count: sizes.at(-1), sizes: sizes.join(` ${t("or")} `) }))
        : values.map((value, at) =>
            button(die(value), () => change(values.filter((_, other) => other !== at)), {
              class: "plain",
              "data-key": `d${at}`,
              "aria-label": t("keys.remove", { value }),
            }),
          ),
    );
  };
  const box = dialog(title, photo, shown, faces(add, null, "keys.add"), h("div", { class: "row" }, send, clear));
  show();
  return box;
}
