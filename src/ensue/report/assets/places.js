// A map without tiles: meridians, parallels, and where things happened. Only if some class says where.
const placing = CLASSES.filter((one) => one.place);

function ownPlace(event) {
  const { place } = cls(event);
  if (!place) return null;
  const row = rowOf(event);
  const [longitude, latitude] = place.map((column) => cls(event).values[column][row]);
  const usable = typeof longitude === 'number' && typeof latitude === 'number' && Math.abs(longitude) <= 360 && Math.abs(latitude) <= 90;
  return usable ? [longitude > 180 ? longitude - 360 : longitude, latitude] : null;
}

// An occurrence is where its earliest part is that has a place.
const where = new Map();
function placeOf(event) {
  if (!where.has(event)) {
    where.set(event, ownPlace(event));
    if (where.get(event) === null) {
      const parts = partsOf(event).filter(isHere).sort((a, b) => spanBegin(a) - spanBegin(b));
      for (const part of parts) {
        const found = placeOf(part);
        if (found) {
          where.set(event, found);
          break;
        }
      }
    }
  }
  return where.get(event);
}

function bounds(points) {
  let [west, south, east, north] = [180, 90, -180, -90];
  for (const [x, y] of points) {
    west = Math.min(west, x);
    east = Math.max(east, x);
    south = Math.min(south, y);
    north = Math.max(north, y);
  }
  const room = Math.max(0.2, (east - west) * 0.04, (north - south) * 0.04);
  return [Math.max(-180, west - room), Math.max(-90, south - room), Math.min(180, east + room), Math.min(90, north + room)];
}

let mapArea = null; // null: everything; else the chosen one's surroundings
function startMap() {
  if (!placing.length) return;
  const points = [];
  for (const one of placing) for (let i = 0; i < one.keys.length; i += 1) {
    const place = ownPlace(one.base + i);
    if (place) points.push(place);
  }
  if (!points.length) return;
  at('map-section').hidden = false;
  const whole = bounds(points);
  let waiting = 0;
  on('range', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => drawMap(whole), points.length > 3000 ? 120 : 0);
  });
  on('chosen', () => {
    mapArea = null;
    drawMap(whole);
  });
}

function drawMap(whole) {
  const box = at('map');
  const area = mapArea ?? whole;
  const [west, south, east, north] = area;
  const width = Math.max(280, box.clientWidth);
  const narrow = Math.cos((((south + north) / 2) * Math.PI) / 180) || 1;
  const flat = ((east - west) * narrow) / Math.max(0.1, north - south);
  const height = Math.round(Math.min(520, Math.max(220, width / flat)));
  const unit = Math.min(width / ((east - west) * narrow), height / (north - south));
  const left = (width - (east - west) * narrow * unit) / 2, top = (height - (north - south) * unit) / 2;
  const to = ([x, y]) => [left + (x - west) * narrow * unit, top + (north - y) * unit];
  const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Where it happened' });
  const labels = graticule(root, [west - left / narrow / unit, south - top / unit, east + left / narrow / unit, north + top / unit], to, width, height);
  root.append(dots(to, width, height));
  const marks = svg('g');
  const drawn = new Set();
  for (const event of state.shown.slice(-4000)) {
    const place = placeOf(event);
    if (!place) continue;
    const [x, y] = to(place);
    const which = lastCase(event), cell = `${Math.round(x / 4)} ${Math.round(y / 4)} ${which}`;
    if (event !== state.chosen && (drawn.has(cell) || x < -9 || y < -9 || x > width + 9 || y > height + 9)) continue;
    drawn.add(cell);
    marks.append(svg('g', { class: `mark ${CASE_KEYS[which]}${event === state.chosen ? ' chosen' : ''}${state.chosen !== null && event !== state.chosen ? ' faint' : ''}`, 'data-event': event },
      svg('title', {}, describe(event)), svg('circle', { class: 'hit', cx: x, cy: y, r: 12 }), shapes[which](x, y)));
  }
  marks.addEventListener('click', (happened) => {
    const mark = happened.target.closest('[data-event]');
    if (mark) choose(Number(mark.dataset.event));
  });
  root.append(marks, labels);
  if (state.chosen !== null) root.append(litPlaces(to));
  const whence = state.chosen !== null && within(state.chosen).map(ownPlace).filter(Boolean);
  const tools = whence && whence.length > 0 && make('button', {
    type: 'button', class: 'tool', onclick: () => {
      mapArea = mapArea ? null : bounds(whence);
      drawMap(whole);
    },
  }, mapArea ? 'Show the whole map' : 'Go to what is chosen');
  const hidden = state.shown.length > 4000 ? `The newest 4,000 of ${number(state.shown.length)} are drawn. ` : '';
  fill(box, root, make('p', { class: 'caption' }, `${hidden}Grey: ${placing.map((one) => one.name).join(', ')}. Marks: what was found, where the first of its parts is.`, tools && ' ', tools));
}

