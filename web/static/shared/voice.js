// Sounds and spoken call-outs of this phone: off until asked for. A correction silences what it made untrue.
import { follow, settings } from "./core.js";
import { can, eventWords } from "./sides.js";

const NOTES = {
  throw: [330],
  banked: [523, 659, 784],
  wipe_out: [220, 165],
  fuchle: [196, 147, 98],
  rollover: [440, 554, 659],
  over: [523, 659, 784, 1047],
  bomb: [110, 82],
  bump: [262, 196],
};
const LOUDEST = 0.36;
let audio = null;

/** How loud this phone is, 0 to 1. */
export const loudness = () => Number(settings.get("volume", "0.5"));

/** Let it be heard how loud it is now. */
export function tryout() {
  if (settings.get("voice", "off") === "off") return;
  audio ??= window.AudioContext ? new AudioContext() : null;
  chime(NOTES.banked);
}

export function voice() {
  addEventListener("pointerdown", () => {
    audio ??= settings.get("voice") === "off" || !window.AudioContext ? null : new AudioContext();
  });
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
  said.volume = loudness();
  speechSynthesis.speak(said);
}

function chime(notes) {
  if (!audio) return;
  notes.forEach((pitch, at) => {
    const tone = audio.createOscillator(), loud = audio.createGain(), from = audio.currentTime + at * 0.13;
    tone.type = "triangle";
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0.0001, from);
    loud.gain.exponentialRampToValueAtTime(Math.max(0.0001, LOUDEST * loudness()), from + 0.02);
    loud.gain.exponentialRampToValueAtTime(0.0001, from + 0.3);
    tone.connect(loud).connect(audio.destination);
    tone.start(from);
    tone.stop(from + 0.32);
  });
}
