// Elements are made here alone. Text enters them as text: nothing that a report holds is ever read
// as markup.

const STARTS = []; // what is done first with a page, by files that not all pages have
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function shape(name, attributes, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

// An attribute that is undefined is left out.
function filled(made, attributes = {}, children = []) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// What the page holds for the element with this id; undefined where it holds nothing, or no JSON.
function dataFor(id) {
  const block = document.querySelector(`script.data[data-for="${CSS.escape(id)}"]`);
  try {
    return block ? JSON.parse(block.textContent) : undefined;
  } catch {
    return undefined;
  }
}

function listOf(value) {
  return Array.isArray(value) ? value : [];
}
