// The camera's newest picture in the place of the last one, once it is there: no blank between them.
import { $ } from "../shared/core.js";

let coming = null;
/** Shows it in the element #picture; whether there was one. While one is on its way no other is asked for. */
export const preview = () => (coming ??= shown().finally(() => { coming = null; }));

async function shown() {
  const next = new Image();
  next.src = `/api/calibrate.jpg?${Date.now()}`;
  try {
    await next.decode();
  } catch {
    return false; // the next one may come through
  }
  next.id = "picture";
  next.alt = $("picture").alt;
  $("picture").replaceWith(next);
  return true;
}
