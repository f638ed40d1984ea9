/* The playground: sliders, whose numbers come from the module in the page. The
   module is package playground of this program; nothing is computed here but where
   to draw. */
"use strict";

(function () {
  var P = gradsyncPlayground, TOTAL = P.TOTAL, veiled = false, guess = null, rows;

  function $(id) { return document.getElementById(id); }
  function make(tag, attrs, parent, text) {
    var e = document.createElement(tag);
    Object.keys(attrs || {}).forEach(function (k) { e.setAttribute(k, attrs[k]); });
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }
  function shownValue(s, x) { return P.larger(x, s.unit); }

  function fragment() { return P.data.sliders.map(function (s) { return s.id + "=" + P.plain(P.state[s.id]); }).join("&"); }
  function read(text) {
    var was = P.state;
    P.state = P.read(P.data.sliders, text, P.state);
    $("refused").hidden = text.length < 2 || P.state !== was || text.slice(1) === fragment();
    return P.state !== was;
  }

  function build() {
    rows = P.data.methods.map(function (m, i) {
      var li = make("li", {}, $("methods")), b = make("button", { type: "button", "aria-pressed": "true" }, li);
      var line = P.draw("svg", { width: 30, height: 10, "aria-hidden": "true" }, b);
      P.draw("path", { d: "M0 5H30", stroke: m.colour, "stroke-width": 3, "stroke-dasharray": m.dash || "none", fill: "none" }, line);
      var name = make("span", {}, b);
      b.addEventListener("click", function () { P.hidden[i] = !P.hidden[i]; show(); });
      ["mouseenter", "focusin"].forEach(function (e) { li.addEventListener(e, function () { P.light(i); }); });
      ["mouseleave", "focusout"].forEach(function (e) { li.addEventListener(e, function () { P.light(-1); }); });
      var times = make("span", { class: "beam times", "aria-hidden": "true" }, li);
      return {
        li: li, button: b, name: name, times: ["compute", "wait", "exchange", "total"].map(function (k) { return make("span", { class: "seg " + k }, times); }),
        time: make("span", { class: "num time" }, li),
        size: make("span", { class: "seg size" }, make("span", { class: "beam", "aria-hidden": "true" }, li)),
        bytes: make("span", { class: "num bytes" }, li)
      };
    });
    P.data.sliders.forEach(function (s) {
      var input = $("set-" + s.id);
      input.max = s.stops.length - 1;
      input.addEventListener("input", function () { P.state[s.id] = s.stops[+input.value]; veil(); show(); });
      make("option", { value: s.id }, $("over"));
    });
    P.data.methods.forEach(function (m, i) { make("option", { value: i }, $("guessed")); });
    $("over").addEventListener("change", function () { P.over = $("over").value; P.curves(); });
    document.querySelectorAll("[data-preset]").forEach(function (b) {
      b.addEventListener("click", function () { P.state = Object.assign({}, P.data.presets[b.dataset.preset]); veil(); show(); });
    });
    $("predict").addEventListener("change", function () { veiled = false; veil(); show(); });
    $("guess").addEventListener("submit", function (e) {
      e.preventDefault();
      veiled = false;
      guess = P.data.methods[+$("guessed").value];
      show();
    });
  }
  function veil() { veiled = $("predict").checked; guess = null; }
  var waiting = false;
  function show() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () { waiting = false; render(); });
  }
  function render() {
    var all = P.costs(P.state), best = P.fastest(all), ties = best < 0 ? [] : P.ties(all, best);
    var shown = all.filter(function (c, i) { return !P.hidden[i]; });
    var longest = P.longest(shown.map(function (c) { return c[TOTAL]; })), widest = P.longest(shown.map(P.most));
    P.data.sliders.forEach(function (s) {
      var input = $("set-" + s.id), text = shownValue(s, P.state[s.id]);
      input.value = P.nearest(s.stops, P.state[s.id]);
      input.setAttribute("aria-valuetext", text);
      $("out-" + s.id).textContent = text;
    });
    rows.forEach(function (row, i) {
      var m = P.data.methods[i], c = all[i], off = P.hidden[i] || !(c[TOTAL] === c[TOTAL]);
      var parts = m.key === "asp" ? [0, 0, 0, c[TOTAL]] : [c[0], c[1], c[2], 0];
      row.name.textContent = P.word(m.name);
      row.button.setAttribute("aria-pressed", String(!P.hidden[i]));
      row.li.className = (off ? "off " : "") + (ties.indexOf(m) < 0 ? "" : "least");
      row.times.forEach(function (e, k) { e.style.width = off ? 0 : 100 * parts[k] / Math.max(longest, c[TOTAL]) + "%"; });
      row.times[0].parentNode.classList.toggle("torn", !off && c[TOTAL] > longest);
      row.time.textContent = (m.atLeast && c[TOTAL] === c[TOTAL] ? "≥ " : "") + P.seconds(c[TOTAL]);
      row.size.style.width = off || !(P.most(c) === P.most(c)) ? 0 : 100 * Math.min(1, P.most(c) / widest) + "%";
      row.size.parentNode.classList.toggle("torn", !off && P.most(c) > widest);
      row.bytes.textContent = (P.half(c) ? "≥ " : "") + P.scaled(P.most(c), "bytes");
    });
    document.querySelectorAll("#results .torn-said, #results .none-said").forEach(function (e) { /* what no row shows needs no words */
      e.hidden = e.className === "torn-said" ? !document.querySelector("#methods .torn") : all.every(function (c) { return c[TOTAL] === c[TOTAL]; });
    });
    document.querySelectorAll("[data-preset]").forEach(function (b) {
      var p = P.data.presets[b.dataset.preset];
      b.setAttribute("aria-pressed", String(P.data.sliders.every(function (s) { return p[s.id] === P.state[s.id]; })));
    });
    [].forEach.call($("over").options, function (o) { o.textContent = P.word(P.slider(o.value).name); });
    [].forEach.call($("guessed").options, function (o) { o.textContent = P.word(P.data.methods[+o.value].name); });
    $("said").textContent = veiled ? "" : P.guessed(guess, all) + P.sentence(all);
    $("results").hidden = veiled;
    $("guess").hidden = !veiled;
    var s = P.si(P.state);
    document.querySelectorAll(".fact").forEach(function (e, i) {
      var x = P.module.about.apply(null, [i].concat(s)), unit = P.data.facts[i];
      e.textContent = unit === "share" ? (x <= 0 ? P.say("never", "从不") : P.plain(+(100 * x).toPrecision(3)) + " %") : unit === "seconds" ? P.seconds(x) : unit ? P.scaled(x, unit) : P.count(x);
    });
    $("eval").textContent = P.commands(s, all).join("\n");
    try { history.replaceState(null, "", "#" + fragment()); } catch (e) { /* some browsers keep the address of a file as it is */ }
    $("address").textContent = location.href.split("#")[0].split("/").pop() + "#" + fragment();
    P.curves();
  }

  document.addEventListener("DOMContentLoaded", function () {
    if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") return;
    P.data = JSON.parse($("playground-data").textContent);
    P.state = Object.assign({}, P.data.presets[P.data.first]);
    P.start().then(function (module) {
      P.module = module;
      read(location.hash);
      $("try").hidden = false;
      $("without").hidden = true;
      build();
      render();
      window.addEventListener("hashchange", function () { if (location.hash.slice(1) !== fragment() && read(location.hash)) show(); });
      document.addEventListener("gradsync-language", show);
      window.addEventListener("resize", show);
    }).catch(function (e) { $("without").append(" " + e.message); });
  });
})();
