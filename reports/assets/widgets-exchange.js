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

  /* The name of a box, as wide as the box: its holders' digits. */
  W.box = function (data, holders) { return holders.join(data.nodes > 10 ? "," : ""); };

  /* How it ends: how many segments are still missing after all packets. */
  W.end = function (data, lang) {
    var missing = 0;
    W.held(data, data.packets.length).forEach(function (blocks) {
      blocks.forEach(function (b) { if (b !== "own") missing += b.filter(function (got) { return !got; }).length; });
    });
    return missing ? W.say(lang, "Missing segments: " + missing + ".", "还缺 " + missing + " 个片段。") : W.say(lang, "Every node has every block.", "每个节点都有了全部样本块。");
  };

  /* A packet in words, and what its receivers make of it. */
  W.packet = function (data, i, lang) {
    var p = data.packets[i], of = data.packets.length;
    return W.say(lang, "Packet " + (i + 1) + " of " + of + ": node " + p.from + " sends " + p.content + " to node" + (p.to.length > 1 ? "s " : " ") + p.to.join(", ") + ".",
      "第 " + (i + 1) + " 个数据包，共 " + of + " 个：节点 " + p.from + " 把 " + p.content + " 发给节点 " + p.to.join("、") + "。");
  };
  function segment(data, d) {
    return "G{" + data.blocks.filter(function (b) { return b.number === d.block; })[0].holders + "}[" + d.segment + "]";
  }
  W.decoded = function (data, d, lang) {
    var has = segment(data, d);
    return W.say(lang, "Node " + d.node + (d.subtracted ? " subtracts " + d.subtracted + ", which it computed, and" : "") + " has " + has + ".",
      "节点 " + d.node + (d.subtracted ? " 减去自己算过的 " + d.subtracted + "，" : " ") + "得到 " + has + "。");
  };

  /* Where the middle of a node's card is, and where a packet splits for its receivers. */
  W.place = function (node, nodes) {
    var far = nodes === 4 ? Math.SQRT2 : 1;
    return W.onCircle(node, nodes, 196, 150, 116 * far, (nodes === 3 ? 128 : 104) * far);
  };
  W.splits = function (nodes) { return { x: 196, y: nodes === 3 ? 118 : 150 }; };

  var wide = 152, high = 102;

  /* A node's card: its blocks in a row, each named by its holders and cut in its
     segments, and below them what the node makes of a packet. */
  function card(svg, data, node, lang) {
    var c = W.place(node, data.nodes), g = W.draw("g", { transform: "translate(" + (c.x - wide / 2) + " " + (c.y - high / 2) + ")" }, svg);
    W.draw("rect", { "class": "card", width: wide, height: high, rx: 8 }, g);
    var title = W.draw("text", { x: wide / 2, y: 18, "text-anchor": "middle", "class": "strong" }, g), less = line(75), left = line(92);
    function line(y) { return W.draw("text", { x: wide / 2, y: y, "text-anchor": "middle", "class": "small" }, g); }
    var side = Math.min(32, (wide - 10) / data.blocks.length), margin = (wide - side * data.blocks.length) / 2;
    var cells = data.blocks.map(function (b, i) {
      var x = margin + i * side + 1, parts = [], w = (side - 2) / data.segments;
      for (var k = 0; k < data.segments; k++) parts.push(W.draw("rect", { x: x + k * w, y: 27, width: w, height: 28 }, g));
      W.draw("rect", { "class": "edge", x: x, y: 27, width: side - 2, height: 28 }, g);
      W.draw("text", { x: x + side / 2 - 1, y: 45, "text-anchor": "middle", "class": "small" }, g, W.box(data, b.holders));
      return parts;
    });
    /* got: what the node has just decoded, if anything. */
    return function (blocks, role, got) {
      g.setAttribute("class", "node " + role);
      title.textContent = W.say(lang, "node ", "节点 ") + node + (role === "sends" ? W.say(lang, " sends", " 发送") : role === "receives" ? W.say(lang, " receives", " 接收") : "");
      less.textContent = got && got.subtracted ? W.fit("− " + got.subtracted, 18) : "";
      left.textContent = got ? "= " + segment(data, got) : "";
      cells.forEach(function (parts, i) {
        parts.forEach(function (p, k) {
          var fresh = got && data.blocks[i].number === got.block && k === got.segment;
          p.setAttribute("class", blocks[i] === "own" ? "own" : blocks[i][k] ? "got" + (fresh ? " fresh" : "") : "none");
        });
      });
    };
  }

  W.kinds.exchange = function (box, data, state, lang) {
    var total = data.packets.length, two = W.make("div", { "class": "stage" }, box), left = W.make("div", {}, two), side = W.make("div", {}, two);
    var svg = W.draw("svg", { "aria-hidden": "true", focusable: "false" }, left), head = W.arrowHead(svg), links = W.draw("g", {}, svg), cards = [], ys = [];
    for (var node = 0; node < data.nodes; node++) { cards.push(card(svg, data, node, lang)); ys.push(W.place(node, data.nodes).y); }
    var flying = W.draw("g", { "class": "flying" }, svg), low = Math.min.apply(null, ys) - high / 2 - 2, hub = W.splits(data.nodes);
    svg.setAttribute("viewBox", "0 " + low + " 392 " + (Math.max.apply(null, ys) + high / 2 + 2 - low));
    var list = W.make("ol", { "class": "steps" });
    var items = data.packets.map(function (p) { return W.make("li", {}, list, W.say(lang, "node ", "节点 ") + p.from + " → " + p.to.join(W.say(lang, ", ", "、")) + W.say(lang, ": ", "：") + p.content); });

    function current(i) {
      items.forEach(function (li, k) { if (k === i) li.setAttribute("aria-current", "step"); else li.removeAttribute("aria-current"); });
    }
    function parcel(p, x, y) {
      var w = Math.min(388, 28 + 8.2 * p.content.length), g = W.draw("g", { transform: "translate(" + x + " " + y + ")" }, flying);
      W.draw("rect", { x: -w / 2, y: -12, width: w, height: 24, rx: 6 }, g);
      W.draw("text", { y: 4, "text-anchor": "middle" }, g, W.fit(p.content, 43));
    }
    /* The way of a packet from its sender, split for its receivers. */
    function way(p) {
      var from = W.between(W.place(p.from, data.nodes), hub, wide, high)[0];
      W.draw("line", { "class": "copies", x1: from.x, y1: from.y, x2: hub.x, y2: hub.y }, links);
      p.to.forEach(function (node) {
        var to = W.between(W.place(node, data.nodes), hub, wide, high)[0];
        W.draw("line", { "class": "copies", x1: hub.x, y1: hub.y, x2: to.x, y2: to.y, "marker-end": head }, links);
      });
    }
    /* After k packets; the last stands where it was split. */
    function show(k) {
      flying.replaceChildren(); links.replaceChildren();
      var p = data.packets[k - 1], held = W.held(data, k);
      cards.forEach(function (show, node) {
        show(held[node], !p ? "" : p.from === node ? "sends" : p.to.indexOf(node) >= 0 ? "receives" : "", p && p.got.filter(function (d) { return d.node === node; })[0]);
      });
      if (p) { way(p); parcel(p, hub.x, hub.y); }
      current(k - 1);
    }
    function said(k) {
      var p = data.packets[k - 1];
      if (!p) return W.say(lang, "Each node has computed its own blocks. " + total + " packets follow.", "每个节点都算好了自己的样本块。接下来有 " + total + " 个数据包。");
      return [W.packet(data, k - 1, lang)].concat(p.got.map(function (d) { return W.decoded(data, d, lang); })).join(W.say(lang, " ", "")) + (k === total ? W.say(lang, " ", "") + W.end(data, lang) : "");
    }
    /* Packet k, share f on its way: the first half as one, the second as a copy for
       each receiver. */
    function travel(k, f) {
      var p = data.packets[k], from = W.place(p.from, data.nodes), held = W.held(data, k), g = 2 * f - 1;
      flying.replaceChildren(); links.replaceChildren();
      cards.forEach(function (show, node) { show(held[node], node === p.from ? "sends" : ""); });
      current(k);
      way(p);
      if (g < 0) parcel(p, hub.x - g * (from.x - hub.x), hub.y - g * (from.y - hub.y));
      else p.to.forEach(function (node) { var to = W.place(node, data.nodes); parcel(p, hub.x + g * (to.x - hub.x), hub.y + g * (to.y - hub.y)); });
    }
    var out = W.stepper(box, left, side, lang, { state: state, total: total, show: show, said: said, travel: travel, lasts: 1400,
      place: function (k) { return k === 0 ? W.say(lang, "start", "开始") : W.say(lang, "packet " + k + " of " + total, "第 " + k + " 个数据包，共 " + total + " 个"); } });
    side.appendChild(list);
    var b = data.blocks[0].holders;
    W.make("p", { "class": "quiet" }, box, W.say(lang,
      data.nodes + " nodes, and each block of the batch is computed by " + data.segments + " of them. A box " + W.box(data, b) + " is the gradient of the block of nodes " + W.and(lang, b) + "; its segments are G{" + b + "}[0] to [" + (data.segments - 1) + "]. Blue: computed by the node itself. Green: decoded; orange edge: just now. Below its boxes a receiver subtracts (−) what it knows, and this is left (=). Packets are shown one by one; some travelled at once.",
      "共 " + data.nodes + " 个节点，每个样本块由其中 " + data.segments + " 个计算。方格 " + W.box(data, b) + " 是节点 " + W.and(lang, b) + " 所算那一块的梯度，它的片段是 G{" + b + "}[0] 至 [" + (data.segments - 1) + "]。蓝色：节点自己算的。绿色：解码所得，橙色边的刚刚得到。方格下方是接收者减去（−）的已知部分和剩下（=）的内容。数据包逐个显示，其中一些是同时传送的。"));
    return out;
  };
})(gradsyncWidgets);
