// A setting as a field. Leaving the field writes the setting; a note says why it was refused, or that it waits for
// a restart.
import { h, number, t, text } from "../shared/core.js";
import { select } from "../shared/elements.js";

/** Fetch the settings: { file, settings }, or { message } with the reason when they can't be had. */
export async function told() {
  const response = await fetch("/api/settings", { cache: "no-store" }).catch(() => null),
    answer = await response?.json().catch(() => null);
  return response?.ok ? answer : { message: answer?.message ?? t("error.network") };
}

/** Make the field of a setting; `kept` is called with the setting once a new value is written. */
export function field(one, kept = () => {}) {
  const id = `${one.section}-${one.key}`,
    input = control(one, id),
    says = h("small", { id: `${id}-says`, role: "status" }, note(one));
  const label = t(`settings.${one.section}.${one.key}`),
    share = isShare(one) && h("output", { for: id }, percent(one.value));
  const pin = one.pin && pinField(`${id}-pin`),
    save = () => write(one, input, says, kept, pin);
  input.addEventListener("change", save);
  if (pin) pin.lastChild.addEventListener("change", save);
  if (share) input.addEventListener("input", () => text(share, percent(input.value)));
  return h(
    "div",
    { class: "setting" },
    one.kind === "switch"
      ? h("label", { class: "tick", for: id }, input, label)
      : [h("label", { for: id }, label, share ? [" ", share] : ""), input],
    pin,
    says,
  );
}

/** Make the hidden field for the PIN, which appears when an electrical limit is changed. */
const pinField = (id) =>
  h(
    "div",
    { hidden: true },
    h("label", { for: id }, t("settings.pin")),
    h("input", { id, type: "text", inputmode: "numeric", autocomplete: "off", maxlength: 6 }),
  );

const isShare = ({ kind, least, most }) => kind === "number" && least === 0 && most === 1;
const percent = (value) => t("settings.percent", { percent: number(Math.round(100 * value)) });

function control(one, id) {
  const { kind, value, choices, least, most, fixed, key } = one,
    common = { id, "aria-describedby": `${id}-says`, disabled: fixed };
  if (kind === "switch") return h("input", { ...common, type: "checkbox", checked: value });
  if (kind === "choice")
    return select(common, choices.map((choice) => [choice, named(key, choice)]), value);
  if (isShare(one)) return h("input", { ...common, type: "range", min: 0, max: 1, step: 0.05, value });
  if (kind === "number") {
    const step = Number.isInteger(value) ? 1 : 0.05;
    return h("input", { ...common, type: "number", value, min: least, max: most, step, inputmode: "decimal" });
  }
  const dir = key === "name" ? "auto" : "ltr",
    plain = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
  return h("input", { ...common, ...plain, type: "text", value, dir });
}

const named = (key, choice) =>
  key !== "language"
    ? t(`${key}.${choice}`, {}, choice)
    : choice
      ? new Intl.DisplayNames([choice], { type: "language" }).of(choice)
      : t("settings.own_language");

function note({ waits, fixed, live, left_out: refused }) {
  if (refused) return refused;
  if (fixed) return t("settings.fixed");
  if (waits) return t("settings.waits");
  return live ? "" : t("settings.later");
}

async function write(one, input, says, kept, pin) {
  const value = one.kind === "switch" ? input.checked : one.kind === "number" ? input.valueAsNumber : input.value;
  const body = JSON.stringify({
    section: one.section,
    key: one.key,
    value: Number.isNaN(value) ? "" : value,
    pin: pin ? pin.lastChild.value : "",
  });
  const response = await fetch("/api/settings", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  }).catch(() => null);
  const answer = await response?.json().catch(() => null),
    good = Boolean(response?.ok);
  input.setAttribute("aria-invalid", String(!good));
  const now = good && answer.settings.find(({ section, key }) => section === one.section && key === one.key);
  text(says, good ? `${t("settings.kept")} ${note(now)}` : answer?.message ?? t("error.network"));
  if (pin) pin.hidden = good || answer?.error !== "pin_needed" && answer?.error !== "wrong_pin";
  if (pin && !pin.hidden) pin.lastChild.focus();
  if (good) kept(now);
}
