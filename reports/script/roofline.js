// Cases by their operations per byte and their rate, below the roofs of the device. Suites can be
// hidden; a point leads to its case.

CHARTS.roofline = rooflineChart;

function rooflineChart(box, data) {
  const points = rooflinePoints(data);
  if (points.length === 0) return undefined;
  const ceilings = ceilingsOf(data);
  const looks = looksOf(data, points);
  const hidden = new Set();
  const readout = readoutLine();
  let drawn;

  function draw(width) {
    const { svg, reachable, refresh } = drawRoofline(box, width, points, ceilings, looks, readout);
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
    .filter((point) => isDrawable(point?.intensity) && isDrawable(point.rate))
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

function drawRoofline(box, width, points, ceilings, looks, readout) {
  const margin = roofMargin(ceilings, width);
  const least = Math.max(230, flatsOf(ceilings).length * margin.flat); // of the area
  const wanted = Math.min(430, Math.max(least, width * 0.5));
  const height = Math.round(Math.max(least, wanted) + margin.top + margin.bottom);
  const on = canvas(box, width, height, margin, "Arrow keys go from case to case.");
  const { svg, area } = on;
  const { scales, top } = rooflineScales(points, ceilings, area);
  const { across, up } = scales;
  const most = Math.floor((area.right - area.left) / 60);
  const ticks = (scale, many, words) =>
    logTicks(scale.low, scale.high, many).map((value) => ({ value, words: words(value) }));
  const intensities = ticks(across, most, (value) => significant(value, 3));
  bottomAxis(on, across, intensities, "FLOP per byte that must move");
  leftAxis(on, up, ticks(up, 8, (value) => rateWords(value, "")), "FLOP/s");
  drawRoofs(on, ceilings, scales, top, width);
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
    roofWords(ceilings),
    points.some((point) => point.hollow) ? "Hollow: not steady." : "",
  ];
  const refresh = makeReachable(on, reachable, readout, hint.filter(Boolean).join(" "));
  return { svg, reachable, refresh };
}

// Of each kind of line what it means, where there is one.
function roofWords(ceilings) {
  const drawn = new Set(ceilings.flatMap((one) => one.roofs.map((roof) => roof.origin)));
  return [
    drawn.has("measured") ? "Solid roofs were measured." : "",
    drawn.has("not steady") ? "Roofs of dots and dashes were not measured steadily." : "",
    drawn.has("datasheet") ? "Dashed roofs are the datasheet's." : "",
  ]
    .filter(Boolean)
    .join(" ");
}

// With the height at which slopes end.
function rooflineScales(points, ceilings, area) {
  const rates = points.map((point) => point.rate);
  const flats = flatsOf(ceilings).map((one) => one.highest);
  const top = flats.length > 0 ? greatest(flats) : greatest(rates) * 2;
  const intensities = points.map((point) => point.intensity);
  const across = aroundLog([...intensities, ...intensitiesOf(ceilings, top)], 1.5);
  const up = aroundLog([...rates, ...flats], 2);
  const scales = {
    across: logScale(across, [area.left, area.right]),
    up: logScale(up, [area.bottom, area.top]),
  };
  return { scales, top };
}
