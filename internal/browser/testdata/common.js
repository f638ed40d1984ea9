/* What the probes of layout and contrast share. Evaluated once in a page, from outside. */
"use strict";
var probe = (function () {
  var styles = new Map();
  function style(e) {
    var s = styles.get(e);
    if (!s) styles.set(e, s = getComputedStyle(e));
    return s;
  }

  /* A short selector that a person can find the element by. */
  function selector(e) {
    var out = [];
    for (; e && e !== document.body && out.length < 5; e = e.parentElement) {
      var name = e.localName + (e.id ? "#" + e.id : "");
      if (!e.id && e.getAttribute("class")) name += "." + e.getAttribute("class").trim().split(/\s+/).join(".");
      out.unshift(name);
      if (e.id) break;
    }
    return out.join(" > ");
  }

  /* Kept for screen readers only: the skip link without focus, the head of a table whose rows are cards. */
  function aside(e) { return !!e.closest(".skip, thead") && e.getBoundingClientRect().right < -300; }

  function seen(e) {
    return e.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true });
  }

  /* What of an element's box its ancestors let through: null for all of it, else [left, top, right, bottom]. */
  var clips = new Map();
  function clip(e) {
    if (!e || e === document.documentElement) return null;
    if (clips.has(e)) return clips.get(e);
    var outer = clip(e.parentElement), s = style(e), out = outer;
    if (s.overflowX !== "visible" && s.display !== "inline" && e !== document.body) {
      var r = e.getBoundingClientRect();
      out = cut([r.left, r.top, r.right, r.bottom], outer);
    }
    clips.set(e, out);
    return out;
  }
  function cut(r, by) {
    return by ? [Math.max(r[0], by[0]), Math.max(r[1], by[1]), Math.min(r[2], by[2]), Math.min(r[3], by[3])] : r;
  }

  /* The box that lays out a text: the nearest ancestor that is not in a line; a formula is one of its own. */
  function block(e) {
    while (e.parentElement && (style(e).display === "inline" || style(e).display === "contents" || style(e).display.indexOf("ruby") === 0)) e = e.parentElement;
    return e;
  }

  /* All elements of the page that may be seen, in order; of drawings and formulas only
     the outermost. What is not displayed is most of a page, and is passed over. */
  function boxes() {
    styles.clear(); clips.clear();
    var out = [];
    (function down(e) {
      out.push(e);
      if (e.localName === "svg" || e.localName === "math") return;
      var folded = e.localName === "details" && !e.open;
      for (var c = e.firstElementChild; c; c = c.nextElementSibling) {
        if (folded && !c.checkVisibility() || c.localName === "script" || c.localName === "style") continue;
        var s = style(c);
        if (s.display === "none" || s.contentVisibility === "hidden") continue;
        down(c);
      }
    })(document.body);
    return out;
  }

  /* All visible texts of the elements that boxes found: {el, block, svg, text, quads}; a
     quad is four corners of a line, as high as its letters are, whatever room the font
     asks for above and below. */
  function texts(all) {
    var out = [], range = document.createRange();
    all.forEach(function (e) {
      if (e.localName === "svg") {
        if (!seen(e) || aside(e)) return;
        var walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), n;
        while ((n = walk.nextNode())) if (n.nodeValue.trim() && seen(n.parentElement)) drawing(out, n.parentElement, e, n.nodeValue.trim());
        return;
      }
      var own = e.localName === "math" ? [e] : [].filter.call(e.childNodes, function (c) { return c.nodeType === Node.TEXT_NODE && c.nodeValue.trim(); });
      if (!own.length || e.localName === "details" && !e.open || !seen(e) || aside(e)) return;
      own.forEach(function (c) { written(out, e, c, range); });
    });
    return out;
  }

  /* The text c of an element, or a whole formula. */
  function written(out, e, c, range) {
    var rects = [e.getBoundingClientRect()], b = c === e ? e : block(e), text = c.textContent.trim();
    if (c !== e) {
      range.selectNodeContents(c);
      rects = range.getClientRects();
    }
    var size = parseFloat(style(e).fontSize), through = clip(e), quads = [];
    for (var r of rects) {
      if (r.width < 0.5 || r.height < 0.5) continue;
      var mid = (r.top + r.bottom) / 2, half = c === e ? r.height / 2 : Math.min(r.height, size) / 2;
      var q = cut([r.left, mid - half, r.right, mid + half], through);
      if (q[2] - q[0] > 0.5 && q[3] - q[1] > 0.5) quads.push([[q[0], q[1]], [q[2], q[1]], [q[2], q[3]], [q[0], q[3]]]);
    }
    if (quads.length) out.push({ el: e, block: b, svg: null, text: text, quads: quads });
  }

  /* A text of a drawing, turned as it is turned. */
  function drawing(out, e, svg, text) {
    var t = e.closest("text");
    if (!t || e !== t && t.firstChild !== e && out.length && out[out.length - 1].block === t) return;
    var s = style(e);
    if (s.fill === "none" || +s.fillOpacity === 0 || e.closest("defs, clipPath, symbol")) return;
    var b = t.getBBox(), m = t.getScreenCTM();
    if (!m || b.width < 0.5) return;
    var size = parseFloat(s.fontSize), mid = b.y + b.height / 2, half = b.height > 2 * size ? b.height / 2 : Math.min(b.height, size) / 2;
    var quad = [[b.x, mid - half], [b.x + b.width, mid - half], [b.x + b.width, mid + half], [b.x, mid + half]].map(function (p) {
      return [m.a * p[0] + m.c * p[1] + m.e, m.b * p[0] + m.d * p[1] + m.f];
    });
    var through = passes(t, svg), q = bounds(quad), c = cut(q, through), lost = Math.max(q[2] - q[0] - Math.max(0, c[2] - c[0]), q[3] - q[1] - Math.max(0, c[3] - c[1]));
    if (c[2] - c[0] < 1 || c[3] - c[1] < 1) return;
    if (lost > 0) quad = [[c[0], c[1]], [c[2], c[1]], [c[2], c[3]], [c[0], c[3]]];
    out.push({ el: e, block: t, svg: svg, text: text, quads: [quad], lost: lost });
  }

  /* What the clip paths of a drawing let through of a text: a legend of several pages shows one. */
  function passes(e, svg) {
    var out = null;
    for (; e && e !== svg; e = e.parentElement) {
      var m = /#([^"')]+)/.exec(e.getAttribute("clip-path") || ""), by = m && svg.getElementById(m[1]), shape = by && by.firstElementChild, to = e.getScreenCTM();
      if (!shape) continue;
      var own = shape.transform.baseVal.consolidate();
      if (own) to = to.multiply(own.matrix);
      var b = shape.getBBox(), p = new DOMPoint(b.x, b.y).matrixTransform(to), q = new DOMPoint(b.x + b.width, b.y + b.height).matrixTransform(to);
      out = cut([p.x, p.y, q.x, q.y], out);
    }
    return out;
  }

  function bounds(q) {
    var xs = q.map(function (p) { return p[0]; }), ys = q.map(function (p) { return p[1]; });
    return [Math.min.apply(null, xs), Math.min.apply(null, ys), Math.max.apply(null, xs), Math.max.apply(null, ys)];
  }

  return { style: style, selector: selector, seen: seen, clip: clip, cut: cut, aside: aside, boxes: boxes, texts: texts, bounds: bounds };
})();
