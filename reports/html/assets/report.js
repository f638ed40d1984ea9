/* gradsync reports: the custom series of ECharts that the pages and the SVG
   writer share, and the few things a page does by itself. No request is made. */
"use strict";

/* The series, by name, so that a chart's option holds data only. */
function gradsyncInstall(echarts) {
  /* One polygon between the bounds; points are [x, lower, upper]. It goes
     through api.coord, so it is right on logarithmic axes too. */
  function band(params, api) {
    if (params.dataIndexInside !== 0) return null;
    var up = [], down = [];
    for (var i = 0; i < params.dataInsideLength; i++) {
      up.push(api.coord([api.value(0, i), api.value(2, i)]));
      down.push(api.coord([api.value(0, i), api.value(1, i)]));
    }
    return { type: "polygon", silent: true, shape: { points: up.concat(down.reverse()) }, style: { fill: api.visual("color"), opacity: 0.11 } };
  }

  /* A whisker on bar number value(3) of value(4) in category value(0). */
  function errorbar(params, api) {
    var count = api.value(4);
    var bars = api.barLayout({ count: count, barGap: "12%", barCategoryGap: "28%", barMaxWidth: 64 });
    var at = bars[api.value(3)];
    var lo = api.coord([api.value(0), api.value(1)]);
    var hi = api.coord([api.value(0), api.value(2)]);
    var x = lo[0] + at.offsetCenter, half = Math.min(6, at.width / 4);
    var style = { stroke: api.visual("color"), lineWidth: 1.5, fill: "none" };
    function line(x1, y1, x2, y2) { return { type: "line", shape: { x1: x1, y1: y1, x2: x2, y2: y2 }, style: style }; }
    var lines = [line(x, lo[1], x, hi[1]), line(x - half, hi[1], x + half, hi[1]), line(x - half, lo[1], x + half, lo[1])];
    return { type: "group", silent: true, children: lines };
  }

  /* One band of a lane; values are [from, to, lane]. */
  function gantt(params, api) {
    var from = api.coord([api.value(0), api.value(2)]);
    var to = api.coord([api.value(1), api.value(2)]);
    var height = api.size([0, 1])[1] * 0.62, area = params.coordSys;
    var left = Math.max(from[0], area.x), right = Math.min(to[0], area.x + area.width);
    if (right < left) return null;
    return {
      type: "rect",
      shape: { x: left, y: from[1] - height / 2, width: Math.max(right - left, 1.5), height: height },
      style: { fill: api.visual("color"), decal: api.visual("decal") }
    };
  }

  /* One cell of a map and the number in it; values are [column, lane, number]. */
  function cell(params, api) {
    var at = api.coord([api.value(0), api.value(1)]), size = api.size([1, 1]), wide = size[0] - 2, tall = size[1] - 2, n = api.value(2);
    return { type: "group", children: [
      { type: "rect", shape: { x: at[0] - wide / 2, y: at[1] - tall / 2, width: wide, height: tall },
        style: { fill: api.visual("color"), decal: api.visual("decal"), opacity: 0.5 } },
      { type: "text", silent: true, style: { x: at[0], y: at[1], text: n < 10 ? n.toFixed(1) : n.toFixed(0), fill: api.visual("borderColor"),
        align: "center", verticalAlign: "middle", fontSize: wide < 26 ? 10 : 12 } }
    ] };
  }

  echarts.registerCustomSeries("gradsync.band", band);
  echarts.registerCustomSeries("gradsync.errorbar", errorbar);
  echarts.registerCustomSeries("gradsync.gantt", gantt);
  echarts.registerCustomSeries("gradsync.map", cell);
}

/* The whole option of a chart from what it has otherwise than the base of its form:
   chart_short.go says how. */
