// The menu on top: look, language, and whether this phone speaks.
import { $, cookie, settings } from "./core.js";
import { hosting } from "./hosting.js";
import { loudness, tryout, voice } from "./voice.js";

export function menu() {
  const look = $("look"), language = $("language"), spoken = $("voice"), volume = $("volume"), odds = $("odds"),
    lessons = $("lessons");
  look.addEventListener("change", () => {
    cookie("look", look.value);
    document.documentElement.dataset.look = look.value;
  });
  language.addEventListener("change", () => { cookie("lang", language.value); location.reload(); });
  const loud = () => { volume.disabled = spoken.value === "off"; };
  spoken.value = settings.get("voice", "off");
  spoken.addEventListener("change", () => { settings.set("voice", spoken.value); loud(); tryout(); });
  volume.value = String(loudness());
  volume.addEventListener("change", () => { settings.set("volume", volume.value); tryout(); });
  loud();
  odds.value = settings.get("odds", "on");
  odds.addEventListener("change", () => { settings.set("odds", odds.value); location.reload(); });
  lessons.value = settings.get("lessons", "auto");
  lessons.addEventListener("change", () => { settings.set("lessons", lessons.value); location.reload(); });
  const folded = /** @type {HTMLDetailsElement} */ (document.querySelector("details.menu"));
  document.addEventListener("click", (event) => { if (!event.composedPath().includes(folded)) folded.open = false; });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !folded.open) return;
    folded.open = false;
    folded.querySelector("summary")?.focus();
  });
  voice();
  hosting();
}
