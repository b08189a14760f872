// The samples of a case's last runs, a row for each, the newest first: how often each time was
// sampled. Two heaps in a row are two modes, which a median hides.

const ROW = 34;
const BINS = 48; // of a row, those at its ends without samples among them
const SAMPLES_HINT =
  "How often each time was sampled. The line under a row spans eight of ten samples, the one " +
  "across it is their median.";

CHARTS.samples = samplesChart;

function samplesChart(box, data) {
  const rows = sampleRows(data);
  const bounds = [data.low_ns, data.high_ns];
  if (rows.length === 0 || !bounds.every(isDrawable) || bounds[0] > bounds[1]) return undefined;
  const readout = readoutLine();
  box.append(element("div", { class: "below" }, readout));
  let drawn;
  return (width) => {
    const svg = drawSamples(box, width, rows, bounds, readout);
    if (drawn) drawn.replaceWith(svg);
    else box.prepend(svg);
    drawn = svg;
  };
}

function sampleRows(data) {
  const runs = runsOf(data);
  return listOf(data.rows).flatMap((one) => {
    const filled = listOf(one?.counts).map((count) => (count > 0 ? count : 0));
    if (filled.length === 0) return [];
    const quantiles = [one.p10_ns, one.p50_ns, one.p90_ns];
    const { below, above, count } = one;
    const counts = { first: placeAmong(BINS, one.first), filled: filled.slice(0, BINS) };
    const row = { title: titleOf(runs[one.run] ?? {}), counts, quantiles, below, above };
    return [{ ...row, words: rowWords(row, count) }];
  });
}

function titleOf({ started, commit, label }) {
  const parts = [momentWords(String(started ?? "")), quoted(commit, 14), quoted(label)];
  return parts.filter(Boolean).join(", ");
}

function rowWords({ title, quantiles, below, above }, count) {
  const [p10, p50, p90] = quantiles;
  return [
    quoted(title),
    Number.isFinite(count) ? countWords(count, "sample") : "",
    Number.isFinite(p50) ? `half below ${timeWords(p50)}` : "",
    p10 <= p90 ? `eight of ten from ${rangeWords(p10, p90)}` : "",
    below > 0 ? `${below} faster than drawn` : "",
    above > 0 ? `${above} slower than drawn` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function drawSamples(box, width, rows, bounds, readout) {
  const isNarrow = width < NARROW;
  const rowHeight = isNarrow ? ROW + 16 : ROW;
  const margin = { left: isNarrow ? 22 : 250, right: 34, top: 6, bottom: 28 };
  const height = margin.top + rows.length * rowHeight + margin.bottom;
  const on = canvas(box, width, height, margin, "Arrow keys go from run to run.");
  const { svg, area } = on;
  const areEqual = bounds[0] === bounds[1]; // all samples may be
  const across = logScale(areEqual ? aroundLog(bounds, 1.001) : bounds, [area.left, area.right]);
  bottomAxis(on, across, timeTicks(across, Math.floor((area.right - area.left) / 90), true));
  const reachable = rows.map((row, place) => {
    const bottom = area.top + (place + 1) * rowHeight - 4;
    const node = shape("g", { role: "img", class: "row" }, ...rowShapes(row, across, area, bottom));
    const y = isNarrow ? bottom - ROW + 2 : bottom - 6;
    const title = shape("text", { x: 2, y, "aria-hidden": "true" });
    title.textContent = quoted(row.title, isNarrow ? Math.floor(width / 7.5) : 28);
    svg.append(node, title);
    return { x: area.left - 11, y: bottom - 9, node, words: row.words };
  });
  makeReachable(on, reachable, readout, SAMPLES_HINT);
  return svg;
}

// Bars as high as the fullest of the row, so that rows of few samples are seen, too.
function rowShapes({ counts, quantiles, below, above }, across, area, bottom) {
  const { first, filled } = counts;
  const most = greatest(filled) || 1;
  const [top, width] = [bottom - ROW + 8, area.right - area.left];
  const step = width / BINS;
  const bars = filled.slice(0, BINS - first).map((count, bin) => {
    const [x, high] = [round(area.left + (first + bin) * step), round((count / most) * (ROW - 10))];
    return count ? `M${x} ${bottom}v${-high}h${round(step)}v${high}z` : "";
  });
  const [p10, p50, p90] = quantiles.map((value) => inside(across, value));
  const y = bottom - 2;
  return [
    shape("rect", { class: "seat", x: area.left, y: top, width, height: ROW - 6 }),
    shape("path", { class: "bars", d: bars.join("") }),
    p10 <= p90 && shape("path", { class: "middle", d: `M${p10} ${bottom + 1}H${p90}` }),
    p50 && shape("path", { class: "median", d: `M${p50} ${top}V${bottom + 3}` }),
    below > 0 && shape("text", { x: area.left - 4, y, "text-anchor": "end" }, `‹${below}`),
    above > 0 && shape("text", { x: area.right + 4, y }, `${above}›`),
  ].filter(Boolean);
}

// Where a time is, or the end of the axis that it lies beyond; NaN where there is none.
function inside(across, value) {
  if (!(value > 0)) return NaN;
  return round(across(Math.min(across.high, Math.max(across.low, value))));
}
