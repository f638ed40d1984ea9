/* The playground's chart: one curve per method. */
"use strict";

(function () {
  var P = gradsyncPlayground, SVG = "http://www.w3.org/2000/svg";

  P.draw = function (tag, attrs, parent, text) {
    var e = document.createElementNS(SVG, tag);
    Object.keys(attrs || {}).forEach(function (k) { e.setAttribute(k, attrs[k]); });
    if (text !== undefined) e.textContent = text;
    parent.appendChild(e);
    return e;
  };

  /* One curve per method over the chosen quantity, both axes in equal ratios. */
  P.curves = function () {
    var box = document.getElementById("curves"), s = P.slider(P.over), shares = s.id === "z";
    box.textContent = "";
    var xs = s.stops.filter(function (x) { return s.id !== "r" || x <= P.state.n; });
    var wide = Math.max(320, Math.min(900, box.clientWidth || 900)), narrow = wide < 600;
    var left = 54, right = narrow ? 12 : 225, top = 12, high = narrow ? 230 : 400, bottom = 44;
    var points = xs.map(function (x) { var v = Object.assign({}, P.state); v[s.id] = x; return P.totals(v); });
    var lo = Infinity, hi = 0;
    points.forEach(function (p) { p.forEach(function (y, i) { if (y > 0 && !P.hidden[i]) { lo = Math.min(lo, y); hi = Math.max(hi, y); } }); });
    if (!(hi > 0)) { document.getElementById("crossings").textContent = ""; return; }
    /* What takes a thousand times the least and more leaves the chart at its top. */
    var l0 = Math.log10(lo) - 0.05, l1 = Math.max(Math.log10(Math.min(hi, 1000 * lo)) + 0.05, l0 + 0.3);
    function px(x) {
      var a = xs[0], b = xs[xs.length - 1];
      var t = shares ? xs.indexOf(x) < 0 ? place(x) : xs.indexOf(x) / (xs.length - 1) : b === a ? 0.5 : Math.log(x / a) / Math.log(b / a);
      return left + t * (wide - left - right);
    }
    function place(x) { return P.nearest(xs, x) / (xs.length - 1); }
    function py(y) { return top + (l1 - Math.log10(y)) / (l1 - l0) * (high - top - bottom); }
    var svg = P.draw("svg", { viewBox: "0 0 " + wide + " " + high, role: "img", "aria-labelledby": "curves-h", "aria-describedby": "crossings" }, box);
    for (var e = Math.floor(l0); e <= Math.floor(l1); e++) {
      (l1 - l0 < 1.7 ? [1, 2, 5] : [1]).forEach(function (f) {
        var y = f * Math.pow(10, e);
        if (Math.log10(y) < l0 || Math.log10(y) > l1) return;
        P.draw("line", { class: "grid", x1: left, x2: wide - right, y1: py(y), y2: py(y) }, svg);
        P.draw("text", { class: "tick", x: left - 6, y: py(y) + 4, "text-anchor": "end" }, svg, y < 1000 ? P.seconds(y) : P.count(y) + "\u00a0s");
      });
    }
    var inside = P.draw("clipPath", { id: "curves-inside" }, svg), last = -99;
    P.draw("rect", { x: left, y: top, width: wide - left - right, height: high - top - bottom }, inside);
    xs.forEach(function (x) {
      if (px(x) - last < (narrow ? 46 : 40)) return;
      last = px(x);
      P.draw("text", { class: "tick", x: px(x), y: high - bottom + 16, "text-anchor": "middle" }, svg, P.plain(x));
    });
    P.draw("text", { x: (left + wide - right) / 2, y: high - 6, "text-anchor": "middle" }, svg, P.word(s.name) + (s.unit ? " (" + s.unit + ")" : ""));
    var here = Math.max(xs[0], Math.min(xs[xs.length - 1], P.state[s.id]));
    P.draw("line", { class: "here", x1: px(here), x2: px(here), y1: top, y2: high - bottom }, svg);
    var labels = [], drawn = [];
    P.data.methods.forEach(function (m, i) {
      if (P.hidden[i]) return;
      var d = "", on = false, end, at = [];
      xs.forEach(function (x, k) {
        var y = points[k][i];
        if (!(y > 0)) { on = false; return; }
        at[k] = py(y);
        d += (on ? "L" : "M") + px(x).toFixed(1) + " " + py(y).toFixed(1) + (on ? "" : "h.01"); /* a point alone is seen too */
        on = true; end = [px(x), py(y)];
      });
      if (!d) return;
      drawn.push({ m: m, at: at });
      P.draw("path", { d: d, stroke: m.colour, "stroke-dasharray": m.dash || "none", "clip-path": "url(#curves-inside)", "data-method": i }, svg);
      labels.push({ i: i, y: Math.max(top, end[1]), from: Math.max(top, end[1]) });
    });
    if (!narrow) {
      labels.sort(function (a, b) { return a.y - b.y; });
      labels.forEach(function (l, k) { if (k) l.y = Math.max(l.y, labels[k - 1].y + 14); });
      var spill = labels.length ? labels[labels.length - 1].y - (high - bottom + 4) : 0;
      for (var k = labels.length - 1; k >= 0 && spill > 0; k--) labels[k].y = Math.min(labels[k].y, k === labels.length - 1 ? high - bottom + 4 : labels[k + 1].y - 14);
      labels.forEach(function (l) {
        P.draw("path", { d: "M" + (wide - right + 2) + " " + l.from + "L" + (wide - right + 12) + " " + l.y, stroke: P.data.methods[l.i].colour, "stroke-width": 1, "data-method": l.i }, svg);
        P.draw("text", { x: wide - right + 15, y: l.y + 4, "data-method": l.i }, svg, P.word(P.data.methods[l.i].name).replace(/^(parameter server|参数服务器)[,，]\s?/, ""));
      });
    }
    if (narrow) { /* no room beside the curves: their names stand below, as they end from the top */
      var keys = document.createElement("ul");
      keys.className = "keys";
      labels.sort(function (a, b) { return a.y - b.y; }).forEach(function (l) {
        var m = P.data.methods[l.i], li = document.createElement("li");
        P.draw("path", { d: "M0 5H24", stroke: m.colour, "stroke-dasharray": m.dash || "none" }, P.draw("svg", { width: 24, height: 10, "aria-hidden": "true" }, li));
        li.append(" " + P.word(m.name));
        keys.appendChild(li);
      });
      box.appendChild(keys);
    }
    document.getElementById("crossings").textContent = P.crossings(s, xs, points) + P.together(drawn, xs.length, top);
  };
  /* Which curves hide one another: within a line's width wherever they are seen. at holds heights in pixels. */
  P.together = function (drawn, n, top) {
    var sets = [];
    drawn.forEach(function (c) {
      for (var i = 0; i < sets.length; i++) {
        var far = false, seen = 0;
        for (var k = 0; k < n; k++) {
          var a = c.at[k], b = sets[i][0].at[k];
          if (a === undefined && b === undefined || a < top && b < top) continue;
          if (!(Math.abs(a - b) <= 2.2)) far = true; else seen++;
        }
        if (!far && seen) { sets[i].push(c); return; }
      }
      sets.push([c]);
    });
    return sets.filter(function (set) { return set.length > 1; }).map(function (set) {
      var names = set.map(function (c) { return P.word(c.m.name); });
      return P.say(" One line: " + names.join(" = ") + ".", "" + names.join(" = ") + " 重合为一线。");
    }).join("");
  };
  P.light = function (i) {
    document.querySelectorAll("#curves [data-method]").forEach(function (e) {
      e.classList.toggle("faded", i >= 0 && +e.getAttribute("data-method") !== i);
      e.classList.toggle("strong", e.tagName === "path" && i >= 0 && +e.getAttribute("data-method") === i);
    });
  };

})();
