// What every page shares: elements, texts, the live feed, requests, and the phone's own settings.

/** @import { AskedNews, Attributes, Child, News, Start } from "../types/page" */
/** @import { Elements, Snapshot } from "../types/server" */

/** @type {Start} */
export const start = JSON.parse(document.getElementById("start")?.textContent ?? "");
let texts = {};
const FACES_MS = 600, // how long a page that came quickly waits for its own faces before it is drawn without them
  FACES_BY_MS = 1500; // a page whose script came later than this, after the page was asked for, does not wait at all

export const ready = Promise.all([words(window.early.texts), faces()]);
const plural = new Intl.PluralRules(document.documentElement.lang);

// A page shows nothing without its words: an answer that was lost on a weak network is asked for again.
async function words(asked) {
  const came = await asked.then((response) => (response.ok ? response.json() : null)).catch(() => null);
  if (came) { texts = came; return; }
  await new Promise((done) => setTimeout(done, RETRY_MS));
  await words(fetch(document.documentElement.dataset.texts ?? ""));
}

function loadFaces() {
  return Promise.all(["700 1em Fraunces", "400 1em Figtree"].map((face) => document.fonts.load(face)));
}

// The page's own faces. A page on a slow network is drawn without them.
async function faces() {
  const patience_ms = Math.min(FACES_MS, FACES_BY_MS - performance.now());
  if (patience_ms <= 0) return;
  const late = new Promise((done) => setTimeout(done, patience_ms, null));
  if (await Promise.race([loadFaces(), late]).catch(() => null)) document.documentElement.dataset.faces = "own";
}

// Faces that come late: a phone has them at its next visit, as nothing may jump under a thumb. The pub's screen is
// opened once an evening and takes them at once. It is hidden for a frame, so that nothing is seen to move.
async function lateFaces() {
  const root = document.documentElement, frame = () => new Promise((done) => requestAnimationFrame(done));
  if (root.dataset.faces || !(await loadFaces().catch(() => null)) || !document.body.classList.contains("tv")) return;
  root.dataset.faces = "late";
  await frame();
  await frame();
  root.dataset.faces = "own";
}

/** An icon of the page's set, by name. It says nothing: words stand beside it. */
export function icon(name) {
  const href = `${document.documentElement.dataset.icons}#${name}`;
  return s("svg", { class: "icon", "aria-hidden": "true" }, s("use", { href }));
}

/** @type {<Id extends keyof Elements>(id: Id) => Elements[Id]} */
export const $ = (id) => /** @type {any} */ (document.getElementById(id));

/**
 * An element: h("button", {class: "main", onclick}, "Bank"). Text is only ever text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
    else element.setAttribute(name, value === true ? "" : value);
  }
  const all = /** @type {any[]} */ (children.flat());
  element.append(...all.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";
/**
 * An SVG element, made as by `h`.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style") Object.assign(element.style, value); // the policy forbids style attributes, not the object
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(.../** @type {any[]} */ (children.flat()));
  return element;
}

/** What an object that is keyed by names holds for one: "constructor" is a name too. */
export const own = (map, name) => (map && Object.hasOwn(map, name) ? map[name] : undefined);

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** A word that may run from right to left, kept from turning round what stands beside it (first strong isolate). */
export const isolate = (word) => (RIGHT_TO_LEFT.test(word) ? `\u2068${word}\u2069` : String(word));

/**
 * Return a text of the catalogue, with `{name}` replaced by the argument of that name.
 *
 * `args.count` chooses between KEY.one and KEY.other. An unknown key gives `otherwise`, or the key itself.
 * @param {string} key
 * @param {Record<string, any>} args
 * @param {string | null} otherwise
 */
export function t(key, args = {}, otherwise = null) {
  const text =
    texts[key] ??
    texts[`${key}.${plural.select(Number(args.count ?? 0))}`] ??
    texts[`${key}.other`] ??
    otherwise ??
    key;
  // In one go, by a function: whatever a name holds ("$&", "{points}") is only ever a name.
  return text.replace(/\{(\w+)\}/g, (whole, name) => (own(args, name) === undefined ? whole : isolate(args[name])));
}
export const has = (key) => key in texts || `${key}.other` in texts;
export const number = (value) => Number(value).toLocaleString(document.documentElement.lang);

/** Draw children anew only when what they show has changed, and keep the focus on the same key. */
export function fill(parent, shown, draw) {
  const word = JSON.stringify(shown);
  if (parent.dataset.shown === word) return false;
  const focused = document.activeElement;
  const key = focused instanceof HTMLElement && parent.contains(focused) ? focused.dataset.key : null;
  parent.replaceChildren(...[draw()].flat().filter(Boolean));
  parent.dataset.shown = word;
  if (key) [...parent.querySelectorAll("[data-key]")].find((element) => element.dataset.key === key)?.focus();
  return true;
}

export function text(element, words) {
  if (element && element.textContent !== words) element.textContent = words;
}

