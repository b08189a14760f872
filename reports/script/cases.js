// "#case=NAME" leads to a case from any page: to the table of all cases, from there to the page
// that has it, and there to its part alone.

const CASE_LINKS = [...document.querySelectorAll("a[data-case]")]; // a search takes rows away

function followCase() {
  const name = readFragment().get("case");
  const parts = [...document.querySelectorAll("section.case")];
  const wanted = parts.find((part) => part.dataset.case === name);
  showAlone(parts, wanted);
  document.querySelector(".no-case")?.remove();
  if (name !== undefined && !wanted) goToCase(name);
}

// Replaces this page in the history, so that "back" does not lead here and forth again.
function goToCase(name) {
  const link = CASE_LINKS.find((one) => one.dataset.case === name) ?? linkToCases();
  if (link) location.replace(`${link.href.split("#")[0]}#case=${encodeURIComponent(name)}`);
  else sayNoCase(name);
}

// Below the title, in an element that is there before its words, which screen readers then read.
function sayNoCase(name) {
  const said = element("p", { class: "no-case box doubt", role: "status" });
  document.querySelector("h1").after(said);
  said.textContent = `No case of this report is called ${quoted(name, 200) || "''"}.`;
  scrollTo(0, 0);
}

// None on the page of all cases itself, which has named all that there are.
function linkToCases() {
  const links = [...document.querySelectorAll("nav.site a:not([aria-current])")];
  return links.find((one) => /^(\.\.\/)?cases\.html$/.test(one.getAttribute("href")));
}

// All parts where none is wanted.
function showAlone(parts, wanted) {
  const contents = document.querySelectorAll(".contents");
  for (const part of [...parts, ...contents]) part.hidden = wanted && part !== wanted;
  document.querySelector(".all-of-page")?.remove();
  if (!wanted) return;
  const all = element("a", { href: "#" }, "All cases of this page");
  wanted.before(element("p", { class: "all-of-page" }, all));
  scrollTo(0, 0);
}
