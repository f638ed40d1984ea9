/* gradsync reports: the coded exchange, packet by packet. */
"use strict";

(function (W) {
  /* What each node has after so many packets: for each node, for each block, "own" or
     which segments of it were decoded. */
  W.held = function (data, packets) {
    var state = [];
    for (var node = 0; node < data.nodes; node++) {
      state.push(data.blocks.map(function (b) {
        if (b.holders.indexOf(node) >= 0) return "own";
        var got = [];
        for (var k = 0; k < data.segments; k++) got.push(false);
        data.packets.slice(0, packets).forEach(function (p) {
          p.got.forEach(function (d) { if (d.node === node && d.block === b.number) got[d.segment] = true; });
        });
        return got;
      }));
    }
    return state;
  };

  /* How it ends: how many segments are still missing after all packets. */
  W.end = function (data, lang) {
    var missing = 0;
    W.held(data, data.packets.length).forEach(function (blocks) {
      blocks.forEach(function (b) { if (b !== "own") missing += b.filter(function (got) { return !got; }).length; });
    });
    return missing ? W.say(lang, "Missing segments: " + missing + ".", "还缺 " + missing + " 段。") : W.say(lang, "Every node has every block.", "每个节点都有了全部的块。");
  };

  /* A packet in words, and what its receivers make of it. */
  W.packet = function (data, i, lang) {
    var p = data.packets[i], of = data.packets.length;
    return W.say(lang, "Packet " + (i + 1) + " of " + of + ", " + p.when.replace("–", " to ") + ", " + p.bytes + " bytes: node " + p.from + " sends " + p.content + " to node" + (p.to.length > 1 ? "s " : " ") + p.to.join(", ") + ".",
      "第 " + (i + 1) + " 个包，共 " + of + " 个，" + p.when + "，" + p.bytes + " 字节：节点 " + p.from + " 把 " + p.content + " 发给节点 " + p.to.join("、") + "。");
  };
  W.decoded = function (data, d, lang) {
    var has = "G{" + data.blocks[d.block].holders + "}[" + d.segment + "]";
    return W.say(lang, "Node " + d.node + (d.subtracted ? " subtracts " + d.subtracted + ", which it computed, and" : "") + " has " + has + ".",
      "节点 " + d.node + (d.subtracted ? " 减去自己算过的 " + d.subtracted + "，" : " ") + "得到 " + has + "。");
  };

  /* Where the middle of a node's card is. */
  W.place = function (node, nodes) {
    var far = nodes === 4 ? Math.SQRT2 : 1.04;
    return W.onCircle(node, nodes, 180, 150, 118 * far, 104 * far);
  };

  /* A node's card: its blocks in a row, each cut in its segments. */
  function card(svg, data, node, lang) {
    var c = W.place(node, data.nodes), w = 112, h = 62, g = W.draw("g", { transform: "translate(" + (c.x - w / 2) + " " + (c.y - h / 2) + ")" }, svg);
    W.draw("rect", { "class": "card", width: w, height: h, rx: 8 }, g);
    var title = W.draw("text", { x: w / 2, y: 17, "text-anchor": "middle" }, g);
    var side = Math.min(30, (w - 12) / data.blocks.length), left = (w - side * data.blocks.length) / 2;
    var cells = data.blocks.map(function (b, i) {
      var x = left + i * side + 1, parts = [];
      for (var k = 0; k < data.segments; k++) {
        parts.push(W.draw("rect", { x: x + k * (side - 2) / data.segments, y: 26, width: (side - 2) / data.segments, height: 28 }, g));
      }
      W.draw("rect", { "class": "edge", x: x, y: 26, width: side - 2, height: 28 }, g);
      W.draw("text", { x: x + side / 2 - 1, y: 44, "text-anchor": "middle" }, g, b.number);
      return parts;
    });
    return function (blocks, role) {
      g.setAttribute("class", "node " + role);
      title.textContent = W.say(lang, "node ", "节点 ") + node + (role === "sends" ? W.say(lang, " sends", " 发送") : role === "receives" ? W.say(lang, " receives", " 接收") : "");
      cells.forEach(function (parts, i) {
        parts.forEach(function (p, k) { p.setAttribute("class", blocks[i] === "own" ? "own" : blocks[i][k] ? "got" : "none"); });
      });
    };
  }

  W.kinds.exchange = function (box, data, state, lang) {
    var total = data.packets.length, two = W.make("div", { "class": "stage" }, box), left = W.make("div", {}, two), side = W.make("div", {}, two);
    var svg = W.draw("svg", { "aria-hidden": "true", focusable: "false" }, left), links = W.draw("g", { "class": "links" }, svg), cards = [], ys = [];
    for (var node = 0; node < data.nodes; node++) { cards.push(card(svg, data, node, lang)); ys.push(W.place(node, data.nodes).y); }
    var flying = W.draw("g", { "class": "flying" }, svg), low = Math.min.apply(null, ys) - 34;
    svg.setAttribute("viewBox", "0 " + low + " 360 " + (Math.max.apply(null, ys) + 34 - low));
    var list = W.make("ol", { "class": "steps" });
    var items = data.packets.map(function (p) { return W.make("li", {}, list, W.say(lang, "node ", "节点 ") + p.from + " → " + p.to.join(W.say(lang, ", ", "、")) + W.say(lang, ": ", "：") + p.content); });

    function current(i) {
      items.forEach(function (li, k) { if (k === i) li.setAttribute("aria-current", "step"); else li.removeAttribute("aria-current"); });
    }
    /* After k packets, nothing on its way. */
    function show(k) {
      flying.replaceChildren(); links.replaceChildren();
      var p = data.packets[k - 1], held = W.held(data, k);
      cards.forEach(function (show, node) { show(held[node], !p ? "" : p.from === node ? "sends" : p.to.indexOf(node) >= 0 ? "receives" : ""); });
      current(k - 1);
    }
    function said(k) {
      var p = data.packets[k - 1];
      if (!p) return W.say(lang, "Each node has computed its own blocks. " + total + " packets follow.", "每个节点都算好了自己的块。接下来有 " + total + " 个包。");
      return [W.packet(data, k - 1, lang)].concat(p.got.map(function (d) { return W.decoded(data, d, lang); })).join(W.say(lang, " ", "")) + (k === total ? W.say(lang, " ", "") + W.end(data, lang) : "");
    }
    /* Packet k, share f on its way. */
    function travel(k, f) {
      show(k);
      current(k);
      var p = data.packets[k], from = W.place(p.from, data.nodes);
      cards[p.from](W.held(data, k)[p.from], "sends");
      p.to.forEach(function (node) {
        var to = W.place(node, data.nodes), w = 12 + 5.6 * p.content.length;
        var g = W.draw("g", { transform: "translate(" + (from.x + f * (to.x - from.x)) + " " + (from.y + f * (to.y - from.y)) + ")" }, flying);
        W.draw("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }, links);
        W.draw("rect", { x: -w / 2, y: -10, width: w, height: 20, rx: 5 }, g);
        W.draw("text", { y: 4, "text-anchor": "middle" }, g, p.content);
      });
    }
    var out = W.stepper(box, left, side, lang, { state: state, total: total, show: show, said: said, travel: travel, lasts: 1400,
      place: function (k) { return k + " / " + total; } });
    side.appendChild(list);
    W.make("p", { "class": "quiet" }, box, W.say(lang, "Numbers are blocks. Blue, plain: computed by the node. Green, dashed: decoded, a segment at a time. Packets are shown one after another; their times say which travel at once.",
      "数字是块的编号。蓝色无边：节点自己算的；绿色虚线边：解码所得，一次一段。各包依次显示，哪些同时在路上看它们的时间。"));
    return out;
  };
})(gradsyncWidgets);
