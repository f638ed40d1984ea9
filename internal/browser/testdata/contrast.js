/* Texts of T whose colour is too near to that of what lies below: [{kind, at, what}], at most
   ten. Gradients (the shade of what scrolls) count as the colour below them. */
function contrast(T) {
  var found = [], many = 0, canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true }), known = new Map(), told = new Set();
  function parse(text) {
    var c = known.get(text);
    if (c) return c;
    var m = text.match(/^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/);
    if (m) c = [+m[1], +m[2], +m[3], m[4] === undefined ? 1 : +m[4]];
    else {
      canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
      var d = canvas.getImageData(0, 0, 1, 1).data;
      c = [d[0], d[1], d[2], d[3] / 255];
    }
    known.set(text, c);
    return c;
  }
  function over(c, below) {
    return [0, 1, 2].map(function (i) { return c[i] * c[3] + below[i] * (1 - c[3]); }).concat(1);
  }
  function light(c) {
    var v = c.slice(0, 3).map(function (x) { x /= 255; return x <= 0.04045 ? x / 12.92 : Math.pow((x + 0.055) / 1.055, 2.4); });
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
  }
  var grounds = new Map();
  function ground(e) {
    if (!e) return parse(getComputedStyle(document.documentElement).colorScheme === "dark" ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)");
    var g = grounds.get(e);
    if (!g) grounds.set(e, g = over(parse(probe.style(e).backgroundColor), ground(e.parentElement)));
    return g;
  }
  var opacities = new Map([[null, 1]]);
  function opacity(e) {
    var o = opacities.get(e);
    if (o === undefined) opacities.set(e, o = +probe.style(e).opacity * opacity(e.parentElement));
    return o;
  }

  /* The shapes of a drawing in its order, each with its box and fill. */
  var drawings = new Map();
  function shapes(svg) {
    var list = drawings.get(svg);
    if (list) return list;
    drawings.set(svg, list = []);
    svg.querySelectorAll("path, rect, circle, ellipse, polygon").forEach(function (s) {
      var style = getComputedStyle(s), fill = style.fill;
      if (fill === "none" || fill.indexOf("url") === 0 || s.closest("defs, clipPath")) return;
      list.push({ el: s, box: s.getBoundingClientRect(), fill: fill, opacity: +style.fillOpacity });
    });
    return list;
  }

  /* What a drawing paints below a text, before it, beside the middle of it: two shapes
     may share an edge there. */
  function painted(t) {
    var c = ground(t.svg), b = probe.bounds(t.quads[0]), x = (b[0] + b[2]) / 2 + 1.1, y = (b[1] + b[3]) / 2 + 0.7;
    for (var s of shapes(t.svg)) {
      var r = s.box;
      if (x < r.left || x > r.right || y < r.top || y > r.bottom) continue;
      if (!(s.el.compareDocumentPosition(t.el) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      var m = s.el.getScreenCTM();
      if (!m || !s.el.isPointInFill(new DOMPoint(x, y).matrixTransform(m.inverse()))) continue;
      var f = parse(s.fill).slice();
      f[3] *= s.opacity * opacity(s.el);
      c = over(f, c);
    }
    return c;
  }

  T.forEach(function (t) {
    var s = probe.style(t.el);
    if (t.el.closest(":disabled, [aria-disabled=true]")) return;
    var below = t.svg ? painted(t) : ground(t.el), c = parse(t.svg ? s.fill : s.color).slice();
    if (t.svg) c[3] *= +s.fillOpacity;
    c[3] *= opacity(t.el);
    var a = light(over(c, below)), b = light(below), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    var size = parseFloat(s.fontSize), want = size >= 24 || size >= 18.66 && +s.fontWeight >= 700 ? 3 : 4.5;
    if (ratio >= want) return;
    var at = probe.selector(t.el), key = at.replace(/#[\w-]+/g, "") + Math.round(ratio * 10);
    if (told.has(key)) return;
    told.add(key);
    if (++many <= 10) found.push({ kind: "too little contrast", at: at, what: ratio.toFixed(2) + ", want " + want + ": " + JSON.stringify(t.text.slice(0, 40)) + " of " + (t.svg ? s.fill : s.color) + " on rgb(" + below.slice(0, 3).map(Math.round) + ")" });
  });
  return found;
}
