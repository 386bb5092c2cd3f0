// Sounds and spoken call-outs of this phone: off until asked for. A correction silences what it made untrue.
import { follow, settings } from "./core.js";
import { can, eventWords } from "./sides.js";

const NOTES = { throw: [330], banked: [523, 659, 784], wipe_out: [220, 165], fuchle: [196, 147, 98], rollover: [440, 554, 659],
  over: [523, 659, 784, 1047], bomb: [110, 82], bump: [262, 196] };
let audio = null;

export function voice() {
  addEventListener("pointerdown", () => { audio ??= settings.get("voice") === "off" || !window.AudioContext ? null : new AudioContext(); });
  follow((snapshot, before, news) => {
    if (settings.get("voice") === "spoken" && awaited(snapshot) && !awaited(before)) speak(can(snapshot));
    if (!news || settings.get("voice", "off") === "off") return;
    if (news.takenBack) globalThis.speechSynthesis?.cancel();
    if (settings.get("voice") === "spoken") speak(news.events.map(eventWords).join(". "));
    else for (const moment of new Set(news.events.map((event) => event.moment))) chime(NOTES[moment] ?? []);
  });
}

// Somebody is to throw for the house.
const awaited = (snapshot) => snapshot?.notice?.code.startsWith("house_awaits");

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
