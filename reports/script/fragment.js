// What a reader has set on a page stands in the fragment of its address ("#q=gemm&sort=-3"), so
// that a reload, a bookmark and a link that is passed on show the same.

const WRITE_AFTER_MS = 150; // a browser complains when each key that is typed changes the address

function readFragment() {
  const settings = new Map();
  for (const part of location.hash.slice(1).split("&")) {
    const [name, ...value] = part.split("=");
    if (value.length > 0) settings.set(decoded(name), decoded(value.join("=")));
  }
  return settings;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign
  }
}

function fragmentOf(settings) {
  return [...settings]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}

// Leaves the history alone: "back" leads to the page before, not to the letter before.
function writeFragment(settings) {
  const fragment = fragmentOf(settings);
  if (fragment === location.hash.slice(1)) return;
  try {
    history.replaceState(history.state, "", `#${fragment}`);
  } catch {
    location.replace(`#${fragment}`); // a file that its browser gives no history
  }
}

function later(action, milliseconds) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
