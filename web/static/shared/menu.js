// The menu on top: look, language, and whether this phone speaks.
import { $, cookie, settings } from "./core.js";
import { hosting } from "./hosting.js";
import { loudness, tryout, voice } from "./voice.js";

export function menu() {
  $("look").addEventListener("change", (event) => {
    cookie("look", event.target.value);
    document.documentElement.dataset.look = event.target.value;
  });
  $("language").addEventListener("change", (event) => { cookie("lang", event.target.value); location.reload(); });
  $("voice").value = settings.get("voice", "off");
  $("voice").addEventListener("change", (event) => { settings.set("voice", event.target.value); loud(); tryout(); });
  const loud = () => { $("volume").disabled = $("voice").value === "off"; };
  $("volume").value = loudness();
  $("volume").addEventListener("change", (event) => { settings.set("volume", event.target.value); tryout(); });
  loud();
  $("odds").value = settings.get("odds", "on");
  $("odds").addEventListener("change", (event) => { settings.set("odds", event.target.value); location.reload(); });
  const folded = document.querySelector(".menu");
  document.addEventListener("click", (event) => { if (!folded.contains(event.target)) folded.open = false; });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && folded.open) { folded.open = false; folded.firstElementChild.focus(); }
  });
  voice();
  hosting();
}
