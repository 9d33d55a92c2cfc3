// Texts that differ too little from their ground, with the figures of WCAG 2.1 (1.4.3).
(() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = (top, under) => top.slice(0, 3).map((c, i) => c * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = (c) => c.slice(0, 3).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const grounds = new Map();
  const ground = (e) => {
    if (!e) return rgba(getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#fff");
    if (!grounds.has(e)) grounds.set(e, over(rgba(getComputedStyle(e).backgroundColor), ground(e.parentElement)));
    return grounds.get(e);
  };
  // In a drawing the ground of a text is the last shape that is drawn over its place before it.
  const drawn = (e) => {
    const box = e.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    let under = ground(e.closest("svg").parentElement);
    for (const s of e.closest("svg").querySelectorAll("rect, circle, ellipse, polygon, path")) {
      const r = s.getBoundingClientRect(), fill = getComputedStyle(s).fill;
      if (s.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING && fill !== "none" && s.checkVisibility() &&
        r.left <= x && x <= r.right && r.top <= y && y <= r.bottom) under = over(rgba(fill), under);
    }
    return under;
  };
  const faint = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const done = new Set();
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || done.has(e) || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || e.closest("script, style, [aria-hidden=true] ")) continue;
    done.add(e);
    const style = getComputedStyle(e), svg = e.closest("svg");
    let ink = rgba(svg && e !== svg ? style.fill : style.color), through = 1;
    for (let p = e; p; p = p.parentElement) through *= Number(getComputedStyle(p).opacity);
    const under = svg && e !== svg ? drawn(e) : ground(e);
    const [a, b] = [light(over([...ink.slice(0, 3), ink[3] * through], under)), light(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
    if (ratio >= (large ? 3 : 4.5)) continue;
    const name = e.tagName.toLowerCase() + [...e.classList].map((c) => "." + c).join("") + " in " + e.parentElement.tagName.toLowerCase() + [...e.parentElement.classList].map((c) => "." + c).join("");
    if (!faint.has(name)) faint.set(name, `contrast ${ratio.toFixed(2)} of ${name}: ${JSON.stringify(texts.currentNode.data.trim().slice(0, 40))}`);
  }
  return [...faint.values()].slice(0, 20);
})()
