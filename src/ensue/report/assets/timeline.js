// The timeline: a lane for each class. What was found stands above what happened; what is in view is drawn, one by one
// if that is few, and else as counts.
const FEW_MARKS = 260;
const FEW_TICKS = 500;
const MOST_LINKS = 240;
const LANE = { label: 18, row: 15, rows: 12, events: 34, gap: 12, top: 26 };

const eventsOf = CLASSES.map((one) => {
  const events = [];
  if (!one.found) for (let i = 0; i < one.keys.length; i += 1) if (isShown(one.base + i)) events.push(one.base + i);
  return events.sort((a, b) => endOf(a) - endOf(b));
});

// What is derived stands between what was found and what it comes from.
const LANES = CLASSES.filter((one) => !one.found && one.keys.length).sort((a, b) => b.derived - a.derived);

const shapes = [
  (x, y) => svg('circle', { cx: x, cy: y, r: 5 }),
  (x, y) => svg('path', { d: `M${x - 5.6} ${y}l5.6 -5.6 5.6 5.6 -5.6 5.6z` }),
  (x, y) => svg('path', { d: `M${x - 5.6} ${y + 4.6}l5.6 -9.6 5.6 9.6z` }),
  (x, y) => svg('path', { d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`, class: 'cross' }),
  (x, y) => svg('circle', { cx: x, cy: y, r: 5 }),
];

const placed = new Map(); // by occurrence: where its mark was drawn

function describe(event) {
  const told = historyOf(event).length;
  const status = told ? `, ${CASE_WORDS[lastCase(event)]}, ${plural(told, 'publication')}` : '';
  return `${cls(event).name} ${label(event)}, ${when(event)}${status}`;
}

function drawTimeline() {
  const box = at('timeline');
  const width = Math.max(280, box.clientWidth);
  const along = scale(state.range, [8, width - 8]);
  const root = svg('svg', { width, role: 'presentation', focusable: 'false' });
  const under = svg('g'), links = svg('g', { class: 'links' }), over = svg('g');
  placed.clear();
  const lit = new Set(state.chosen === null ? [] : within(state.chosen));
  const anchors = new Map();
  let y = LANE.top;
  for (const one of CLASSES.filter((each) => each.found)) y = foundLane(one, y, along, width, over, under);
  for (const one of LANES) y = eventLane(one, y, along, width, under, over, lit, anchors);
  axis(root, along, width, y);
  drawLinks(links, anchors);
  root.append(under, links, over);
  root.setAttribute('height', y + 4);
  root.setAttribute('viewBox', `0 0 ${width} ${y + 4}`);
  fill(box, root);
  drawCursor();
}

function axis(root, along, width, height) {
  const group = svg('g', { class: 'axis' });
  for (const { value, text } of ticks(state.range, Math.max(2, Math.floor(width / 88)))) {
    const x = along.x(value);
    group.append(svg('line', { x1: x, x2: x, y1: 20, y2: height }));
    if (x < width - 40) group.append(svg('text', { x: Math.max(2, x), y: 13, 'text-anchor': x < 30 ? 'start' : 'middle' }, text));
  }
  root.append(group);
}

function heading(group, y, name, note) {
  group.append(svg('text', { class: 'lane', x: 2, y: y + 12 }, name, svg('tspan', { class: 'dim', dx: 8 }, note)));
}

function foundLane(one, y, along, width, over, under) {
  const mine = state.shown.filter((event) => classOf[event] === one.number);
  heading(over, y, one.name, plural(mine.length, 'occurrence'));
  const top = y + LANE.label;
  if (mine.length > FEW_MARKS) {
    const height = 64;
    bins(mine, along, width, top, height, over, (event) => lastCase(event));
    return top + height + LANE.gap;
  }
  const ends = [];
  for (const event of mine) {
    const x = along.x(endOf(event)), from = Math.max(-4, along.x(spanBegin(event)));
    let row = ends.findIndex((end) => end < from - 8);
    if (row < 0) row = ends.length < LANE.rows ? ends.length : ends.indexOf(Math.min(...ends));
    ends[row] = Math.max(x, from) + 6;
    const middle = top + row * LANE.row + 8;
    const which = lastCase(event);
    const mark = svg(
      'g',
      { class: `mark ${CASE_KEYS[which]}${event === state.chosen ? ' chosen' : ''}${state.chosen !== null && event !== state.chosen ? ' faint' : ''}`, 'data-event': event },
      svg('title', {}, describe(event)),
      x - from > 1 && svg('line', { x1: from, x2: x, y1: middle, y2: middle }),
      svg('rect', { class: 'hit', x: Math.min(from, x - 10), y: middle - LANE.row / 2, width: Math.max(20, x - from + 10), height: LANE.row }),
      shapes[which](x, middle),
    );
    placed.set(event, [x, middle]);
    over.append(mark);
  }
  return top + Math.max(1, ends.length) * LANE.row + LANE.gap;
}

// Counts in narrow columns, by case; the tallest fills the lane.
function bins(events, along, width, top, height, group, kind) {
  const size = 5, columns = new Map();
  for (const event of events) {
    const place = Math.floor(along.x(endOf(event)) / size);
    if (!columns.has(place)) columns.set(place, [0, 0, 0, 0, 0]);
    columns.get(place)[kind(event)] += 1;
    placed.set(event, [place * size + size / 2, top + height]);
  }
  let most = 1;
  for (const counts of columns.values()) most = Math.max(most, counts.reduce((sum, count) => sum + count, 0));
  const paths = ['', '', '', '', ''];
  for (const [place, counts] of columns) {
    const total = counts.reduce((sum, count) => sum + count, 0);
    const tall = Math.max(2, Math.sqrt(total / most) * height);
    let bottom = top + height;
    counts.forEach((count, which) => {
      if (!count) return;
      const part = (tall * count) / total;
      paths[which] += `M${place * size} ${bottom}v${-part}h${size - 1}v${part}z`;
      bottom -= part;
    });
  }
  paths.forEach((d, which) => d && group.append(svg('path', { d, class: `bin ${CASE_KEYS[which]}` })));
}

function eventLane(one, y, along, width, under, over, lit, anchors) {
  const [low, high] = state.range;
  const all = eventsOf[one.number];
  const inView = all.slice(lowest(all, low, endOf), lowest(all, high + 1, endOf));
  heading(under, y, one.name, `${plural(inView.length, 'event')}${one.derived ? ', not published' : ''}`);
  const top = y + LANE.label, height = LANE.events;
  const group = svg('g', { class: `events${state.chosen === null ? '' : ' faint'}` });
  if (inView.length > FEW_TICKS) {
    const size = 3, columns = new Map();
    for (const event of inView) {
      const place = Math.floor(along.x(endOf(event)) / size);
      columns.set(place, (columns.get(place) ?? 0) + 1);
    }
    const most = Math.max(1, ...columns.values());
    let d = '';
    for (const [place, count] of columns) d += `M${place * size} ${top + height}v${-Math.max(1.5, Math.sqrt(count / most) * height)}h${size - 0.6}V${top + height}z`;
    group.append(svg('path', { class: 'count', d }));
  } else {
    let d = '';
    for (const event of inView) d += `M${along.x(endOf(event)).toFixed(1)} ${top + 6}V${top + height}`;
    group.append(svg('path', { class: 'ticks', d }));
  }
  group.append(svg('line', { class: 'floor', x1: 0, x2: width, y1: top + height, y2: top + height }));
  under.append(group);
  const mine = [...lit].filter((event) => classOf[event] === one.number && endOf(event) >= low && endOf(event) <= high);
  for (const event of mine) {
    const x = along.x(endOf(event));
    anchors.set(event, [x, top + 4]);
    over.append(svg('g', { class: `lit${isGone(event) ? ' gone' : ''}`, 'data-part': event },
      svg('title', {}, `${one.name} ${keyText(event)}, ${moment(endOf(event))}`),
      svg('line', { x1: x, x2: x, y1: top + 4, y2: top + height }),
      svg('circle', { cx: x, cy: top + 4, r: 3.4 })));
  }
  return top + height + LANE.gap;
}

// From the chosen one to its parts, and from these to theirs.
function drawLinks(group, anchors) {
  const from = placed.get(state.chosen);
  if (!from) return;
  let drawn = 0;
  const join = ([x1, y1], [x2, y2]) => {
    if (drawn >= MOST_LINKS) return;
    drawn += 1;
    const middle = (y1 + y2) / 2;
    group.append(svg('path', { class: CASE_KEYS[lastCase(state.chosen)], d: `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}` }));
  };
  for (const part of partsOf(state.chosen)) if (anchors.has(part)) join(from, anchors.get(part));
  for (const [event, place] of anchors) for (const part of partsOf(event)) if (anchors.has(part)) join(place, anchors.get(part));
}

function drawCursor() {
  const box = at('timeline');
  box.querySelector('#cursor')?.remove();
  const place = placed.get(state.cursor);
  if (!place) {
    box.removeAttribute('aria-activedescendant');
    return;
  }
  box.firstChild.append(svg('g', { id: 'cursor', role: 'option', 'aria-selected': String(state.cursor === state.chosen), 'aria-label': describe(state.cursor) },
    svg('circle', { class: 'ring', cx: place[0], cy: place[1], r: 10 })));
  box.setAttribute('aria-activedescendant', 'cursor');
}

function step(by) {
  const now = state.shown.indexOf(state.cursor);
  goTo(now < 0 && by < 0 ? state.shown.length - 1 : now + by);
}

function goTo(place) {
  const { shown } = state;
  if (!shown.length) return;
  state.cursor = shown[Math.min(shown.length - 1, Math.max(0, place))];
  tell('cursor');
  say(describe(state.cursor));
}

function zoom(factor, around) {
  const [low, high] = state.range;
  const chosen = state.chosen ?? state.cursor;
  const middle = around ?? (chosen !== null && endOf(chosen) >= low && endOf(chosen) <= high ? endOf(chosen) : (low + high) / 2);
  setRange(middle - (middle - low) * factor, middle + (high - middle) * factor);
}

const KEYS = {
  ArrowRight: () => step(1),
  ArrowLeft: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  PageDown: () => step(10),
  PageUp: () => step(-10),
  Home: () => goTo(0),
  End: () => goTo(Infinity),
  Enter: () => state.cursor !== null && choose(state.cursor),
  ' ': () => state.cursor !== null && choose(state.cursor),
  '+': () => zoom(0.5),
  '=': () => zoom(0.5),
  '-': () => zoom(2),
  0: () => setRange(...ALL_TIME),
};

function startTimeline() {
  const box = at('timeline');
  box.addEventListener('keydown', (pressed) => {
    if (pressed.ctrlKey || pressed.metaKey || pressed.altKey || !KEYS[pressed.key]) return;
    pressed.preventDefault();
    KEYS[pressed.key]();
  });
  const across = (happened) => scale(state.range, [8, box.clientWidth - 8]).time(happened.clientX - box.getBoundingClientRect().left);
  box.addEventListener('click', (happened) => {
    if (moved) return;
    const mark = happened.target.closest('[data-event]');
    if (mark) return choose(Number(mark.dataset.event));
    const place = happened.target.closest('.bin');
    if (place) { // nearest of those that are counted there
      const when = across(happened);
      const near = lowest(state.shown, when, endOf);
      const candidates = [state.shown[near], state.shown[near - 1]].filter((one) => one !== undefined);
      candidates.sort((a, b) => Math.abs(endOf(a) - when) - Math.abs(endOf(b) - when));
      if (candidates.length) choose(candidates[0]);
    }
  });
  let grip = null, moved = false;
  box.addEventListener('pointerdown', (happened) => {
    moved = false;
    if (happened.button === 0 && happened.pointerType !== 'touch') grip = { x: happened.clientX, range: state.range };
  });
  window.addEventListener('pointermove', (happened) => {
    if (!grip || Math.abs(happened.clientX - grip.x) < 4) return;
    moved = true;
    const [low, high] = grip.range;
    const by = ((grip.x - happened.clientX) / box.clientWidth) * (high - low);
    soon(() => setRange(low + by, high + by));
  });
  window.addEventListener('pointerup', () => { grip = null; });
  box.addEventListener('wheel', (happened) => {
    if (!happened.ctrlKey && !happened.metaKey) return;
    happened.preventDefault();
    zoom(happened.deltaY > 0 ? 1.25 : 0.8, across(happened));
  }, { passive: false });
  const tool = (text, name, act) => make('button', { type: 'button', class: 'tool', 'aria-label': name, title: name, onclick: act }, text);
  fill(at('timeline-tools'), tool('−', 'Zoom out', () => zoom(2)), tool('+', 'Zoom in', () => zoom(0.5)), tool('All', 'Show all time', () => setRange(...ALL_TIME)));
  startOverview();
  on('range', drawTimeline);
  on('range', drawOverview);
  on('chosen', drawTimeline);
  on('cursor', drawCursor);
}

let asked = 0;
function soon(act) {
  cancelAnimationFrame(asked);
  asked = requestAnimationFrame(act);
}

// The strip below: all time, with the range as a window that can be drawn anew.
function drawOverview() {
  const box = at('overview');
  const width = Math.max(280, box.clientWidth), height = 30;
  const along = scale(ALL_TIME, [8, width - 8]);
  const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}` });
  const group = svg('g');
  overviewBins(group, along, width, height);
  const [left, right] = state.range.map(along.x);
  root.append(group, svg('rect', { class: 'window', x: left, y: 1, width: Math.max(3, right - left), height: height - 2, rx: 3 }));
  fill(box, root);
}

