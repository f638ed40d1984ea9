/* Where the layout of the texts T and of the elements B is wrong: [{kind, at, what}], at most ten of a kind. */
function layout(T, B) {
  var found = [], counts = {}, wide = document.documentElement.clientWidth;
  function report(kind, e, what) {
    counts[kind] = (counts[kind] || 0) + 1;
    if (counts[kind] <= 10) found.push({ kind: kind, at: probe.selector(e), what: what });
  }
  function brief(s) { return JSON.stringify(s.length > 40 ? s.slice(0, 40) + "…" : s); }
  function px(x) { return Math.round(x * 10) / 10; }

  if (document.documentElement.scrollWidth > wide) report("the page scrolls sideways", document.body, document.documentElement.scrollWidth + " px in " + wide);

  /* What may be wider than its place and scrolls there: tables of points and of texts,
     formulas, listings. On a phone the other tables are cards. */
  var may = ".scroll.always, .math, .story table, pre, .excerpt, .listing, .code, .trace" + (wide > 736 ? ", .scroll" : "");
  B.forEach(function (e) {
    // What flows out of a box that does not hide it is judged where it is.
    if (e === document.body || probe.style(e).overflowX === "visible" && probe.style(e).overflowY === "visible") return;
    if (e.scrollWidth <= e.clientWidth + 1 && e.scrollHeight <= e.clientHeight + 1 || !e.clientWidth || !probe.seen(e)) return;
    var s = probe.style(e), x = s.overflowX, y = s.overflowY;
    if (e.scrollWidth > e.clientWidth + 1 && x !== "visible") {
      if (x === "hidden" || x === "clip") report("text is clipped", e, e.scrollWidth + " px in " + e.clientWidth + ": " + brief(e.textContent.trim()));
      else if (!e.matches(may)) report("scrolls sideways", e, e.scrollWidth + " px in " + e.clientWidth + ": " + brief(e.textContent.trim()));
    }
    if (e.scrollHeight > e.clientHeight + 1 && (y === "hidden" || y === "clip") && e.textContent.trim()) report("text is clipped", e, e.scrollHeight + " px high in " + e.clientHeight + ": " + brief(e.textContent.trim()));
  });

  T.forEach(function (t) {
    if (t.lost > 2) report("text is clipped", t.el, px(t.lost) + " px by its drawing: " + brief(t.text));
    t.quads.forEach(function (q) {
      var b = probe.bounds(q);
      if (b[0] < -1 || b[2] > wide + 1) report("sticks out of the window", t.el, px(b[0]) + " … " + px(b[2]) + " in " + wide + ": " + brief(t.text));
      if (t.svg) {
        var r = t.svg.getBoundingClientRect();
        if (b[0] < r.left - 1.5 || b[2] > r.right + 1.5 || b[1] < r.top - 1.5 || b[3] > r.bottom + 1.5)
          report("text leaves its drawing", t.el, "[" + [b[0] - r.left, b[1] - r.top, b[2] - r.left, b[3] - r.top].map(px) + "] in " + px(r.width) + " x " + px(r.height) + ": " + brief(t.text));
      }
    });
  });
  B.forEach(function (e) {
    if (!e.matches("button, input, select, textarea, output, svg, canvas, img, math, summary") || !probe.seen(e) || probe.aside(e)) return;
    var r = e.getBoundingClientRect(), c = probe.cut([r.left, r.top, r.right, r.bottom], probe.clip(e.parentElement));
    if (c[2] - c[0] > 0.5 && (c[0] < -1 || c[2] > wide + 1)) report("sticks out of the window", e, px(c[0]) + " … " + px(c[2]) + " in " + wide);
  });

  overlaps(T, function (a, b, by) { report("texts overlap", a.el, "by " + by.map(px).join(" x ") + " px: " + brief(a.text) + " and " + brief(b.text) + " (" + probe.selector(b.el) + ")"); });
  Object.keys(counts).forEach(function (k) { if (counts[k] > 10) found.push({ kind: k, at: "", what: "and " + (counts[k] - 10) + " more" }); });
  return found;
}

/* Every pair of texts of different blocks that share more than 2 px each way. Texts are
   sorted into bands of the page, so that only neighbours are compared. */
function overlaps(T, found) {
  var high = 64, bands = new Map(), told = new Set();
  T.forEach(function (t, i) {
    t.quads.forEach(function (q) {
      var b = probe.bounds(q);
      for (var y = Math.floor(b[1] / high); y <= Math.floor(b[3] / high); y++) {
        var band = bands.get(y);
        if (!band) bands.set(y, band = []);
        band.push({ i: i, t: t, q: q, b: b });
      }
    });
  });
  bands.forEach(function (band) {
    band.sort(function (a, b) { return a.b[0] - b.b[0]; });
    for (var i = 0; i < band.length; i++) {
      for (var j = i + 1; j < band.length && band[j].b[0] < band[i].b[2] - 2; j++) {
        var a = band[i], b = band[j];
        if (a.t.block === b.t.block || a.b[3] - b.b[1] <= 2 || b.b[3] - a.b[1] <= 2) continue;
        if (a.t.block.contains(b.t.block) && atop(b.t.block) || b.t.block.contains(a.t.block) && atop(a.t.block)) continue;
        var by = shared(a.q, b.q);
        if (!by) continue;
        var key = Math.min(a.i, b.i) + " " + Math.max(a.i, b.i);
        if (told.has(key)) continue;
        told.add(key);
        found(a.t, b.t, by);
      }
    }
  });
}

/* A formula or chip in a line belongs to the line. */
function atop(e) { return e.localName === "math" && probe.style(e).display.indexOf("block") < 0; }

/* How deep two turned rectangles are in each other, along each one's sides; null when
   2 px of a move along one side part them. */
function shared(p, q) {
  var least = [Infinity, Infinity];
  for (var k = 0; k < 4; k++) {
    var r = k < 2 ? p : q, i = k % 2, d = [r[i + 1][0] - r[i][0], r[i + 1][1] - r[i][1]], n = Math.hypot(d[0], d[1]) || 1;
    var on = function (x) { return (x[0] * d[0] + x[1] * d[1]) / n; };
    var a = p.map(on), b = q.map(on);
    var depth = Math.min(Math.max.apply(null, a), Math.max.apply(null, b)) - Math.max(Math.min.apply(null, a), Math.min.apply(null, b));
    if (depth <= 2) return null;
    least[i] = Math.min(least[i], depth);
  }
  return least;
}
