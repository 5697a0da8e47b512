// From time to pixels, and ticks at times that people would choose.
const scale = ([low, high], [left, right]) => {
  const factor = (right - left) / Math.max(1, high - low);
  return {
    x: (value) => left + (value - low) * factor,
    time: (x) => low + (x - left) / factor,
  };
};

const SECOND = 1e3, MINUTE = 60e3, HOUR = 3600e3, DAY = 86400e3;
const STEPS = [
  1, 10, 100, SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR,
  6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 91 * DAY, 182 * DAY, 365 * DAY, 3650 * DAY,
];

function ticks([low, high], most) {
  const step = STEPS.find((one) => (high - low) / one <= most) ?? (high - low) / most;
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found.map((value, i) => ({ value, text: tickText(value, step, i === 0) }));
}

function tickText(value, step, first) {
  const at = new Date(value);
  const two = (part) => String(part).padStart(2, '0');
  const day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
  if (step >= 300 * DAY) return String(at.getUTCFullYear());
  if (step >= DAY) return first || (at.getUTCMonth() === 0 && at.getUTCDate() <= 2) ? `${day} ${at.getUTCFullYear()}` : day;
  const clock = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
  const fine = step < MINUTE ? `${clock}:${two(at.getUTCSeconds())}` : clock;
  const full = step < SECOND ? `${fine}.${String(at.getUTCMilliseconds()).padStart(3, '0')}` : fine;
  return first || value % DAY === 0 ? `${day}, ${full}` : full;
}

// The first place in a sorted list whose value is no less.
function lowest(list, value, of) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(list[middle]) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
