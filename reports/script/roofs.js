// The roofs of a device: slopes of memory and flat lines of compute. Names stand outside of the area
// of the points, so that they cover none: of slopes above it, of flat lines to its right, or below
// it where there is no room for them beside a number. Thin leaders say which line is meant.

const LETTER = 7; // pixels: the width of one, about
const NAME_ROW = 16;
const FLAT_NAME = 31; // of two lines
const LEADER = 20; // from the area's right side to names
const DASHES = { measured: "roof", "not steady": "roof unsteady", datasheet: "roof sheet" };

// As they are in the figures: a name for what was measured and what the datasheet says.
function ceilingsOf(data) {
  return listOf(data.ceilings).flatMap((one) => {
    const roofs = listOf(one?.roofs).filter((roof) => isDrawable(roof?.value));
    if (roofs.length === 0 || (one.kind !== "memory" && one.kind !== "compute")) return [];
    const name = { name: quoted(one.name, 24), text: quoted(one.text, 40) };
    const values = roofs.map((roof) => roof.value);
    const line = { roofs, reached: values[0], highest: greatest(values) };
    return [{ ...name, ...line, isSlope: one.kind === "memory" }];
  });
}

function slopesOf(ceilings) {
  return ceilings.filter((one) => one.isSlope);
}

function flatsOf(ceilings) {
  return ceilings.filter((one) => !one.isSlope);
}

// Room around the area for axes and names; `flat` is the height of a flat line's name.
function roofMargin(ceilings, width) {
  const [slopes, flats] = [slopesOf(ceilings).length, flatsOf(ceilings)];
  const isNarrow = width < NARROW;
  const longest = greatest([0, ...flats.flatMap((one) => [one.name.length, one.text.length])]);
  const names = Math.min(longest * LETTER, width * 0.35);
  return {
    left: 60,
    right: flats.length === 0 ? 16 : LEADER + (isNarrow ? 16 : names + 6),
    top: 26 + slopes * NAME_ROW, // the first row is the axis's title,
    bottom: 42 + (isNarrow ? flats.length * NAME_ROW : 0),
    flat: isNarrow ? NAME_ROW : FLAT_NAME,
  };
}

// Intensities that are to be seen beside those of points: of each slope its end and a part below
// it, and of flat lines more than their beginning.
function intensitiesOf(ceilings, top) {
  const flats = flatsOf(ceilings);
  const ends = slopesOf(ceilings).flatMap(({ highest, roofs }) => [
    top / (4 * highest),
    ...roofs.map((roof) => top / roof.value),
    ...flats.map((flat) => (flat.highest * 4) / highest),
  ]);
  return ends.filter((at) => at > 1e-24 && at < 1e24); // what lies beyond makes no axis
}

// Slopes end at the highest flat line, and flat lines begin at the first slope.
function drawRoofs(on, ceilings, { across, up }, top, width) {
  const group = shape("g", { class: "roofs", "aria-hidden": "true" });
  const [slope] = slopesOf(ceilings);
  const named = [];
  for (const ceiling of ceilings) {
    const ends = ceiling.roofs.map((roof) => {
      const begins = ceiling.isSlope ? up.low / roof.value : slope ? roof.value / slope.highest : 0;
      const from = Math.max(across.low, begins);
      const to = ceiling.isSlope ? Math.min(across.high, top / roof.value) : across.high;
      if (from >= to) return undefined; // outside of what is drawn
      const place = (x) => [across(x), up(ceiling.isSlope ? x * roof.value : roof.value)].map(round);
      const kind = DASHES[roof.origin] ?? DASHES.datasheet;
      const d = `M${place(from).join(" ")}L${place(to).join(" ")}`;
      group.append(shape("path", { class: kind, d }));
      return place(to);
    });
    const end = ends.find(Boolean);
    if (end) named.push({ ...ceiling, end });
  }
  nameSlopes(group, slopesOf(named), on);
  (width < NARROW ? numberFlats : nameFlats)(group, flatsOf(named), on, width);
  on.svg.append(group);
}

// A row for each, the leftmost next to the area: what stands left of a leader meets no other.
function nameSlopes(group, slopes, { area }) {
  for (const [row, { end, name, text }] of fromLeft(slopes).entries()) {
    const [x, y] = end;
    const baseline = area.top - 8 - (row + 1) * NAME_ROW;
    const words = `${name} ${text}`;
    const right = Math.max(x - 4, words.length * LETTER);
    group.append(
      shape("path", { class: "leader", d: `M${x} ${y}V${baseline - 9}` }),
      shape("text", { x: right, y: baseline, "text-anchor": "end" }, words),
    );
  }
}

function fromLeft(slopes) {
  return [...slopes].sort((a, b) => a.end[0] - b.end[0]);
}

function nameFlats(group, flats, { area }, width) {
  const x = area.right + LEADER;
  const letters = Math.floor((width - x) / LETTER);
  for (const [flat, y] of besideLines(group, flats, area, FLAT_NAME)) {
    const [name, text] = [flat.name, flat.text].map((words) => quoted(words, letters));
    group.append(
      shape("text", { x, y: round(y - 3) }, name),
      shape("text", { x, y: round(y + 11), class: "soft" }, text),
    );
  }
}

function numberFlats(group, flats, { area }, width) {
  let number = 0;
  for (const [{ name, text }, y] of besideLines(group, flats, area, NAME_ROW)) {
    number += 1;
    const words = quoted(`${number}  ${name} ${text}`, Math.floor(width / LETTER));
    const row = area.bottom + 40 + number * NAME_ROW;
    group.append(
      shape("text", { x: area.right + LEADER, y: round(y + 4) }, number),
      shape("text", { x: 2, y: row }, words),
    );
  }
}

// Flat lines, the highest first, with the heights of their names, to which leaders are drawn.
function besideLines(group, flats, area, gap) {
  const ordered = [...flats].sort((a, b) => a.end[1] - b.end[1]);
  const lines = ordered.map((one) => one.end[1]);
  const heights = spread(lines, gap, area.top + gap / 2, area.bottom - gap / 2);
  const d = lines.map((y, at) => `M${area.right} ${y}L${area.right + LEADER - 4} ${heights[at]}`);
  group.append(shape("path", { class: "leader", d: d.join("") }));
  return ordered.map((one, at) => [one, heights[at]]);
}

// Places in ascending order, moved up, then down, until neighbours are `gap` apart and, where there
// is room, all lie between `low` and `high`.
function spread(places, gap, low, high) {
  let floor = low;
  const above = places.map((place) => {
    const moved = Math.max(place, floor);
    floor = moved + gap;
    return moved;
  });
  let ceiling = high;
  return above.reverse().map((place) => {
    const moved = Math.min(place, ceiling);
    ceiling = moved - gap;
    return round(moved);
  }).reverse();
}
