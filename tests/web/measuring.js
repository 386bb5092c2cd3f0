// What is cut off, covered, outside or too small on a page as it stands: [kind, words, where], one for each fault.
window.faults = (smallest_px) => {
  const found = [], slack = 1.5;
  const told = (element) => `${element.closest('[id]')?.id ?? ''} ${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`;
  const shown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const layer = (element) => element.closest('dialog, .sheet, .toast, .bar, .moment, .code, .begin') ?? document.body; // what sticks below leaves in the end
  // A name may end in an ellipsis; nothing else may.
  const shortened = (element) => getComputedStyle(element).textOverflow === 'ellipsis' && element.closest('.name, .named');
  const beside = (box, pane) => box.left < pane.left - slack || box.right > pane.right + slack;
  const above = (box, pane) => box.top < pane.top - slack || box.bottom > pane.bottom + slack;
  // What an element does to what is in it: asked once of each, since every word asks it of all that it stands in.
  const known = new Map();
  const does = (element) => {
    if (!known.has(element)) {
      const { overflow, overflowX, overflowY } = getComputedStyle(element);
      known.set(element, { scrolls: /auto|scroll/.test(overflowX + overflowY) && element !== document.scrollingElement,
        clips: /hidden|clip/.test(overflow) || element.tagName === 'svg', shortens: shortened(element), pane: element.getBoundingClientRect() });
    }
    return known.get(element);
  };
  const still = !document.body.classList.contains('tv') || innerWidth < innerHeight; // a page that may be scrolled down
  const look = (element, box, words, text) => {
    if (box.width < 1 || box.height < 1) return false;
    for (let around = element; around && around !== document.body; around = around.parentElement) {
      const { scrolls, clips, shortens, pane } = does(around);
      if (scrolls && above(box, pane)) return false; // it may be scrolled to
      if ((clips || scrolls) && !shortens && (text || around !== element) && (beside(box, pane) || above(box, pane))) {
        found.push(['cut off', words, told(around)]);
        return false;
      }
      if (shortens) box = new DOMRect(Math.max(box.x, pane.x), box.y, Math.min(box.right, pane.right) - Math.max(box.x, pane.x), box.height); // at either end: names run both ways
      if (box.width < 1) return false; // behind the ellipsis
    }
    const outside = box.left < -slack || box.right > innerWidth + slack || box.top < -slack - (still ? scrollY : 0) || (!still && box.bottom > innerHeight + slack);
    if (outside) found.push(['outside', words, told(element)]);
    return !outside && box.width > 0 ? box : false;
  };
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, words = node.textContent.trim();
    if (!words || !shown(element) || element.closest('script, noscript, .unseen, .skip, option, select, title') || getComputedStyle(element).clipPath !== 'none') continue;
    const range = document.createRange(), holder = element.closest('button, .button, .notice, .moment, th, td, .panel, dialog');
    range.selectNodeContents(node);
    const lines = range.getClientRects();
    if (lines.length > 1 && /^[+−]?[\d.,]+$/.test(words)) found.push(['broken number', words, told(element)]);
    for (const line of lines) {
      const box = look(element, line, words, true);
      if (!box) continue;
      boxes.push({ element, box, words, layer: layer(element) });
      const letters = new DOMRect(box.x, box.y + box.height * 0.25, box.width, box.height * 0.5); // lines lie in boxes higher than their letters
      if (holder && (beside(letters, does(holder).pane) || above(letters, does(holder).pane))) found.push(['sticks out', words, told(holder)]);
    }
    const svg = element.closest('svg'), size = parseFloat(getComputedStyle(element).fontSize) * (svg ? element.getScreenCTM().d : 1);
    if (size < smallest_px - 0.05) found.push(['too small', `${words} ${size.toFixed(1)} px`, told(element)]);
  }
  for (const element of document.querySelectorAll('.dice, .chip, .notches, .codes img, #photos img, .peg, svg.track, button, input')) {
    if (!shown(element) || element.closest('.unseen')) continue;
    const box = look(element, element.getBoundingClientRect(), element.getAttribute('aria-label') ?? '', false);
    if (box && element.matches('.dice, .codes img, #photos img, .notches')) boxes.push({ element, box, words: told(element), layer: layer(element) });
  }
  for (let one = 0; one < boxes.length; one += 1) for (let other = one + 1; other < boxes.length; other += 1) {
    const a = boxes[one], b = boxes[other], code = [a, b].some(({ element }) => element.matches('.codes img')); // where nothing may enter
    const high = code ? 1 : Math.min(a.box.height, b.box.height) * 0.25;
    const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left), deep = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (wide <= 2 || deep <= high || a.layer !== b.layer || a.element.contains(b.element) || b.element.contains(a.element)) continue;
    found.push(['overlap', `${a.words} / ${b.words}`, `${told(a.element)} / ${told(b.element)}`]);
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push(['wider than the screen', String(document.documentElement.scrollWidth), '']);
  return [...found, ...covered()];
};

// What the sheet from below still covers when the page is scrolled to its end.
function covered() {
  const sheet = document.querySelector('.has-sheet .sheet'), last = document.querySelector('.has-sheet .page')?.lastElementChild;
  if (!sheet?.checkVisibility() || !last || document.querySelector('dialog')) return [];
  const top = scrollY;
  scrollTo(0, document.documentElement.scrollHeight);
  const over = sheet.getBoundingClientRect(), page = last.getBoundingClientRect();
  scrollTo(0, top);
  return over.left < page.right - 1 && page.bottom > over.top + 1 ? [['covered', `${Math.round(page.bottom - over.top)} px`, 'sheet']] : [];
}

/** The faults of each of those snapshots in each look: [name, look, faults], those only that have some. */
window.faultsOfEach = async (snapshots, looks, smallest_px) => {
  const found = [];
  for (const [name, snapshot] of Object.entries(snapshots)) {
    const happens = name.endsWith('cheered');
    await show(snapshot, happens);
    await Promise.all([...document.querySelectorAll('dialog img')].map((image) => image.decode().catch(() => {}))); // other pictures have their place before they come
    for (const look of looks) {
      document.documentElement.dataset.look = look;
      const faults = window.faults(smallest_px);
      if (happens && document.getElementById('moment').hidden) faults.push(['not shown', 'the moment', '']);
      if (faults.length) found.push([name, look, faults]);
    }
  }
  return found;
};
