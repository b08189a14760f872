// What all charts share: they are drawn when they come into sight, as wide as their place is, with
// axes, and with points that a pointer, a finger or the arrow keys reach.

const CHARTS = {}; // by kind; a page has the files of those alone that it draws
const NARROW = 560; // pixels below which there is no room beside a chart
const NEAR = 30; // pixels between a pointer and the point that it means

function drawCharts() {
  const drawn = new Set(); // ids of charts, or of groups that are hidden until one is drawn
  for (const box of document.querySelectorAll("[data-chart]")) {
    const chart = CHARTS[box.dataset.chart];
    const draw = chart?.(box, dataFor(box.id) ?? {}); // undefined where nothing can be drawn
    if (!draw) continue;
    const group = box.closest(".charts");
    if (group) group.hidden = false;
    drawInSight(box, draw);
    drawn.add((group ?? box).id);
  }
  drawn.forEach(foldPicture);
}

// The picture that shows the same, and more pages of it. The files of the first stay in sight.
function foldPicture(id) {
  const picture = document.querySelector(`figure[data-chart-of="${CSS.escape(id)}"]`);
  if (!picture) return;
  const next = picture.nextElementSibling;
  const more = next?.matches("details.more") ? [next] : [];
  const folded = element("details", {}, element("summary", {}, "The same as a picture"));
  picture.replaceWith(folded);
  folded.append(picture, ...more);
  folded.after(...picture.querySelectorAll(".files"));
}

// Pages hold many charts, so each is drawn when it is near; all are before the page is printed.
function drawInSight(box, draw) {
  box.classList.add("drawn");
  let width = 0;
  function redraw() {
    if (box.clientWidth === 0 || box.clientWidth === width) return; // hidden, or only higher
    width = box.clientWidth;
    draw(width);
  }
  const inSight = new IntersectionObserver(
    (seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      inSight.disconnect();
      redraw();
      new ResizeObserver(() => requestAnimationFrame(redraw)).observe(box);
    },
    { rootMargin: "600px" },
  );
  inSight.observe(box);
  addEventListener("beforeprint", redraw);
}

// An empty drawing with room for axes around its middle, which is `area`.
function canvas(box, width, height, margin, keys) {
  const area = {
    left: margin.left,
    right: Math.max(margin.left + 40, width - margin.right),
    top: margin.top,
    bottom: height - margin.bottom,
  };
  const label = `${box.dataset.label ?? "Chart"}. ${keys}`;
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  const svg = shape("svg", { ...size, role: "group", "aria-label": label });
  return { svg, area };
}

// Lines across and words below; ticks are {value, words}. Words that would touch are left out.
function bottomAxis({ svg, area }, scale, ticks, title) {
  const axis = shape("g", { class: "axis", "aria-hidden": "true" });
  let end = -Infinity;
  for (const { value, words } of ticks) {
    const x = round(scale(value));
    axis.append(shape("path", { class: "grid", d: `M${x} ${area.top}V${area.bottom}` }));
    const half = words.length * 3.6;
    if (x - half < end + 6) continue;
    end = x + half;
    axis.append(shape("text", { x, y: area.bottom + 16, "text-anchor": "middle" }, words));
  }
  if (title) {
    const middle = (area.left + area.right) / 2;
    axis.append(shape("text", { x: middle, y: area.bottom + 34, "text-anchor": "middle" }, title));
  }
  svg.append(axis);
}

function leftAxis({ svg, area }, scale, ticks, title) {
  const axis = shape("g", { class: "axis", "aria-hidden": "true" });
  for (const { value, words } of ticks) {
    const y = round(scale(value));
    axis.append(
      shape("path", { class: "grid", d: `M${area.left} ${y}H${area.right}` }),
      shape("text", { x: area.left - 6, y: y + 4, "text-anchor": "end" }, words),
    );
  }
  if (title) axis.append(shape("text", { x: 2, y: area.top - 8 }, title));
  svg.append(axis);
}

// Points are {x, y, node, words}, in the order in which the arrow keys visit them. The nearest to
// the pointer, or the one that has the focus, is ringed and named below the drawing. All are one
// stop of the tab key. Returns what is to be called when points were hidden or shown.
function makeReachable({ svg }, points, readout, hint) {
  const ring = shape("circle", { class: "ring", r: 9, visibility: "hidden" });
  const visible = () => points.filter((point) => !point.hidden);
  let stop = points.at(-1);

  function name(point) {
    readout.textContent = point ? point.words : hint;
    ring.setAttribute("visibility", point ? "visible" : "hidden");
    if (point) ring.setAttribute("transform", `translate(${round(point.x)} ${round(point.y)})`);
  }

  function stopAt(point) {
    stop?.node.setAttribute("tabindex", "-1");
    point?.node.setAttribute("tabindex", "0");
    stop = point;
  }

  function refresh() {
    const left = visible();
    stopAt(left.includes(stop) ? stop : left.at(-1));
    name(undefined);
  }

  for (const point of points) {
    point.node.setAttribute("tabindex", "-1");
    point.node.setAttribute("aria-label", point.words);
    point.node.addEventListener("focus", () => {
      stopAt(point);
      name(point);
    });
    point.node.addEventListener("blur", () => name(undefined));
  }
  svg.addEventListener("keydown", (event) => {
    const next = afterKey(event.key, visible(), stop);
    if (!next || !svg.contains(document.activeElement)) return;
    event.preventDefault(); // of the page's scrolling
    next.node.focus();
  });
  for (const kind of ["pointermove", "pointerdown"]) {
    svg.addEventListener(kind, (event) => name(nearest(visible(), placeIn(svg, event))));
  }
  svg.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") name(undefined); // a finger is lifted to read
  });
  svg.append(ring);
  refresh();
  return refresh;
}

function afterKey(key, points, current) {
  const at = points.indexOf(current);
  switch (key) {
    case "ArrowRight":
    case "ArrowDown":
      return points[at + 1];
    case "ArrowLeft":
    case "ArrowUp":
      return points[at - 1];
    case "Home":
      return points[0];
    case "End":
      return points.at(-1);
    default:
      return undefined;
  }
}

function nearest(points, [x, y]) {
  let [found, least] = [undefined, NEAR];
  for (const point of points) {
    const distance = Math.hypot(point.x - x, (point.y - y) * (point.flat ? 0 : 1));
    if (distance <= least) [found, least] = [point, distance];
  }
  return found;
}

// In the drawing's own pixels, also where a printer or a zoom has scaled it.
function placeIn(svg, event) {
  const box = svg.getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / box.width;
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
}

// Hidden from screen readers, to which each point says the same itself.
function readoutLine() {
  return element("p", { class: "readout", "aria-hidden": "true" });
}
