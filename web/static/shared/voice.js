// Sounds and spoken call-outs of this phone: off until asked for. A correction silences what it made untrue.
import { follow, settings } from "./core.js";
import { can, eventWords } from "./sides.js";

// Three rising notes: pitch in Hz, begin and fading time in seconds, as in an event's `tones`.
const TRIAL = [[523, 0, 0.35], [659, 0.09, 0.35], [784, 0.18, 0.35]];
const LOUDEST = 0.36;
let audio = null;

/** How loud this phone is, 0 to 1. */
export const loudness = () => Number(settings.get("volume", "0.5"));

/** Let it be heard how loud it is now. */
export function tryout() {
  if (settings.get("voice", "off") === "off") return;
  audio ??= window.AudioContext ? new AudioContext() : null;
  chime(TRIAL);
}

export function voice() {
  // A click, by finger or key: some browsers let no sound begin, or go on after a call, at the touch itself.
  addEventListener("click", () => {
    audio ??= settings.get("voice", "off") === "off" || !window.AudioContext ? null : new AudioContext();
    audio?.resume();
  }, true);
  follow((snapshot, before, news) => {
    if (settings.get("voice") === "spoken" && awaited(snapshot) && !awaited(before)) speak(can(snapshot));
    if (!news || settings.get("voice", "off") === "off") return;
    if (news.takenBack) globalThis.speechSynthesis?.cancel();
    if (settings.get("voice") === "spoken") speak(news.events.map(eventWords).join(". "));
    else for (const each of new Set(news.events.map((event) => JSON.stringify(event.tones)))) chime(JSON.parse(each));
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

function chime(tones) {
  if (!audio) return;
  tones.forEach(([pitch, at, rings]) => {
    const tone = audio.createOscillator(), loud = audio.createGain(), from = audio.currentTime + at;
    tone.type = "triangle";
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0.0001, from);
    loud.gain.exponentialRampToValueAtTime(Math.max(0.0001, LOUDEST * loudness()), from + 0.02);
    loud.gain.exponentialRampToValueAtTime(0.0001, from + rings);
    tone.connect(loud).connect(audio.destination);
    tone.start(from);
    tone.stop(from + rings + 0.02);
  });
}
