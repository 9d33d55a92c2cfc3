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