function graticule(root, [west, south, east, north], to, width, height) {
  const step = [0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30].find((one) => (east - west) / one <= Math.max(3, width / 90)) ?? 45;
  const group = svg('g', { class: 'axis' }), labels = svg('g');
  const digits = step < 1 ? (step === 0.25 ? 2 : 1) : 0;
  for (let x = Math.ceil(west / step) * step; x <= Math.min(east, 180); x += step) {
    if (x < -180) continue;
    const [at] = to([x, 0]);
    group.append(svg('line', { x1: at, x2: at, y1: 0, y2: height }));
    if (at > 16 && at < width - 16) labels.append(svg('text', { x: at, y: height - 5, 'text-anchor': 'middle' }, `${Math.abs(x).toFixed(digits)}°${x < 0 ? 'W' : x > 0 ? 'E' : ''}`));
  }
  for (let y = Math.ceil(south / step) * step; y <= Math.min(north, 90); y += step) {
    if (y < -90) continue;
    const at = to([0, y])[1];
    group.append(svg('line', { x1: 0, x2: width, y1: at, y2: at }));
    if (at > 12 && at < height - 18) labels.append(svg('text', { x: 4, y: at - 4 }, `${Math.abs(y).toFixed(digits)}°${y < 0 ? 'S' : y > 0 ? 'N' : ''}`));
  }
  root.append(group);
  return labels; // above the marks
}

// All events in the range as one path: a dot for each place that differs by a pixel or two.
function dots(to, width, height) {
  const [low, high] = state.range;
  const seen = new Set();
  let d = '';
  for (const one of placing) {
    const events = eventsOf[one.number].length ? eventsOf[one.number] : [];
    for (let i = lowest(events, low, endOf); i < events.length && endOf(events[i]) <= high; i += 1) {
      const place = ownPlace(events[i]);
      if (!place) continue;
      const [x, y] = to(place).map((value) => Math.round(value / 1.5) * 1.5);
      if (x < 0 || y < 0 || x > width || y > height || seen.has(x * 100000 + y)) continue;
      seen.add(x * 100000 + y);
      d += `M${x} ${y}h0`;
    }
  }
  return svg('path', { class: `dots${state.chosen === null ? '' : ' faint'}`, d });
}

function litPlaces(to) {
  const group = svg('g', { class: 'litplaces' });
  const home = placeOf(state.chosen);
  for (const event of within(state.chosen)) {
    const place = ownPlace(event);
    if (!place) continue;
    const [x, y] = to(place);
    if (home) {
      const [hx, hy] = to(home);
      group.append(svg('line', { class: CASE_KEYS[lastCase(state.chosen)], x1: hx, y1: hy, x2: x, y2: y }));
    }
    if (home && home[0] === place[0] && home[1] === place[1]) continue; // the mark itself is there
    group.append(svg('g', { class: `lit${isGone(event) ? ' gone' : ''}`, 'data-part': event }, svg('title', {}, `${cls(event).name} ${keyText(event)}`), svg('circle', { cx: x, cy: y, r: 3.4 })));
  }
  return group;
}
