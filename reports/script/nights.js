// The nights of a case over their dates: a point for each, the levels, and what is told of them.
// Drag to zoom.

const NIGHTS_HEIGHT = 250;
const ENVIRONMENT_SHAPES = [0, 1, 3, 5]; // of points, as in the figures
const BEYOND = { shape: 6 }; // of a night that the axis does not reach
const CHANGES = { regression: 1, improvement: 0, environment: 4 }; // colours, as in the figures
const [RISES, FALLS] = [2, 4]; // shapes of changes
const DAY_MS = 86400000;

CHARTS.nights = nightsChart;

function nightsChart(box, data) {
  const chart = nightsOf(data);
  if (!chart) return undefined;
  const drawn = (width, shown, readout) => drawNights(box, width, chart, shown, readout);
  const holds = (first, last) => within(chart.points, first, last).length > 0;
  return zoomable(box, [0, chart.last], drawn, holds, "night");
}

// Places are days since the first night of the page; undefined where nothing can be drawn.
function nightsOf(data) {
  const calendar = typeof data.calendar === "string" ? (dataFor(data.calendar) ?? {}) : data;
  const reach = [data.low, data.high];
  if (!reach.every(isAmount) || !(reach[1] - reach[0] >= LEAST_DRAWN)) return undefined;
  const around = listOf(calendar.around).filter((one) => isPlace(one?.at));
  const chart = { reach, around, first: Date.parse(`${calendar.first}T00:00:00Z`) };
  chart.unit = data.unit === undefined ? undefined : quoted(data.unit, 26);
  chart.points = nightPoints(data, chart);
  if (chart.points.length === 0) return undefined;
  chart.last = greatest(chart.points.map((point) => point.day));
  if (isPlace(calendar.last)) chart.last = Math.max(chart.last, Math.floor(calendar.last));
  chart.lines = ["levels", "drifts"].map((key) => listOf(data[key]).filter(isLine));
  chart.marks = listOf(data.marks).filter((one) => [one?.at, one?.from, one?.to].every(isPlace));
  chart.marks = chart.marks.filter((one) => isAmount(one.middle));
  chart.stop = isPlace(data.stop) ? data.stop : undefined;
  return chart;
}

// Half a day before the first night is one, too.
function isPlace(day) {
  return typeof day === "number" && Math.abs(day) <= MOST_PLACES;
}

// From a day and its value to another.
function isLine(line) {
  if (listOf(line).length !== 4) return false;
  const [from, low, to, high] = line;
  return [from, to].every(isPlace) && [low, high].every(isAmount);
}

function isAmount(value) {
  return typeof value === "number" && Math.abs(value) <= MOST_DRAWN;
}

function nightPoints(data, chart) {
  const series = listOf(data.series);
  const told = wordsByDay(listOf(data.told).map((one) => [one?.day, quoted(one?.words, 160)]));
  const letters = wordsByDay(
    chart.around.map((one) => [one.night, `${quoted(one.letter, 3)}: ${quoted(one.words, 100)}`]),
  );
  const points = series.flatMap((one, environment) => {
    const values = listOf(one?.values);
    return placesIn(listOf(one?.at)).flatMap((day, place) => {
      const value = values[place];
      const isDrawn = Number.isInteger(day) && day >= 0 && isPlace(day);
      if (!isDrawn || !isAmount(value)) return [];
      const isBeyond = value < chart.reach[0] || value > chart.reach[1];
      const words = [
        momentOfDay(chart, day).slice(0, 10),
        valueWords(chart, value),
        isBeyond ? "beyond the axis" : "",
        series.length > 1 ? `environment ${environment + 1}` : "",
        told.has(day) ? `told: ${told.get(day)}` : "",
        letters.get(day) ?? "",
      ];
      return [{ day, value, environment, isBeyond, words: words.filter(Boolean).join(", ") }];
    });
  });
  return points.sort((a, b) => a.day - b.day);
}

function wordsByDay(pairs) {
  const found = new Map();
  for (const [day, words] of pairs) {
    found.set(day, found.has(day) ? `${found.get(day)}; ${words}` : words);
  }
  return found;
}

function valueWords(chart, value) {
  return chart.unit === undefined ? timeWords(value) : `${significant(value, 6)} ${chart.unit}`;
}

// Empty where the page does not say which day it is.
function momentOfDay({ first }, day) {
  const moment = new Date(first + day * DAY_MS);
  return Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
}

function within(points, first, last) {
  return points.filter(({ day }) => day >= first && day <= last);
}

