/* The playground: sliders, whose numbers come from the module in the page. The
   module is package playground of this program; nothing is computed here but where
   to draw. */
"use strict";

var gradsyncPlayground = {
  /* As reports.inUnit prints: three digits and a unit. */
  inUnit: function (x, units, step) {
    if (!(x === x)) return "–";
    if (x === 0) return "0\u00a0" + units[0];
    var i = 0;
    for (; i < units.length - 1 && (step < 1 ? x < 0.9995 : x >= 999.5); i++) x /= step;
    var digits = x >= 999.5 ? x.toFixed(0).length : 3;
    var s = x.toFixed(Math.min(20, Math.max(0, digits - 1 - Math.floor(Math.log10(x)))));
    if (s.indexOf(".") >= 0) s = s.replace(/0+$/, "").replace(/\.$/, "");
    return s + "\u00a0" + units[i];
  },

  /* A count: grouped by thousands, three digits and a power of ten where a number of the
     module no longer counts by ones. */
  count: function (x) {
    if (!(x === x)) return "–";
    if (Math.abs(x) >= 1e15) {
      var power = Math.floor(Math.log10(Math.abs(x)));
      return (x / Math.pow(10, power)).toFixed(2) + "\u00a0×\u00a010" + String(power).replace(/\d/g, function (d) { return "⁰¹²³⁴⁵⁶⁷⁸⁹"[+d]; });
    }
    var parts = String(+x.toPrecision(15)).split(".");
    return parts[0].replace(/\B(?=(\d{3})+$)/g, ",") + (parts[1] ? "." + parts[1] : "");
  },

  /* A value of a slider as it is read: in the next larger unit where there is one. */
  larger: function (x, unit) {
    var next = { "µs": "ms", "us": "ms", "ms": "s", "Gb/s": "Tb/s" };
    for (; x >= 1000 && next[unit]; unit = next[unit]) x /= 1000;
    return gradsyncPlayground.count(+x.toPrecision(12)) + (unit ? "\u00a0" + unit : "");
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

/* What all parts of the page share: data are its methods, sliders and settings, state
   the sliders' values, hidden the methods taken away, module the formulas. */
(function () {
  var P = gradsyncPlayground;
  var UNITS = { seconds: [["s", "ms", "µs", "ns"], 1e-3], bytes: [["B", "kB", "MB", "GB", "TB", "PB", "EB"], 1e3] };
  P.TOTAL = 3; /* of a cost: compute, wait, exchange, total, sent, received */
  P.hidden = {};
  P.over = "n"; /* the slider along the chart */

  P.zh = function () { return document.documentElement.lang === "zh"; };
  P.word = function (s) { return P.zh() ? s.zh : s.en; };
  P.say = function (en, chinese) { return P.zh() ? chinese : en; };
  P.scaled = function (x, unit) { return P.inUnit(x, UNITS[unit][0], UNITS[unit][1]); };
  P.seconds = function (x) { return x >= 7200 ? P.inUnit(x / 3600, ["h"], 1e3) : P.scaled(x, "seconds"); };
  P.plain = function (x) { return String(+x.toPrecision(12)); };

  P.si = function (values) { return P.setting(P.data.sliders, values); };
  P.costs = function (values) {
    var s = P.si(values);
    return P.data.methods.map(function (m, i) {
      var c = [];
      for (var q = 0; q < 6; q++) c.push(P.module.of.apply(null, [i, q].concat(s)));
      return c;
    });
  };
  P.totals = function (v) {
    var s = P.si(v);
    return P.data.methods.map(function (m, i) { return P.module.of.apply(null, [i, P.TOTAL].concat(s)); });
  };
  P.slider = function (id) { return P.data.sliders.filter(function (s) { return s.id === id; })[0]; };
  P.nearest = function (stops, x) {
    var best = 0;
    stops.forEach(function (y, i) { if (Math.abs(Math.log((y + 1e-9) / (x + 1e-9))) < Math.abs(Math.log((stops[best] + 1e-9) / (x + 1e-9)))) best = i; });
    return best;
  };

  P.fastest = function (all) { return P.least(all.map(function (c) { return c[P.TOTAL]; }), P.hidden); };
  /* Methods whose time differs from the least by less than a thousandth. */
  P.ties = function (all, best) {
    return P.data.methods.filter(function (m, i) { return !P.hidden[i] && Math.abs(all[i][P.TOTAL] - all[best][P.TOTAL]) <= 1e-3 * all[best][P.TOTAL]; });
  };

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
  P.start = function () {
    var raw = Uint8Array.from(atob(document.getElementById("playground-module").textContent), function (c) { return c.charCodeAt(0); }), instance;
    var unpacked = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(unpacked).arrayBuffer().then(function (bytes) {
      return WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: wasi(function () { return instance.exports.memory; }) });
    }).then(function (made) {
      instance = made.instance;
      instance.exports._initialize();
      return instance.exports;
    });
  };
})();
