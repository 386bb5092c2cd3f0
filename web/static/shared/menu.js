// The menu on top: look, language, and whether this phone speaks.
import { $, cookie, settings } from "./core.js";
import { closeOnEscape } from "./elements.js";
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
  closeOnEscape(folded);
  voice();
  hosting();
}
