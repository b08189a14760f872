// Cases by their operations per byte and their rate, below the roofs of the device. Suites can be
// hidden; a point leads to its case.

function rooflineChart(box, data) {
  const points = rooflinePoints(data);
  if (points.length === 0) return undefined;
  const roofs = listOf(data.roofs).filter((roof) => roof?.value > 0);
  const looks = looksOf(data, points);
  const hidden = new Set();
  const readout = readoutLine();
  let drawn;

  function draw(width) {
    const { svg, reachable, refresh } = drawRoofline(box, width, points, roofs, looks, readout);
    if (drawn) drawn.svg.replaceWith(svg);
    else box.prepend(svg);
    drawn = { reachable, refresh, svg };
    hide();
  }

  function hide() {
    for (const point of drawn?.reachable ?? []) {
      point.hidden = hidden.has(point.suite);
      point.node.setAttribute("visibility", point.hidden ? "hidden" : "visible");
    }
    drawn?.refresh();
  }

  const label = "Suites that are shown";
  const legend = element("div", { class: "legend", role: "group", "aria-label": label });
  for (const [suite, look] of looks) {
    const button = element("button", { type: "button", "aria-pressed": "true" });
    button.append(swatch(look), quoted(suite, 30));
    button.addEventListener("click", () => {
      if (!hidden.delete(suite)) hidden.add(suite);
      button.setAttribute("aria-pressed", String(!hidden.has(suite)));
      hide();
    });
    legend.append(button);
  }
  box.append(element("div", { class: "below" }, readout), legend);
  return draw;
}

function swatch(look) {
  const size = { viewBox: "-8 -8 16 16", width: 16, height: 16 };
  return shape("svg", { ...size, "aria-hidden": "true" }, mark(look, 5, false));
}

// By the suites that have points, in the order of the figures' legend.
function looksOf(data, points) {
  const drawn = new Set(points.map((point) => point.suite));
  const known = listOf(data.suites).map((one) => [String(one?.name ?? ""), one ?? PLAIN]);
  const looks = new Map(known.filter(([suite]) => drawn.has(suite)));
  for (const suite of drawn) if (!looks.has(suite)) looks.set(suite, PLAIN);
  return looks;
}

// From left to right.
function rooflinePoints(data) {
  return listOf(data.points)
    .filter((point) => point?.intensity > 0 && point.rate > 0)
    .map((point) => ({
      suite: String(point.suite ?? ""),
      intensity: point.intensity,
      rate: point.rate,
      hollow: point.hollow === true,
      address: addressOfCase(point.href),
      words: spotWords(point),
    }))
    .sort((a, b) => a.intensity - b.intensity || a.rate - b.rate);
}

function spotWords(point) {
  const said = listOf(point.words).map((one) => quoted(one));
  return [
    quoted(point.case ?? point.name, 120),
    ...(said.length > 0 ? said : [rateWords(point.rate, "FLOP/s")]),
    `${significant(point.intensity, 3)} FLOP per byte`,
    point.hollow ? "not steady" : "",
  ]
    .filter(Boolean)
    .join(", ");
}

// Only what leads to a case of this report; undefined for any other address.
function addressOfCase(address) {
  return /^(\.\.\/)?cases\/\d{1,6}\.html#c\d{1,6}$/.test(address) ? address : undefined;
}

