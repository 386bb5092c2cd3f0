// What the house says about the newest line: asked of the table, and put into words.
import { asked, number, t } from "./core.js";
import { optionWords } from "../scoreboard/advice.js";

/** Return what the table tells: the `number` of its newest line, the `remark` about it or null, and `by` whom. */
export const newestRemark = () => asked("/api/remark");

/** Return a remark in words: "Nerves of oak, Ann. That was worth 9." */
export function remarkWords({ kind, wording, player, points, better }) {
  const args = { player, points: number(points), better: better ? optionWords(better) : "" };
  return t(`remark.${kind}.${wording}`, args);
}