function drawNights(box, width, chart, [first, last], readout) {
  const margin = { left: 72, right: 14, top: 30, bottom: 26 };
  const keys = "Arrow keys go from night to night, plus and minus zoom.";
  const on = canvas(box, width, NIGHTS_HEIGHT, margin, keys);
  const { svg, area } = on;
  const across = linearScale([first - 0.5, last + 0.5], [area.left, area.right]);
  const up = linearScale(chart.reach, [area.bottom, area.top]);
  const seen = within(chart.points, first, last);
  const inside = clipped(area);
  inside.append(...environmentBands(seen, across, area), ...ranges(chart, across, area));
  svg.append(inside);
  leftAxis(on, up, valueTicks(chart, up), chart.unit);
  const days = Array.from({ length: last - first + 1 }, (_, place) => first + place);
  const moments = days.map((day) => momentOfDay(chart, day));
  const ticks = dateTicks(moments, Math.floor((area.right - area.left) / 84));
  bottomAxis(on, (place) => across(first + place), ticks);
  svg.append(letterLines(chart, across, area, [first, last]));
  const radius = Math.max(1.5, Math.min(3.5, (area.right - area.left) / days.length / 3));
  const reachable = seen.map((point) => nightMark(point, across, up, radius));
  svg.append(...reachable.map(({ node }) => node));
  const said = clipped(area);
  said.append(...toldLines(chart, across, up, area));
  svg.append(said); // above the points, which are many
  const shown = chart.marks.filter(({ at }) => at >= first - 0.5 && at <= last + 0.5);
  svg.append(...shown.map((one) => changeMark(one, across, up)));
  const rise = chart.unit === undefined ? "slower" : "more";
  const hint = [
    `${countWords(seen.length, "night")}.`,
    shown.length > 0 ? `A triangle is a change: up is ${rise}.` : "",
    shown.some((one) => one.hollow) ? "Hollow: a mode." : "",
    chart.lines[1].length > 0 ? "Dashed: a drift." : "",
    chart.stop === undefined ? "" : "Dotted: the last night of the case.",
    seen.length > 2 ? "Drag to zoom." : "",
  ];
  makeReachable(on, reachable, readout, hint.filter(Boolean).join(" "));
  return { svg, across };
}

function nightMark(point, across, up, radius) {
  const node = shape("g", { role: "img", class: "point night", "data-place": point.day });
  const [x, y] = [across(point.day), up(inReach(up, point.value))];
  const look = { shape: ENVIRONMENT_SHAPES[point.environment % ENVIRONMENT_SHAPES.length] };
  node.setAttribute("transform", `translate(${round(x)} ${round(y)})`);
  node.append(point.isBeyond ? mark(BEYOND, 4, false) : mark(look, radius, false));
  // A pointer means the night that it is above or below of.
  return { x, y, flat: true, node, words: point.words };
}

function inReach({ low, high }, value) {
  return Math.min(high, Math.max(low, value));
}

// A drawing in the drawing, in the same places, of which only what is in the area is seen.
function clipped({ left, right, top, bottom }) {
  const size = { x: left, y: top, width: right - left, height: bottom - top };
  const viewBox = `${left} ${top} ${size.width} ${size.height}`;
  return shape("svg", { ...size, viewBox, "aria-hidden": "true" });
}

function valueTicks({ unit }, up) {
  if (unit === undefined) return timeTicks(up, 5, false);
  const { ticks } = evenTicks(up.low, up.high, 5);
  return ticks.map((value) => ({ value, words: significant(value, 6) }));
}

// One for each stretch of nights in a comparable environment, where there are several.
function environmentBands(seen, across, area) {
  const made = [];
  if (seen.every(({ environment }) => environment === seen[0].environment)) return made;
  for (let from = 0; from < seen.length; ) {
    const { environment } = seen[from];
    let to = from + 1;
    while (to < seen.length && seen[to].environment === environment) to += 1;
    const [x, end] = [across(seen[from].day - 0.5), across(seen[to - 1].day + 0.5)];
    made.push(upright(environment % 2 ? "band odd" : "band", x, end, area));
    from = to;
  }
  return made;
}

// The nights on which a change may have happened.
function ranges({ marks }, across, area) {
  return marks.map((one) => {
    const [x, end] = [across(Math.min(one.from, one.to)), across(Math.max(one.from, one.to))];
    return upright(`range suite-${colourOf(one)}`, x, Math.max(end, x + 2), area);
  });
}

function upright(look, x, end, { top, bottom }) {
  const size = { x: round(x), y: top, width: round(end - x), height: bottom - top };
  return shape("rect", { class: look, ...size });
}

function colourOf({ kind }) {
  return Object.hasOwn(CHANGES, kind) ? CHANGES[kind] : CHANGES.environment;
}

function toldLines({ lines, stop }, across, up, area) {
  const place = (day, value) => `${round(across(day))} ${round(up(value))}`;
  const [levels, drifts] = lines.map((some) =>
    some.map(([from, low, to, high]) => `M${place(from, low)}L${place(to, high)}`).join(""),
  );
  const end = stop === undefined ? "" : `M${round(across(stop))} ${area.top}V${area.bottom}`;
  return [
    shape("path", { class: "level", d: levels }),
    shape("path", { class: "level drift", d: drifts }),
    shape("path", { class: "stop", d: end }),
  ];
}

function changeMark(one, across, up) {
  const [x, y] = [across(one.at), up(inReach(up, one.middle))];
  const look = { shape: one.rises ? RISES : FALLS, colour: colourOf(one) };
  const transform = `translate(${round(x)} ${round(y)})`;
  const drawn = mark(look, 6, one.hollow === true);
  return shape("g", { class: "change", "aria-hidden": "true", transform }, drawn);
}

// What happened around all cases: lines, and the letters by which the page tells it. Letters that
// would touch stand as one word.
function letterLines({ around }, across, area, [first, last]) {
  const group = shape("g", { class: "around", "aria-hidden": "true" });
  let end;
  for (const one of around) {
    if (one.at < first - 0.5 || one.at > last + 0.5) continue;
    const x = round(across(one.at));
    const letter = quoted(one.letter, 3);
    group.append(shape("path", { d: `M${x} ${area.top - 6}V${area.bottom}` }));
    if (end && x - end.x < 14) {
      end.text.append(letter);
      end.x += 10;
    } else {
      end = { x, text: shape("text", { x, y: 18, "text-anchor": "middle" }, letter) };
      group.append(end.text);
    }
  }
  return group;
}
