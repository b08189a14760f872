// The runs of a case, the oldest on the left: medians with the whiskers of their intervals, and a
// band for each environment. Drag to zoom.

const HISTORY_HEIGHT = 280;
const LOG_FROM = 8; // times the fastest: a slowest run from which the axis is logarithmic

CHARTS.history = historyChart;

function historyChart(box, data) {
  const points = historyPoints(data);
  if (points.length === 0) return undefined;
  const whole = [0, points.length - 1]; // places of points
  const drawn = (width, shown, readout) => drawHistory(box, width, points, shown, readout);
  return zoomable(box, whole, drawn, () => true, "run");
}

// Those that can be drawn. Times are numbers of `step_ns`.
function historyPoints(data) {
  const runs = runsOf(data);
  const { step_ns: step = 1, base = 0 } = data;
  const told = new Map(listOf(data.changes).map((change) => [change?.run, change?.words]));
  const unsteady = new Set(listOf(data.unsteady));
  const columns = [data.median, data.below, data.above].map(listOf);
  return placesIn(listOf(data.at)).flatMap((at, place) => {
    const [over, below, above] = columns.map((column) => column[place] * step);
    const median = over + base * step;
    if (!isDrawable(median)) return []; // the table has it
    const [low, high] = [median - below, median + above];
    const run = runs[at] ?? {};
    const point = {
      median,
      low: Number.isFinite(low) ? Math.min(withinDrawn(low), median) : median,
      high: Number.isFinite(high) ? Math.max(withinDrawn(high), median) : median,
      unsteady: unsteady.has(at),
      started: String(run.started ?? ""),
      environment: Number.isInteger(run.environment) ? run.environment : 0,
      told: told.get(at),
    };
    return [{ ...point, words: pointWords(point, run) }];
  });
}

function pointWords(point, run) {
  const { median, low, high } = point;
  return [
    momentWords(point.started),
    `${timeWords(median)}${low < high ? ` (${rangeWords(low, high)})` : ""}`,
    point.unsteady ? "not steady" : "",
    run.status ? `run ${quoted(run.status, 20)}` : "",
    run.unfit ? `machine not fit: ${quoted(run.unfit, 60)}` : "",
    run.commit ? `commit ${quoted(run.commit, 14)}` : "",
    quoted(run.label, 40),
    `environment ${letterOf(point.environment)}`,
    point.told ? `told: ${quoted(point.told, 120)}` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function drawHistory(box, width, points, [first, last], readout) {
  const margin = { left: 72, right: 14, top: 30, bottom: 26 };
  const keys = "Arrow keys go from run to run, plus and minus zoom.";
  const on = canvas(box, width, HISTORY_HEIGHT, margin, keys);
  const { svg, area } = on;
  const seen = points.slice(first, last + 1);
  const across = linearScale([first - 0.5, last + 0.5], [area.left, area.right]);
  const { up, isLog } = upwards(seen, area);
  svg.append(bands(seen, first, across, area));
  leftAxis(on, up, timeTicks(up, 6, isLog));
  const moments = seen.map((point) => point.started);
  const days = dateTicks(moments, Math.floor((area.right - area.left) / 84));
  bottomAxis(on, (place) => across(first + place), days);
  const reachable = seen.map((point, place) => ({
    x: across(first + place),
    y: up(point.median),
    flat: true, // a pointer means the run that it is above or below of
    node: shape("g", { role: "img", class: "point", "data-place": first + place }),
    words: point.words,
  }));
  svg.append(whiskers(seen, reachable, up), toldMarks(seen, reachable, area));
  const radius = Math.max(1.5, Math.min(4, (area.right - area.left) / seen.length / 3));
  for (const [place, { node, x, y }] of reachable.entries()) {
    node.setAttribute("transform", `translate(${round(x)} ${round(y)})`);
    node.append(mark(PLAIN, radius, seen[place].unsteady));
    svg.append(node);
  }
  const hint = [
    `${countWords(seen.length, "run")}: medians and their 95% intervals.`,
    seen.some((point) => point.unsteady) ? "Hollow: not steady." : "",
    seen.length > 2 ? "Drag to zoom." : "",
  ];
  makeReachable(on, reachable, readout, hint.filter(Boolean).join(" "));
  return { svg, across };
}

function upwards(seen, area) {
  const values = seen.flatMap((point) => [point.low, point.median, point.high]);
  const isLog = least(values) > 0 && greatest(values) / least(values) > LOG_FROM;
  const range = [area.bottom, area.top];
  if (isLog) return { up: logScale(aroundLog(values, 1.15), range), isLog };
  return { up: linearScale(around(values, 0.08), range), isLog };
}

// A band for each stretch of runs in one environment, and its letter.
function bands(seen, first, across, area) {
  const group = shape("g", { class: "bands", "aria-hidden": "true" });
  for (let from = 0; from < seen.length; ) {
    const { environment } = seen[from];
    let to = from + 1;
    while (to < seen.length && seen[to].environment === environment) to += 1;
    const [x, end] = [across(first + from - 0.5), across(first + to - 0.5)];
    const size = { x: round(x), y: 4, width: round(end - x), height: area.bottom - 4 };
    group.append(shape("rect", { class: environment % 2 ? "band odd" : "band", ...size }));
    const words = letterOf(environment);
    if (end - x > 9 * words.length) group.append(shape("text", { x: round(x) + 3, y: 17 }, words));
    from = to;
  }
  return group;
}

function whiskers(seen, places, up) {
  const d = seen.map(({ low, high }, place) => {
    const x = round(places[place].x);
    return low < high ? `M${x} ${round(up(low))}V${round(up(high))}` : "";
  });
  return shape("path", { class: "whiskers", d: d.join("") });
}

// Above the runs since which something is told of the case.
function toldMarks(seen, places, area) {
  const d = seen.map(({ told }, place) => {
    const x = round(places[place].x);
    return told ? `M${x - 5} ${area.top - 9}h10l-5 8zM${x} ${area.top}V${area.bottom}` : "";
  });
  return shape("path", { class: "told", d: d.join("") });
}
