// Marks of points. Suites differ in shape as well as in colour, for eyes and printers that tell no
// colours apart. Shapes and colours are in the order of the figures': a suite looks the same in all.

const SHAPES = [
  (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (r) => polygon([[-r, -r], [r, -r], [r, r], [-r, r]], 0.88),
  (r) => polygon([[0, -r], [r, r * 0.8], [-r, r * 0.8]], 1.15),
  (r) => polygon([[0, -r], [r, 0], [0, r], [-r, 0]], 1.25),
  (r) => polygon([[0, r], [r, -r * 0.8], [-r, -r * 0.8]], 1.15),
  (r) => polygon(cross(r), 1.1),
  (r) => polygon(cross(r).map((corner) => turned(corner, 45)), 1.1),
  (r) => polygon(star(r), 1.4),
];
const COLOURS = 7; // of the style sheet: --suite-0 and on
const PLAIN = { shape: 0 }; // of what is no suite's

function polygon(corners, size) {
  return `M${corners.map(([x, y]) => `${round(x * size)} ${round(y * size)}`).join("L")}z`;
}

function cross(r) {
  const a = r * 0.35;
  const arm = [[-a, -a], [-a, -r], [a, -r]];
  return [0, 1, 2, 3].flatMap((turn) => arm.map((corner) => turned(corner, turn * 90)));
}

function star(r) {
  return Array.from({ length: 10 }, (_, corner) =>
    turned([0, corner % 2 === 0 ? -r : -r * 0.45], corner * 36),
  );
}

function turned([x, y], degrees) {
  const [cos, sin] = [Math.cos, Math.sin].map((of) => of((degrees * Math.PI) / 180));
  return [x * cos - y * sin, x * sin + y * cos];
}

// `look` has the places of a shape and, of a suite, of a colour. Whatever they are, only shapes and
// colours from here are drawn.
function mark(look, radius, hollow) {
  const colour = look.colour === undefined ? "" : ` suite-${placeAmong(COLOURS, look.colour)}`;
  const d = SHAPES[placeAmong(SHAPES.length, look.shape)](radius);
  return shape("path", { class: `mark${colour}${hollow ? " hollow" : ""}`, d });
}

function placeAmong(count, place) {
  return Number.isInteger(place) && place >= 0 ? place % count : 0;
}

// Tenths of a pixel are as fine as a screen needs.
function round(place) {
  return Math.round(place * 10) / 10;
}
