// Sounds and spoken call-outs of this phone: off until asked for. A correction silences what it made untrue.
import { follow, settings } from "./core.js";
import { eventWords } from "./sides.js";

const NOTES = { threw: [330], banked: [523, 659, 784], wiped_out: [220, 165], crapped_out: [220, 165], fuchled: [196, 147, 98], rolled_over: [440, 554, 659], hot_dice: [440, 554, 659],
  game_over: [523, 659, 784, 1047], bombed: [110, 82], bumped: [262, 196], entered: [523, 659] };
let audio = null;

export function voice() {
  addEventListener("pointerdown", () => { audio ??= settings.get("voice") === "off" || !window.AudioContext ? null : new AudioContext(); });
  follow((snapshot, before) => {
    if (!before || snapshot.number === before.number || settings.get("voice", "off") === "off") return;
    const fresh = snapshot.events.filter((event) => event.number > before.number);
    if (fresh.some((event) => event.code === "undone" || event.code === "corrected") || snapshot.number < before.number) globalThis.speechSynthesis?.cancel();
    if (settings.get("voice") === "spoken") speak(fresh.map(eventWords).join(". "));
    else for (const event of fresh) chime(NOTES[event.code] ?? []);
  });
}

function speak(words) {
  if (!words || !globalThis.speechSynthesis) return;
  const said = new SpeechSynthesisUtterance(words);
  said.lang = document.documentElement.lang;
  speechSynthesis.speak(said);
}

function chime(notes) {
  if (!audio) return;
  notes.forEach((pitch, at) => {
    const tone = audio.createOscillator(), loud = audio.createGain(), from = audio.currentTime + at * 0.13;
    tone.type = "triangle";
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0.0001, from);
    loud.gain.exponentialRampToValueAtTime(0.18, from + 0.02);
    loud.gain.exponentialRampToValueAtTime(0.0001, from + 0.3);
    tone.connect(loud).connect(audio.destination);
    tone.start(from);
    tone.stop(from + 0.32);
  });
}
