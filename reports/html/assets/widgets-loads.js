/* gradsync reports: the loads of any n and r beside their table. */
"use strict";

(function (W) {
  function word(name, lang) { return name && typeof name === "object" ? name[lang] : name; }

  /* The loads of one n and r: a bar for each name, as long as its share of the
     longest that is shown; least is true for every shortest. */
  W.bars = function (data, n, r, hidden) {
    var row = data.rows.filter(function (x) { return x.n === n && x.r === r; })[0];
    if (!row) return null;
    var most = 0, least = Infinity;
    row.values.forEach(function (v, i) {
      if (v === null || hidden[i]) return;
      most = Math.max(most, v);
      least = Math.min(least, v);
    });
    return data.names.map(function (name, i) {
      var v = row.values[i], shown = v !== null && !hidden[i];
      return { name: name, text: v === null ? "none" : row.texts[i], shown: shown, width: shown && most > 0 ? v / most : 0, least: shown && v === least };
    });
  };

  /* What a chosen n and r say in words. */
  W.sentence = function (data, n, r, bars, lang) {
    function t(en, zh) { return W.say(lang, en, zh); }
    var shown = bars.filter(function (b) { return b.shown; }), first = "n = " + n + t(", r = ", "，r = ") + r;
    if (!shown.length) return first + t(": nothing chosen.", "：没有选中任何一项。");
    var least = shown.filter(function (b) { return b.least; });
    var words = first + (r === n ? t(", where every node computes everything", "，每个节点都计算全部") : "") + t(". ", "。");
    if (bars[0].shown) words += word(bars[0].name, lang) + t(": ", "：") + bars[0].text + (data.unit.en ? " " + word(data.unit, lang) : "") + t(". ", "。");
    if (least.length === shown.length) return words + t("All that are shown are equal.", "显示的各项都相等。");
    return words + t("Least: ", "最少：") + least[0].text + t(" (", "（") + least.map(function (b) { return word(b.name, lang); }).join(t("; ", "；")) + t(").", "）。");
  };

  /* A slider over a list of numbers, with its number beside it. */
  W.slider = function (parent, word, letter, change) {
    var label = W.make("label", {}, parent), span = W.make("span", {}, label, word + " ");
    W.make("i", {}, span, letter);
    var input = W.make("input", { type: "range", step: "1" }, label), out = W.make("output", {}, label), list = [];
    input.addEventListener("input", function () { change(list[+input.value]); });
    return function (of, x) {
      list = of;
      input.min = 0; input.max = of.length - 1; input.value = of.indexOf(x);
      input.disabled = of.length < 2;
      input.setAttribute("aria-valuetext", letter + " = " + x);
      out.textContent = x;
    };
  };

  W.kinds.loads = function (box, data, state, lang) {
    function t(en, zh) { return W.say(lang, en, zh); }
    var ns = W.choices(data, "n");
    if (!state.n) { state.n = W.nearest(ns, 8); state.r = W.nearest(W.choices(data, "r", state.n), 3); state.hidden = []; }
    var controls = W.make("div", { "class": "controls" }, box);
    var setN = W.slider(controls, t("nodes", "节点"), "n", function (x) { state.n = x; state.r = W.nearest(W.choices(data, "r", x), state.r); show(); });
    var setR = W.slider(controls, t("redundancy", "冗余度"), "r", function (x) { state.r = x; show(); });
    var said = W.make("p", { "class": "said", "aria-live": "polite" }, box);
    var list = W.make("ul", { "class": "bars" }, box);
    var rows = data.names.map(function (name, i) {
      var li = W.make("li", {}, list), b = W.make("button", { type: "button", "aria-pressed": "true" }, li, word(name, lang));
      b.addEventListener("click", function () { state.hidden[i] = !state.hidden[i]; show(); });
      var track = W.make("span", { "class": "track", "aria-hidden": "true" }, li);
      return { li: li, button: b, bar: W.make("span", {}, track), num: W.make("span", { "class": "num" }, li) };
    });
    W.make("p", { "class": "quiet" }, box, t("Bars in " + (data.unit.en || "the table’s unit") + " per batch. A name, pressed, takes its bar away, so that shorter ones can be compared.",
      "条形的单位：每批" + (word(data.unit, lang) || "表中的单位") + "。按一下名称可隐去其条形，便于比较较短的各项。"));
    function show() {
      setN(ns, state.n); setR(W.choices(data, "r", state.n), state.r);
      var bars = W.bars(data, state.n, state.r, state.hidden);
      bars.forEach(function (b, i) {
        var row = rows[i];
        row.button.setAttribute("aria-pressed", String(!state.hidden[i]));
        row.li.className = (b.shown ? "" : "off ") + (b.least ? "least " : "") + (i === 0 ? "own" : "");
        row.bar.style.width = 100 * b.width + "%";
        row.num.textContent = (b.text === "none" ? t("none", "无") : b.text) + (b.least ? t(" · least", " · 最少") : "");
      });
      said.textContent = W.sentence(data, state.n, state.r, bars, lang);
    }
    show();
  };
})(gradsyncWidgets);
