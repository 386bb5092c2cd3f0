// Instant replay: after a moment that deserves it the throw is shown again in slow motion, until play goes on.
import { $, follow, h, start, t } from "../shared/core.js";

const AFTER_MS = 2000, // the moment itself holds the stage first
  CLIP_MS = 7000; // a little longer than a clip lasts

export function again() {
  if (!start.replay || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const box = $("again");
  let coming = null;
  const leave = () => {
    clearTimeout(coming);
    box.hidden = true;
    box.replaceChildren();
  };
  follow((snapshot, before, news) => {
    if (before && (snapshot.phase === "settling" || news?.takenBack)) leave();
    if (!news?.events.some((event) => event.replayed)) return;
    leave();
    const throw_number = snapshot.throws.at(-1)?.number;
    if (throw_number === undefined) return;
    coming = setTimeout(() => show(box, throw_number, leave), AFTER_MS);
  });
}

// A throw that was entered by hand has no clip: then nothing is shown.
function show(box, throw_number, leave) {
  const clip = h("img", { alt: t("replay.title"), src: `/api/replays/${throw_number}.webp` });
  box.replaceChildren(clip, h("b", {}, t("replay.title")));
  clip.addEventListener("load", () => {
    if (!box.contains(clip)) return; // play has gone on, or the throw was taken back
    box.hidden = false;
    setTimeout(() => { if (box.contains(clip)) leave(); }, CLIP_MS);
  });
}
