// From values to places on the screen, and the values at which an axis has ticks.

const FEW_TICKS = 4;
const [LEAST_DRAWN, MOST_DRAWN] = [1e-100, 1e100]; // beyond, what axes compute would overflow
const FEW_TIMES = 4; // an axis that spans less than this factor reads best with even steps

// Whether an axis can reach it; no time and no rate of a device is far beyond.
function isDrawable(value) {
  return value >= LEAST_DRAWN && value <= MOST_DRAWN;
}

function withinDrawn(value) {
  return Math.min(MOST_DRAWN, Math.max(LEAST_DRAWN, value));
}

// Functions of a value, with `back` from a place to its value.
function linearScale([low, high], [from, to]) {
  const perUnit = (to - from) / (high - low);
  const place = (value) => from + (value - low) * perUnit;
  return Object.assign(place, { low, high, back: (at) => low + (at - from) / perUnit });
}

function logScale([low, high], range) {
  const scale = linearScale([Math.log(low), Math.log(high)], range);
  const back = (at) => Math.exp(scale.back(at));
  return Object.assign((value) => scale(Math.log(value)), { low, high, back });
}

// The ends of an axis for these values, none of which is negative; `room` is a share of their span.
function around(values, room) {
  const [low, high] = [least(values), greatest(values)];
  const span = high - low || high * 0.1 || 1;
  return [Math.max(0, low - span * room), high + span * room];
}

function aroundLog(values, factor) {
  return [least(values) / factor, greatest(values) * factor];
}

// Math.min(...values) has no room for very many.
function least(values) {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function greatest(values) {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}

// Even steps of 1, 2 or 5 times a power of ten, `most` at the most.
function evenTicks(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough * 0.999);
  const ticks = [];
  const first = Math.ceil(low / step);
  for (let at = first; at * step <= high && ticks.length <= most; at += 1) ticks.push(at * step);
  return { ticks, step };
}

// Powers of ten, thinned where they are many, with 2 and 5 times them where they are few.
function logTicks(low, high, most) {
  if (high / low < FEW_TIMES) return evenTicks(low, high, most).ticks;
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const every = Math.max(1, Math.ceil((last - first) / most));
  const digits = (last - first) * 3 <= most + 2 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let power = first; power <= last; power += 1) {
    if (power % every === 0) ticks.push(...digits.map((digit) => digit * 10 ** power));
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

// Of times: all in the unit of the largest where steps are even, else each in its own.
function timeTicks(scale, most, isLog) {
  if (isLog && scale.high / scale.low >= FEW_TIMES) {
    const ticks = logTicks(scale.low, scale.high, most);
    return ticks.map((value) => ({ value, words: timeWords(value) }));
  }
  const [unit, size] = unitFor(scale.high, TIMES);
  const { ticks, step } = evenTicks(scale.low / size, scale.high / size, most);
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return ticks.map((tick) => ({ value: tick * size, words: `${tick.toFixed(decimals)} ${unit}` }));
}

// The first moments of years, of months, of days or of minutes, the finest that have room; days are
// thinned where there are only a few months, and minutes stand where there is only one day. `moments` are in order, and a tick's value is a place among them.
function dateTicks(moments, most) {
  const parts = moments.map((moment) => dateParts(moment));
  let ticks = [];
  for (const level of ["year", "month", "day"]) {
    const finer = parts.flatMap((part, value) =>
      part && part[level] !== parts[value - 1]?.[level] ? [{ value, words: part[level] }] : [],
    );
    if (ticks.length >= FEW_TICKS && finer.length > most) break;
    ticks = finer;
  }
  const isOneDay = ticks.length === 1 && moments.length > 1;
  if (isOneDay) ticks = parts.flatMap((part, value) => (part ? [{ value, words: minuteOf(part) }] : []));
  return thinned(ticks, most);
}

function minuteOf({ day, minute }) {
  return `${day.slice(5)} ${minute}`;
}

function thinned(ticks, most) {
  const every = Math.ceil(ticks.length / Math.max(1, most));
  return ticks.filter((_, place) => place % every === 0);
}
