// Asks for the news and the texts while the page's own script is still on its way: a slow network brings all at once.

/** Ask for the stream of snapshots; return what stops it, and its answer. */
window.askForNews = () => {
  const stop = new AbortController(),
    headers = { Accept: "text/event-stream" },
    answer = painted.then(() => fetch("/api/events", { signal: stop.signal, cache: "no-store", headers }));
  answer.catch(() => {}); // the reader of the answer handles its error
  return { stop, answer };
};

// The styles come first: with them a page is painted. One in the background is not painted, and waits this long:
const UNPAINTED_MS = 1000,
  painted = new Promise((done) => { requestAnimationFrame(done); setTimeout(done, UNPAINTED_MS); });
window.early = {
  news: window.askForNews(),
  texts: painted.then(() => fetch(document.documentElement.dataset.texts ?? "")),
};
window.early.texts.catch(() => {});
