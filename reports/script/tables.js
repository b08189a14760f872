// Tables that can be searched, filtered and sorted: search box, filters and a count stand before
// the table, and its heads become buttons.

const UNSORTED = { column: 0, descending: false };
const AT_ONCE = 100; // rows that a browser lays out before anyone notices; the others follow

STARTS.push(workTables);

function workTables() {
  const tables = [...document.querySelectorAll("table.worked")].filter((table) => table.tBodies[0]);
  tables.forEach((table, place) => workTable(table, place === 0 ? "" : `${table.id}.`));
}

// `prefix` parts the table's settings in the fragment from those of others on the page.
function workTable(table, prefix) {
  const noun = table.dataset.noun ?? "rows";
  const groups = groupsOf(table.tBodies[0]);
  const search = searchBox(noun);
  const filters = filtersOf(table, groups);
  const count = element("p", { class: "count", role: "status" });
  const clear = element("button", { type: "button" }, "Clear");
  const show = stepwise(table.tBodies[0], groups, search);
  let [sorted, ordered] = [UNSORTED, groups];
  const heads = sortButtons(table, (column) => {
    sort(afterClick(sorted, column));
    filter();
    write();
  });

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = filters.filter((one) => one.select.value !== "");
    for (const group of groups) {
      group.fits =
        chosen.every((one) => group.rows[0].dataset[one.name] === one.select.value) &&
        words.every((word) => textOf(group).includes(word));
    }
    const fitting = ordered.filter((group) => group.fits);
    show(fitting);
    count.textContent = `${fitting.length} of ${groups.length} ${noun}`;
    clear.hidden = words.length === 0 && chosen.length === 0;
  }

  // Leaves it to filter() to show rows in this order.
  function sort(wanted) {
    if (wanted.column === sorted.column && wanted.descending === sorted.descending) return;
    sorted = wanted;
    for (const [column, head] of heads) markHead(head, column === sorted.column, sorted.descending);
    const kind = heads.get(sorted.column)?.dataset.sort;
    ordered = kind ? inOrder(groups, sorted, kind) : groups;
  }

  function read() {
    const settings = readFragment();
    search.value = settings.get(`${prefix}q`) ?? "";
    for (const { name, select } of filters) {
      select.value = settings.get(prefix + name) ?? "";
      if (select.selectedIndex < 0) select.value = ""; // no row has that value
    }
    const wanted = Number(settings.get(`${prefix}sort`) ?? 0);
    const column = Math.abs(wanted);
    sort(heads.has(column) ? { column, descending: wanted < 0 } : UNSORTED);
    filter();
  }

  function write() {
    const settings = readFragment();
    set(settings, `${prefix}q`, search.value.trim());
    for (const { name, select } of filters) set(settings, prefix + name, select.value);
    set(settings, `${prefix}sort`, sorted.descending ? -sorted.column : sorted.column);
    writeFragment(settings);
  }

  const writeSoon = later(write, WRITE_AFTER_MS);
  search.addEventListener("input", () => {
    filter();
    writeSoon();
  });
  search.addEventListener("change", write);
  for (const { select } of filters) {
    select.addEventListener("change", () => {
      filter();
      write();
    });
  }
  clear.addEventListener("click", () => {
    search.value = "";
    for (const { select } of filters) select.value = "";
    filter();
    write();
    search.focus();
  });
  addEventListener("hashchange", read);

  const labels = filters.map((one) => element("label", {}, `${capital(one.name)} `, one.select));
  const tools = element("div", { class: "tools", role: "search", "aria-label": `Find ${noun}` });
  tools.append(element("label", {}, "Search ", search), ...labels, clear, count);
  (table.closest(".wide") ?? table).before(tools);
  read();
  setTimeout(() => groups.forEach(textOf)); // so that the first letter that is typed need not wait
}

function set(settings, name, value) {
  if (value) settings.set(name, value);
  else settings.delete(name);
}

// A row and what stands below it belong together.
function groupsOf(body) {
  const groups = [];
  for (const row of body.rows) {
    if (row.classList.contains("below") && groups.length > 0) groups.at(-1).rows.push(row);
    else groups.push({ rows: [row] });
  }
  return groups;
}

