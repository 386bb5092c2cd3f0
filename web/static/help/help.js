// The help page: how to join, what works, what the game's words mean.
import { $, asked, fill, goLive, h, ready, repeat, t } from "../shared/core.js";
import { dice } from "../shared/dice.js";
import { menu } from "../shared/menu.js";

const LOOK_MS = 5000;

await ready;
menu();
draw();
await repeat(LOOK_MS, health);
goLive();
unfold();

async function health() {
  const told = await asked("/healthz");
  if (!told) return; // the bar says that the table is gone
  fill($("health"), told, () =>
    Object.entries(told.parts).map(([name, part]) =>
      h(
        "li",
        { class: "health" },
        h("b", {}, part.ok ? "✓ " : "✗ ", t(`part.${name}`, {}, name)),
        h("span", { class: part.ok ? "quiet" : "danger" }, ` ${part.says}`),
      ),
    ),
  );
}

// Who asked "why?" beside a notice comes to the paragraph of the rules that explains it.
function unfold() {
  const [rules, code] = location.hash.slice(1).split("/"), fold = document.getElementById(rules);
  if (!(fold instanceof HTMLDetailsElement)) return;
  fold.open = true;
  const whole = fold.querySelector("details");
  if (whole && code) whole.open = true;
  const why = fold.querySelector(`[data-why~="${CSS.escape(code ?? "")}"]`) ?? whole?.querySelector("p");
  if (code && why instanceof HTMLElement) why.focus();
}

// The dice of the rules in pictures.
function draw() {
  for (const row of document.querySelectorAll("[data-dice]"))
    if (row instanceof HTMLElement && row.dataset.dice) row.append(dice(row.dataset.dice.split(",").map(Number)));
}
