/* gradsync reports: the ring, transfer by transfer. */
"use strict";

(function (W) {
  /* What every chunk of every GPU holds after so many steps, by walking the transfers:
     lists of GPUs, ascending. */
  W.ringHolds = function (data, steps) {
    var held = data.start.map(function (chunks) { return chunks.map(function (h) { return h.slice(); }); });
    data.steps.slice(0, steps).forEach(function (step) {
      var before = held.map(function (chunks) { return chunks.slice(); });
      step.transfers.forEach(function (x) {
        var arrives = before[x.from][x.receives], own = before[x.gpu][x.receives];
        held[x.gpu][x.receives] = x.adds ? own.concat(arrives.filter(function (g) { return own.indexOf(g) < 0; })).sort(function (a, b) { return a - b; }) : arrives.slice();
      });
    });
    return held;
  };

  /* How many chunks of all hold every GPU's contribution. */
  W.ringDone = function (data, held) {
    var n = 0;
    held.forEach(function (chunks) { chunks.forEach(function (h) { if (h.length === data.gpus) n++; }); });
    return n;
  };

  W.ringPlace = function (data, at, lang) {
    return at === 0 ? W.say(lang, "start", "开始") : W.say(lang, "exchange ", "第 ") + at + W.say(lang, " of ", " 次交换，共 ") + data.steps.length + W.say(lang, ": ", " 次：") + W.ringLoop(data.steps[at - 1].adds, lang);
  };

  W.ringLoop = function (adds, lang) {
    return adds ? W.say(lang, "reduce-scatter", "归约散发") : W.say(lang, "all-gather", "全收集");
  };

  /* What a step did, in words. */
  W.ringSaid = function (data, at, lang) {
    var n = data.gpus, all = n * n;
    if (at === 0) {
      return W.say(lang, "Every GPU holds its own " + n + " chunks, and nothing of the others yet. " + data.steps.length + " exchanges follow; in each, every GPU sends one chunk to its right neighbour.",
        "每块 GPU 只有自己的 " + n + " 个块，还没有别人的数据。接下来有 " + data.steps.length + " 次交换；每一次，每块 GPU 都把一个块发给右邻。");
    }
    var step = data.steps[at - 1], done = W.ringDone(data, W.ringHolds(data, at)), words;
    if (step.adds) {
      words = W.say(lang, "Every GPU adds the chunk it receives to its own. A received chunk is now the sum of " + step.sums + " GPUs’ chunks. ",
        "每块 GPU 把收到的块加到自己的块上。收到的块现在是 " + step.sums + " 块 GPU 之和。");
    } else {
      words = W.say(lang, "Every GPU overwrites its chunk with the complete sum it receives; nothing is added any more. ",
        "每块 GPU 用收到的完整的和覆盖自己的块，不再相加。");
    }
    words += W.say(lang, done + " of the " + all + " chunks are complete", all + " 个块中有 " + done + " 个已完整");
    if (done === all) return words + W.say(lang, ": every GPU has the sum of all.", "：每块 GPU 都得到全部之和。");
    return words + W.say(lang, ".", "。");
  };

  /* What the looks of the picture mean that are in it after a step, undefined before the first. */
  W.ringKey = function (step, lang) {
    var words = W.say(lang, "A column is a chunk, and each of its slots one GPU’s contribution: filled once it is in the sum.", "一列是一个块，其中每一格是一块 GPU 的贡献，计入和之后填充。");
    if (!step) return words;
    words += W.say(lang, " An orange edge: just received. ", "橙色粗框：刚收到。");
    return words + (step.adds ? W.say(lang, "What travels on a dashed arrow (+) is added.", "沿虚线箭头（+）传来的被相加。") :
      W.say(lang, "What travels on a solid arrow (=) is copied; ✓: a complete chunk.", "沿实线箭头（=）传来的直接覆盖；✓：完整的块。"));
  };

  /* One transfer in words: what is sent, and what the receiver makes of it. */
  W.ringTransfer = function (x, lang) {
    var way = "GPU " + x.from + " → " + x.gpu + W.say(lang, ": chunk ", "：块 ") + x.receives + W.say(lang, ", ", "，") + x.sent;
    return way + (x.adds ? W.say(lang, ", added: ", "，相加得 ") + x.holds : W.say(lang, ", copied", "，覆盖"));
  };

  /* A chunk as a column of slots, one per GPU, filled where that GPU's is in it. */
  function column(parent, n, x, y, side, height) {
    var slots = [];
    for (var g = 0; g < n; g++) slots.push(W.draw("rect", { x: x, y: y + g * height, width: side, height: height }, parent));
    var edge = W.draw("rect", { "class": "edge", x: x, y: y, width: side, height: n * height }, parent), big = side > 12;
    var tick = W.draw("text", { "class": "tick", x: x + side / 2, y: y + n * height / 2 + 5, "text-anchor": "middle" }, parent);
    return function (held, now) {
      slots.forEach(function (s, g) { s.setAttribute("class", held.indexOf(g) < 0 ? "none" : held.length === n ? "whole" : "part"); });
      edge.setAttribute("class", "edge" + (held.length === n ? " full" : "") + (now ? " now" : ""));
      tick.textContent = big && held.length === n ? "✓" : "";
    };
  }

  var side = 18, slot = 9;

  function card(svg, n, gpu, c, lang) {
    var w = n * side + 14, h = 34 + n * slot, g = W.draw("g", { transform: "translate(" + (c.x - w / 2) + " " + (c.y - h / 2) + ")" }, svg);
    W.draw("rect", { "class": "card", width: w, height: h, rx: 7 }, g);
    W.draw("text", { x: w / 2, y: 14, "text-anchor": "middle", "class": "strong" }, g, "GPU " + gpu);
    var show = [];
    for (var k = 0; k < n; k++) {
      show.push(column(g, n, 7 + k * side + 2, 19, side - 4, slot));
      W.draw("text", { x: 7 + k * side + side / 2, y: h - 3.5, "text-anchor": "middle", "class": "small" }, g, k);
    }
    return { w: w, h: h, show: function (chunks, now) {
      chunks.forEach(function (held, k) { show[k](held, k === now); });
    } };
  }

  W.kinds.ring = function (box, data, state, lang) {
    var n = data.gpus, width = 392, height = 414, centre = { x: width / 2, y: height / 2 + 14 };
    var two = W.make("div", { "class": "stage" }, box), left = W.make("div", {}, two), right = W.make("div", {}, two);
    var svg = W.draw("svg", { viewBox: "0 0 " + width + " " + height, focusable: "false", "aria-hidden": "true" }, left), head = W.arrowHead(svg);
    var at = [], cards = [];
    for (var g = 0; g < n; g++) {
      at.push(W.onCircle(g, n, centre.x, centre.y, 147, 174));
      cards.push(card(svg, n, g, at[g], lang));
    }
    var links = W.draw("g", {}, svg), mid = W.draw("g", { "text-anchor": "middle" }, svg);
    var word = W.draw("text", { x: centre.x, y: centre.y - 4, "class": "strong" }, mid), what = W.draw("text", { x: centre.x, y: centre.y + 15 }, mid);
    var list;

    /* The transfers of a step, share f on their way. */
    function arrows(i, f) {
      links.replaceChildren();
      var step = data.steps[i];
      if (!step) return;
      step.transfers.forEach(function (x) {
        var e = W.between(at[x.from], at[x.gpu], cards[0].w, cards[0].h), p = { x: e[0].x + f * (e[1].x - e[0].x), y: e[0].y + f * (e[1].y - e[0].y) };
        W.draw("line", { x1: e[0].x, y1: e[0].y, x2: e[1].x, y2: e[1].y, "class": step.adds ? "adds" : "copies", "marker-end": head }, links);
        var m = W.draw("g", { transform: "translate(" + (p.x - 15) + " " + (p.y - 26) + ")", "class": "parcel" }, links);
        W.draw("rect", { "class": "card", width: 30, height: 52, rx: step.adds ? 15 : 2 }, m);
        W.draw("text", { x: 15, y: 17, "text-anchor": "middle", "class": "small" }, m, (step.adds ? "+" : "=") + x.receives);
        column(m, n, 10, 20, 10, 5.2)(x.sentBy);
        var back = Math.hypot(e[1].x - e[0].x, e[1].y - e[0].y) || 1; // the head stays in view above the parcel
        W.draw("line", { x1: e[1].x - (e[1].x - e[0].x) / back, y1: e[1].y - (e[1].y - e[0].y) / back, x2: e[1].x, y2: e[1].y, "class": step.adds ? "adds" : "copies", "marker-end": head }, links);
      });
    }
    /* The chunk that a GPU received in a step, -1 for none. */
    function received(i, g) {
      var x = (data.steps[i] ? data.steps[i].transfers : []).filter(function (x) { return x.gpu === g; })[0];
      return x ? x.receives : -1;
    }
    function centred(step) {
      word.textContent = step ? W.say(lang, step.adds ? "reduce-scatter" : "all-gather", step.adds ? "归约散发" : "全收集") : "";
      what.textContent = step ? step.adds ? W.say(lang, "+ each adds", "+ 相加") : W.say(lang, "= each copies", "= 覆盖") : "";
    }
    function show(k) {
      var held = W.ringHolds(data, k);
      cards.forEach(function (c, g) { c.show(held[g], received(k - 1, g)); });
      arrows(k - 1, 0.5);
      centred(data.steps[k - 1]);
      list.replaceChildren();
      key.textContent = W.ringKey(data.steps[k - 1], lang);
      if (k > 0) data.steps[k - 1].transfers.forEach(function (x) { W.make("li", {}, list, W.ringTransfer(x, lang)); });
    }
    list = W.make("ul", { "class": "steps" });
    var key = W.make("p", { "class": "quiet" });
    var out = W.stepper(box, left, right, lang, { state: state, total: data.steps.length, show: show,
      said: function (k) { return W.ringSaid(data, k, lang); },
      place: function (k) { return W.ringPlace(data, k, lang); },
      travel: function (k, f) { arrows(k, f); centred(data.steps[k]); } });
    right.appendChild(list);
    box.appendChild(key);
    return out;
  };
})(gradsyncWidgets);