function gradsyncWhole(base, chart) {
  function only(l) { return Array.isArray(l) && l.length === 1 && isObject(l[0]) ? l[0] : null; }
  function isObject(x) { return x !== null && typeof x === "object" && !Array.isArray(x); }
  function change(a, b) {
    if (only(a) && only(b)) return [change(a[0], b[0])];
    if (!isObject(a) || !isObject(b)) return b;
    var out = Object.assign({}, a);
    Object.keys(b).forEach(function (k) { if (b[k] === null) delete out[k]; else out[k] = change(out[k], b[k]); });
    return out;
  }
  var known = base.series.slice(), written = [], said = [], o = change(Object.assign({}, base, { series: 0 }), Object.assign({}, chart, { series: 0 }));
  o.series = chart.series.map(function (s) {
    var full = change(known[s.like], s);
    delete full.like;
    known.push(full);
    if (!s.columns) return full;
    delete full.columns; delete full.names;
    var columns = s.columns.map(function (c) { if (typeof c !== "number") { written.push(c); return c; } return written[c]; });
    full.data = columns[0].map(function (x, i) { return columns.map(function (c) { return c[i]; }); });
    if (s.names) full.data = full.data.map(function (v, i) {
      var name = s.names[i];
      if (typeof name === "string") { said.push(name); return { name: name, value: v }; }
      return name === null ? v : { name: said[name], value: v };
    });
    return full;
  });
  return o;
}

/* A word of a chart in Chinese, where words has it; numbers are no part of what is looked
   up, and "#2" is the second. Without words, or Chinese, it stays. */
