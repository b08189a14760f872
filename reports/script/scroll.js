// Whatever scrolls by itself, such as a wide table on a phone, can be scrolled by keys, too.

function reachScrollers() {
  const watch = new ResizeObserver((changed) => changed.forEach(({ target }) => reach(target)));
  for (const box of document.querySelectorAll(".wide, .names, pre")) watch.observe(box);
}

function reach(box) {
  const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
  if (scrolls) box.setAttribute("tabindex", "0");
  else box.removeAttribute("tabindex");
}
