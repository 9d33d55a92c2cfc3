// What pages do beyond showing: the selected turn, and what the right pane says of it. Pages are whole without this.
"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const bench = document.querySelector(".bench");

let selected = -1; // the position of the selected turn

// select makes an article of the conversation the selected turn: the right pane shows what is true there.
function select(article) {
  selected = Number(article.dataset.pos);
  for (const a of all("[data-pos][aria-current]", bench)) a.removeAttribute("aria-current");
  const turn = all(".turns a[data-pos]", bench).find((a) => Number(a.dataset.pos) >= selected); // events are of the turn after them
  for (const a of [turn, article]) a?.setAttribute("aria-current", "true");
  for (const a of all(".pane a", bench)) a.classList.toggle("here", a.hash === "#" + article.id);
  bench.querySelector(".turns [aria-current]")?.scrollIntoView({ block: "nearest" });
  state(selected);
}

// state shows what is true at a position.
function state(pos) {
  for (const list of new Set(all(".panel .state", bench).map((s) => s.parentElement))) {
    const states = all(":scope > .state", list);
    const shown = states.findLast((s) => Number(s.dataset.pos) <= pos);
    for (const s of states) s.hidden = s !== shown;
  }
  walk();
}

// walk draws what the shown moment of the guide says of each request: the states of its nodes, and the walk as a path.
function walk() {
  const moments = all(".walks > .state", bench);
  const at = moments.findIndex((m) => !m.hidden);
  const like = (m) => m.dataset.like ? moments[m.dataset.like] : m;
  for (const graph of all(".panel .graph", bench)) {
    const of = `.place[data-request="${graph.dataset.request}"]`;
    const place = moments.slice(0, at + 1).map((m) => like(m).querySelector(of)).findLast((p) => p); // what was last said of it
    const walked = place && moments.slice(0, at + 1).findLast((m) => m.querySelector(of + "[data-walk]"));
    const steps = walked ? walked.querySelector(of).dataset.walk.split(" ") : [];
    for (const node of all("a[data-node]", graph)) {
      const letter = place ? place.dataset.state[node.dataset.node] : "-";
      const state = { s: "satisfied", r: "refused", u: "unmet" }[letter.toLowerCase()];
      node.classList.remove("satisfied", "refused", "unmet", "current");
      if (state) node.classList.add(state);
      node.classList.toggle("current", letter !== letter.toLowerCase());
      node.querySelector(".sign").textContent = { s: "✓", r: "✗", u: "○" }[letter.toLowerCase()] || "";
      const step = steps.indexOf(node.dataset.node);
      node.querySelector(".step").textContent = step < 0 ? "" : step + 1;
    }
    for (const line of all("[data-step]", graph)) line.classList.toggle("walked", steps.some((s, i) => s + " " + steps[i + 1] === line.dataset.step));
  }
  const chosen = moments.slice(0, at + 1).findLast((m) => moved(m).length);
  request(chosen ? Math.max(...moved(chosen)) : Number(bench.querySelector(".request")?.dataset.request)); // the newest one

  // moved are the requests of which a moment says other than the moment before.
  function moved(moment) {
    const said = (m) => m ? all(".place", like(m)).map((p) => p.dataset.state + p.firstElementChild.textContent) : [];
    const was = said(moment.previousElementSibling);
    return all(".place", like(moment)).filter((p, i) => !was.includes(said(moment)[i])).map((p) => Number(p.dataset.request));
  }
}

// request shows one request of the conversation: its picture and its nodes.
function request(at) {
  for (const part of all(".request, .about [data-request]", bench)) part.hidden = Number(part.dataset.request) !== at;
  for (const node of all(".about", bench)) node.hidden = !node.querySelector(`[data-request="${at}"]`);
  for (const a of all(".requests a", bench)) a.setAttribute("aria-current", a.hash === "#request-" + at);
  const box = document.querySelector(".request:not([hidden]) .picture");
  const here = box && box.querySelector(".current");
  if (here) {
    const [a, b] = [here.getBoundingClientRect(), box.getBoundingClientRect()];
    box.scrollTop += a.top - b.top - (b.height - a.height) / 2;
    box.scrollLeft += a.left - b.left - (b.width - a.width) / 2;
  }
}