function gradsyncWord(words, en) {
  if (!words || typeof en !== "string") return en;
  var plain = en.replace(/\n/g, " ");
  if (Object.prototype.hasOwnProperty.call(words, plain)) return words[plain];
  var numbers = [], key = en.replace(/[\u00a0\n]/g, " ").replace(/[0-9]+(?:[.,\u202f][0-9]+)*/g, function (n) { numbers.push(n); return "#"; });
  if (!Object.prototype.hasOwnProperty.call(words, key)) return en;
  return words[key].replace(/#([0-9]+)/g, function (m, k) { return numbers[k - 1]; });
}

/* Rows as a CSV file. */
function gradsyncCSV(rows) {
  return rows.map(function (row) {
    return row.map(function (x) { x = String(x == null ? "" : x); return /[",\n]/.test(x) ? '"' + x.replace(/"/g, '""') + '"' : x; }).join(",");
  }).join("\n") + "\n";
}

/* The numbers of a whole option, a row per point, bar or band, below a head; say gives
   words their language, and zh tells which that is. A point has the ends of its interval
   where it has one, and its seed where it is of one. */
function gradsyncRows(o, data, say, zh) {
  var gantt = data.form === "gantt", map = data.form === "map", lanes = (data.lanes || "").split("\n"), bars = (o.xAxis[0].data || []).map(gradsyncLine), ends = {}, out = [];
  if (gantt) out.push(zh ? ["泳道", "从", "到", "状态", "标签"] : ["lane", "from", "to", "state", "label"]);
  o.series.forEach(function (s) { // bands and whiskers
    if (s.renderItem && !gantt && !map) (s.data || []).forEach(function (v) { ends[s.name + "\n" + v[0]] = v.slice(1, 3); });
  });
  var seeds = o.series.some(function (s) { return s.seed !== undefined; }), bounded = Object.keys(ends).length > 0;
  function row(s, at, x, y) {
    var of = s.seed === undefined && ends[s.name + "\n" + at] || ["", ""];
    out.push([say(s.name)].concat(seeds ? [s.seed === undefined ? "" : s.seed] : [], [x, y], bounded ? of : []));
  }
  if (map) out.push(zh ? ["泳道", say(data.x), "状态", say(data.y)] : ["lane", data.x, "state", data.y]);
  else if (!gantt) out.push([zh ? "系列" : "series"].concat(seeds ? [zh ? "种子" : "seed"] : [], [say(data.x), say(data.y)], bounded ? (zh ? ["95 % 下限", "95 % 上限"] : ["95 % low", "95 % high"]) : []));
  o.series.forEach(function (s) {
    if (s.renderItem && !gantt && !map) return;
    (s.data || []).forEach(function (d, i) {
      var v = d && d.value !== undefined ? d.value : d;
      if (gantt) out.push([say(lanes[v[2]]), v[0], v[1], say(s.name), say(d.name)]);
      else if (map) out.push([say(lanes[v[1]]), say(bars[v[0]]), say(s.name), v[2]]);
      else if (Array.isArray(v)) row(s, v[0], v[0], v[1]);
      else if (v !== "-") row(s, i, say(bars[i]), v);
    });
  });
  return out;
}

/* How many letters wide a text is: a Chinese one counts two. */
function gradsyncWide(text) { return text.length + (text.match(/[\u2e80-\u9fff\uff00-\uffef]/g) || []).length; }

/* A text in lines of at most so many letters, broken between words and Chinese letters,
   but before no stop and no bracket that closes. */
function gradsyncLines(text, most) {
  var lines = [""], gap = "";
  (text.match(/\s+|（?(?:[^\s\u2e80-\u9fff\uff00-\uffef]+|[\u2e80-\u9fff\uff00-\uffef])[，、。；：）]*|（/g) || []).forEach(function (word) {
    if (/^\s+$/.test(word)) { gap = " "; return; }
    var last = lines.length - 1, longer = lines[last] ? lines[last] + gap + word : word;
    if (lines[last] && gradsyncWide(longer) > most) lines.push(word); else lines[last] = longer;
    gap = "";
  });
  return lines.join("\n");
}

/* A text in one line that was broken into several. */
function gradsyncLine(text) {
  return text.replace(/([^\u2e80-\u9fff\uff00-\uffef])\n(?=[^\u2e80-\u9fff\uff00-\uffef])/g, "$1 ").replace(/\n/g, "");
}

/* In a window so wide, the names of bars in more lines, or aslant where a word is too
   long, so that none is left out of a few; the pixels that this takes. */
function gradsyncNarrowBars(o, wide) {
  var x = o.xAxis[0], grid = o.grid[0];
  if (!Array.isArray(x.data) || !x.data.length) return 0;
  function tall(list) { return 15 * (Math.max.apply(null, list.map(function (c) { return c.split("\n").length; })) - 1); }
  function most(list) { return Math.max.apply(null, list.map(function (c) { return Math.max.apply(null, c.split("\n").map(gradsyncWide)); })); }
  var room = (wide - 100) / x.data.length, whole = x.data.map(gradsyncLine), before = tall(x.data);
  var broken = whole.map(function (c) { return gradsyncLines(c, Math.floor(room / 6.5)); }), after = tall(broken);
  if (6.5 * most(broken) > room) {
    if (room < 18) return 0; // too many even so
    broken = whole; after = Math.ceil(4.6 * most(whole)) - 6;
    x.axisLabel.rotate = 45;
  }
  if (after === 0) return 0;
  x.data = broken; x.axisLabel.interval = 0; x.axisLabel.hideOverlap = false;
  x.nameGap += after - before; grid.bottom = +grid.bottom + after - before;
  return after - before;
}

/* An option with its words in Chinese, and their room: chart_legend.go, chart_bar.go and
   chart_gantt.go lay out the English. */
function gradsyncSpeak(o, words) {
  function zh(x) { return gradsyncWord(words, x); }
  function most(list) { return Math.max.apply(null, list.map(gradsyncWide)); }
  [].concat(o.xAxis || [], o.yAxis || []).forEach(function (a) {
    if (a.name) a.name = zh(a.name);
    if (Array.isArray(a.data)) a.data = a.data.map(zh);
  });
  (o.series || []).forEach(function (s) {
    s.name = zh(s.name);
    if (Array.isArray(s.data)) s.data = s.data.map(function (d) { return d && d.name ? Object.assign({}, d, { name: zh(d.name) }) : d; });
  });
  var names = o.legend.data = (o.legend.data || []).map(zh), grid = o.grid[0], text = o.legend.textStyle, x = o.xAxis[0], lanes = o.yAxis[0].data;
  if (text.width) {
    text.width = 7 * most(names);
    grid.top = 64 + 28 * (Math.ceil(names.length / Math.max(1, Math.floor(884 / (57 + text.width)))) - 1);
  } else if (names.length && gradsyncWide(names.join("")) > 70) grid.top = 92;
  if (Array.isArray(x.data) && x.data.length) {
    x.data = x.data.map(function (c) { return gradsyncLines(c, Math.floor(620 / 6.5 / x.data.length)); });
    var lines = Math.max.apply(null, x.data.map(function (c) { return c.split("\n").length; }));
    x.nameGap = 32 + 15 * (lines - 1); grid.bottom = 60 + 15 * (lines - 1);
    if (lines > 1) x.axisLabel.interval = 0;
  }
  if (Array.isArray(lanes) && lanes.length) grid.left = Math.min(24 + 7 * most(lanes), 260);
  return o;
}

/* What the tool tip of point p says; fig has the form and the words of the chart, in
   English. */
function gradsyncTip(fig, words, p) {
  /* A short number. */
  function short(v) { return typeof v === "number" ? String(+v.toPrecision(5)) : v; }
  function zh(x) { return gradsyncWord(words, x); }
  var v = p.value, is = words ? "：" : ": ";
  if (fig.form === "gantt") {
    return zh(fig.lanes.split("\n")[v[2]]) + "\n" + zh(p.name || p.seriesName) + is + short(v[0]) + " … " + short(v[1]) +
      " (" + short(v[1] - v[0]) + " " + zh(fig.xunit) + ")";
  }
  if (fig.form === "map") return zh(fig.lanes.split("\n")[v[1]]) + "\n" + zh(p.seriesName) + is + short(v[2]);
  if (Array.isArray(v)) return zh(p.seriesName) + "\n" + zh(fig.x) + is + short(v[0]) + "\n" + zh(fig.y) + is + short(v[1]);
  return zh(p.seriesName) + (words ? "，" : ", ") + gradsyncLine(zh(p.name)) + "\n" + zh(fig.y) + is + short(v);
}

/* Where the place called id on the page of a document is now, "" if nowhere. */
function gradsyncMoved(m, id) {
  function under(list) { // the longest name that id is, or begins with
    return list.filter(function (x) { return id === x || id.indexOf(x + "-") === 0; }).sort(function (a, b) { return b.length - a.length; })[0];
  }
  var claim = /^(?:claim-.*-)?([a-z]\d{2})$/i.exec(id), stem;
  if (claim) return m.document + "/claims.html#" + claim[1].toUpperCase();
  if (/^claims?(-|$)/.test(id) || id === "how") return m.document + "/claims.html";
  if (/^prov(enance)?(-|$)/.test(id)) return m.document + "/provenance.html#" + id;
  if (m.assumptions && m.assumptions.indexOf(id) >= 0) return m.document + "/assumptions.html#" + id;
  if (under(m.code || [])) return m.document + "/code.html#" + id;
  if ((stem = under(m.results || []))) return m.document + "/" + stem + ".html#" + id;
  return "";
}

/* The first twenty entries that have all the words asked for, in either language; those first whose title
   begins with them. */
function gradsyncFind(list, asked) {
  var words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  function text(f) { return (f.t.en + " " + f.t.zh + " " + f.u.en + " " + f.u.zh).toLowerCase(); }
  function first(f) { return [f.t.en, f.t.zh, f.u.en, f.u.zh].some(function (t) { return t.toLowerCase().indexOf(words[0]) === 0; }) ? 0 : 1; }
  return list.filter(function (f) { var t = text(f); return words.every(function (w) { return t.indexOf(w) >= 0; }); })
    .sort(function (a, b) { return first(a) - first(b); }).slice(0, 20);
}

/* What follows is for browsers only. */
if (typeof document !== "undefined") (function () {
  var INK = /#010203/gi, root = document.documentElement, charts = [], sizes = null;

  /* The reader's choice of theme; where storage is forbidden it lasts until the page is left. */
  function stored() { try { return localStorage.getItem("gradsync-theme"); } catch (e) { return null; } }
  function store(v) { try { v ? localStorage.setItem("gradsync-theme", v) : localStorage.removeItem("gradsync-theme"); } catch (e) { /* not remembered */ } }
  /* The reader's language. A style hides the other; only what styles cannot reach is exchanged here. */
  function language() { try { return localStorage.getItem("gradsync-language") === "zh"; } catch (e) { return false; } }
  function speak(zh) {
    root.lang = zh ? "zh" : "en";
    document.querySelectorAll("[data-named]").forEach(function (e) {
      e.dataset.named.split(" ").forEach(function (name) {
        var kept = "data-en-" + name;
        if (!e.hasAttribute(kept)) e.setAttribute(kept, e.getAttribute(name));
        e.setAttribute(name, e.getAttribute((zh ? "data-zh-" : "data-en-") + name));
      });
    });
    document.querySelectorAll("table.data:not([style])").forEach(function (t) {
      var heads = [].map.call(t.querySelectorAll("thead th"), function (th) { return shown(th, zh); });
      t.querySelectorAll("tbody tr").forEach(function (tr) {
        for (var i = 0; i < tr.children.length && tr.children.length === heads.length; i++) tr.children[i].setAttribute("data-label", heads[i]);
      });
    });
    document.querySelectorAll(".none[title]").forEach(function (e) { e.title = zh ? "无值" : "no value"; });
    charts.forEach(function (x) { if (x.chart) x.live.setAttribute("aria-label", description(x.fig)); });
    show(charts);
    nameTheme(theme());
    document.dispatchEvent(new CustomEvent("gradsync-language"));
  }
  /* The words of e in one language. */
  function shown(e, zh) {
    var c = e.cloneNode(true);
    c.querySelectorAll(zh ? ".en" : ".zh").forEach(function (x) { x.remove(); });
    return c.textContent.trim();
  }

  var themes = ["auto", "light", "dark"], themesZh = { auto: "自动", light: "浅色", dark: "深色" };
  function theme() { var t = stored() || root.dataset.theme; return themes.indexOf(t) > 0 ? t : "auto"; }
  function apply(t) {
    if (t === "auto") delete root.dataset.theme; else root.dataset.theme = t;
    nameTheme(t);
  }
  function nameTheme(t) {
    var b = document.getElementById("theme");
    if (b) b.textContent = root.lang === "zh" ? "主题：" + themesZh[t] : "Theme: " + t;
  }
  root.classList.add("js");
  apply(theme());

  function cssColour(name) { return getComputedStyle(root).getPropertyValue(name).trim(); }

  /* In a window narrower than the drawing was laid out for, names of the legend and of
     the axes break, and the names of the legend stand in as many columns as fit, above
     a drawing that is as much taller; the pixels that this takes. */
  function narrow(o, wide) {
    var names = o.legend.data || [], longest = 0, line = -o.legend.itemGap, more = 0, pen = document.createElement("canvas").getContext("2d");
    pen.font = o.legend.textStyle.fontSize + "px " + o.textStyle.fontFamily;
    function across(n) { return Math.ceil(pen.measureText(n).width) + 2; }
    if (wide <= 0 || wide > 840) return 0;
    names.forEach(function (n) { longest = Math.max(longest, across(n)); line += 45 + across(n) + o.legend.itemGap; });
    if (names.length && line > wide) {
      var width = Math.min(longest, wide - 75), columns = Math.max(1, Math.floor(wide / (57 + width))), before = +o.grid[0].top, top = 36;
      for (var i = 0; i < names.length; i += columns) {
        top += 11 + 17 * Math.max.apply(null, names.slice(i, i + columns).map(function (n) { return Math.ceil(across(n) / width); }));
      }
      o.legend.itemGap = 12;
      o.legend.textStyle.width = width; o.legend.textStyle.overflow = "break"; o.legend.textStyle.backgroundColor = "transparent";
      o.grid[0].top = top;
      more += Math.max(0, top - before);
    }
    more += gradsyncNarrowBars(o, wide);
    [].concat(o.xAxis || []).forEach(function (x) {
      if (!x.name) return;
      x.name = gradsyncLines(x.name, Math.floor((wide - 90) / 7.5));
      var lines = x.name.split("\n").length;
      o.grid[0].bottom = +o.grid[0].bottom + 17 * (lines - 1);
      more += 17 * (lines - 1);
    });
    return more;
  }

  /* What a reader who cannot see a chart is told: the same as of its drawing. */
  function description(fig) { return fig.querySelector(".static").getAttribute("aria-label"); }

  /* The option of a figure so wide, with this ink, less the series that its reader has
     hidden; its drawing gets the height for it. */
  function optionOf(x, ink, wide) {
    var fig = x.fig;
    function read(e) { return JSON.parse(e.textContent.replace(INK, ink)); }
    var bases = read(document.getElementById("chart-bases")), words = root.lang === "zh" ? bases.zh : null, live = fig.querySelector(".live");
    var o = gradsyncWhole(bases[fig.dataset.form], read(fig.querySelector("script[type='application/json']")));
    if (words) gradsyncSpeak(o, words);
    o.aria.label.description = description(fig);
    var height = live.dataset.height = live.dataset.height || parseInt(live.style.height, 10);
    live.style.height = +height + narrow(o, wide - 16) + (+live.dataset.room || 0) + "px";
    o.tooltip.formatter = function (p) { return gradsyncTip(fig.dataset, words, p); };
    o.legend.selected = {};
    (x.chosen || []).forEach(function (on, k) { o.legend.selected[o.legend.data[k]] = on; });
    return o;
  }

  /* Draws those of the charts near the window that were not drawn yet, or for another language,
     theme or width. One of before that is not near is hidden until it is: none is seen as it was.
     All sizes are read before the first is changed, which spares a layout for each chart. */
  function show(list) {
    var ink = cssColour("--ink"), calm = matchMedia("(prefers-reduced-motion: reduce)").matches, due = [];
    var wide = list.map(function (x) { return x.fig.clientWidth; });
    list.forEach(function (x, i) {
      var as = [root.lang, ink, wide[i]].join(" "), other = x.as !== as, near = other && x.near && wide[i] > 0;
      if (x.chart) x.live.style.contentVisibility = other && !near ? "hidden" : "";
      if (!near) return;
      var o = optionOf(x, ink, wide[i]);
      o.animation = !calm && x.fig.dataset.form !== "gantt";
      x.as = as; x.names = o.legend.data;
      x.live.style.contain = "strict"; // it has a height, and nothing of it reaches outside
      x.fig.classList.add("drawn");
      due.push({ x: x, o: o });
    });
    due.forEach(function (d) {
      if (!d.x.chart) { start(d.x, d.o); return; }
      d.x.chart.setOption(d.o, { notMerge: true, lazyUpdate: true });
      d.x.chart.resize(); // to what is set, without an animation
      d.x.chart.getZr().flush(); // in this frame
    });
  }

  function start(x, o) {
    x.chart = echarts.init(x.live, null, { renderer: "svg" });
    x.chart.setOption(o);
    /* What a reader hides stays hidden in another language, theme or width. */
    x.chart.on("legendselectchanged", function (e) { x.chosen = x.names.map(function (n) { return e.selected[n]; }); });
    if (sizes) sizes.observe(x.live);
  }

  function save(name, href) {
    var a = document.createElement("a");
    a.download = name; a.href = href;
    document.body.appendChild(a); a.click(); a.remove();
  }

  /* The figure as the reader sees it, on its own background. */
  function image(fig, kind) {
    var x = charts.find(function (x) { return x.fig === fig; }), o = optionOf(x, cssColour("--ink"), fig.clientWidth), box = document.createElement("div"), w = 900, h = fig.querySelector(".live").clientHeight || 400;
    o.animation = false; o.backgroundColor = cssColour("--paper");
    box.style.cssText = "position:absolute;left:-9999px;width:" + w + "px;height:" + h + "px";
    document.body.appendChild(box);
    var c = echarts.init(box, null, { renderer: kind === "svg" ? "svg" : "canvas", width: w, height: h });
    c.setOption(o);
    var href = kind === "svg" ? "data:image/svg+xml;charset=utf-8," + encodeURIComponent(c.renderToSVGString())
      : c.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: o.backgroundColor });
    c.dispose(); box.remove();
    save(fig.id + "." + kind, href);
  }

  /* The rows of a table with every digit that the page has. */
  function tableLines(t) {
    return [].map.call(t.rows, function (tr) {
      return [].map.call(tr.cells, function (c) { return c.dataset.v || (c.querySelector(".none") ? "" : shown(c, root.lang === "zh")); });
    });
  }

  /* The numbers of a chart: a line per point or band. */
  function figureLines(fig) {
    var bases = JSON.parse(document.getElementById("chart-bases").textContent), words = root.lang === "zh" ? bases.zh : null;
    var o = gradsyncWhole(bases[fig.dataset.form], JSON.parse(fig.querySelector("script[type='application/json']").textContent));
    return gradsyncRows(o, fig.dataset, function (x) { return gradsyncWord(words, x); }, !!words);
  }

  function copy(text, button) {
    function done() {
      if (!button.words) button.words = button.innerHTML;
      clearTimeout(button.wait);
      button.textContent = root.lang === "zh" ? "已复制" : "Copied";
      button.wait = setTimeout(function () { button.innerHTML = button.words; }, 1200);
    }
    function byHand() {
      var t = document.createElement("textarea");
      t.value = text; document.body.appendChild(t); t.select();
      try { document.execCommand("copy"); done(); } finally { t.remove(); button.focus(); }
    }
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, byHand);
    else byHand();
  }

  document.addEventListener("click", function (e) {
    var b = e.target.closest("button");
    if (!b) return;
    if (b.id === "theme") {
      var next = themes[(themes.indexOf(theme()) + 1) % 3];
      store(next === "auto" ? null : next); apply(next); show(charts);
    } else if (b.dataset.copy) {
      copy(document.getElementById(b.dataset.copy).textContent, b);
    } else if (b.dataset.csv) {
      var box = b.closest(".tablebox, figure.chart"), lines = b.dataset.csv === "table" ? tableLines(box.querySelector("table")) : figureLines(box);
      save(box.id + ".csv", "data:text/csv;charset=utf-8," + encodeURIComponent(gradsyncCSV(lines)));
    } else if (b.dataset.image) {
      image(b.closest("figure"), b.dataset.image);
    }
  });

  /* Long tables, which stand open for whoever has no script and on paper; what is folded
     besides is printed too. */
  function fold(open) { document.querySelectorAll("details.rows").forEach(function (d) { d.open = open; }); }
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details.rows:not([open]), details.fold:not([open])").forEach(function (d) { d.open = true; d.dataset.paper = "yes"; });
  });
  window.addEventListener("afterprint", function () {
    document.querySelectorAll("details[data-paper]").forEach(function (d) { d.open = false; delete d.dataset.paper; });
  });

  /* One profile at a time: the reader's choice goes from page to page, and a link to what
     another profile shows chooses that one. */
  function profileOf(e) { return e && e.closest ? e.closest(".profiled") : null; }
  function choose(profile) {
    var b = document.getElementById("show-" + profile);
    if (b) b.checked = true;
    return !!b;
  }
  function follow() {
    var at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1))), box = profileOf(at);
    if (!box || box.offsetParent !== null) return;
    var name = [].find.call(box.classList, function (c) { return /^p-/.test(c); });
    if (name && choose(name.slice(2))) at.scrollIntoView();
  }
  function profiles() {
    var kept = null;
    try { kept = localStorage.getItem("gradsync-profile"); } catch (e) { /* not remembered */ }
    if (kept) choose(kept);
    document.addEventListener("change", function (e) {
      if (!e.target.classList.contains("profile")) return;
      try { localStorage.setItem("gradsync-profile", e.target.value); } catch (x) { /* not remembered */ }
      show(charts);
    });
    window.addEventListener("hashchange", follow);
    follow();
  }

  /* Where an anchor of this page has gone: published citations still arrive. */
  function go() {
    var box = document.getElementById("moved"), id = decodeURIComponent(location.hash.slice(1));
    var here = id && document.getElementById(id), fold = here && here.closest("details:not([open])");
    if (fold) { fold.open = true; here.scrollIntoView(); }
    if (!box || !id || here) return;
    var to = gradsyncMoved(JSON.parse(box.textContent), id);
    if (to) location.replace((/\/[^/]+\/[^/]+$/.test(location.pathname) && document.querySelector('.home[href^="../"]') ? "../" : "") + to);
  }

  /* Search: titles and claims, from a script that is loaded when the box is first used. */
  function search() {
    var box = document.getElementById("find");
    if (!box) return;
    var list = box.parentNode.querySelector("ol"), root = document.querySelector(".home").getAttribute("href").replace("index.html", "");
    function ask() {
      var zh = document.documentElement.lang === "zh" ? "zh" : "en";
      list.replaceChildren();
      gradsyncFind(typeof gradsyncFound === "undefined" ? [] : gradsyncFound, box.value).forEach(function (f) {
        var li = document.createElement("li"), a = document.createElement("a"), small = document.createElement("span");
        a.href = root + f.h; a.textContent = f.t[zh]; small.textContent = f.u[zh];
        a.appendChild(small); li.appendChild(a); list.appendChild(li);
      });
    }
    box.addEventListener("focus", function () {
      if (document.getElementById("found")) return;
      var s = document.createElement("script");
      s.id = "found"; s.src = root + "assets/search-index.js"; s.onload = ask;
      document.head.appendChild(s);
    });
    box.addEventListener("input", ask);
    box.parentNode.addEventListener("keydown", function (e) { if (e.key === "Escape") { box.value = ""; ask(); box.focus(); } });
  }

  /* Tables whose rows readers choose: shown are those that have the key of every choice, their own, of their
     group, or of what the profile shows of them. */
  function filter(box) {
    var rows = (box.closest(".tablebox") || document).querySelectorAll("tr[data-k]");
    function run() {
      var p = document.querySelector("input.profile:checked"), shown = 0, groups = new Set();
      var wants = [].map.call(box.querySelectorAll("select"), function (s) { return s.value; }).filter(Boolean);
      rows.forEach(function (tr) {
        var keys = (tr.dataset.k + " " + (tr.parentNode.dataset.k || "")).split(" ");
        tr.querySelectorAll("[data-k]").forEach(function (d) { if (!p || d.classList.contains("p-" + p.value)) keys.push(d.dataset.k); });
        tr.hidden = !wants.every(function (k) { return keys.indexOf(k) >= 0; });
        if (!tr.hidden) { shown++; groups.add(tr.parentNode); }
      });
      rows.forEach(function (tr) { tr.parentNode.hidden = !groups.has(tr.parentNode); });
      box.querySelector("output").textContent = shown + " / " + rows.length;
    }
    box.addEventListener("change", run);
    document.querySelectorAll("input.profile").forEach(function (i) { i.addEventListener("change", run); });
    run();
  }

  document.addEventListener("DOMContentLoaded", function () {
    apply(theme());
    go();
    window.addEventListener("hashchange", go);
    search();
    document.querySelectorAll(".filters").forEach(filter);
    profiles();
    var lang = document.getElementById("lang");
    if (lang) {
      lang.checked = language();
      lang.addEventListener("change", function () {
        try { localStorage.setItem("gradsync-language", lang.checked ? "zh" : "en"); } catch (e) { /* not remembered */ }
        speak(lang.checked);
      });
      if (lang.checked) speak(true);
    }
    fold(false);
    if (typeof echarts === "undefined") return;
    gradsyncInstall(echarts);
    charts = [].map.call(document.querySelectorAll("figure.chart"), function (f) { return { fig: f, live: f.querySelector(".live"), near: true }; });
    function all() { show(charts); }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
    /* In the next frame, since drawing changes heights. */
    if ("ResizeObserver" in window) sizes = new ResizeObserver(function () { requestAnimationFrame(all); });
    /* Only what comes near the window is drawn: a page has many figures. */
    if (!("IntersectionObserver" in window)) { all(); return; }
    var seen = new IntersectionObserver(function (list) {
      list.forEach(function (e) { charts.find(function (x) { return x.fig === e.target; }).near = e.isIntersecting; });
      all();
    }, { rootMargin: "600px" });
    charts.forEach(function (x) { x.near = false; seen.observe(x.fig); });
  });
})();
