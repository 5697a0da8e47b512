// The summary, what was found, and what was corrected.
function drawSummary() {
  const counts = new Map();
  for (const [name, which, count] of TOLD.counts) {
    if (!counts.has(name)) counts.set(name, [0, 0, 0, 0]);
    counts.get(name)[CASES.indexOf(which)] += count;
  }
  const cards = CLASSES.filter((one) => one.found).map((one) => {
    const mine = counts.get(one.name);
    const standing = OCCURRENCES.filter((event) => classOf[event] === one.number && lastCase(event) !== REVOKE).length;
    const head = make('header', {}, make('h3', {}, one.name), make('p', { class: 'big' }, number(mine ? standing : one.events), make('span', {}, mine ? (DATA.notes.length ? ' of those on this page stand' : ' stand') : ' found')));
    return make('article', { class: 'card' }, head, mine ? caseBar(mine) : null);
  });
  const sources = CLASSES.filter((one) => !one.found && one.events).map((one) => {
    const aside = Object.entries(one.aside).map(([kind, count]) => `${number(count)} ${kind}`);
    const withdrawn = one.events - one.standing;
    const versions = one.total > one.events ? [`${number(one.total)} versions`] : [];
    if (withdrawn && !one.derived) versions.unshift(`${number(withdrawn)} withdrawn`);
    return make('div', {}, make('dt', {}, one.name, one.derived ? make('span', { class: 'dim' }, ' derived, not published') : null), make('dd', {}, number(one.derived ? one.standing : one.events), ...[...versions, ...aside].map((text) => make('span', { class: 'dim' }, ` ${text}`))));
  });
  fill(at('summary'), make('div', { class: 'cards' }, cards), sources.length ? make('dl', { class: 'sources' }, sources) : null);
}

function caseBar(counts) {
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  const bar = svg('svg', { class: 'casebar', viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  let x = 0;
  counts.forEach((count, which) => {
    const wide = (count / total) * 100;
    if (count) bar.append(svg('rect', { class: CASE_KEYS[which], x, y: 0, width: Math.max(0.4, wide - 0.3), height: 4 }));
    x += wide;
  });
  return [bar, make('dl', { class: 'counts' }, counts.map((count, which) => make('div', { class: CASE_KEYS[which] }, make('dt', {}, badge(which)), make('dd', {}, number(count)))))];
}

function columnsOf() {
  const classes = CLASSES.filter((one) => one.found && (!state.classes.size || state.classes.has(one.number)));
  return classes.length === 1 ? classes[0].attributes.slice(0, 6) : [];
}

// The first attributes, without the place, which is on the map.
function inWords(event) {
  const values = valuesOf(event), { attributes, place } = cls(event);
  const told = attributes.flatMap((name, i) => (place?.includes(i) ? [] : [`${name} ${said(values[i])}`]));
  return told.slice(0, 4).join(', ') || keyText(event);
}

function drawFound() {
  const names = columnsOf();
  const items = [...state.shown].reverse();
  const told = TOLD.counts.length > 0;
  growing(at('found'), items, 25, (event) => {
    const values = valuesOf(event);
    const open = make('button', { type: 'button', class: 'open', onclick: () => lookAt(event) }, moment(endOf(event)));
    const cells = names.length
      ? names.map((name, i) => make('td', { 'data-name': name, class: typeof values[i] === 'number' ? 'number' : said(values[i]).length < 16 ? 'key' : '' }, said(values[i])))
      : [make('td', { 'data-name': 'class' }, cls(event).name), make('td', { 'data-name': 'what' }, inWords(event))];
    const tall = told ? [make('td', { 'data-name': 'now' }, badge(lastCase(event))), make('td', { 'data-name': 'told', class: 'number' }, number(historyOf(event).length))] : [];
    return make('tr', { 'data-event': event, 'aria-current': event === state.chosen ? 'true' : null }, make('th', { scope: 'row', 'data-name': 'occurred' }, open), cells, tall);
  }, {
    none: OCCURRENCES.length ? 'Nothing that was found passes these filters.' : 'Nothing was found in this history.',
    wrap: () => {
      const body = make('tbody');
      const heads = ['occurred', ...(names.length ? names : ['class', 'what']), ...(told ? ['now', 'told'] : [])];
      return { target: body, element: make('div', { class: 'scroll' }, make('table', {}, make('thead', {}, make('tr', {}, heads.map((name) => make('th', { scope: 'col' }, name)))), body)) };
    },
  });
}

function markChosen() {
  for (const row of at('found').querySelectorAll('tr[data-event]')) {
    if (Number(row.dataset.event) === state.chosen) row.setAttribute('aria-current', 'true');
    else row.removeAttribute('aria-current');
  }
}

// Why a publication was made: the strongest of its causes.
const reasonOf = [];
function reason(told) {
  if (reasonOf[told] === undefined) {
    const kinds = new Set(TOLD.causes[told].map(kindOf));
    reasonOf[told] = ['withdrawn', 'revised', 'new'].find((kind) => kinds.has(kind)) ?? 'due';
  }
  return reasonOf[told];
}
const REASONS = {
  withdrawn: 'an event was withdrawn',
  revised: 'an event was revised',
  new: 'further events came in',
  due: 'no event of it changed at that step, as far as the tables tell',
};

let onlyReason = null;
function drawCorrected() {
  if (!TOLD.counts.length) return;
  const shown = new Set(state.shown);
  const all = [];
  for (let told = TOLD.case.length - 1; told >= 0; told -= 1) {
    const which = TOLD.case[told];
    if ((which === CHANGE || which === REVOKE) && shown.has(TOLD.event[told]) && (!state.cases.size || state.cases.has(which))) all.push(told);
  }
  all.sort((a, b) => (TOLD.case[b] === REVOKE) - (TOLD.case[a] === REVOKE)); // what was wrong altogether comes first
  at('corrected-section').hidden = false;
  const tally = Object.keys(REASONS).map((kind) => [kind, all.filter((told) => reason(told) === kind).length]).filter(([, count]) => count);
  if (onlyReason && !tally.some(([kind]) => kind === onlyReason)) onlyReason = null;
  const list = make('div');
  const redraw = () => {
    for (const button of legend.querySelectorAll('button')) button.setAttribute('aria-pressed', String(button.dataset.reason === onlyReason));
    growing(list, onlyReason ? all.filter((told) => reason(told) === onlyReason) : all, 12, correctedItem, {
      none: 'Nothing that was told had to be corrected, as far as these filters go.',
      wrap: () => {
        const items = make('ol', { class: 'corrections' });
        return { target: items, element: items };
      },
    });
  };
  const legend = make('div', { class: 'reasons chips', role: 'group', 'aria-label': 'Reasons' }, tally.map(([kind, count]) => make('button', { type: 'button', class: 'chip', 'data-reason': kind, onclick: () => {
    onlyReason = onlyReason === kind ? null : kind;
    redraw();
  } }, make('b', {}, number(count)), ` ${REASONS[kind]}`)));
  fill(at('corrected'), legend, list);
  redraw();
}

function correctedItem(told) {
  const event = TOLD.event[told];
  const changes = toldChanges(told);
  return make('li', { class: CASE_KEYS[TOLD.case[told]], 'data-told': told },
    make('p', { class: 'head' }, badge(TOLD.case[told]), ' ', make('button', { type: 'button', class: 'open', onclick: () => lookAt(event) }, label(event)), make('span', { class: 'dim' }, ' ', time(TOLD.detected[told]))),
    changes.length ? changesList(changes) : null,
    causesList(told, 3) ?? make('p', { class: 'dim' }, REASONS.due));
}
