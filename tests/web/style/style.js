// Fills the page /style from the stylesheets themselves, so that nothing on it can be out of date.
const base = document.querySelector("link[href*='tokens.css']").href.replace("tokens.css", "");
const { die, chip, unknown, blanks } = await import(`${base}dice.js`);
const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.selectorText === ":root");
const names = [...new Set(rules.flatMap((rule) => [...rule.style]).filter((name) => name.startsWith("--")))];
const add = (place, ...parts) => document.getElementById(place).append(...parts);
function styled(tag, words, style) {
  const element = document.createElement(tag);
  element.textContent = words;
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
  return element;
}
const is = (name, kind) => CSS.supports(kind, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
for (const name of names) {
  if (is(name, "color")) add("colours", styled("span", name, { "border-left": `2.5rem solid var(${name})`, padding: ".4rem .6rem", "min-width": "11rem" }));
  else if (/^--t-/.test(name)) add("types", styled("p", `${name} Ann, throw 7 dice`, { "font-size": `var(${name})`, "font-family": /hero|title|number/.test(name) ? "var(--display)" : "var(--text-face)" }));
  else if (/^--s\d/.test(name)) add("spaces", styled("span", name, { padding: `var(${name})`, border: "1px solid var(--line)" }));
  else if (/^--r\d/.test(name)) add("spaces", styled("span", name, { padding: "1rem", "border-radius": `var(${name})`, background: "var(--raised)" }));
  else if (/^--e\d/.test(name)) add("spaces", styled("span", name, { padding: "1rem", "box-shadow": `var(${name})`, background: "var(--raised)" }));
}
const icons = document.documentElement.dataset.icons;
const set = new DOMParser().parseFromString(await (await fetch(icons)).text(), "image/svg+xml");
for (const { id } of set.querySelectorAll("[id]")) {
  const box = styled("span", "", { display: "grid", "justify-items": "center", "min-width": "6rem" });
  box.innerHTML = `<svg class="icon" aria-hidden="true"><use href="${icons}#${id}"/></svg>`;
  box.append(styled("small", id, {}));
  add("icons", box);
}
const ringed = die(5);
ringed.classList.add("ringed");
add("dice", ...[1, 2, 3, 4, 5, 6].map((value) => die(value)), ringed, unknown(), blanks(2));
add("pegs", ...Array.from({ length: 10 }, (_, colour) => chip(colour)));
for (const look of ["dark", "light"])
  document.getElementById(look).addEventListener("click", () => { document.documentElement.dataset.look = look; });
document.documentElement.dataset.styled = "yes";
