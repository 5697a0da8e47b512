// Elements. Text only ever becomes text: nothing that comes from data is read as HTML.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  return dress(element, attributes, children);
}
function svg(name, attributes = {}, ...children) {
  return dress(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}
function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
const at = (id) => document.getElementById(id);
const fill = (element, ...children) => element.replaceChildren(...children.flat(Infinity).filter(Boolean));
const badge = (which, text) =>
  make('span', { class: `badge ${CASE_KEYS[which]}` }, make('span', { 'aria-hidden': 'true' }, SIGNS[which]), ` ${text ?? CASE_WORDS[which]}`);
const time = (value) => make('time', { datetime: iso(value) }, moment(value));
const say = (text) => { at('said').textContent = text; };

// A list that shows a page at a time: tens of thousands of rows are never in the document at once.
function growing(container, items, size, row, { wrap, none }) {
  let shown = 0;
  const body = wrap();
  const more = make('button', { type: 'button', class: 'more', onclick: () => grow(true) });
  function grow(asked) {
    const old = shown;
    shown = Math.min(items.length, shown + size);
    body.target.append(...items.slice(old, shown).map(row));
    const left = items.length - shown;
    more.hidden = !left;
    more.textContent = `Show ${number(Math.min(size, left))} more of ${number(left)}`;
    if (asked) body.target.children[old]?.querySelector('button, summary')?.focus({ preventScroll: true });
  }
  if (!items.length) {
    fill(container, make('p', { class: 'none' }, none));
    return;
  }
  fill(container, body.element, more);
  grow(false);
}
