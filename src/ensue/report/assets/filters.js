// What is looked at: classes, cases, a text, a range of time. Everything else follows from it.
const state = {
  classes: new Set(),   // empty: all of them
  cases: new Set(),
  text: '',
  range: ALL_TIME,
  chosen: null,
  cursor: null,
  matching: OCCURRENCES, // by class, case and text
  shown: OCCURRENCES,    // of these, what lies in the range
};
const listeners = { filter: [], range: [], chosen: [], cursor: [] };
const on = (what, listener) => listeners[what].push(listener);
const tell = (...whats) => { for (const what of whats) for (const listener of listeners[what]) listener(); };

const hay = new Map();
function hayOf(event) {
  let text = hay.get(event);
  if (text === undefined) {
    const told = historyOf(event).map((one) => TOLD.names[TOLD.name[one]]);
    text = [cls(event).name, keyOf(event), idOf(event), ...valuesOf(event), ...new Set(told)].join('\n').toLowerCase();
    hay.set(event, text);
  }
  return text;
}

function matches(event) {
  if (state.classes.size && !state.classes.has(classOf[event])) return false;
  if (state.cases.size && !historyOf(event).some((one) => state.cases.has(TOLD.case[one]))) return false;
  return !state.text || state.text.toLowerCase().split(/\s+/).every((word) => hayOf(event).includes(word));
}

function refilter() {
  const all = !state.classes.size && !state.cases.size && !state.text;
  state.matching = all ? OCCURRENCES : OCCURRENCES.filter(matches);
  rerange();
  tell('filter', 'range');
}

// Those that lie in the range, also with a part of them.
function rerange() {
  const [low, high] = state.range;
  state.shown = state.matching.filter((event) => endOf(event) >= low && spanBegin(event) <= high);
  if (state.cursor !== null && !state.shown.includes(state.cursor)) state.cursor = null;
}

function setRange(low, high) {
  const [first, last] = ALL_TIME;
  const least = Math.min(1000, last - first);
  let span = Math.min(Math.max(high - low, least), last - first);
  let begin = Math.min(Math.max(low, first), last - span);
  state.range = [begin, begin + span];
  rerange();
  tell('range');
}

function choose(event) {
  if (state.chosen === event) return;
  state.chosen = event;
  if (event !== null) state.cursor = event;
  tell('chosen');
  say(event === null ? 'Nothing is chosen.' : `Chosen: ${cls(event).name} ${label(event)}.`);
}

function chips(words, chosen, change) {
  return words.map(([value, content]) => {
    const button = make('button', { type: 'button', class: 'chip', 'aria-pressed': String(chosen.has(value)), 'data-value': value }, content);
    button.addEventListener('click', () => {
      if (!chosen.delete(value)) chosen.add(value);
      button.setAttribute('aria-pressed', String(chosen.has(value)));
      change();
    });
    return button;
  });
}

function drawFilters() {
  const form = at('filters');
  const found = CLASSES.filter((one) => one.found);
  const classChips = chips(found.map((one) => [one.number, one.name]), state.classes, refilter);
  const present = CASES.map((_, i) => i).filter((i) => TOLD.case.includes(i));
  const caseChips = chips(present.map((i) => [i, badge(i)]), state.cases, refilter);
  const search = make('input', { type: 'search', id: 'text', placeholder: 'a place, a name, an id …', autocomplete: 'off', spellcheck: 'false' });
  let waiting = 0;
  search.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { state.text = search.value.trim(); refilter(); }, OCCURRENCES.length > 5000 ? 180 : 0);
  });
  const from = make('input', { type: 'datetime-local', id: 'from', step: '1' });
  const to = make('input', { type: 'datetime-local', id: 'to', step: '1' });
  const local = (value) => iso(value).slice(0, 19);
  const read = (input, otherwise) => (input.value ? Date.parse(`${input.value}Z`) : otherwise);
  const changed = () => setRange(read(from, ALL_TIME[0]), read(to, ALL_TIME[1]));
  from.addEventListener('change', changed);
  to.addEventListener('change', changed);
  const count = make('output', { id: 'count', for: 'text from to' });
  const reset = make('button', { type: 'button', class: 'plain-button', id: 'reset' }, 'Reset');
  reset.addEventListener('click', () => {
    state.classes.clear();
    state.cases.clear();
    state.text = search.value = '';
    state.range = ALL_TIME;
    for (const chip of form.querySelectorAll('.chip')) chip.setAttribute('aria-pressed', 'false');
    refilter();
  });
  form.addEventListener('submit', (happened) => happened.preventDefault());
  on('range', () => {
    from.value = local(state.range[0]);
    to.value = local(state.range[1]);
    count.textContent = `${number(state.shown.length)} of ${plural(OCCURRENCES.length, 'occurrence')}`;
    const all = state.matching === OCCURRENCES && state.range[0] === ALL_TIME[0] && state.range[1] === ALL_TIME[1];
    reset.disabled = all;
  });
  const group = (name, content) => make('div', { class: 'group', role: 'group', 'aria-label': name }, make('span', { class: 'what', 'aria-hidden': 'true' }, name), content);
  fill(
    form,
    found.length > 1 && group('Class', make('div', { class: 'chips' }, classChips)),
    present.length > 0 && group('Published as', make('div', { class: 'chips' }, caseChips)),
    make('div', { class: 'group text' }, make('label', { for: 'text', class: 'what' }, 'Text'), search),
    make('div', { class: 'group range' },
      make('span', { class: 'pair' }, make('label', { for: 'from', class: 'what' }, 'From'), from),
      make('span', { class: 'pair' }, make('label', { for: 'to', class: 'what' }, 'To'), to)),
    make('div', { class: 'group result' }, count, reset),
  );
}
