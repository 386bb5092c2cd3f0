// The house speaks: one line on the stage after a decision that cost much or a risk that paid.
import { follow, h, isolate, start, table } from "../shared/core.js";
import { toDo } from "../shared/facts.js";
import { newestRemark, remarkWords } from "../shared/remarks.js";
import { lengthOf } from "../shared/sides.js";

const HELD_MS = 5000;

/** Ask the table at each new line, and have `cry` show what the house says about it. */
export function remarks(cry) {
  if (!start.house) return;
  follow(async (snapshot, before, news) => {
    if (!news || news.takenBack || !news.events.length) return;
    const said = await newestRemark();
    if (said?.remark && said.number === table.snapshot.number && table.snapshot.phase !== "settling")
      cry(drawing(said));
  });
}

function drawing({ remark, by, number: line }) {
  const { who, what } = toDo(table.snapshot);
  const parts = [
    h("p", { class: "whose" }, h("bdi", { class: "named" }, by)),
    h("p", { class: "cried quip" }, remarkWords(remark)),
    who ? h("p", { class: lengthOf(who) ? "next wordy" : "next" }, `${isolate(who)}, ${what}`) : null,
  ].filter(Boolean);
  return Object.assign(parts, { colour: "var(--brass)", held_ms: HELD_MS, number: line });
}
