// What is chosen: its attributes, what it is made of, and what was told of it, when and why.
const MOST_PARTS = 40;

function attributes(one, values) {
  return make('dl', { class: 'attributes' }, one.attributes.map((name, i) => make('div', {}, make('dt', {}, name), make('dd', {}, said(values[i])))));
}

function changesList(changes) {
  return make('ul', { class: 'changes' }, changes.map(([name, before, after]) => make('li', {},
    make('span', { class: 'name' }, name), ' ', make('del', {}, said(before)), ' ', make('span', { 'aria-label': 'became' }, '→'), ' ', make('ins', {}, said(after)))));
}

// A few attributes of something new: not its key again, nor where it is, which the map shows.
function aFew({ event, version }) {
  const { attributes: names, place } = cls(event);
  const values = valuesOf(event, version);
  const few = names.flatMap((name, i) => {
    const told = said(values[i]);
    return values[i] == null || told === keyOf(event) || told.length > 60 || place?.includes(i) ? [] : [`${name} ${told}`];
  });
  return few.length ? `: ${few.slice(0, 3).join(', ')}` : '';
}

function causeItem(one) {
  const words = { new: 'came in', revised: 'was revised', withdrawn: 'was withdrawn' };
  return make('li', { class: `cause ${one.kind}` },
    make('strong', {}, `${cls(one.event).name} ${keyText(one.event)}`), ` ${words[one.kind]}`,
    one.kind === 'new' ? aFew(one) : '',
    one.changes.length ? changesList(one.changes) : null);
}

// Causes in a list that is no longer than anyone reads; revisions and withdrawals come first.
function causesList(told, most = 6) {
  const order = { withdrawn: 0, revised: 1, new: 2 };
  const causes = TOLD.causes[told].map(cause).sort((a, b) => order[a.kind] - order[b.kind]);
  if (!causes.length) return null;
  const left = causes.length - most;
  return make('ul', { class: 'causes' }, causes.slice(0, most).map(causeItem), left > 0 ? make('li', { class: 'dim' }, `and ${number(left)} more`) : null);
}

function toldChanges(told) {
  const one = cls(TOLD.event[told]);
  const old = TOLD.oldValues[told];
  if (!old || TOLD.case[told] === REVOKE) return [];
  const changes = differences(one, old, TOLD.values[told]);
  if (TOLD.oldOccurred[told] !== TOLD.occurred[told]) changes.push(['occurred', ...moments(TOLD.oldOccurred[told], TOLD.occurred[told])]);
  return changes;
}

function delayText(told) {
  const delay = TOLD.detected[told] - TOLD.occurred[told];
  if (TOLD.case[told] === REVOKE) return 'taken back';
  return delay > 0 ? `known ${length(delay)} after it occurred` : 'known when it occurred';
}

function history(event) {
  const told = historyOf(event);
  const item = (one) => make('li', { class: CASE_KEYS[TOLD.case[one]] },
    make('p', { class: 'head' }, badge(TOLD.case[one]), ' ', make('strong', {}, TOLD.names[TOLD.name[one]])),
    make('p', { class: 'dim' }, time(TOLD.detected[one]), `, ${delayText(one)}`),
    toldChanges(one).length ? changesList(toldChanges(one)) : null,
    causesList(one, 4));
  const list = make('ol', { class: 'history', reversed: true });
  const newest = [...told].reverse();
  list.append(...newest.slice(0, 12).map(item));
  const rest = newest.slice(12);
  const more = rest.length ? make('button', { type: 'button', class: 'more', onclick: () => {
    list.append(...rest.map(item));
    more.remove();
  } }, `Show ${number(rest.length)} earlier`) : null;
  return [list, more];
}