// Of the name and all cells, in small letters; made once.
function textOf(group) {
  group.text ??= group.rows
    .map((row) => `${row.dataset.name ?? ""} ${row.textContent}`)
    .join(" ")
    .toLowerCase();
  return group.text;
}

// Shows groups in place of those that are there: the first at once, the others in steps, between
// which the browser draws and listens. What is asked for later takes the place of what is not yet
// shown. Other rows are not in the table: a browser is slow to style, to lay out and to take away
// many. So it holds few from when the reader goes to the search, which stands above the table, until
// they leave it or scroll.
function stepwise(body, there, search) {
  let [wanted, left, timer, holds] = [there, [], undefined, false];
  const next = (many) => left.splice(0, many).flatMap((group) => group.rows);

  function begin(groups) {
    clearTimeout(timer);
    [wanted, left] = [groups, [...groups]];
    body.replaceChildren(...next(AT_ONCE));
    followSoon();
  }

  function step(many) {
    clearTimeout(timer);
    body.append(...next(many));
    followSoon();
  }

  function followSoon() {
    if (left.length > 0 && !holds) timer = setTimeout(step, 0, AT_ONCE);
  }

  function goOn() {
    if (!holds) return;
    holds = false;
    followSoon();
  }

  search.addEventListener("focus", () => {
    holds = true;
    if (wanted.length - left.length > AT_ONCE) begin(wanted);
  });
  search.addEventListener("blur", goOn);
  addEventListener("scroll", goOn);
  addEventListener("beforeprint", () => step(Infinity));
  return (groups) => {
    holds = document.activeElement === search;
    const isSame = (group, place) => group === wanted[place];
    if (groups.length !== wanted.length || !groups.every(isSame)) begin(groups);
  };
}

function searchBox(noun) {
  const placeholder = `words that ${noun} have`;
  const plain = { autocomplete: "off", spellcheck: "false" };
  return element("input", { type: "search", placeholder, ...plain });
}

// By those row attributes that have more than one value.
function filtersOf(table, groups) {
  const names = (table.dataset.filters ?? "").split(" ").filter(Boolean);
  return names.flatMap((name) => {
    const values = new Set(groups.map(({ rows }) => rows[0].dataset[name] ?? "").filter(Boolean));
    if (values.size < 2) return [];
    const options = [...values].sort(inWords).map((value) => element("option", { value }, value));
    const select = element("select", { autocomplete: "off" });
    select.append(element("option", { value: "" }, "all"), ...options);
    return [{ name, select }];
  });
}

// Heads by the number of their column, from 1.
function sortButtons(table, clicked) {
  const heads = new Map();
  for (const head of table.tHead?.rows[0]?.cells ?? []) {
    if (!head.dataset.sort) continue;
    const column = head.cellIndex + 1;
    const button = element("button", { type: "button", class: "sort" }, ...head.childNodes);
    button.addEventListener("click", () => clicked(column));
    head.append(button);
    heads.set(column, head);
  }
  return heads;
}

function markHead(head, isSorted, descending) {
  if (isSorted) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  else head.removeAttribute("aria-sort");
}

// Up, then down, then as the page came.
function afterClick(sorted, column) {
  if (column !== sorted.column) return { column, descending: false };
  return sorted.descending ? UNSORTED : { column, descending: true };
}

const inWords = new Intl.Collator("en", { numeric: true }).compare;

// Rows without a value come last, upwards and downwards; equal ones stay in the page's order.
function inOrder(groups, { column, descending }, kind) {
  const sign = descending ? -1 : 1;
  const compare = kind === "number" ? (a, b) => a - b : inWords;
  const keys = new Map(groups.map((one) => [one, keyOf(one.rows[0].cells[column - 1], kind)]));
  const known = groups.filter((group) => keys.get(group) !== undefined);
  const unknown = groups.filter((group) => keys.get(group) === undefined);
  return [...known.sort((a, b) => sign * compare(keys.get(a), keys.get(b))), ...unknown];
}

function keyOf(cell, kind) {
  if (kind !== "number") return (cell?.dataset.value ?? cell?.textContent.trim()) || undefined;
  const number = Number.parseFloat(cell?.dataset.value);
  return Number.isNaN(number) ? undefined : number;
}