// about opens what there is to know of a node.
function about(node) {
  for (const d of all(".about[open]", bench)) d.open = false;
  const seen = document.getElementById(`w${node.closest(".graph").dataset.request}d${node.dataset.node}`);
  if (seen) seen.parentElement.open = true;
}

// follow goes to the place that the address names, and selects it if it is a turn. What is folded or in another tab opens.
function follow() {
  const at = document.getElementById(location.hash.slice(1));
  if (!at) {
    const turn = all(".turns a", bench).find((a) => a.hash && a.hash === location.hash);
    if (turn && turn.search !== location.search) location.replace(turn.href); // another page of the conversation has it
    return;
  }
  for (let d = at.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  const panel = at.closest(".panel");
  if (panel) choose(panel.id.slice(4));
  if (at.matches(".seen")) request(Number(at.dataset.request));
  if (at.matches("article[data-pos]")) select(at);
  at.scrollIntoView({ block: at.offsetHeight > innerHeight / 2 ? "start" : "nearest" });
}

// choose shows one tab of the right pane, and has the address say so.
function choose(name) {
  for (const panel of all(".panel", bench)) panel.hidden = panel.id !== "tab-" + name;
  for (const tab of all(".tabs a", bench)) {
    tab.setAttribute("aria-selected", tab.hash === "#tab-" + name);
    tab.tabIndex = tab.hash === "#tab-" + name ? 0 : -1;
  }
  address((query) => query.set("tab", name));
}

// address changes the query of this page's address.
function address(change) {
  const url = new URL(location);
  change(url.searchParams);
  if (url.search !== location.search) history.replaceState(null, "", url);
}

// step selects the turn after the selected one, or before it.
function step(by) {
  const turns = all(".turns a");
  const turn = by > 0 ? turns.find((a) => Number(a.dataset.pos) > selected) : turns.findLast((a) => Number(a.dataset.pos) < selected);
  const article = turn && document.getElementById(turn.hash.slice(1));
  if (turn && !article) location.assign(turn.href);
  if (!article) return;
  history.replaceState(null, "", turn.hash);
  follow();
  article.tabIndex = -1;
  article.focus({ preventScroll: true });
}

// visit follows the link of a relation, such as next, and keeps the tab.
function visit(rel) {
  const link = document.querySelector(`a[rel="${rel}"]`);
  if (!link) return;
  const url = new URL(link.href);
  const tab = new URL(location).searchParams.get("tab");
  if (tab) url.searchParams.set("tab", tab);
  location.assign(url);
}

// search goes to the field for words that are looked for; a copy has one on its lists alone.
function search() {
  document.querySelector("input[type=search], a[rel=up]")?.focus();
}

// element makes an element with text in it.
function element(name, text, ...children) {
  const e = document.createElement(name);
  e.textContent = text;
  e.append(...children);
  return e;
}

const keys = {
  j: ["the next turn", () => step(1)],
  k: ["the turn before", () => step(-1)],
  n: ["the next trial of the list", () => visit("next")],
  p: ["the trial before", () => visit("prev")],
  "/": ["search", search],
  "?": ["this help", help],
};

function help() {
  const lines = Object.entries(keys).map(([key, [what]]) => element("p", "", element("kbd", key), " " + what));
  const close = element("button", "close");
  const dialog = element("dialog", "", element("h2", "Keys"), ...lines, element("p", "", element("kbd", "Escape"), " leaves this help, a field, or what was opened"), close);
  dialog.setAttribute("aria-label", "keys");
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("dialog")) return;
  if (e.key === "Escape") return e.target.blur(), detail(false);
  if (e.target.closest("input, select, textarea") || !keys[e.key]) return;
  e.preventDefault();
  keys[e.key][1]();
});

// detail shows or hides what was opened beside the conversation.
function detail(open) {
  for (const part of all(".detail")) part.classList.toggle("open", open);
}

if (self !== top) document.documentElement.classList.add("framed");