function partItem(part) {
  if (!isHere(part)) return make('li', { class: 'part away' }, make('strong', {}, part[0]), ` ${part[1]} `, make('span', { class: 'dim' }, 'is not on this page'));
  const one = cls(part), versions = versionsOf(part);
  const head = [make('strong', {}, one.name), ' ', make('span', { class: 'key' }, keyText(part)), isGone(part) ? make('span', { class: 'badge revoke' }, ' withdrawn') : null,
    versions > 1 ? make('span', { class: 'count' }, `${versions} versions`) : null];
  return make('li', { class: `part${isGone(part) ? ' gone' : ''}`, 'data-part': part }, make('details', {},
    make('summary', {}, head, make('span', { class: 'dim when' }, moment(endOf(part))), make('span', { class: 'dim few' }, aFew({ event: part }).slice(2))),
    lazily(() => [attributes(one, valuesOf(part)), versions > 1 ? versionList(part) : null, partsOf(part).length ? partList(part) : null])));
}

// Filled when it is first opened.
function lazily(content) {
  const place = make('div', { class: 'inner' });
  queueMicrotask(() => place.parentElement?.addEventListener('toggle', () => {
    if (!place.hasChildNodes()) fill(place, content());
  }));
  return place;
}

function versionList(event) {
  const rows = [];
  for (let version = versionsOf(event) - 1; version >= 0; version -= 1) {
    const one = cause([event, version]);
    const words = { new: 'first told of', revised: 'revised', withdrawn: 'withdrawn' };
    rows.push(make('li', {}, time(detectedOf(event, version)), ` ${words[one.kind]}`, one.changes.length ? changesList(one.changes) : null));
  }
  return [make('h4', {}, 'Versions'), make('ol', { class: 'versions', reversed: true }, rows)];
}

function partList(event) {
  const parts = partsOf(event);
  const list = make('ul', { class: 'parts' }, parts.slice(0, MOST_PARTS).map(partItem));
  const rest = parts.slice(MOST_PARTS);
  const more = rest.length ? make('button', { type: 'button', class: 'more', onclick: () => {
    list.append(...rest.map(partItem));
    more.remove();
  } }, `Show ${number(rest.length)} more`) : null;
  return [list, more];
}

// Chosen from further down the page: the reader is taken there. Beside the lists it is in view already.
function lookAt(event) {
  const box = at('chosen');
  choose(event);
  box.focus({ preventScroll: true });
  box.scrollIntoView({ block: getComputedStyle(box).position === 'sticky' ? 'nearest' : 'start' });
}

function drawChosen() {
  const event = state.chosen;
  const box = at('chosen');
  box.scrollTop = 0;
  if (event === null) {
    fill(box, make('h2', { id: 'chosen-title' }, 'Choose an occurrence'), make('p', { class: 'none' }, OCCURRENCES.length ? `Choose one in the timeline${at('map-section').hidden ? '' : ', on the map'} or in the list: here is what it is made of, and what was told of it, when and why.` : 'Nothing was found in this history.'));
    return;
  }
  const one = cls(event), parts = partsOf(event), told = historyOf(event);
  const deep = within(event).filter((part) => !cls(part).derived).length;
  const made = parts.length && deep && deep !== parts.length ? `, ${plural(deep, 'event')} in all` : '';
  fill(box,
    make('div', { class: 'bar' },
      make('p', { class: 'kicker' }, one.name, told.length ? [' ', badge(lastCase(event))] : null),
      make('button', { type: 'button', class: 'tool', id: 'clear', 'aria-label': 'Clear the choice', onclick: () => { choose(null); at('timeline').focus(); } }, '✕')),
    make('h2', { id: 'chosen-title' }, label(event)),
    make('p', { class: 'dim' }, when(event)),
    attributes(one, valuesOf(event)),
    told.length ? [make('h3', {}, 'What was told'), history(event)] : null,
    make('h3', {}, 'Made of ', make('span', { class: 'dim' }, parts.length ? `${number(parts.length)}${made}` : '')),
    one.byKey ? make('p', { class: 'hint' }, `The tables do not say what a group is made of. These have the same ${one.byKey.join(', ')}.`) : null,
    parts.length ? partList(event) : make('p', { class: 'none' }, 'The tables do not say.'),
    make('p', { class: 'id dim' }, 'id ', make('code', {}, idOf(event))));
}
