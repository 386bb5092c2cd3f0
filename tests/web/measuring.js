// What is cut off, covered, outside or too small on the page as it stands: [kind, words, where], one for each fault.
(floor) => {
  const faults = [], slack = 1.5;
  const told = (element) => `${element.closest('[id]')?.id ?? ''} ${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`;
  const shown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const layer = (element) => element.closest('dialog, .sheet, .toast, .bar, .moment, .code') ?? document.body;
  // A name may end in an ellipsis; nothing else may.
  const shortened = (element) => getComputedStyle(element).textOverflow === 'ellipsis' && element.closest('.name, .named');
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
  const look = (element, box, words) => {
    if (box.width < 1 || box.height < 1) return false;
    for (let above = element; above && above !== document.body; above = above.parentElement) {
      const { scrolls, clips, shortens, pane } = does(above);
      if (scrolls) return false;
      if (clips && !shortens && above !== element
        && (box.left < pane.left - slack || box.right > pane.right + slack || box.top < pane.top - slack || box.bottom > pane.bottom + slack)) {
        faults.push(['cut off', words, told(above)]);
        return false;
      }
      if (shortens) box = new DOMRect(Math.max(box.x, pane.x), box.y, Math.min(box.right, pane.right) - Math.max(box.x, pane.x), box.height); // at either end: names run both ways
      if (box.width < 1) return false; // behind the ellipsis
    }
    const outside = box.left < -slack || box.right > innerWidth + slack || box.top < -slack - (still ? scrollY : 0) || (!still && box.bottom > innerHeight + slack);
    if (outside) faults.push(['outside', words, told(element)]);
    return !outside && box.width > 0 ? box : false;
  };
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, words = node.textContent.trim();
    if (!words || !shown(element) || element.closest('script, noscript, .unseen, .skip, option, select, title')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      const box = look(element, line, words);
      if (box) boxes.push({ element, box, words, layer: layer(element) });
    }
    const svg = element.closest('svg'), size = parseFloat(getComputedStyle(element).fontSize) * (svg ? element.getScreenCTM().d : 1);
    if (size < floor * innerHeight - 0.05) faults.push(['too small', `${words} ${(100 * size / innerHeight).toFixed(2)} %`, told(element)]);
  }
  for (const element of document.querySelectorAll('.dice, .chip, .notches, .codes img, #photos img, .peg, svg.track, button, input')) {
    if (!shown(element) || element.closest('.unseen')) continue;
    const box = look(element, element.getBoundingClientRect(), element.getAttribute('aria-label') ?? '');
    if (box && element.matches('.dice, .codes img, #photos img, .notches')) boxes.push({ element, box, words: told(element), layer: layer(element) });
  }
  for (let one = 0; one < boxes.length; one += 1) for (let other = one + 1; other < boxes.length; other += 1) {
    const a = boxes[one], b = boxes[other];
    // Lines of text lie in boxes higher than their letters.
    const high = Math.min(a.box.height, b.box.height) * 0.25;
    const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left), deep = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (wide <= 2 || deep <= high || a.layer !== b.layer || a.element.contains(b.element) || b.element.contains(a.element)) continue;
    faults.push(['overlap', `${a.words} / ${b.words}`, `${told(a.element)} / ${told(b.element)}`]);
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push(['wider than the screen', String(document.documentElement.scrollWidth), '']);
  return faults;
}