if (bench) {
  document.documentElement.classList.add("scripted");
  const tabs = all(".tabs a", bench);
  tabs.forEach((tab, i) => {
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", tab.hash.slice(1));
    tab.addEventListener("click", (e) => { e.preventDefault(); choose(tab.hash.slice(5)); });
    tab.addEventListener("keydown", (e) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!by) return;
      e.preventDefault();
      const next = tabs[(i + by + tabs.length) % tabs.length];
      choose(next.hash.slice(5));
      next.focus();
    });
  });
  bench.querySelector(".tabs").setAttribute("role", "tablist");
  for (const panel of all(".panel", bench)) panel.setAttribute("role", "tabpanel");
  const wanted = new URL(location).searchParams.get("tab");
  choose(tabs.some((tab) => tab.hash === "#tab-" + wanted) ? wanted : "workflow");
  for (const [text, open] of [["expand all", true], ["collapse all", false]]) {
    const button = element("button", text);
    button.addEventListener("click", () => all("#talk details").forEach((d) => { d.open = open; }));
    bench.querySelector("#talk > h2").append(button);
  }
  const hints = element("button", "keys");
  hints.addEventListener("click", help);
  bench.querySelector("#talk > h2").append(hints);
  const frame = bench.querySelector("iframe.detail");
  if (frame) {
    const close = element("button", "close");
    close.className = "detail";
    close.addEventListener("click", () => detail(false));
    frame.before(close);
  }
  for (const a of all(".requests a", bench)) a.addEventListener("click", (e) => { e.preventDefault(); request(Number(a.hash.slice(9))); });
  for (const a of all(".graph a", bench)) a.addEventListener("click", () => about(a));
  state(0);
  addEventListener("hashchange", follow);
  bench.addEventListener("click", (e) => {
    if (e.target.closest("a[target=detail]")) detail(true);
    const article = e.target.closest("article[data-pos]");
    if (article && !e.target.closest("a, summary, button") && getSelection().isCollapsed) location.hash = article.id;
  });
  follow();
}

