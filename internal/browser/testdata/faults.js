/* What no page may have, besides what layout and contrast find, of the texts T: words that a number became,
   on screens text below 12 px, an axis with fewer than three labels, labels of an axis that touch; on paper, a number
   broken inside its digits. [{kind, at, what}], at most ten. */
function faults(T) {
  var found = [];
  function report(kind, e, what) { found.push({ kind: kind, at: probe.selector(e), what: what }); }

  var paper = matchMedia("print").matches;

  /* Sentences that speak of such values. */
  var speaks = /NaN and|NaN 和|no numbers, NaN|F\(\.\) undefined/g;
  T.forEach(function (t) {
    var word = /\b(NaN|undefined|Infinity)\b|\[object/.exec(t.text.replace(speaks, ""));
    if (word && !t.el.closest("code, pre, .code, .listing")) report("no number", t.el, t.text.slice(0, 60));
    var size = parseFloat(probe.style(t.el).fontSize), m = t.svg && t.el.getScreenCTM();
    if (m) size *= Math.sqrt(Math.abs(m.a * m.d - m.b * m.c));
    if (size < 11.95 && !paper) report("small text", t.el, size.toFixed(1) + " px: " + t.text.slice(0, 40));
  });

  function marks(within, of) {
    return [].map.call(document.querySelectorAll("main " + within), function (a) { return [].filter.call(a.querySelectorAll(of), probe.seen); });
  }
  var axes = marks(".axis", ":scope > i").concat(marks(".area:not(.lanes)", ":scope > u.x"), marks(".area:not(.lanes)", ":scope > u.y"),
    marks("svg", "text.tick[text-anchor=middle]"), marks("svg", "text.tick[text-anchor=end]"));
  axes.forEach(function (labels) {
    if (labels.length && labels.length < 3) report("an axis of " + labels.length, labels[0], labels.map(function (e) { return e.textContent; }).join(", "));
    var boxes = labels.map(function (e) { return e.getBoundingClientRect(); });
    boxes.forEach(function (r, i) {
      boxes.slice(i + 1).forEach(function (s) {
        if (r.left < s.right && s.left < r.right && r.top < s.bottom - 3 && s.top < r.bottom - 3) report("labels touch", labels[i], labels[i].textContent);
      });
    });
  });

  if (paper) broken(document.querySelector("main"), report);
  return found.slice(0, 10);
}

/* Numbers of a line and the next. Digits of names and hashes may part. */
function broken(main, report) {
  var walk = document.createTreeWalker(main, NodeFilter.SHOW_TEXT), range = document.createRange(), n;
  while ((n = walk.nextNode())) {
    if (!/\d[\d.,]*\d/.test(n.data) || !probe.seen(n.parentElement) || n.parentElement.closest("math, svg, code, pre")) continue;
    for (var m of n.data.matchAll(/(?<![\w/.-])\d[\d.,]*\d(?![\w/-])/g)) {
      range.setStart(n, m.index); range.setEnd(n, m.index + m[0].length);
      var r = [...range.getClientRects()].filter(function (x) { return x.width > 0.5; });
      if (r.some(function (x) { return x.top > r[0].top + 3; })) report("a broken number", n.parentElement, m[0] + " in " + n.data.trim().slice(0, 60));
    }
  }
}

/* Texts of the page's main part that nobody can see and that nothing excuses: the other language, the other
   profile, what is folded away, what a search hides, what needs scripts or guides through a screen. */
function lost(excused) {
  var out = [], main = document.querySelector("main");
  for (var e of main.querySelectorAll("h1, h2, h3, h4, p, li, td, th, dt, dd, figcaption, summary, u, b, i, span, text, a, math, pre")) {
    if (e.checkVisibility({ visibilityProperty: true }) || !e.textContent.trim() || e.closest(".zh, [hidden], script, style, " + excused)) continue;
    var p = e.closest(".profiled"), d = e.closest("details:not([open])");
    if (p && !p.checkVisibility() || d && d.checkVisibility() && e.closest("summary") === null) continue;
    var at = e.parentElement;
    if (at.checkVisibility({ visibilityProperty: true }) || at === main) out.push("nobody sees " + e.localName + "." + (e.getAttribute("class") || "") + ": " + e.textContent.trim().slice(0, 60));
  }
  return [...new Set(out)].slice(0, 8);
}
