/* gradsync reports: two pictures that a reader can work. Their numbers are those of
   the table beside them, which is all there is without scripts. */
"use strict";

var gradsyncWidgets = {
  /* The loads of one n and r: a bar for each name, as long as its share of the
     longest that is shown; least is true for every shortest. */
  bars: function (data, n, r, hidden) {
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
  },

  /* The distinct values of key in data's rows, ascending; of those with this n, if given. */
  choices: function (data, key, n) {
    var out = [];
    data.rows.forEach(function (x) {
      if ((n === undefined || x.n === n) && out.indexOf(x[key]) < 0) out.push(x[key]);
    });
    return out.sort(function (a, b) { return a - b; });
  },

  /* The member of list nearest to x. */
  nearest: function (list, x) {
    return list.reduce(function (a, b) { return Math.abs(b - x) < Math.abs(a - x) ? b : a; });
  },

  /* What a chosen n and r say in words. */
  sentence: function (data, n, r, bars) {
    var shown = bars.filter(function (b) { return b.shown; });
    if (!shown.length) return "n = " + n + ", r = " + r + ": nothing chosen.";
    var least = shown.filter(function (b) { return b.least; });
    var words = "n = " + n + ", r = " + r + (r === n ? ", where every node computes everything" : "") + ". ";
    if (bars[0].shown) words += bars[0].name + ": " + bars[0].text + (data.unit ? " " + data.unit : "") + ". ";
    if (least.length === shown.length) return words + "All that are shown are equal.";
    return words + "Least: " + least[0].text + " (" + least.map(function (b) { return b.name; }).join("; ") + ").";
  },

  /* What each node has after so many packets: for each node, for each block, "own" or
     which segments of it were decoded. */
  held: function (data, packets) {
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
  },

  /* How it ends: how many segments are still missing after all packets. */
  end: function (data) {
    var missing = 0;
    gradsyncWidgets.held(data, data.packets.length).forEach(function (blocks) {
      blocks.forEach(function (b) { if (b !== "own") missing += b.filter(function (got) { return !got; }).length; });
    });
    return missing ? "Missing segments: " + missing + "." : "Every node has every block.";
  },

  /* A packet in words, and what its receivers make of it. */
  packet: function (data, i) {
    var p = data.packets[i];
    return "Packet " + (i + 1) + " of " + data.packets.length + ", " + p.when + ", " + p.bytes + " bytes: node " + p.from + " sends " + p.content +
      " to node" + (p.to.length > 1 ? "s " : " ") + p.to.join(", ") + ".";
  },
  decoded: function (data, d) {
    return "Node " + d.node + (d.subtracted ? " subtracts " + d.subtracted + ", which it computed, and" : "") + " has G{" + data.blocks[d.block].holders + "}[" + d.segment + "].";
  },

  /* Where the middle of a node's card is: on a circle, the first at the top; four in
     the corners. */
  place: function (node, nodes) {
    var a = (node / nodes - (nodes === 4 ? 0.375 : 0.25)) * 2 * Math.PI, far = nodes === 4 ? Math.SQRT2 : 1.04;
    return { x: 180 + 118 * far * Math.cos(a), y: 150 + 104 * far * Math.sin(a) };
  }
};