// renew puts what has changed of a page that grows into its place: the reader keeps place, focus and what is open.
async function renew(main) {
  const answer = await fetch(location.href).catch(() => null); // the server may have ended
  if (!answer || !answer.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = next.querySelector("main");
  if (!fresh.dataset.refresh) delete main.dataset.refresh;
  const at = document.activeElement;
  if (fresh.innerHTML === main.innerHTML || main.contains(at) && at.matches("input, select, textarea")) return;
  const open = all("details", main).map((d) => d.open);
  const across = all(".scroll", main).map((s) => s.scrollLeft);
  const focus = main.contains(at) ? all("a, button, summary", main).indexOf(at) : -1;
  const href = at.getAttribute("href");
  main.innerHTML = fresh.innerHTML;
  document.querySelector(".tags").innerHTML = next.querySelector(".tags").innerHTML;
  all("details", main).forEach((d, i) => { d.open = open[i] ?? d.open; });
  all(".scroll", main).forEach((s, i) => { s.scrollLeft = across[i] ?? 0; });
  const links = all("a, button, summary", main);
  if (focus >= 0) (links.find((l) => href && l.getAttribute("href") === href) ?? links[focus])?.focus({ preventScroll: true });
}

const growing = document.querySelector("main[data-refresh]");
if (growing) {
  const timer = setInterval(async () => {
    await renew(growing);
    if (!growing.dataset.refresh) clearInterval(timer);
  }, 1000 * Number(growing.dataset.refresh));
}

// made is a new element with these properties and children.
function made(name, properties, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

// patterns find the words that somebody typed, as the program does: each, and several in quotes in a row.
function patterns(typed) {
  const words = typed.split('"').flatMap((part, i) => (i % 2 ? [part.trim()] : part.split(/\s+/))).filter(Boolean);
  return words.map((w) => w.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/\s+/g, "\\s+"));
}

// mark marks what a pattern finds in an article, whatever elements it goes across, and opens what it is folded into.
function mark(article, find) {
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const texts = [];
  let whole = "";
  while (walker.nextNode()) {
    texts.push([walker.currentNode, whole.length]);
    whole += walker.currentNode.data;
  }
  const hits = [...whole.matchAll(find)].reverse();
  for (const [text, at] of texts) {
    for (const hit of hits) {
      const from = Math.max(hit.index - at, 0), to = Math.min(hit.index + hit[0].length - at, text.length);
      if (from >= to) continue;
      const range = document.createRange();
      range.setStart(text, from);
      range.setEnd(text, to);
      range.surroundContents(document.createElement("mark"));
      for (let d = text.parentElement.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    }
  }
}

// seek goes through what was searched for on the page of a trial: marked by the server or, in a copy, here.
function seek(typed) {
  const find = patterns(typed);
  const talk = document.getElementById("talk");
  if (!talk || !find.length) return;
  let nav = talk.querySelector(".hits");
  if (!nav) {
    for (const article of all("article", talk)) mark(article, new RegExp(find.join("|"), "giu"));
    nav = made("nav", { className: "quick hits", ariaLabel: "hits" });
    talk.querySelector(".talk").before(nav);
  }
  const marks = all("article mark", talk);
  const told = made("span", { ariaLive: "polite" });
  const step = (by) => () => {
    const here = marks.findIndex((m) => m.classList.contains("here"));
    const next = marks[(here < 0 && by < 0 ? 0 : here + by + marks.length) % marks.length];
    marks[here]?.classList.remove("here");
    next.classList.add("here");
    next.scrollIntoView({ block: "center" });
    told.textContent = ` ${marks.indexOf(next) + 1} of ${marks.length}`;
  };
  told.textContent = ` ${marks.length} ${marks.length === 1 ? "hit" : "hits"}`;
  if (marks.length) nav.append(made("button", { onclick: step(-1) }, "previous hit"), " ", made("button", { onclick: step(1) }, "next hit"));
  nav.append(told);
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
seek(new URLSearchParams(location.search).getAll("q").join(" "));

// list filters, sorts and searches the list of a copy, where no server answers, by the data beside it.
function list({ rows, left, columns }) {
  const query = new URLSearchParams(location.search);
  const form = document.querySelector("form.filter"), table = document.querySelector(".trials");
  const home = form.getAttribute("action");
  const given = (name) => query.getAll(name).filter(Boolean);
  const to = (name, value) => {
    const q = new URLSearchParams(query);
    q.delete("page");
    q.set(name, value);
    return home + "?" + q;
  };
  for (const field of all("input", form)) {
    if (field.type === "checkbox") field.checked = given(field.name).includes(field.value);
    else field.value = given(field.name).join(" ");
  }
  form.hidden = false;
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    if (query.get("sort")) asked.set("sort", query.get("sort"));
    location.assign(home + "?" + asked);
  });
  const sort = query.get("sort") ?? "";
  all("thead th", table).forEach((th, i) => {
    const key = columns[i];
    if (sort.replace("-", "") === key) th.ariaSort = sort === key ? "ascending" : "descending";
    th.replaceChildren(made("a", { href: to("sort", sort === key ? "-" + key : key) }, th.textContent));
  });
  if (left) form.after(made("p", { className: "notice" }, `What was said in ${left} of ${rows.length} conversations is not in this copy, which would be too large: a search does not find it.`));
  if (!query.size) return kept([]);

  const find = patterns(given("q").join(" "));
  const tests = find.map((p) => new RegExp(p, "iu"));
  const tasks = new Set(rows.flatMap((r) => r.of.task));
  const names = [...new Set(query.keys())].filter((name) => !["q", "sort", "page"].includes(name) && given(name).length);
  const fits = (row, name, value) => {
    const of = row.of[name] ?? [];
    if (value === "any") return of.length > 0;
    return of.includes(value) || (name === "task" && !tasks.has(value) && of[0].toLowerCase().includes(value.toLowerCase()));
  };
  const found = rows.filter((row) => names.every((name) => given(name).some((value) => fits(row, name, value))) &&
    tests.every((test) => (row.said ?? []).some(([, ...texts]) => texts.some((text) => test.test(text)))));
  const at = columns.indexOf(sort.replace("-", "")), natural = new Intl.Collator("en", { numeric: true });
  if (at >= 0) found.sort(({ keys: { [at]: a } }, { keys: { [at]: b } }) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return (typeof a === "number" ? a - b : natural.compare(a, b)) * (sort[0] === "-" ? -1 : 1);
  });
  kept(found.map((row) => [new URL(row.link, location).pathname, row.cells[1] + ", " + row.cells[2]]));
  const perPage = 100, pages = Math.max(1, Math.ceil(found.length / perPage));
  const page = Math.min(Math.max(Number(query.get("page")) || 1, 1), pages);
  const shown = found.slice((page - 1) * perPage, page * perPage);
  const numeric = all("thead th", table).map((th) => th.className);
  table.tBodies[0].replaceChildren(...shown.flatMap((row) => line(row, numeric, find)));
  document.querySelector(".shown").textContent = `${(page - 1) * perPage + Math.min(1, found.length)} to ${(page - 1) * perPage + shown.length} of ${found.length}`;
  for (const other of all(".outcomes")) other.remove();
  for (const nav of all("nav.pages")) nav.remove();
  if (pages > 1) table.parentElement.after(made("nav", { className: "pages", ariaLabel: "pages" }, ...Array.from({ length: pages }, (_, i) => made("a", { href: to("page", i + 1), className: i + 1 === page ? "here" : "" }, i + 1))));
  form.querySelector("button").after(" ", made("a", { className: "clear", href: home }, "clear"));
}

