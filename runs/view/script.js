// What pages do beyond showing: the selected turn, and what the right pane says of it. Pages are whole without this.
"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const bench = document.querySelector(".bench");

// select makes an article of the conversation the selected turn: the right pane shows what is true there.
function select(article) {
  const pos = Number(article.dataset.pos);
  for (const a of all("[data-pos][aria-current]", bench)) a.removeAttribute("aria-current");
  for (const a of all(`.turns a[data-pos="${pos}"], article[data-pos="${pos}"]`, bench)) a.setAttribute("aria-current", "true");
  for (const panel of all(".panel", bench)) {
    const states = all(".state", panel);
    const shown = states.findLast((s) => Number(s.dataset.pos) <= pos);
    for (const s of states) s.hidden = s !== shown;
  }
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
