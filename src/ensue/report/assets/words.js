// How things are said: numbers, times, values, names of events.
const SIGNS = ['●', '◆', '▲', '✕', '●'];
const CASE_WORDS = [...CASES, 'found'];
const CASE_KEYS = ['on-time', 'late', 'change', 'revoke', 'found'];

const number = (value) => value.toLocaleString('en-US');
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? '' : 's'}`;
const iso = (time) => new Date(time).toISOString();
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

function moment(time, fine) {
  const at = new Date(time);
  const two = (value) => String(value).padStart(2, '0');
  const day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  return `${day}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}${fine ? `.${String(at.getUTCMilliseconds()).padStart(3, '0')}` : ''}`;
}

// Two times that differ by less than a second differ in words, too.
function moments(before, after) {
  const fine = Math.floor(before / 1000) === Math.floor(after / 1000);
  return [moment(before, fine), moment(after, fine)];
}

function length(milliseconds) {
  const size = Math.abs(milliseconds);
  const units = [[86400e3, 'day'], [3600e3, 'hour'], [60e3, 'minute'], [1e3, 'second']];
  for (const [unit, word] of units) {
    if (size >= unit) {
      const count = size / unit;
      const said = count < 10 && unit > 1e3 ? Math.round(count * 10) / 10 : Math.round(count);
      return `${said} ${word}${said === 1 ? '' : 's'}`;
    }
  }
  return size ? `${size} ms` : 'no time';
}

function said(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : String(Math.round(value * 1e6) / 1e6);
  return String(value);
}

// What tells an occurrence from the others of its class at a glance: a text that is no code, else its key.
function label(event) {
  const values = valuesOf(event);
  const named = cls(event).attributes.findIndex(
    (name, i) => /^(name|place|title|label|user|who|what|region|city|machine|customer)$/i.test(name) && values[i] != null,
  );
  if (named >= 0) return String(values[named]);
  const about = cls(event).attributes.flatMap((name, i) => (values[i] == null ? [] : [`${name} ${said(values[i])}`]));
  return isCode(keyOf(event)) && about.length ? about.slice(0, 3).join(', ') : keyText(event);
}

// The id of an occurrence says nothing to people.
const isCode = (text) => /^[0-9a-f]{32}$/.test(text);

// A key of several attributes is a JSON list.
function keyText(event) {
  const key = keyOf(event);
  if (isCode(key)) return `${key.slice(0, 8)}…`;
  if (!key.startsWith('[')) return key;
  try {
    return JSON.parse(key).map(said).join(' · ');
  } catch {
    return key;
  }
}

const when = (event) => {
  const begin = spanBegin(event), end = endOf(event);
  return end - begin < 1000 ? moment(end) : `${moment(begin)} to ${moment(end)} (${length(end - begin)})`;
};

// What differs between two lists of values, as [attribute, before, after].
function differences(one, before, after) {
  return one.attributes.flatMap((name, i) => (before[i] === after[i] ? [] : [[name, before[i], after[i]]]));
}

// What a version does to an event.
function kindOf([event, version]) {
  if (isGone(event, version)) return 'withdrawn';
  return version === 0 || isGone(event, version - 1) ? 'new' : 'revised';
}

// What came at a step: the kind, the event, and what differs from what was believed before.
function cause([event, version]) {
  const kind = kindOf([event, version]);
  if (kind !== 'revised') return { event, version, kind, changes: [] };
  const changes = differences(cls(event), valuesOf(event, version - 1), valuesOf(event, version));
  const [was, is] = [endOf(event, version - 1), endOf(event, version)];
  if (was !== is) changes.unshift(['time', ...moments(was, is)]);
  return { event, version, kind, changes };
}
