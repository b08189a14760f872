// Numbers, times and names as they are shown.

const TIMES = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
const PREFIXES = ["", "k", "M", "G", "T", "P", "E"].map((prefix, at) => [prefix, 1000 ** at]);

// The largest unit of which `value` is at least one; the smallest for anything below.
function unitFor(value, units) {
  return units.findLast(([, size]) => value >= size * 0.9995) ?? units[0];
}

// With an exponent where zeros would fill the line.
function significant(value, digits) {
  const rounded = Number(value.toPrecision(digits));
  return rounded >= 1e6 ? rounded.toExponential() : String(rounded);
}

// "61.83 us".
function timeWords(ns) {
  const [unit, size] = unitFor(ns, TIMES);
  return `${significant(ns / size, 4)} ${unit}`;
}

// "61.22 to 62.4 us".
function rangeWords(lowNs, highNs) {
  const [unit, size] = unitFor(lowNs, TIMES);
  return `${significant(lowNs / size, 4)} to ${significant(highNs / size, 4)} ${unit}`;
}

// "61.83 TFLOP/s".
function rateWords(value, unit) {
  const [prefix, size] = unitFor(value, PREFIXES);
  return `${significant(value / size, 4)} ${prefix}${unit}`;
}

function countWords(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

// What others wrote, on one line and not too long. The two marks around it keep its direction of
// writing from the words beside it.
function quoted(text, most = 80) {
  const letters = Array.from(String(text ?? "").replace(/\s+/g, " ").trim());
  if (letters.length === 0) return "";
  const shown = letters.length > most ? [...letters.slice(0, most - 1), "…"] : letters;
  return `\u2068${shown.join("")}\u2069`;
}

// "2026-11-20T12:45:01Z" as its parts; undefined for anything else.
function dateParts(started) {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(started);
  if (!found) return undefined;
  const [, year, month, day, hour, minute] = found;
  const inMonth = `${year}-${month}`;
  return { year, month: inMonth, day: `${inMonth}-${day}`, minute: `${hour}:${minute}` };
}

function momentWords(started) {
  const parts = dateParts(started);
  return parts ? `${parts.day} ${parts.minute}` : quoted(started, 24);
}

// A, B, … Z, AA, AB, …
function letterOf(place) {
  let letters = "";
  for (let left = place + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return letters;
}

function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
