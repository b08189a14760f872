// Places of runs and of nights, of which charts name stretches.

const MOST_PLACES = 10000; // in a stretch

// Those of the block that several charts share, or where the data is.
function runsOf(data) {
  const shared = typeof data.runs === "string" ? (dataFor(data.runs) ?? {}) : data;
  return listOf(shared.runs);
}

// Of stretches, which are [first, last] each.
function placesIn(stretches) {
  return stretches.flatMap((stretch) => {
    const [first, last] = listOf(stretch);
    const count = Math.min(MOST_PLACES, last - first + 1);
    return count > 0 ? Array.from({ length: count }, (_, place) => first + place) : [];
  });
}