// -- settings of this phone -------------------------------------------------------------------------------------------
/** @type {{ get(name: string, otherwise?: string): string, set(name: string, value: string): void }} */
export const settings = {
  get(name, otherwise = "") { try { return localStorage.getItem(name) ?? otherwise; } catch { return otherwise; } },
  set(name, value) { try { localStorage.setItem(name, value); } catch { /* a private window keeps nothing */ } },
};
export function cookie(name, value) { document.cookie = `${name}=${value};path=/;max-age=31536000;samesite=strict`; }

// -- the newest snapshot ----------------------------------------------------------------------------------------------
export const table = {
  snapshot: start.snapshot,
  live: false,
  paired: start.paired,
  owner: start.owner,
  plays: start.paired || start.hands,
  /** @type {{ part: string, says: string } | null} */
  ill: null, // the part that does not work, and what to do
};
const listeners = [];
/** Call back with the newest snapshot now and at each change: (snapshot, the one before or null, its news or null). */
/** @param {(snapshot: Snapshot, before: Snapshot | null, news: News | null) => void} callback */
export function follow(callback) { listeners.push(callback); callback(table.snapshot, null, null); }
/** Have everything drawn anew: what it shows besides the snapshot has changed. */
export function redraw() { for (const listener of listeners) listener(table.snapshot, table.snapshot, null); }

function take(snapshot, back = false) {
  const before = table.snapshot, begun = performance.now();
  if (snapshot.number === before.number && snapshot.pulse === before.pulse) return;
  table.snapshot = snapshot;
  const news = newsBetween(before, snapshot, back);
  for (const listener of listeners) listener(snapshot, before, news);
  if (drawn) mark();
  document.documentElement.dataset.drawnMs = (performance.now() - begun).toFixed(1);
}

// The stream may have brought a later one than the answer to a request.
const isNewer = ({ number, pulse }) =>
  pulse !== undefined &&
  (number > table.snapshot.number || (number === table.snapshot.number && pulse > table.snapshot.pulse));

// The events since the snapshot before, and whether an earlier event no longer holds; null when the number is the same.
// A page that comes back tells the newest line alone: all that it has missed would hold its stage and voice for long.
const TAKEN_BACK = new Set(["undone", "corrected", "abandoned"]);
function newsBetween(before, snapshot, back) {
  if (snapshot.number === before.number) return null;
  const since = snapshot.events.filter((event) => event.number > before.number),
    takenBack = snapshot.number < before.number || since.some((event) => TAKEN_BACK.has(event.code));
  return { events: back ? since.filter((event) => event.number === snapshot.number) : since, takenBack };
}

// What this page shows and since when, for tests and for whoever looks over its shoulder.
function mark() {
  document.documentElement.dataset.number = String(table.snapshot.number);
  document.documentElement.dataset.pulse = String(table.snapshot.pulse);
  document.documentElement.dataset.shownMs = Math.round(performance.timeOrigin + performance.now()).toFixed();
}

let drawn = false; // before that the stream's news are only kept
function sayLive(live) {
  table.live = live;
  const sign = $("live");
  if (!sign || !drawn) return;
  if (live && sign.dataset.live !== "yes") lateFaces();
  sign.dataset.live = live ? "yes" : "no";
  text(sign.lastElementChild, live ? t("live.on") : t("live.off"));
}

const SILENT_MS = 6000, RETRY_MS = 800, POLL_MS = 1000;
let stream = null, heardAt = 0, retry = null;
/** @type {AskedNews | null} */
let unread = window.early.news; // asked for before this script had come
listen();

function listen() {
  clearTimeout(retry);
  stream?.abort();
  const { stop: mine, answer } = unread ?? window.askForNews();
  unread = null;
  stream = mine;
  heardAt = performance.now();
  follow_stream(mine, answer).catch(() => {}).then((polled) => {
    if (stream !== mine) return;
    stream = null;
    if (!polled) sayLive(false);
    retry = setTimeout(listen, RETRY_MS);
  });
}

// A stream of our own over fetch: unlike EventSource it tells a refusal (503) from a lost network, and shows the
// keep-alives, so that a phone knows within seconds that it is no longer live.
async function follow_stream(mine, answer) {
  const response = await answer;
  if (response.status === 503) return poll(mine);
  if (!response.ok || !response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let unread = "",
    first = true; // of this stream: a table that has started again counts its pulses anew
  for (;;) {
    const { value, done } = await reader.read();
    if (done || stream !== mine) return;
    heardAt = performance.now();
    sayLive(true);
    unread += value;
    let end;
    while ((end = unread.indexOf("\n\n")) >= 0) {
      const line = unread.slice(0, end).split("\n").find((each) => each.startsWith("data: "));
      unread = unread.slice(end + 2);
      if (!line) continue;
      const told = JSON.parse(line.slice(6));
      if (first || told.pulse > table.snapshot.pulse) take(told, first); // else the answer to a request was faster
      first = false;
    }
    if (!first) sendWaiting(); // at a keep-alive, too: an act may be lost while the stream goes on
  }
}

// Ask every second; return true after half a minute, when it is time to ask for a stream again.
async function poll(mine) {
  for (let asked = 0; asked < 30 && stream === mine; asked += 1) {
    const shown = table.snapshot,
      response = await fetch("/api/state", { signal: mine.signal, cache: "no-store" });
    if (!response.ok) return false;
    heardAt = performance.now();
    const told = await response.json();
    if (table.snapshot === shown || isNewer(told)) take(told, !table.live); // else the answer to a request was faster
    sayLive(true);
    sendWaiting();
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  return true;
}

export function goLive() {
  document.documentElement.dataset.readyMs = performance.now().toFixed();
  drawn = true;
  mark();
  if (table.live) sayLive(true);
  setInterval(() => {
    if (stream && performance.now() - heardAt > SILENT_MS) {
      sayLive(false);
      stream.abort();
    }
  }, 1000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && performance.now() - heardAt > 3000) listen();
  });
  addEventListener("online", listen);
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
}

