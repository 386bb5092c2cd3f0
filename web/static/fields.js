// A setting as a field: written when it is left, the reason beside it where it can't be, a word where it waits for a start.
import { h, number, t, text } from "./core.js";

/** The settings as the table tells them: { file, settings }, or { message } where it can't. */
export async function told() {
  const response = await fetch("/api/settings", { cache: "no-store" }).catch(() => null), answer = await response?.json().catch(() => null);
  return response?.ok ? answer : { message: answer?.message ?? t("error.network") };
}

/** The field of a setting; `kept` is called with its new value once it is written. */
export function field(one, kept = () => {}) {
  const id = `${one.section}-${one.key}`, input = control(one, id), says = h("small", { id: `${id}-says`, role: "status" }, note(one));
  const label = t(`settings.${one.section}.${one.key}`), share = isShare(one) && h("output", { for: id }, percent(one.value));
  input.addEventListener("change", () => write(one, input, says, kept));
  if (share) input.addEventListener("input", () => text(share, percent(input.value)));
  return h("div", { class: "setting" }, one.kind === "switch" ? h("label", { class: "tick", for: id }, input, label) : [h("label", { for: id }, label, share ? [" ", share] : ""), input], says);
}

const isShare = ({ kind, least, most }) => kind === "number" && least === 0 && most === 1;
const percent = (value) => t("settings.percent", { percent: number(Math.round(100 * value)) });

function control(one, id) {
  const { kind, value, choices, least, most, fixed, key } = one, common = { id, "aria-describedby": `${id}-says`, disabled: fixed };
  if (kind === "switch") return h("input", { ...common, type: "checkbox", checked: value });
  if (kind === "choice") return h("select", common, ...choices.map((choice) => h("option", { value: choice, selected: choice === value }, named(key, choice))));
  if (isShare(one)) return h("input", { ...common, type: "range", min: 0, max: 1, step: 0.05, value });
  if (kind === "number") return h("input", { ...common, type: "number", value: String(value), min: least, max: most, step: Number.isInteger(value) ? 1 : 0.05, inputmode: "decimal" });
  return h("input", { ...common, type: "text", value, autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: key === "name" ? "auto" : "ltr" });
}

const named = (key, choice) => (key !== "language" ? choice : choice ? new Intl.DisplayNames([choice], { type: "language" }).of(choice) : t("settings.own_language"));

function note({ waits, fixed, live }) {
  return fixed ? t("settings.fixed") : waits ? t("settings.waits") : live ? "" : t("settings.later");
}

async function write(one, input, says, kept) {
  const value = one.kind === "switch" ? input.checked : one.kind === "number" ? input.valueAsNumber : input.value;
  const body = JSON.stringify({ section: one.section, key: one.key, value: Number.isNaN(value) ? "" : value });
  const response = await fetch("/api/settings", { method: "POST", headers: { "Content-Type": "application/json" }, body }).catch(() => null);
  const answer = await response?.json().catch(() => null), good = Boolean(response?.ok);
  input.setAttribute("aria-invalid", String(!good));
  const now = good && answer.settings.find(({ section, key }) => section === one.section && key === one.key);
  text(says, good ? `${t("settings.kept")} ${note(now)}` : answer?.message ?? t("error.network"));
  if (good) kept(now);
}
