// What pages do beyond showing: the selected turn, and what the right pane says of it. Pages are whole without this.
"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const bench = document.querySelector(".bench");

// select makes an article of the conversation the selected turn: the right pane shows what is true there.
function select(article) {
  const pos = Number(article.dataset.pos);
  for (const a of all("[data-pos][aria-current]", bench)) a.removeAttribute("aria-current");
  for (const a of all(`.turns a[data-pos="${pos}"], article[data-pos="${pos}"]`, bench)) a.setAttribute("aria-current", "true");
  state(pos);
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
    const place = at >= 0 && like(moments[at]).querySelector(of);
    const walked = place && moments.slice(0, at + 1).findLast((m) => m.querySelector(of + " [data-node]"));
    const steps = walked ? all(of + " [data-node]", walked).map((li) => li.dataset.node) : [];
    const boxes = [];
    for (const node of all("a[data-node]", graph)) {
      const letter = place ? place.dataset.state[node.dataset.node] : "-";
      const state = { s: "satisfied", r: "refused", u: "unmet" }[letter.toLowerCase()];
      node.classList.remove("satisfied", "refused", "unmet", "current");
      if (state) node.classList.add(state);
      node.classList.toggle("current", letter !== letter.toLowerCase());
      node.querySelector(".sign").textContent = { s: "✓", r: "✗", u: "○" }[letter.toLowerCase()] || "";
      const step = steps.indexOf(node.dataset.node);
      node.querySelector(".step").textContent = step < 0 ? "" : step + 1;
      if (step >= 0) boxes[step] = node.dataset.box;
    }
    for (const line of all(".line", graph)) {
      const i = boxes.indexOf(line.dataset.from);
      line.classList.toggle("walked", i >= 0 && boxes[i + 1] === line.dataset.to);
    }
  }
  if (at < 0) return;
  const places = all(".place", like(moments[at]));
  const open = places.filter((p) => p.dataset.open);
  const chosen = open.findLast((p) => p.querySelector("[data-node]")) || open.at(-1) || places.at(-1);
  if (chosen) request(Number(chosen.dataset.request));
}

// request shows one request of the conversation: its picture and its nodes.
function request(at) {
  for (const part of all(".request, .nodes", bench)) part.hidden = Number(part.dataset.request) !== at;
  for (const a of all(".requests a", bench)) a.setAttribute("aria-current", a.hash === "#nodes-" + at);
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
  const details = document.getElementById(`w${node.closest(".graph").dataset.request}d${node.dataset.node}`);
  for (const d of all(".about[open]", bench)) d.open = false;
  if (details) details.open = true;
}

// follow selects what the address names.
function follow() {
  const at = location.hash && document.getElementById(location.hash.slice(1));
  if (!at) return;
  for (let d = at.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  if (at.matches("article[data-pos]")) select(at);
}

// choose shows one tab of the right pane.
function choose(name) {
  for (const panel of all(".panel", bench)) panel.hidden = panel.id !== "tab-" + name;
  for (const tab of all(".tabs a", bench)) tab.setAttribute("aria-selected", tab.hash === "#tab-" + name);
}

if (bench) {
  document.documentElement.classList.add("scripted");
  for (const tab of all(".tabs a", bench)) {
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", tab.hash.slice(1));
    tab.addEventListener("click", (e) => { e.preventDefault(); choose(tab.hash.slice(5)); });
  }
  bench.querySelector(".tabs").setAttribute("role", "tablist");
  for (const panel of all(".panel", bench)) panel.setAttribute("role", "tabpanel");
  choose("workflow");
  for (const a of all(".requests a", bench)) a.addEventListener("click", (e) => { e.preventDefault(); request(Number(a.hash.slice(7))); });
  for (const a of all(".graph a", bench)) a.addEventListener("click", () => about(a));
  state(Infinity);
  addEventListener("hashchange", follow);
  bench.addEventListener("click", (e) => {
    const article = e.target.closest("article[data-pos]");
    if (article && !e.target.closest("a, summary, button")) location.hash = article.id;
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
