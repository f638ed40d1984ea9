/* gradsync reports: what RingSparse sends: which kind, in which form, how many bytes. */
"use strict";

(function (W) {
  var forms = { direct: ["plain", "原样"], bitmap: ["as bitmap and values", "位图加数值"], coo: ["as places and values", "位置加数值"] };
  W.sparseName = function (name, lang) { return typeof name === "object" ? name[lang] : W.say(lang, forms[name][0], forms[name][1]); };

  /* The bytes of a part, as a share of the dense ring's. */
  W.sparseBytes = function (part) { return W.percent(100 * part.ratio); };

  W.percent = function (x) { return x === null ? "–" : (x > 99.95 && x < 100 || x > 0 && x < 0.05 ? x.toPrecision(x > 50 ? 5 : 2) : String(Math.round(10 * x) / 10)) + "\u00a0%"; };

  /* The shares of choices that a hop has, or those of all hops. */
  W.sparseShares = function (part, hop) { return part.hops[hop].shares || part.shares; };

  /* Whose sum a block holds at a hop, in a few words. */
  W.sparsePlace = function (data, hop, lang) {
    return W.say(lang, hop.m === 1 ? "A block of one worker’s own, before any sum" : "A block that sums " + hop.m + " of " + data.ranks + " workers",
      hop.m === 1 ? "一个节点自己的块，尚未求和" : "含 " + data.ranks + " 个节点中 " + hop.m + " 个之和的块");
  };

  /* What a block at a hop is sent as, in words. */
  W.sparseSaid = function (data, model, part, hop, lang) {
    function t(en, zh) { return W.say(lang, en, zh); }
    var m = data.models[model], p = m.parts[part], h = p.hops[hop], s = W.sparseShares(p, hop), of = p.name ? W.sparseName(p.name, lang) : t("all layers", "所有层");
    var words = W.sparseName(m.name, lang) + t(", ", "，") + of + t(". ", "。") + W.sparsePlace(data, h, lang) + t(": ", "，");
    if (h.weights !== null) {
      words += t("not zero are ", "非零的占权重的 ") + W.percent(h.weights) + t(" of the weights and ", "、梯度的 ") + W.percent(h.gradients) + t(" of the gradients. ", "。");
      words += h.weights < h.gradients ? t("The weights are sparser. ", "权重更稀疏。") : h.weights > h.gradients ? t("The gradients are sparser. ", "梯度更稀疏。") : t("Both are equally sparse. ", "两者同样稀疏。");
    } else {
      words += t("not zero are ", "非零的占梯度的 ") + W.percent(h.gradients) + t(" of the gradients. ", "。");
    }
    var kinds = [[s.gradients, t("as gradients", "以梯度发送")], [s.sparser, t("as weights, which are sparser", "以更稀疏的权重发送")],
      [s.tied, t("as weights, as both have equally many zeros", "因零一样多而以权重发送")]].filter(function (x) { return x[0] > 0; });
    words += h.shares ? t("At this hop ", "这一跳的各块中，") : t("At all hops ", "各跳的所有块中，");
    words += kinds.map(function (x, i) { return W.percent(x[0]) + t(i ? " " : " of the blocks go ", " ") + x[1]; }).join(t(", ", "，")) + t(". ", "。");
    words += t("Over all hops, on links of 1 Gb/s, ", "各跳合计，链路为 1 Gb/s 时，") + p.forms.map(function (f) { return W.percent(f.share) + " " + W.sparseName(f.name, lang); }).join(t(", ", "，"));
    return words + t(": " + W.sparseBytes(p) + " of the dense ring’s bytes.", "，字节是稠密环的 " + W.sparseBytes(p) + "。");
  };

  /* How many of 100 cells stand for a share; a share that is neither none nor all
     shows as neither. */
  W.sparseCells = function (share) {
    return share <= 0 ? 0 : share >= 100 ? 100 : Math.max(1, Math.min(99, Math.round(share)));
  };

  function grid(g, x, y, share, kind, label, travels, none) {
    var cells = W.sparseCells(share);
    if (share === null) W.draw("text", { x: x + 47, y: y + 52, "text-anchor": "middle", "class": "small" }, g, none);
    for (var i = 0; i < 100 && share !== null; i++) {
      W.draw("rect", { "class": i < cells ? "cell " + kind : "none", x: x + 9.6 * (i % 10), y: y + 9.6 * Math.floor(i / 10), width: 8.4, height: 8.4 }, g);
    }
    W.draw("rect", { "class": travels ? "edge full" : "edge", x: x - 3, y: y - 3, width: 101, height: 101 }, g);
    W.draw("text", { x: x + 47, y: y - 9, "text-anchor": "middle", "class": "strong" }, g, label);
    W.draw("text", { x: x + 47, y: y + 114, "text-anchor": "middle" }, g, W.percent(share));
  }

  /* A share in its look: gradients are hatched besides, and what is sent as a bitmap
     is dotted. */
  function look(g, kind, x, y, w, h) {
    W.draw("rect", { "class": "share " + kind, x: x, y: y, width: w, height: h }, g);
    var d = "";
    for (var k = 7; kind === "g" && k < w + h; k += 7) {
      d += "M" + (x + Math.min(k, w)) + " " + (y + Math.max(0, k - w)) + "L" + (x + Math.max(0, k - h)) + " " + (y + Math.min(k, h));
    }
    for (k = 4; kind === "map" && k < w - 1; k += 7) d += "M" + (x + k) + " " + (y + h / 2 - 3) + "v1.5M" + (x + k) + " " + (y + h / 2 + 2) + "v1.5";
    if (d) W.draw("path", { "class": "hatch", d: d }, g);
  }

  /* The ranks as a row of discs, filled for those whose gradients are in the sum. */
  function sum(g, m, ranks, lang) {
    W.draw("text", { x: 8, y: 18, "class": "strong" }, g, W.say(lang, "sum of", "求和："));
    for (var k = 0; k < ranks; k++) {
      var x = 82 + 34 * k;
      if (k > 0) W.draw("line", { "class": k < m ? "joined" : "apart", x1: x - 23, x2: x - 11, y1: 14, y2: 14 }, g);
      W.draw("circle", { "class": k < m ? "rank in" : "rank", cx: x, cy: 14, r: 10 }, g);
      W.draw("text", { x: x, y: 18, "text-anchor": "middle", "class": k < m ? "small in" : "small" }, g, k + 1);
    }
  }

  /* A bar of shares, each with its word beneath where there is room. */
  function bar(g, y, title, parts) {
    var x = 8, width = 376, row = 0;
    W.draw("text", { x: x, y: y - 6, "class": "strong" }, g, title);
    parts.forEach(function (p) {
      var w = width * p.share / 100;
      if (p.share > 0) look(g, p.look, x, y, w, 20);
      x += w;
    });
    parts.filter(function (p) { return p.share > 0; }).forEach(function (p) {
      look(g, p.look, 8, y + 26 + 18 * row, 14, 12);
      W.draw("text", { x: 28, y: y + 36 + 18 * row++, "class": "small" }, g, W.percent(p.share) + " " + p.name);
    });
  }

  function choose(parent, word, names, at, act) {
    var label = W.make("label", { "class": "choose" }, parent, word + " "), s = W.make("select", {}, label);
    names.forEach(function (n, i) { W.make("option", { value: i }, s, n); });
    s.value = at;
    s.addEventListener("change", function () { act(+s.value); });
  }

  W.kinds.sparse = function (box, data, state, lang) {
    function t(en, zh) { return W.say(lang, en, zh); }
    var out;
    /* At first a model whose weights are the sparser kind somewhere, if there is one. */
    if (state.model === undefined) state.model = Math.max(0, data.models.findIndex(function (m) { return m.parts[0].shares.sparser > 0; }));
    state.part = state.part || 0;
    function build() {
      var model = data.models[state.model], part = model.parts[state.part];
      Array.prototype.slice.call(box.children).forEach(function (e) { if (e.tagName !== "SCRIPT") e.remove(); });
      var controls = W.make("div", { "class": "controls" }, box);
      choose(controls, t("Model", "模型"), data.models.map(function (m) { return W.sparseName(m.name, lang); }), state.model, function (i) { state.model = i; state.part = 0; state.at = 0; again(0); });
      choose(controls, t("Layer", "层"), model.parts.map(function (p) { return p.name ? W.sparseName(p.name, lang) : t("all layers", "所有层"); }), state.part, function (i) { state.part = i; state.at = 0; again(1); });
      var two = W.make("div", { "class": "stage" }, box), one = W.make("div", {}, two), side = W.make("div", {}, two);
      var svg = W.draw("svg", { viewBox: "0 0 392 412", "aria-hidden": "true", focusable: "false" }, one), g = W.draw("g", {}, svg);
      out = W.stepper(box, one, side, lang, { state: state, total: part.hops.length - 1,
        said: function (hop) { return W.sparseSaid(data, state.model, state.part, hop, lang); },
        place: function (hop) { return t("sum of " + part.hops[hop].m + " of " + data.ranks + " workers", data.ranks + " 个节点中 " + part.hops[hop].m + " 个之和"); },
        show: function (hop) {
          var h = part.hops[hop], s = W.sparseShares(part, hop);
          g.replaceChildren();
          sum(g, h.m, data.ranks, lang);
          grid(g, 46, 66, h.weights, "w", t("weights", "权重"), s.sparser + s.tied > s.gradients, t("not recorded", "未记录"));
          grid(g, 250, 66, h.gradients, "g", t("gradients", "梯度"), s.gradients >= s.sparser + s.tied);
          W.draw("text", { x: 196, y: 118, "text-anchor": "middle", "class": "small" }, g, t("filled: not 0", "填充：非零"));
          bar(g, 216, h.shares ? t("chosen at this hop", "这一跳的选择") : t("chosen, all hops", "选择（所有跳）"), [
            { share: s.gradients, look: "g", name: t("gradients", "梯度") }, { share: s.sparser, look: "w", name: t("weights, which are sparser", "权重，更稀疏") }, { share: s.tied, look: "tie", name: t("weights, with as many zeros", "权重，零一样多") }]);
          bar(g, 332, t("all hops: " + W.sparseBytes(part) + " of the dense ring’s bytes", "各跳合计：字节为稠密环的 " + W.sparseBytes(part)), part.forms.map(function (f) {
            return { share: f.share, look: f.name === "direct" ? "plain" : f.name === "bitmap" ? "map" : "coo", name: W.sparseName(f.name, lang) };
          }));
        } });
      W.make("p", { "class": "quiet" }, box, t("A block goes round the ring and gathers one worker’s share after another. Each hop sends weights or gradients, whichever has more zeros (heavy frame: what most blocks are sent as), and plain or compressed, whichever is faster. Squares show the mean over blocks.",
        "一个块沿环前进，逐个加上各节点的一份。每一跳发送权重与梯度中零更多的一种（粗框：多数块所用），原样与压缩中取更快的一种。方格是各块的平均。") +
        (part.name ? t(" Of a single layer only the gradients’ zeros were recorded, at the first hop and the last.", "单独一层只记录了第一跳和最后一跳时梯度的零。") : ""));
    }
    function again(i) { out.stop(); build(); box.querySelectorAll("select")[i].focus(); }
    build();
    return { stop: function () { out.stop(); } };
  };
})(gradsyncWidgets);
