/* The playground: sliders, whose numbers come from the module in the page. The
   module is package playground of this program; nothing is computed here but where
   to draw. */
"use strict";

var gradsyncPlayground = {
  /* As reports.inUnit prints: three digits and a unit. */
  inUnit: function (x, units, step) {
    if (!(x === x)) return "–";
    if (x === 0) return "0";
    var i = 0;
    for (; i < units.length - 1 && (step < 1 ? x < 0.9995 : x >= 999.5); i++) x /= step;
    var digits = x >= 999.5 ? x.toFixed(0).length : 3;
    var s = x.toFixed(Math.min(20, Math.max(0, digits - 1 - Math.floor(Math.log10(x)))));
    if (s.indexOf(".") >= 0) s = s.replace(/0+$/, "").replace(/\.$/, "");
    return s + "\u00a0" + units[i];
  },

  /* The sliders' values in SI units, in the order of the module's arguments. */
  setting: function (sliders, values) {
    var x = {};
    sliders.forEach(function (s) { x[s.id] = s.from + s.scale * values[s.id]; });
    return [x.n, x.g, x.r, x.p, x.b, x.i, x.a, x.c, x.h, x.z, x.q];
  },

  /* What the longest bar stands for: the most of the numbers, but no more than twelve
     times the least, or the short ones could not be told apart. */
  longest: function (xs) {
    var numbers = xs.filter(function (x) { return x === x; });
    var low = Math.min.apply(null, numbers.filter(function (x) { return x > 0; }));
    return numbers.length ? Math.min(Math.max.apply(null, numbers), 12 * low) || 1 : 1;
  },

  /* The index of the least that is not hidden, -1 for none; of equal ones, but for
     rounding, the first. */
  least: function (xs, hidden) {
    var best = -1;
    xs.forEach(function (x, i) { if (!hidden[i] && x === x && (best < 0 || x < xs[best] * (1 - 1e-9))) best = i; });
    return best;
  },

  /* Which is least at each of points, in runs: a method stays the least while no other
     is below it by more than a thousandth. Hidden ones and NaN do not count. */
  runs: function (points, hidden) {
    var out = [];
    points.forEach(function (p, k) {
      var best, now = out.length ? out[out.length - 1] : null;
      best = gradsyncPlayground.least(p, hidden);
      if (best < 0) return;
      if (now && now.to === k - 1 && p[now.m] <= 1.001 * p[best]) now.to = k;
      else out.push({ m: best, from: k, to: k });
    });
    return out;
  },

  /* The setting of an address, "n=40&b=48": what it does not name is as in values, and
     so is what is no number or out of the slider's range. Nothing named: values itself. */
  read: function (sliders, text, values) {
    var out = Object.assign({}, values), got = false;
    text.replace(/^#/, "").split("&").forEach(function (pair) {
      var at = pair.indexOf("="), x = Number(pair.slice(at + 1));
      var s = sliders.filter(function (s) { return s.id === pair.slice(0, at); })[0];
      if (at < 0 || pair.length === at + 1 || !s || !(x >= s.stops[0] && x <= s.stops[s.stops.length - 1])) return;
      if ("ngr".indexOf(s.id) >= 0 && x !== Math.floor(x)) return;
      out[s.id] = x;
      got = true;
    });
    return got ? out : values;
  }
};