function drawRoofline(box, width, points, roofs, looks, readout) {
  const height = Math.round(Math.min(500, Math.max(300, width * 0.6)));
  const margin = { left: 60, right: 16, top: 26, bottom: 42 };
  const on = canvas(box, width, height, margin, "Arrow keys go from case to case.");
  const { svg, area } = on;
  const { across, up } = rooflineScales(points, roofs, area);
  const most = Math.floor((area.right - area.left) / 60);
  const ticks = (scale, many, words) =>
    logTicks(scale.low, scale.high, many).map((value) => ({ value, words: words(value) }));
  const intensities = ticks(across, most, (value) => significant(value, 3));
  bottomAxis(on, across, intensities, "FLOP per byte that must move");
  leftAxis(on, up, ticks(up, 8, (value) => rateWords(value, "")), "FLOP/s");
  svg.append(roofLines(roofs, across, up, area));
  const radius = width < NARROW ? 4 : 5;
  const reachable = points.map((point) => {
    const [x, y] = [across(point.intensity), up(point.rate)];
    const kind = point.address ? ["a", { href: point.address }] : ["g", { role: "img" }];
    const node = shape(...kind);
    node.setAttribute("class", "point");
    node.setAttribute("transform", `translate(${round(x)} ${round(y)})`);
    node.append(shape("circle", { class: "hit", r: 9 }));
    node.append(mark(looks.get(point.suite), radius, point.hollow));
    svg.append(node);
    return { x, y, node, words: point.words, suite: point.suite };
  });
  const hint = [
    `${countWords(points.length, "case")}.`,
    roofs.length > 0 ? "Solid roofs were measured, dashed ones are the datasheet's." : "",
    points.some((point) => point.hollow) ? "Hollow: not steady." : "",
  ];
  const refresh = makeReachable(on, reachable, readout, hint.filter(Boolean).join(" "));
  return { svg, reachable, refresh };
}

function rooflineScales(points, roofs, area) {
  const [slopes, flats] = ["memory", "compute"].map((kind) => valuesOf(roofs, kind));
  const ridges = slopes.length > 0 ? flats.map((flat) => flat / greatest(slopes)) : [];
  const behind = ridges.map((at) => at * 4); // room for the names of flat lines
  const across = aroundLog([...points.map((point) => point.intensity), ...behind], 2);
  const up = aroundLog([...points.map((point) => point.rate), ...flats], 2);
  return {
    across: logScale(across, [area.left, area.right]),
    up: logScale(up, [area.bottom, area.top]),
  };
}

function valuesOf(roofs, kind) {
  return roofs.filter((roof) => roof.kind === kind).map((roof) => roof.value);
}

// Slopes end at the highest flat line, and flat lines begin at the first slope.
function roofLines(roofs, across, up, area) {
  const [lines, labels] = [[], []];
  const flats = valuesOf(roofs, "compute");
  const [slope] = valuesOf(roofs, "memory");
  const top = flats.length > 0 ? greatest(flats) : up.high;
  const taken = { memory: [], compute: [] }; // where names are, on an axis across the lines
  for (const roof of roofs) {
    const isSlope = roof.kind === "memory";
    const begins = isSlope ? up.low / roof.value : slope ? roof.value / slope : 0;
    const ends = isSlope ? top / roof.value : Infinity;
    const [from, to] = [Math.max(across.low, begins), Math.min(across.high, ends)];
    if (from >= to) continue; // outside of what is drawn
    const heightAt = (x) => up(isSlope ? x * roof.value : roof.value);
    const [start, end] = [from, to].map((x) => [round(across(x)), round(heightAt(x))]);
    const d = `M${start.join(" ")}L${end.join(" ")}`;
    lines.push(shape("path", { class: roof.measured ? "roof" : "roof sheet", d }));
    const words = [quoted(roof.name, 40), quoted(roof.text, 20)].filter(Boolean).join(" ");
    const label = isSlope ? slopeLabel(start, end, words) : flatLabel(end, words);
    const near = taken[isSlope ? "memory" : "compute"];
    if (near.some((other) => Math.abs(other - label.place) < 13)) continue; // on another's name
    near.push(label.place);
    labels.push(label.text);
  }
  return shape("g", { class: "roofs", "aria-hidden": "true" }, ...lines, ...labels);
}

// Above the line's right end.
function flatLabel([x, y], words) {
  return { place: y, text: shape("text", { x: x - 2, y: y - 4, "text-anchor": "end" }, words) };
}

// Along the line, from its lower end.
function slopeLabel([x, y], [x2, y2], words) {
  const slant = Math.atan2(y2 - y, x2 - x);
  const transform = `translate(${x + 12} ${y - 12}) rotate(${round((slant * 180) / Math.PI)})`;
  const place = (y - x * Math.tan(slant)) * Math.cos(slant);
  return { place, text: shape("text", { transform }, words) };
}
