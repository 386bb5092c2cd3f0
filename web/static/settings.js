// The settings: each is written when it is left, the reason beside it where it can't be, a word where it waits for a start.
import { $, fill, goLive, h, ready, t, table, text } from "./core.js";
import { menu } from "./menu.js";

await ready;
menu();
goLive();
$("unpaired").hidden = table.paired;
$("tools").hidden = !table.paired;
if (table.paired) load();

async function load() {
  const response = await fetch("/api/settings", { cache: "no-store" }).catch(() => null), told = await response?.json().catch(() => null);
  if (response?.ok) show(told);
  $("ill").hidden = Boolean(response?.ok);
  text($("ill"), response?.ok ? "" : told?.message ?? t("error.network"));
}

function show({ file, settings }) {
  text($("file"), t("settings.file", { file }));
  const sections = [...new Set(settings.map(({ section }) => section))];
  fill($("fields"), settings, () => sections.map((section) => h("fieldset", { class: "stack" }, h("legend", {}, t(`settings.${section}`)), ...settings.filter((one) => one.section === section).map(field))));
}

function field(one) {
  const id = `${one.section}-${one.key}`, input = control(one, id), says = h("small", { id: `${id}-says`, role: "status" }, note(one));
  input.addEventListener("change", () => write(one, input, says));
  const label = t(`settings.${one.section}.${one.key}`);
  return h("div", { class: "setting" }, one.kind === "switch" ? h("label", { class: "tick", for: id }, input, label) : [h("label", { for: id }, label), input], says);
}

function control({ kind, value, choices, least, most, fixed, key }, id) {
  const common = { id, "aria-describedby": `${id}-says`, disabled: fixed };
  if (kind === "switch") return h("input", { ...common, type: "checkbox", checked: value });
  if (kind === "choice") return h("select", common, ...choices.map((choice) => h("option", { value: choice, selected: choice === value }, choice)));
  if (kind === "number") return h("input", { ...common, type: "number", value: String(value), min: least, max: most, step: Number.isInteger(value) && most !== 1 ? 1 : 0.05, inputmode: "decimal" });
  return h("input", { ...common, type: "text", value, autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: key === "name" ? "auto" : "ltr" });
}

function note({ waits, fixed, live }) {
  return fixed ? t("settings.fixed") : waits ? t("settings.waits") : live ? "" : t("settings.later");
}

async function write(one, input, says) {
  const value = one.kind === "switch" ? input.checked : one.kind === "number" ? input.valueAsNumber : input.value;
  const body = JSON.stringify({ section: one.section, key: one.key, value: Number.isNaN(value) ? "" : value });
  const response = await fetch("/api/settings", { method: "POST", headers: { "Content-Type": "application/json" }, body }).catch(() => null);
  const told = await response?.json().catch(() => null), good = Boolean(response?.ok);
  input.setAttribute("aria-invalid", String(!good));
  const now = good && told.settings.find(({ section, key }) => section === one.section && key === one.key);
  text(says, good ? `${t("settings.kept")} ${note(now)}` : told?.message ?? t("error.network"));
}