function overviewBins(group, along, width, height) {
  const size = 4, columns = new Map();
  for (const event of state.matching) {
    const place = Math.floor(along.x(endOf(event)) / size);
    columns.set(place, (columns.get(place) ?? 0) + 1);
  }
  const most = Math.max(1, ...columns.values());
  let d = '';
  for (const [place, count] of columns) d += `M${place * size} ${height - 3}v${-Math.max(2, Math.sqrt(count / most) * (height - 8))}h${size - 1}V${height - 3}z`;
  if (d) group.append(svg('path', { class: 'count', d }));
}

function startOverview() {
  const box = at('overview');
  let start = null;
  const across = (happened) => scale(ALL_TIME, [8, box.clientWidth - 8]).time(happened.clientX - box.getBoundingClientRect().left);
  box.addEventListener('pointerdown', (happened) => {
    start = across(happened);
    box.setPointerCapture(happened.pointerId);
  });
  box.addEventListener('pointermove', (happened) => {
    if (start === null) return;
    const now = across(happened);
    soon(() => setRange(Math.min(start ?? now, now), Math.max(start ?? now, now)));
  });
  const end = (happened) => {
    if (start === null) return;
    const now = across(happened);
    const [low, high] = state.range;
    if (Math.abs(now - start) < (ALL_TIME[1] - ALL_TIME[0]) * 0.01) {
      const half = (high - low < (ALL_TIME[1] - ALL_TIME[0]) * 0.02 ? (ALL_TIME[1] - ALL_TIME[0]) * 0.1 : high - low) / 2;
      cancelAnimationFrame(asked);
      setRange(now - half, now + half); // a click moves the window there
    }
    start = null;
  };
  box.addEventListener('pointerup', end);
}
