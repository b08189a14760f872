// A chart over runs or nights of which a stretch can be seen alone: by dragging over it, or by plus
// and minus at a point. A double click, Escape or the button show all of it again.

const DRAG = 6; // pixels from which a press is a drag

// `whole` is the first and the last place of the axis. `drawn(width, shown, readout)` draws those
// that are shown, and returns the drawing with its scale of places; `holds(first, last)` says
// whether there is anything to see in a stretch.
function zoomable(box, whole, drawn, holds, noun) {
  const readout = readoutLine();
  const reset = element("button", { type: "button", hidden: "" }, `Show all ${noun}s`);
  let [shown, width, drawing] = [whole, 0, undefined];

  function draw(newWidth) {
    width = newWidth;
    const focused = drawing?.querySelector(":focus");
    const { svg, across } = drawn(width, shown, readout);
    if (drawing) drawing.replaceWith(svg);
    else box.prepend(svg);
    drawing = svg;
    reset.hidden = !isZoomed();
    zoomByDragging(svg, across, zoom);
    svg.addEventListener("dblclick", () => zoom(whole));
    if (focused) focusOn(focused.dataset.place);
  }

  // A stretch with nothing in it is left as it is.
  function zoom([from, to]) {
    const [first, last] = [Math.max(whole[0], Math.ceil(from)), Math.min(whole[1], Math.floor(to))];
    if (first > last || (first === shown[0] && last === shown[1]) || !holds(first, last)) return;
    shown = [first, last];
    draw(width);
  }

  function isZoomed() {
    return shown[0] !== whole[0] || shown[1] !== whole[1];
  }

  function focusOn(place) {
    const same = drawing.querySelector(`[data-place="${place}"]`);
    (same ?? drawing.querySelector('[tabindex="0"]')).focus();
  }

  reset.addEventListener("click", () => {
    zoom(whole);
    focusOn(whole[1]); // the button is gone
  });
  box.addEventListener("keydown", (event) => {
    const place = Number(drawing.querySelector(":focus")?.dataset.place);
    const factor = { "+": 0.5, "=": 0.5, "-": 2 }[event.key]; // "=" is plus without shift
    if (!factor || Number.isNaN(place)) return;
    const reach = Math.max(1, ((shown[1] - shown[0]) / 2) * factor);
    zoom([place - reach, place + reach]);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isZoomed()) zoom(whole);
  });
  box.append(element("div", { class: "below" }, readout, reset));
  return draw;
}

function zoomByDragging(svg, across, zoom) {
  const size = { y: 4, height: svg.viewBox.baseVal.height - 30 };
  const stretch = shape("rect", { class: "stretch", visibility: "hidden", ...size });
  svg.append(stretch);
  let from;

  function dragged(event) {
    const [to] = placeIn(svg, event);
    if (from === undefined || Math.abs(to - from) < DRAG) return undefined;
    return [Math.min(from, to), Math.max(from, to)];
  }

  svg.addEventListener("pointerdown", (event) => {
    if (event.button === 0) [from] = placeIn(svg, event);
  });
  svg.addEventListener("pointermove", (event) => {
    const [left, right] = dragged(event) ?? [0, 0];
    stretch.setAttribute("visibility", right > left ? "visible" : "hidden");
    stretch.setAttribute("x", round(left));
    stretch.setAttribute("width", round(right - left));
    if (right > left) svg.setPointerCapture(event.pointerId); // also when it is let go outside
  });
  svg.addEventListener("pointerup", (event) => {
    const ends = dragged(event);
    from = undefined;
    if (ends) zoom(ends.map(across.back));
    stretch.setAttribute("visibility", "hidden");
  });
  svg.addEventListener("pointercancel", () => {
    from = undefined;
    stretch.setAttribute("visibility", "hidden");
  });
}
