/* The series of gradsync's drawings that ECharts lacks, by name, so that the option of a
   drawing holds data only. They run in goja, and in no page. */
"use strict";

(function (echarts) {
  /* One polygon between the bounds; points are [x, lower, upper]. It goes
     through api.coord, so it is right on logarithmic axes too. */
  function band(params, api) {
    if (params.dataIndexInside !== 0) return null;
    var up = [], down = [];
    for (var i = 0; i < params.dataInsideLength; i++) {
      up.push(api.coord([api.value(0, i), api.value(2, i)]));
      down.push(api.coord([api.value(0, i), api.value(1, i)]));
    }
    return { type: "polygon", shape: { points: up.concat(down.reverse()) }, style: { fill: api.visual("color"), opacity: 0.11 } };
  }

  /* A whisker on bar number value(3) of value(4) in category value(0). */
  function errorbar(params, api) {
    var count = api.value(4);
    var bars = api.barLayout({ count: count, barGap: "12%", barCategoryGap: "28%", barMaxWidth: 64 });
    var at = bars[api.value(3)];
    var lo = api.coord([api.value(0), api.value(1)]);
    var hi = api.coord([api.value(0), api.value(2)]);
    var x = lo[0] + at.offsetCenter, half = Math.min(6, at.width / 4);
    var style = { stroke: api.visual("color"), lineWidth: 1.5, fill: "none" };
    function line(x1, y1, x2, y2) { return { type: "line", shape: { x1: x1, y1: y1, x2: x2, y2: y2 }, style: style }; }
    return { type: "group", children: [line(x, lo[1], x, hi[1]), line(x - half, hi[1], x + half, hi[1]), line(x - half, lo[1], x + half, lo[1])] };
  }

  /* One band of a lane; values are [from, to, lane]. */
  function gantt(params, api) {
    var from = api.coord([api.value(0), api.value(2)]);
    var to = api.coord([api.value(1), api.value(2)]);
    var height = api.size([0, 1])[1] * 0.62, area = params.coordSys;
    var left = Math.max(from[0], area.x), right = Math.min(to[0], area.x + area.width);
    if (right < left) return null;
    return {
      type: "rect",
      shape: { x: left, y: from[1] - height / 2, width: Math.max(right - left, 1.5), height: height },
      style: { fill: api.visual("color"), decal: api.visual("decal") }
    };
  }

  /* One cell of a map and the number in it; values are [column, lane, number]. */
  function cell(params, api) {
    var at = api.coord([api.value(0), api.value(1)]), size = api.size([1, 1]), wide = size[0] - 2, tall = size[1] - 2, n = api.value(2);
    return { type: "group", children: [
      { type: "rect", shape: { x: at[0] - wide / 2, y: at[1] - tall / 2, width: wide, height: tall },
        style: { fill: api.visual("color"), decal: api.visual("decal"), opacity: 0.5 } },
      { type: "text", style: { x: at[0], y: at[1], text: n < 10 ? n.toFixed(1) : n.toFixed(0), fill: api.visual("borderColor"),
        align: "center", verticalAlign: "middle", fontSize: wide < 26 ? 10 : 12 } }
    ] };
  }

  echarts.registerCustomSeries("gradsync.band", band);
  echarts.registerCustomSeries("gradsync.errorbar", errorbar);
  echarts.registerCustomSeries("gradsync.gantt", gantt);
  echarts.registerCustomSeries("gradsync.map", cell);
})(echarts);
