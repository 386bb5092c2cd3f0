// Entering a throw by hand: big dice keys, for a table without a camera or a throw that it did not see.
import { dialog, fill, h, play, t } from "../shared/core.js";
import { die } from "../shared/dice.js";

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
  const shown = h("div", { class: "felt keyed", "aria-live": "polite" });
  const faces = [1, 2, 3, 4, 5, 6].map((value) =>
    h(
      "button",
      {
        type: "button",
        "aria-label": t("keys.add", { value }),
        onclick: () => {
          if (values.length < Math.max(...sizes)) values.push(value);
          show();
        },
      },
      die(value, { quiet: true }),
    ),
  );
  const send = h(
    "button",
    {
      type: "button",
      class: "main",
      onclick: async () => {
        send.disabled = true;
        if (await done(values)) box.close();
        else show();
      },
    },
    t("keys.send"),
  );
  const clear = h(
    "button",
    {
      type: "button",
      onclick: () => {
        values = [];
        show();
      },
    },
    t("keys.clear"),
  );
  const show = () => {
    send.disabled = !sizes.includes(values.length);
    fill(shown, values, () =>
      values.length === 0
        ? h("p", {}, t("keys.wanted", { count: sizes.at(-1), sizes: sizes.join(` ${t("or")} `) }))
        : values.map((value, at) =>
            h(
              "button",
              {
                type: "button",
                class: "plain",
                "data-key": `d${at}`,
                "aria-label": t("keys.remove", { value }),
                onclick: () => {
                  values.splice(at, 1);
                  show();
                },
              },
              die(value, { quiet: true }),
            ),
          ),
    );
  };
  const box = dialog(
    title,
    ...(photo ? [photo] : []),
    shown,
    h("div", { class: "faces" }, faces),
    h("div", { class: "row" }, send, clear),
  );
  show();
  return box;
}