if (typeof document !== "undefined") (function () {
  var W = gradsyncWidgets;

  function make(tag, attrs, parent, text) {
    var e = document.createElement(tag);
    Object.keys(attrs || {}).forEach(function (k) { e.setAttribute(k, attrs[k]); });
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }

  /* A slider over a list of numbers, with its number beside it. */
  function slider(parent, word, letter, change) {
    var label = make("label", {}, parent), span = make("span", {}, label, word + " ");
    make("i", {}, span, letter);
    var input = make("input", { type: "range", step: "1" }, label), out = make("output", {}, label), list = [];
    input.addEventListener("input", function () { change(list[+input.value]); });
    return function (of, x) {
      list = of;
      input.min = 0; input.max = of.length - 1; input.value = of.indexOf(x);
      input.disabled = of.length < 2;
      input.setAttribute("aria-valuetext", letter + " = " + x);
      out.textContent = x;
    };
  }

  function loads(box, data) {
    var ns = W.choices(data, "n"), n = W.nearest(ns, 8), r = W.nearest(W.choices(data, "r", n), 3), hidden = [];
    var controls = make("div", { class: "controls" }, box);
    var setN = slider(controls, "nodes", "n", function (x) { n = x; r = W.nearest(W.choices(data, "r", n), r); show(); });
    var setR = slider(controls, "redundancy", "r", function (x) { r = x; show(); });
    var said = make("p", { class: "said", "aria-live": "polite" }, box);
    var list = make("ul", { class: "bars" }, box);
    var rows = data.names.map(function (name, i) {
      var li = make("li", {}, list), b = make("button", { type: "button", "aria-pressed": "true" }, li, name);
      b.addEventListener("click", function () { hidden[i] = !hidden[i]; show(); });
      var track = make("span", { class: "track", "aria-hidden": "true" }, li);
      return { li: li, button: b, bar: make("span", {}, track), num: make("span", { class: "num" }, li) };
    });
    make("p", { class: "quiet" }, box, "Bars in " + (data.unit || "the table’s unit") + " per batch. A name, pressed, takes its bar away, so that shorter ones can be compared.");
    function show() {
      setN(ns, n); setR(W.choices(data, "r", n), r);
      var bars = W.bars(data, n, r, hidden);
      bars.forEach(function (b, i) {
        var row = rows[i];
        row.button.setAttribute("aria-pressed", String(!hidden[i]));
        row.li.className = (b.shown ? "" : "off ") + (b.least ? "least " : "") + (i === 0 ? "own" : "");
        row.bar.style.width = 100 * b.width + "%";
        row.num.textContent = b.text + (b.least ? " · least" : "");
      });
      said.textContent = W.sentence(data, n, r, bars);
    }
    show();
  }

  var SVG = "http://www.w3.org/2000/svg";

  function draw(tag, attrs, parent, text) {
    var e = document.createElementNS(SVG, tag);
    Object.keys(attrs).forEach(function (k) { e.setAttribute(k, attrs[k]); });
    if (text !== undefined) e.textContent = text;
    parent.appendChild(e);
    return e;
  }

  /* A node's card: its blocks in a row, each cut in its segments. */
  function card(svg, data, node) {
    var c = W.place(node, data.nodes), w = 112, h = 62, g = draw("g", { class: "node", transform: "translate(" + (c.x - w / 2) + " " + (c.y - h / 2) + ")" }, svg);
    draw("rect", { class: "card", width: w, height: h, rx: 8 }, g);
    draw("text", { x: w / 2, y: 17, "text-anchor": "middle" }, g, "node " + node);
    var side = Math.min(30, (w - 12) / data.blocks.length), left = (w - side * data.blocks.length) / 2;
    var cells = data.blocks.map(function (b, i) {
      var x = left + i * side + 1, parts = [];
      for (var k = 0; k < data.segments; k++) {
        parts.push(draw("rect", { x: x + k * (side - 2) / data.segments, y: 26, width: (side - 2) / data.segments, height: 28 }, g));
      }
      draw("rect", { class: "edge", x: x, y: 26, width: side - 2, height: 28 }, g);
      draw("text", { x: x + side / 2 - 1, y: 44, "text-anchor": "middle" }, g, b.number);
      return parts;
    });
    return function (blocks, role) {
      g.setAttribute("class", "node " + role);
      cells.forEach(function (parts, i) {
        parts.forEach(function (p, k) { p.setAttribute("class", blocks[i] === "own" ? "own" : blocks[i][k] ? "got" : "none"); });
      });
    };
  }

  function exchange(box, data) {
    var calm = matchMedia("(prefers-reduced-motion: reduce)"), total = data.packets.length, at = 0, playing = false, timer = 0, frame = 0;
    var two = make("div", { class: "stage" }, box), svg = draw("svg", { role: "img", focusable: "false" }, two);
    var links = draw("g", { class: "links" }, svg), cards = [], side = make("div", {}, two);
    for (var node = 0; node < data.nodes; node++) cards.push(card(svg, data, node));
    var flying = draw("g", { class: "flying" }, svg), ys = cards.map(function (c, node) { return W.place(node, data.nodes).y; });
    svg.setAttribute("viewBox", "0 " + (Math.min.apply(null, ys) - 34) + " 360 " + (Math.max.apply(null, ys) - Math.min.apply(null, ys) + 68));
    var buttons = make("div", { class: "tools" }, side);
    function button(word, act) {
      var b = make("button", { type: "button" }, buttons, word);
      b.addEventListener("click", act);
      return b;
    }
    var play = button("Play", function () { if (playing) stop(); else { if (at === total) settle(0); playing = true; next(); } });
    play.className = "play";
    button("Step", function () { stop(); next(); });
    button("Back", function () { stop(); settle(Math.max(0, at - 1)); });
    button("Start", function () { stop(); settle(0); });
    var said = make("p", { class: "said", "aria-live": "polite" }, side), list = make("ol", { class: "steps" }, side);
    var items = data.packets.map(function (p) { return make("li", {}, list, "node " + p.from + " → " + p.to.join(", ") + ": " + p.content); });
    make("p", { class: "quiet" }, box, "Numbers are blocks. Blue: computed by the node. Green: decoded, a segment at a time. Packets are shown one after another; their times say which travel at once.");

    function stop() { playing = false; clearTimeout(timer); cancelAnimationFrame(frame); settle(at); }

    /* After k packets, nothing on its way. */
    function settle(k) {
      cancelAnimationFrame(frame);
      at = k;
      flying.replaceChildren(); links.replaceChildren();
      var p = data.packets[k - 1], held = W.held(data, k);
      cards.forEach(function (show, node) { show(held[node], !p ? "" : p.from === node ? "sends" : p.to.indexOf(node) >= 0 ? "receives" : ""); });
      items.forEach(function (li, i) { if (i === k - 1) li.setAttribute("aria-current", "step"); else li.removeAttribute("aria-current"); });
      said.textContent = p ? [W.packet(data, k - 1)].concat(p.got.map(function (d) { return W.decoded(data, d); })).join(" ") + (k === total ? " " + W.end(data) : "")
        : "Each node has computed its own blocks. " + total + " packets follow.";
      svg.setAttribute("aria-label", said.textContent);
      play.textContent = playing ? "Pause" : "Play";
    }

    /* The next packet on its way, then its effect. */
    function next() {
      if (at === total) { stop(); return; }
      if (calm.matches) { settle(at + 1); playing = false; return; }
      cancelAnimationFrame(frame);
      settle(at);
      var p = data.packets[at], from = W.place(p.from, data.nodes), start = 0, lasts = 1400;
      said.textContent = W.packet(data, at);
      cards[p.from](W.held(data, at)[p.from], "sends");
      items.forEach(function (li, i) { if (i === at) li.setAttribute("aria-current", "step"); else li.removeAttribute("aria-current"); });
      var copies = p.to.map(function (node) {
        var to = W.place(node, data.nodes), g = draw("g", {}, flying), w = 12 + 5.6 * p.content.length;
        draw("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }, links);
        draw("rect", { x: -w / 2, y: -10, width: w, height: 20, rx: 5 }, g);
        draw("text", { y: 4, "text-anchor": "middle" }, g, p.content);
        return { to: to, g: g };
      });
      function move(now) {
        start = start || now;
        var s = Math.min(1, (now - start) / lasts), e = s * s * (3 - 2 * s);
        copies.forEach(function (c) { c.g.setAttribute("transform", "translate(" + (from.x + e * (c.to.x - from.x)) + " " + (from.y + e * (c.to.y - from.y)) + ")"); });
        if (s < 1) { frame = requestAnimationFrame(move); return; }
        settle(at + 1);
        if (playing) timer = setTimeout(next, 1300);
      }
      frame = requestAnimationFrame(move);
    }
    settle(0);
  }

  var kinds = { loads: loads, exchange: exchange };

  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".widget").forEach(function (box) {
      var make = kinds[box.dataset.kind];
      if (!make) return;
      make(box, JSON.parse(box.querySelector("script").textContent));
      box.hidden = false;
    });
  });
})();