if (typeof document !== "undefined") (function () {
  var data, value, about, state, hidden = {}, over = "n", veiled = false, guess = null;
  var SVG = "http://www.w3.org/2000/svg";
  var TOTAL = 3, UNITS = { seconds: [["s", "ms", "µs", "ns"], 1e-3], bytes: [["B", "kB", "MB", "GB", "TB", "PB", "EB"], 1e3] };

  function zh() { return document.documentElement.lang === "zh"; }
  function word(s) { return zh() ? s.zh : s.en; }
  function say(en, chinese) { return zh() ? chinese : en; }
  function $(id) { return document.getElementById(id); }
  function make(tag, attrs, parent, text) {
    var e = document.createElement(tag);
    Object.keys(attrs || {}).forEach(function (k) { e.setAttribute(k, attrs[k]); });
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }
  function draw(tag, attrs, parent, text) {
    var e = document.createElementNS(SVG, tag);
    Object.keys(attrs || {}).forEach(function (k) { e.setAttribute(k, attrs[k]); });
    if (text !== undefined) e.textContent = text;
    parent.appendChild(e);
    return e;
  }

  var P = gradsyncPlayground;
  function scaled(x, unit) { return P.inUnit(x, UNITS[unit][0], UNITS[unit][1]); }
  function seconds(x) { return scaled(x, "seconds"); }
  function plain(x) { return String(+x.toPrecision(12)); }

  /* The module's ten imports: it has no arguments, no environment and no files, and
     asks for a clock and random numbers for itself alone; no number depends on them. */
  function wasi(memory) {
    function view() { return new DataView(memory().buffer); }
    function none() { return 0; }
    function nothing(count, bytes) { view().setUint32(count, 0, true); view().setUint32(bytes, 0, true); return 0; }
    return {
      args_get: none, environ_get: none, sched_yield: none, poll_oneoff: none, args_sizes_get: nothing, environ_sizes_get: nothing,
      clock_time_get: function (id, precision, at) { view().setBigUint64(at, BigInt(Math.round(1e6 * (1 + performance.now()))), true); return 0; },
      random_get: function (at, n) { crypto.getRandomValues(new Uint8Array(memory().buffer, at, n)); return 0; },
      fd_write: function (fd, iovs, n, written) { view().setUint32(written, 0, true); return 8; },
      proc_exit: function (code) { throw new Error("the module ended with code " + code); }
    };
  }
  function start() {
    var raw = Uint8Array.from(atob($("playground-module").textContent), function (c) { return c.charCodeAt(0); }), instance;
    var unpacked = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(unpacked).arrayBuffer().then(function (bytes) {
      return WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: wasi(function () { return instance.exports.memory; }) });
    }).then(function (made) {
      instance = made.instance;
      instance.exports._initialize();
      return instance.exports;
    });
  }

  function setting(values) { return P.setting(data.sliders, values); }
  function costs(values) {
    var s = setting(values);
    return data.methods.map(function (m, i) {
      var c = [];
      for (var q = 0; q < 6; q++) c.push(value.apply(null, [i, q].concat(s)));
      return c;
    });
  }
  function slider(id) { return data.sliders.filter(function (s) { return s.id === id; })[0]; }
  function nearest(stops, x) {
    var best = 0;
    stops.forEach(function (y, i) { if (Math.abs(Math.log((y + 1e-9) / (x + 1e-9))) < Math.abs(Math.log((stops[best] + 1e-9) / (x + 1e-9)))) best = i; });
    return best;
  }
  function shownValue(s, x) { return plain(x) + (s.unit ? "\u00a0" + s.unit : ""); }

  function fragment() { return data.sliders.map(function (s) { return s.id + "=" + plain(state[s.id]); }).join("&"); }
  function read(text) {
    var was = state;
    state = P.read(data.sliders, text, state);
    return state !== was;
  }

  function least(all) { return P.least(all.map(function (c) { return c[TOTAL]; }), hidden); }
  /* Methods whose time differs from the least by less than a thousandth. */
  function ties(all, best) {
    return data.methods.filter(function (m, i) { return !hidden[i] && Math.abs(all[i][TOTAL] - all[best][TOTAL]) <= 1e-3 * all[best][TOTAL]; });
  }

  /* What bounds a method: the largest part of its iteration. */
  function bound(c, key) {
    if (key === "asp") {
      var turns = c[TOTAL] * setting(state)[4] > c[5] * 1.0000001;
      return turns ? say("the workers’ own turns bound it", "受限于各节点自身的一轮") : say("the server’s link is full", "服务器链路已满");
    }
    var parts = [[c[0], say("computing", "计算")], [c[1], say("waiting for the slowest worker", "等待最慢的节点")], [c[2], say("the exchange", "交换")]];
    parts.sort(function (a, b) { return b[0] - a[0]; });
    var share = Math.round(100 * parts[0][0] / c[TOTAL]);
    return say(share + " % of it is " + parts[0][1], parts[0][1] + "占 " + share + " %");
  }
  function sentence(all) {
    var best = least(all);
    if (best < 0) return say("Nothing is chosen.", "未选择任何方法。");
    var c = all[best], names = ties(all, best).map(function (m) { return word(m.name); });
    var atLeast = data.methods[best].atLeast ? "≥ " : "";
    var text = say("Fastest: " + names.join(" = ") + ", " + atLeast + seconds(c[TOTAL]) + " per iteration; " + bound(c, data.methods[best].key) + ".",
      "最快：" + names.join(" = ") + "，每次迭代 " + atLeast + seconds(c[TOTAL]) + "；" + bound(c, data.methods[best].key) + "。");
    if (data.methods[best].atLeast) {
      var sure = P.least(all.map(function (x, i) { return data.methods[i].atLeast ? NaN : x[TOTAL]; }), hidden);
      text += say(" That is a lower bound.", "这是下界。") + (sure < 0 ? "" : say(" The fastest of the others: " + word(data.methods[sure].name) + ", " + seconds(all[sure][TOTAL]) + ".",
        "其余方法中最快：" + word(data.methods[sure].name) + "，" + seconds(all[sure][TOTAL]) + "。"));
    }
    var lean = P.least(all.map(function (c) { return half(c) ? NaN : most(c); }), hidden);
    if (lean >= 0) {
      text += say(" Fewest bytes through one link: " + word(data.methods[lean].name) + ", " + scaled(most(all[lean]), "bytes") + ".",
        "单条链路字节最少：" + word(data.methods[lean].name) + "，" + scaled(most(all[lean]), "bytes") + "。");
    }
    if (state.h > 1) {
      var idle = all[0][1];
      text += say(" The slow worker costs each of the other " + (state.n - 1) + " up to " + seconds(idle) + " of waiting in every synchronous iteration.",
        "慢节点使其余 " + (state.n - 1) + " 个节点在每次同步迭代中各等待 " + seconds(idle) + "。");
    }
    return text;
  }
  /* Bytes through the busiest machine's link in its busier direction; at least so many
     where half of it no formula says. */
  function most(c) { return c[4] === c[4] && !(c[5] > c[4]) ? c[4] : c[5]; }
  function half(c) { return (c[4] === c[4]) !== (c[5] === c[5]); }

  var rows;
  function build() {
    rows = data.methods.map(function (m, i) {
      var li = make("li", {}, $("methods")), b = make("button", { type: "button", "aria-pressed": "true" }, li);
      var line = draw("svg", { width: 30, height: 10, "aria-hidden": "true" }, b);
      draw("path", { d: "M0 5H30", stroke: m.colour, "stroke-width": 3, "stroke-dasharray": m.dash || "none", fill: "none" }, line);
      var name = make("span", {}, b);
      b.addEventListener("click", function () { hidden[i] = !hidden[i]; show(); });
      ["mouseenter", "focusin"].forEach(function (e) { li.addEventListener(e, function () { light(i); }); });
      ["mouseleave", "focusout"].forEach(function (e) { li.addEventListener(e, function () { light(-1); }); });
      var times = make("span", { class: "beam times", "aria-hidden": "true" }, li);
      return {
        li: li, button: b, name: name, times: ["compute", "wait", "exchange", "total"].map(function (k) { return make("span", { class: "seg " + k }, times); }),
        time: make("span", { class: "num time" }, li),
        size: make("span", { class: "seg size" }, make("span", { class: "beam", "aria-hidden": "true" }, li)),
        bytes: make("span", { class: "num bytes" }, li)
      };
    });
    data.sliders.forEach(function (s) {
      var input = $("set-" + s.id);
      input.max = s.stops.length - 1;
      input.addEventListener("input", function () { state[s.id] = s.stops[+input.value]; veil(); show(); });
      make("option", { value: s.id }, $("over"));
    });
    data.methods.forEach(function (m, i) { make("option", { value: i }, $("guessed")); });
    $("over").addEventListener("change", function () { over = $("over").value; curves(); });
    document.querySelectorAll("[data-preset]").forEach(function (b) {
      b.addEventListener("click", function () { state = Object.assign({}, data.presets[b.dataset.preset]); veil(); show(); });
    });
    $("predict").addEventListener("change", function () { veiled = false; veil(); show(); });
    $("guess").addEventListener("submit", function (e) {
      e.preventDefault();
      veiled = false;
      guess = data.methods[+$("guessed").value];
      show();
    });
  }
  function veil() { veiled = $("predict").checked; guess = null; }
  function guessed(all) {
    var best = least(all);
    if (!guess || best < 0) return "";
    if (ties(all, best).indexOf(guess) >= 0) return say("You said so. ", "猜对了。");
    return say("You said " + word(guess.name) + ". ", "您猜的是" + word(guess.name) + "。");
  }

  var waiting = false;
  function show() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () { waiting = false; render(); });
  }
  function render() {
    var all = costs(state), best = least(all);
    var shown = all.filter(function (c, i) { return !hidden[i]; });
    var longest = P.longest(shown.map(function (c) { return c[TOTAL]; })), widest = P.longest(shown.map(most));
    data.sliders.forEach(function (s) {
      var input = $("set-" + s.id), text = shownValue(s, state[s.id]);
      input.value = nearest(s.stops, state[s.id]);
      input.setAttribute("aria-valuetext", text);
      $("out-" + s.id).textContent = text;
    });
    rows.forEach(function (row, i) {
      var m = data.methods[i], c = all[i], off = hidden[i] || !(c[TOTAL] === c[TOTAL]);
      var parts = m.key === "asp" ? [0, 0, 0, c[TOTAL]] : [c[0], c[1], c[2], 0];
      row.name.textContent = word(m.name);
      row.button.setAttribute("aria-pressed", String(!hidden[i]));
      row.li.className = (off ? "off " : "") + (i === best ? "least" : "");
      row.times.forEach(function (e, k) { e.style.width = off ? 0 : 100 * parts[k] / Math.max(longest, c[TOTAL]) + "%"; });
      row.times[0].parentNode.classList.toggle("torn", !off && c[TOTAL] > longest);
      row.time.textContent = (m.atLeast && c[TOTAL] === c[TOTAL] ? "≥ " : "") + seconds(c[TOTAL]);
      row.size.style.width = off || !(most(c) === most(c)) ? 0 : 100 * Math.min(1, most(c) / widest) + "%";
      row.size.parentNode.classList.toggle("torn", !off && most(c) > widest);
      row.bytes.textContent = (half(c) ? "≥ " : "") + scaled(most(c), "bytes");
    });
    document.querySelectorAll("[data-preset]").forEach(function (b) {
      var p = data.presets[b.dataset.preset];
      b.setAttribute("aria-pressed", String(data.sliders.every(function (s) { return p[s.id] === state[s.id]; })));
    });
    [].forEach.call($("over").options, function (o) { o.textContent = word(slider(o.value).name); });
    [].forEach.call($("guessed").options, function (o) { o.textContent = word(data.methods[+o.value].name); });
    $("said").textContent = veiled ? "" : guessed(all) + sentence(all);
    $("results").hidden = veiled;
    $("guess").hidden = !veiled;
    var s = setting(state);
    document.querySelectorAll(".fact").forEach(function (e, i) {
      var x = about.apply(null, [i].concat(s)), unit = data.facts[i];
      e.textContent = unit === "share" ? (x <= 0 ? say("never", "从不") : plain(+(100 * x).toPrecision(3)) + " %") : unit ? scaled(x, unit) : plain(x);
    });
    $("eval").textContent = commands(s, all).join("\n");
    try { history.replaceState(null, "", "#" + fragment()); } catch (e) { /* some browsers keep the address of a file as it is */ }
    $("address").textContent = location.href.split("#")[0].split("/").pop() + "#" + fragment();
    curves();
  }

  /* What the command line has of this setting: exchanges, and the paper's model. */
  function commands(s, all) {
    function at(key) { return all[data.methods.map(function (m) { return m.key; }).indexOf(key)]; }
    var link = " --k " + plain(4 * s[3]) + " --bandwidth " + plain(s[4]) + " --latency " + plain(s[6]), model = at("cssgd-model")[TOTAL];
    var out = ["naive.both-seconds --n " + (s[0] + 1) + link, "naive.both-seconds --n " + s[0] + link, "ring.seconds --n " + s[0] + link, "halving-doubling.seconds --n " + s[0] + link];
    if (at("hierarchical")[TOTAL] === at("hierarchical")[TOTAL]) {
      out.push("hierarchical.seconds --nodes " + s[0] / s[1] + " --per-node " + s[1] + " --k " + plain(4 * s[3]) + " --bandwidth " + plain(s[5]) + " --latency " + plain(s[6]) +
        " --node-bandwidth " + plain(s[4]) + " --node-latency " + plain(s[6]));
    }
    if (model === model) out.push("codedsgd.time --n " + s[0] + " --r " + s[2] + " --tcalc " + plain(s[7] * s[8]) + " --tcomm " + plain(at("ssgd-unicast")[2]));
    return out.map(function (c) { return "gradsync eval " + c; });
  }

  /* One curve per method over the chosen quantity, both axes in equal ratios. */
  function curves() {
    var box = $("curves"), s = slider(over), shares = s.id === "z";
    box.textContent = "";
    var xs = s.stops.filter(function (x) { return s.id !== "r" || x <= state.n; });
    var wide = Math.max(320, Math.min(900, box.clientWidth || 900)), narrow = wide < 600;
    var left = 54, right = narrow ? 12 : 225, top = 12, high = narrow ? 300 : 400, bottom = 44;
    var points = xs.map(function (x) { var v = Object.assign({}, state); v[s.id] = x; return totals(v); });
    var lo = Infinity, hi = 0;
    points.forEach(function (p) { p.forEach(function (y, i) { if (y > 0 && !hidden[i]) { lo = Math.min(lo, y); hi = Math.max(hi, y); } }); });
    if (!(hi > 0)) { $("crossings").textContent = ""; return; }
    /* What takes a thousand times the least and more leaves the chart at its top. */
    var l0 = Math.log10(lo) - 0.05, l1 = Math.max(Math.log10(Math.min(hi, 1000 * lo)) + 0.05, l0 + 0.3);
    function px(x) {
      var a = xs[0], b = xs[xs.length - 1];
      var t = shares ? xs.indexOf(x) < 0 ? place(x) : xs.indexOf(x) / (xs.length - 1) : b === a ? 0.5 : Math.log(x / a) / Math.log(b / a);
      return left + t * (wide - left - right);
    }
    function place(x) { return nearest(xs, x) / (xs.length - 1); }
    function py(y) { return top + (l1 - Math.log10(y)) / (l1 - l0) * (high - top - bottom); }
    var svg = draw("svg", { viewBox: "0 0 " + wide + " " + high, role: "img", "aria-labelledby": "curves-h", "aria-describedby": "crossings" }, box);
    for (var e = Math.ceil(l0); e <= Math.floor(l1); e++) {
      draw("line", { class: "grid", x1: left, x2: wide - right, y1: py(Math.pow(10, e)), y2: py(Math.pow(10, e)) }, svg);
      draw("text", { class: "tick", x: left - 6, y: py(Math.pow(10, e)) + 4, "text-anchor": "end" }, svg, seconds(Math.pow(10, e)));
    }
    var inside = draw("clipPath", { id: "curves-inside" }, svg), last = -99;
    draw("rect", { x: left, y: top, width: wide - left - right, height: high - top - bottom }, inside);
    xs.forEach(function (x) {
      if (px(x) - last < (narrow ? 46 : 40)) return;
      last = px(x);
      draw("text", { class: "tick", x: px(x), y: high - bottom + 16, "text-anchor": "middle" }, svg, plain(x));
    });
    draw("text", { x: (left + wide - right) / 2, y: high - 6, "text-anchor": "middle" }, svg, word(s.name) + (s.unit ? " (" + s.unit + ")" : ""));
    var here = Math.max(xs[0], Math.min(xs[xs.length - 1], state[s.id]));
    draw("line", { class: "here", x1: px(here), x2: px(here), y1: top, y2: high - bottom }, svg);
    var labels = [];
    data.methods.forEach(function (m, i) {
      if (hidden[i]) return;
      var d = "", on = false, end;
      xs.forEach(function (x, k) {
        var y = points[k][i];
        if (!(y > 0)) { on = false; return; }
        d += (on ? "L" : "M") + px(x).toFixed(1) + " " + py(y).toFixed(1) + (on ? "" : "h.01"); /* a point alone is seen too */
        on = true; end = [px(x), py(y)];
      });
      if (!d) return;
      draw("path", { d: d, stroke: m.colour, "stroke-dasharray": m.dash || "none", "clip-path": "url(#curves-inside)", "data-method": i }, svg);
      labels.push({ i: i, y: Math.max(top, end[1]), from: Math.max(top, end[1]) });
    });
    if (!narrow) {
      labels.sort(function (a, b) { return a.y - b.y; });
      labels.forEach(function (l, k) { if (k) l.y = Math.max(l.y, labels[k - 1].y + 14); });
      var spill = labels.length ? labels[labels.length - 1].y - (high - bottom + 4) : 0;
      for (var k = labels.length - 1; k >= 0 && spill > 0; k--) labels[k].y = Math.min(labels[k].y, k === labels.length - 1 ? high - bottom + 4 : labels[k + 1].y - 14);
      labels.forEach(function (l) {
        draw("path", { d: "M" + (wide - right + 2) + " " + l.from + "L" + (wide - right + 12) + " " + l.y, stroke: data.methods[l.i].colour, "stroke-width": 1, "data-method": l.i }, svg);
        draw("text", { x: wide - right + 15, y: l.y + 4, "data-method": l.i }, svg, word(data.methods[l.i].name).replace(/^(parameter server|参数服务器)[,，]\s?/, ""));
      });
    }
    $("crossings").textContent = crossings(s, xs, points);
  }
  function totals(v) {
    var s = setting(v);
    return data.methods.map(function (m, i) { return value.apply(null, [i, TOTAL].concat(s)); });
  }
  /* Which method is least where, in words. */
  function crossings(s, xs, points) {
    var runs = P.runs(points, hidden);
    var by = {}, order = [];
    runs.forEach(function (r) {
      if (!by[r.m]) { by[r.m] = []; order.push(r.m); }
      by[r.m].push(r.from === r.to ? plain(xs[r.from]) : plain(xs[r.from]) + say(" to ", " 至 ") + plain(xs[r.to]));
    });
    return say("Fastest by ", "最快，按") + word(s.name) + (s.unit ? " (" + s.unit + ")" : "") + say(": ", "：") + order.map(function (m) {
      return word(data.methods[m].name) + (data.methods[m].atLeast ? say(" (a lower bound)", "（下界）") : "") + say(" at ", " ") + by[m].join(say(", ", "、"));
    }).join(say("; ", "；")) + say(".", "。");
  }
  function light(i) {
    document.querySelectorAll("#curves [data-method]").forEach(function (e) {
      e.classList.toggle("faded", i >= 0 && +e.getAttribute("data-method") !== i);
      e.classList.toggle("strong", e.tagName === "path" && i >= 0 && +e.getAttribute("data-method") === i);
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") return;
    data = JSON.parse($("playground-data").textContent);
    state = Object.assign({}, data.presets[data.first]);
    start().then(function (module) {
      value = module.of; about = module.about;
      read(location.hash);
      $("try").hidden = false;
      $("without").hidden = true;
      build();
      render();
      window.addEventListener("hashchange", function () { if (location.hash.slice(1) !== fragment() && read(location.hash)) show(); });
      document.addEventListener("gradsync-language", show);
      window.addEventListener("resize", show);
    });
  });
})();