// -- requests ---------------------------------------------------------------------------------------------------------
/** What the table answers, as JSON; null where it refuses, undefined if it is out of reach or its answer breaks off. */
export const asked = (path) =>
  fetch(path, { cache: "no-store" }).then((response) => (response.ok ? response.json() : null)).catch(() => undefined);

/** Call `look` now, and again at that interval after each time that it is done, while somebody sees the page. */
export async function repeat(pause_ms, look) {
  try {
    if (!document.hidden) await look();
  } finally {
    setTimeout(repeat, pause_ms, pause_ms, look);
  }
}

// Who may throw at the tray may decide there, paired or not.
const OF_THE_TRAY = new Set(["/api/lines", "/api/answers", "/api/next"]);
const addressOf = (path) =>
  start.hands && !table.paired && OF_THE_TRAY.has(path) ? path.replace("/api/", "/api/tray/") : path;

/**
 * POST JSON. Return the answer's JSON, or null after showing the reason for a refusal, if given in `problem`.
 *
 * A body with a snapshot number is kept while the table can't be reached, and sent once it is back. A new game is not.
 * The same act once more while it is on its way, as by a double tap, is not sent: it gets the answer to the first.
 * @param {string} path
 * @param {any} body
 * @param {{ quiet?: boolean, problem?: HTMLElement | null }} options
 * @returns {Promise<any>}
 */
export function post(path, body, options = {}) {
  const act = JSON.stringify([path, body]);
  if (newest?.act === act) return newest.answer;
  posting += 1;
  const answer = sent(path, body, options).finally(() => {
    posting -= 1;
    if (newest?.answer === answer) newest = null;
  });
  newest = { act, answer };
  return answer;
}

let posting = 0;
/** @type {{ act: string, answer: Promise<any> } | null} */
let newest = null; // the act that was sent last, until it is answered
/** Whether an act of this phone is on its way: what changes meanwhile is most likely its own doing. */
export const acting = () => posting > 0;

const POST_MS = 30_000; // on a dead network an act would wait for minutes; the slowest act, a calibration, takes less

/** @type {typeof post} */
async function sent(path, body, { quiet = false, problem = null } = {}) {
  const tell = (words) => {
    if (!problem) return toast(words);
    problem.hidden = !words;
    text(problem, words);
  };
  let response;
  try {
    response = await fetch(addressOf(path), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout?.(POST_MS), // older browsers wait as long as their network does
    });
  } catch {
    const kept = body.number !== undefined && path !== "/api/games"; // its dialog stays open
    if (kept) waiting = { path, body };
    tell(t(kept ? "offline.waits" : "error.network"));
    return null;
  }
  const told = await response.json().catch(() => ({}));
  if (response.ok) {
    if (problem) tell("");
    if (isNewer(told)) take(told);
    return told;
  }
  const lost = response.status === 401 ? table.paired : told.error === "not_owner" && table.owner;
  if (lost) setTimeout(() => location.reload(), 2500); // this phone's role has changed
  if (!quiet) tell(t(`error.${told.error}`, {}, told.message ?? t("error.network")));
  return null;
}

// The decision made while the table could not be reached. It is sent once, if the table's snapshot is still the same;
// otherwise the page says that it is lost.
let waiting = null;
async function sendWaiting() {
  if (!waiting) return;
  const { path, body } = waiting;
  waiting = null;
  if (body.number !== table.snapshot.number) toast(t("offline.lost"));
  else if (await post(path, body)) toast(t("offline.sent"));
}

/** Play a transcript line for the snapshot on screen, or for the one of that number. */
export const play = (line, number = table.snapshot.number) => post("/api/lines", { number, line });

let toasting = null;
export function toast(words) {
  document.getElementById("toast")?.remove();
  clearTimeout(toasting);
  const box = h("div", { id: "toast", class: "toast", role: "status" }, words);
  onTop(box);
  toasting = setTimeout(() => box.remove(), 6000);
}

// While a dialog is open nothing outside it is in front, nor read out.
export const onTop = (box) => ([...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body).append(box);
