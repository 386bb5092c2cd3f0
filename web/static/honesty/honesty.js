// Honest dice: how often each face came, what the test makes of it, and what it could have found by now.
import { $, asked, fill, follow, goLive, h, number, ready, s, t, text } from "../shared/core.js";
import { bars } from "../shared/figures.js";
import { menu } from "../shared/menu.js";

await ready;
menu();
let chosen = null;
$("set").addEventListener("change", () => { chosen = $("set").value; load(); });
await load();
goLive();
const thrown = ({ game, throws }) => JSON.stringify([game, throws.map(({ number, values }) => [number, values])]);
follow((snapshot, before) => { if (before && thrown(before) !== thrown(snapshot)) load(); });

async function load() {
  const set = chosen,
    told = await asked(`/api/evening/dice${set === null ? "" : `?set=${encodeURIComponent(set)}`}`);
  if (!told || set !== chosen) return; // another set has been chosen meanwhile
  const counts = Object.values(told.counts);
  $("set-box").hidden = told.sets.length < 2;
  fill($("set"), [told.sets, told.dice], () =>
    told.sets.map((name) => h("option", { value: name, selected: name === told.dice }, name || t("new.dice_usual"))),
  );
  text($("verdict"), told.could_have_found === null ? t("honesty.too_few") : verdict(told));
  text($("power"), power(told));
  fill($("faces"), counts, () => [
    bars(counts, sum(counts) / 6),
    h(
      "p",
      { class: "quiet" },
      t("honesty.count", {
        throws: number(told.throws),
        dice: number(sum(counts)),
        share: number((sum(counts) / 6).toFixed(1)),
      }),
    ),
  ]);
  fill($("course"), told.course, () => [course(told.course, told.enough)]);
}

function sum(counts) { return counts.reduce((all, one) => all + one, 0); }

function verdict({ verdict: found, confusion }) {
  if (found === "uneven" && confusion) return t("honesty.confused", { taken: confusion[0], told: confusion[1] });
  return t(`honesty.${found}`);
}

function power({ could_have_found: chance }) {
  return chance === null ? "" : t("honesty.power", { percent: number((100 * chance).toFixed(1)) });
}

// The evidence on a scale of powers of ten: above the line the dice are uneven.
function course(points, enough) {
  const limit = Math.log10(enough),
    heights = points.map(([, height]) => height),
    top = Math.max(limit * 1.3, ...heights),
    low = Math.min(-1, ...heights),
    most = Math.max(1, points.at(-1)[0]);
  const x = (rolled) => 34 + (rolled / most) * 318,
    y = (height) => 8 + ((top - height) / (top - low)) * 118;
  const line = s("path", {
    d: points
      .map(([rolled, height], at) => `${at ? "L" : "M"}${x(rolled).toFixed(1)} ${y(height).toFixed(1)}`)
      .join(""),
  });
  line.style.stroke = "var(--p0)";
  return s(
    "svg",
    {
      class: "plot",
      viewBox: "0 0 360 148",
      role: "img",
      "aria-label": t("honesty.course_label", {
        now: number((10 ** Math.min(heights.at(-1), 9)).toPrecision(2)),
        enough,
      }),
    },
    s("path", { class: "even", d: `M34 ${y(limit)}H352` }),
    s("text", { x: 0, y: y(limit) + 4 }, String(enough)),
    s("path", { class: "grid", d: `M34 ${y(0)}H352` }),
    s("text", { x: 0, y: y(0) + 4 }, "1"),
    line,
    s("text", { x: 352, y: 143, "text-anchor": "end" }, number(most)),
  );
}
