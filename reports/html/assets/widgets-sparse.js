/* gradsync reports: what RingSparse sends: which kind, in which form, how many bytes. */
"use strict";

(function (W) {
  var forms = { direct: "直接", bitmap: "位图", coo: "坐标" };
  W.sparseName = function (name, lang) { return typeof name === "object" ? name[lang] : lang === "zh" && forms[name] || name; };

  W.percent = function (x) { return x === null ? "–" : (x > 99.95 && x < 100 || x > 0 && x < 0.05 ? x.toPrecision(x > 50 ? 5 : 2) : String(Math.round(10 * x) / 10)) + "\u00a0%"; };

  /* The shares of choices that a hop has, or those of all hops. */
  W.sparseShares = function (part, hop) { return part.hops[hop].shares || part.shares; };

  /* What a block at a hop is sent as, in words. */
  W.sparseSaid = function (data, model, part, hop, lang) {
    function t(en, zh) { return W.say(lang, en, zh); }
    var m = data.models[model], p = m.parts[part], h = p.hops[hop], s = W.sparseShares(p, hop), of = p.name ? W.sparseName(p.name, lang) : t("all layers", "所有层");
    var words = W.sparseName(m.name, lang) + t(", ", "，") + of + t(", a block that holds the sum of ", "，含 ") + h.m + t(" of ", " / ") + data.ranks + t(" ranks: ", " 个 rank 之和的块：");
    if (h.weights !== null) {
      words += t("not zero are ", "非零占比：权重 ") + W.percent(h.weights) + t(" of the weights and ", "，梯度 ") + W.percent(h.gradients) + t(" of the gradients. ", "。");
      words += h.weights < h.gradients ? t("The weights are sparser. ", "权重更稀疏。") : h.weights > h.gradients ? t("The gradients are sparser. ", "梯度更稀疏。") : t("Both are equally sparse. ", "两者同样稀疏。");
    } else {
      words += t("not zero are ", "梯度的非零占比为 ") + W.percent(h.gradients) + t(" of the gradients. ", "。");
    }
    words += h.shares ? t("Of the blocks at this hop, the choice (S41) sends ", "在这一跳，S41 的选择是：") : t("Of the blocks at all hops, the choice (S41) sends ", "在所有跳上，S41 的选择是：");
    words += W.and(lang, [[s.gradients, t("as gradients", "梯度")], [s.sparser, t("as weights for being sparser", "因更稀疏而发送权重")], [s.tied, t("as weights by the tie alone", "仅凭平局而发送权重")]]
      .filter(function (x) { return x[0] > 0; }).map(function (x) { return W.percent(x[0]) + " " + x[1]; })) + t(". ", "。");
    words += t("Forms (S42, 1 Gb/s, all hops): ", "形式（S42，1 Gb/s，所有跳）：") + W.and(lang, p.forms.map(function (f) { return W.percent(f.share) + " " + W.sparseName(f.name, lang); })) + t(". ", "。");
    return words + t("Bytes over the dense ring’s: ", "字节数与稠密环之比：") + p.ratio + t(".", "。");
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
        place: function (hop) { return t("sum of " + part.hops[hop].m + " of " + data.ranks + " ranks", data.ranks + " 个 rank 中 " + part.hops[hop].m + " 个之和"); },
        show: function (hop) {
          var h = part.hops[hop], s = W.sparseShares(part, hop);
          g.replaceChildren();
          sum(g, h.m, data.ranks, lang);
        grid(g, 46, 66, h.weights, "w", t("weights", "权重"), s.sparser + s.tied > s.gradients, t("not in the table", "表中没有"));
          grid(g, 250, 66, h.gradients, "g", t("gradients", "梯度"), s.gradients >= s.sparser + s.tied);
          W.draw("text", { x: 196, y: 118, "text-anchor": "middle", "class": "small" }, g, t("filled: not 0", "填充：非零"));
          bar(g, 216, h.shares ? t("chosen at this hop", "这一跳的选择") : t("chosen, all hops", "选择（所有跳）"), [
            { share: s.gradients, look: "g", name: t("gradients", "梯度") }, { share: s.sparser, look: "w", name: t("weights, being sparser", "权重，更稀疏") }, { share: s.tied, look: "tie", name: t("weights, by the tie alone", "权重，仅凭平局") }]);
          bar(g, 332, t("sent as, bytes " + part.ratio + " of dense", "形式；字节为稠密的 " + part.ratio), part.forms.map(function (f) {
            return { share: f.share, look: f.name === "direct" ? "plain" : f.name === "bitmap" ? "map" : "coo", name: W.sparseName(f.name, lang) };
          }));
        } });
      W.make("p", { "class": "quiet" }, box, t("A block travels round the ring and gathers the sum of one rank after another; at every hop the kind with fewer non-zeros is sent (S41), weights if both have as many, and in the form that takes less time (S42). A heavy frame marks what most blocks are sent as. Densities are means over blocks, the choice is made block by block. Of single layers the table has the gradients alone, at the first hop and the last.",
        "一个块沿环前进，依次累加各 rank；每一跳发送非零较少的那一种（S41），平局时发送权重，并选用耗时较少的形式（S42）。粗框表示多数块所用的种类。密度是各块的平均，选择则逐块进行。单独各层在表中只有第一跳与最后一跳的梯度密度。"));
    }
    function again(i) { out.stop(); build(); box.querySelectorAll("select")[i].focus(); }
    build();
    return { stop: function () { out.stop(); } };
  };
})(gradsyncWidgets);
