// What the house said last, on a player's phone: a quiet line under the track whose place is always there.
import { $, fill, follow, h, start, table } from "../shared/core.js";
import { newestRemark, remarkWords } from "../shared/remarks.js";

/** Show the newest remark of this game until the house says another; none while it keeps quiet. */
export function aside() {
  const line = $("aside");
  const say = (said) =>
    fill(line, said, () => (said ? [h("b", {}, h("bdi", {}, said.by), ": "), remarkWords(said.remark)] : []));
  follow(async ({ state, terms, events }, before, news) => {
    line.hidden = !start.house || !table.paired || !state || terms.serious === true;
    if (line.hidden || news?.takenBack || events.at(-1)?.code === "game_started") say(null);
    if (line.hidden || (before && !news)) return;
    const said = await newestRemark();
    if (said?.remark && said.number === table.snapshot.number) say(said);
  });
}