// kept keeps a copy's list, addresses and names, for the pages of its trials, or returns what was kept.
function kept(trials) {
  try { // a browser may forbid it
    if (trials) sessionStorage.setItem("trials", JSON.stringify(trials));
    return JSON.parse(sessionStorage.getItem("trials")) ?? [];
  } catch {
    return [];
  }
}

// neighbours has the links of a copy's trial to the one before and after follow the list that it was opened from.
function neighbours() {
  const trials = kept(), at = trials.findIndex(([path]) => path === location.pathname);
  const nav = document.querySelector(".between");
  if (at < 0 || !nav) return;
  for (const a of all("a[rel=prev], a[rel=next]", nav)) a.remove();
  const link = (rel, before, [href, name], after) => made("a", { href, rel }, before + name + after);
  if (trials[at - 1]) nav.prepend(link("prev", "← ", trials[at - 1], ""), " ");
  if (trials[at + 1]) nav.append(" ", link("next", "", trials[at + 1], " →"));
}

// order sorts the rows of a copy's table by a column, from its end if they are in that order.
function order(th) {
  const table = th.closest("table"), at = th.cellIndex, way = th.ariaSort === "ascending" ? -1 : 1;
  const text = (row) => row.cells[at]?.textContent ?? "", natural = new Intl.Collator("en", { numeric: true });
  for (const other of all("th", table.tHead)) other.ariaSort = null;
  th.ariaSort = way > 0 ? "ascending" : "descending";
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => way * natural.compare(text(a), text(b))));
}

if (document.body.classList.contains("copy")) {
  neighbours();
  for (const th of all("table:is(.runs, .matrix) thead tr:first-child th")) th.replaceChildren(made("button", { className: "order", onclick: () => order(th) }, th.textContent));
}

// line is a trial of a copy's list, and what of it was searched for.
function line(row, classes, find) {
  const sought = find.length ? "?" + new URLSearchParams({ q: new URLSearchParams(location.search).getAll("q").join(" ") }) : "";
  const cells = row.cells.map((text, i) => made("td", { className: classes[i] }, i === 1 ? made("a", { href: row.link + sought }, text) : text));
  cells[0].classList.add(row.of.outcome[0]);
  const out = [made("tr", {}, ...cells)];
  const pattern = new RegExp(find.join("|"), "iu");
  const said = !find.length ? [] : row.said.flatMap(([id, ...texts]) => {
    const text = texts.find((t) => pattern.test(t));
    if (text === undefined) return [];
    const hit = pattern.exec(text), from = Math.max(0, hit.index - 60), to = hit.index + hit[0].length;
    return [made("li", {}, made("a", { href: row.link + sought + "#" + id }, (id[0] === "m" ? "message " : "event ") + id.slice(1)), " ",
      (from ? "…" : "") + text.slice(from, hit.index), made("mark", {}, hit[0]), text.slice(to, to + 140) + (to + 140 < text.length ? "…" : ""))];
  });
  if (said.length) out.push(made("tr", { className: "said" }, made("td", { colSpan: 12 }, made("ul", {}, ...said.slice(0, 3)))));
  return out;
}
addEventListener("DOMContentLoaded", () => window.listed && list(window.listed));
