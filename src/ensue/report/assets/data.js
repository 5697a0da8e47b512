// The data of the page: events by number, through all classes; what was told of them. `ensue.report.encoding` writes it.
const DATA = JSON.parse(document.getElementById('data').textContent);
const CASES = DATA.cases;
const [ON_TIME, LATE, CHANGE, REVOKE] = [0, 1, 2, 3];
const FOUND_ONLY = 4; // of programs without corrections: it was found, and nothing more happened to it

const unpacked = (column) => (Array.isArray(column) ? column : column.at.map((place) => column.of[place]));

const CLASSES = [];
const classOf = [];   // by event: the number of its class
const firstRow = [];  // by event: where its versions begin in the columns of its class
for (const [number, raw] of DATA.classes.entries()) {
  const one = {
    ...raw,
    number,
    base: classOf.length,
    values: raw.values.map(unpacked),
    goneRows: new Set(raw.gone),
    place: raw.place,
  };
  let row = 0;
  for (const count of raw.count) {
    classOf.push(number);
    firstRow.push(row);
    row += count;
  }
  CLASSES.push(one);
}
const EVENTS = classOf.length;

const cls = (event) => CLASSES[classOf[event]];
const keyOf = (event) => cls(event).keys[event - cls(event).base];
const idOf = (event) => cls(event).ids?.[event - cls(event).base] ?? keyOf(event);
const versionsOf = (event) => cls(event).count[event - cls(event).base];
const rowOf = (event, version) => firstRow[event] + (version ?? versionsOf(event) - 1);
const endOf = (event, version) => cls(event).end[rowOf(event, version)];
const beginOf = (event, version) => cls(event).begin[rowOf(event, version)];
const detectedOf = (event, version) => cls(event).detected[rowOf(event, version)];
const isGone = (event, version) => cls(event).goneRows.has(rowOf(event, version));
// What came from outside and was withdrawn had come; what was derived and withdrawn was only thought to be.
const isShown = (event) => !cls(event).derived || !isGone(event);
const valuesOf = (event, version) => cls(event).values.map((column) => column[rowOf(event, version)]);
const partsOf = (event) => cls(event).parts?.[event - cls(event).base] ?? [];
const isHere = (part) => typeof part === 'number';

// All that an event is made of, at any depth, as far as it is on the page.
function within(event) {
  const found = new Set();
  const waiting = [...partsOf(event)];
  while (waiting.length) {
    const part = waiting.pop();
    if (isHere(part) && !found.has(part)) {
      found.add(part);
      waiting.push(...partsOf(part));
    }
  }
  return [...found];
}

// Where an occurrence begins: with the first of what it is made of.
const spans = new Map();
function spanBegin(event) {
  let begin = spans.get(event);
  if (begin === undefined) {
    begin = beginOf(event);
    spans.set(event, begin); // so that a circle, which cannot be, would not go on for ever
    for (const part of partsOf(event)) if (isHere(part)) begin = Math.min(begin, spanBegin(part));
    spans.set(event, begin);
  }
  return begin;
}

const TOLD = DATA.told;
const toldOf = new Map(); // by event: the numbers of its publications, in order
TOLD.event.forEach((event, number) => {
  if (!toldOf.has(event)) toldOf.set(event, []);
  toldOf.get(event).push(number);
});
const historyOf = (event) => toldOf.get(event) ?? [];
const lastCase = (event) => {
  const told = historyOf(event);
  return told.length ? TOLD.case[told.at(-1)] : FOUND_ONLY;
};

const OCCURRENCES = [];
for (let event = 0; event < EVENTS; event += 1) {
  const one = cls(event);
  if (one.found && (historyOf(event).length || !DATA.told.counts.length)) OCCURRENCES.push(event);
}
OCCURRENCES.sort((a, b) => endOf(a) - endOf(b) || a - b);

// A loop, because a list of arguments has a limit.
function extent(pairs) {
  let low = Infinity, high = -Infinity;
  for (const [begin, end] of pairs) {
    if (begin < low) low = begin;
    if (end > high) high = end;
  }
  return low === Infinity ? [0, 1] : [low, high];
}
// Of what is shown: what was found and is still to come has not been told.
const HAPPENED = extent((function* () {
  for (const event of OCCURRENCES) yield [spanBegin(event), endOf(event)];
  for (let event = 0; event < EVENTS; event += 1) if (!cls(event).found && isShown(event)) yield [beginOf(event), endOf(event)];
})());
const ROOM = Math.max((HAPPENED[1] - HAPPENED[0]) * 0.015, 500);
const ALL_TIME = [Math.floor(HAPPENED[0] - ROOM), Math.ceil(HAPPENED[1] + ROOM)];
