/* gradsync reports: time lines that a reader can look into. The buttons work with the
   keyboard; wheel and drag do only with Ctrl or after a click inside, so that a page
   scrolls as ever. */
"use strict";

(function (W) {
  var least = 0.2; // percent of the whole

  /* The stretch {start, end}, in percent of the whole, after a button. */
  W.zoomed = function (range, act) {
    var width = range.end - range.start, middle = (range.start + range.end) / 2;
    if (act === "near") width = Math.max(least, width / 2);
    if (act === "far") width = Math.min(100, 2 * width);
    if (act === "left") middle -= width / 2;
    if (act === "right") middle += width / 2;
    if (act === "all") width = 100;
    middle = Math.max(width / 2, Math.min(100 - width / 2, middle));
    return { start: middle - width / 2, end: middle + width / 2 };
  };

  /* The button that a key stands for. */
  W.zoomKey = function (key) {
    return { "+": "near", "=": "near", "-": "far", ArrowLeft: "left", ArrowRight: "right", Home: "all", "0": "all" }[key] || "";
  };

  /* A stretch in words. */
  W.zoomSaid = function (range, min, max, unit, lang) {
    function at(p) { return String(+(min + (max - min) * p / 100).toPrecision(4)); }
    if (range.end - range.start > 99.999) return W.say(lang, "The whole is shown.", "显示全部。");
    return W.say(lang, "Shown: ", "显示：") + at(range.start) + " … " + at(range.end) + (unit ? " " + unit : "") + W.say(lang, " of ", "，全长到 ") + at(100) + W.say(lang, ".", "。");
  };

  /* What an option needs to be looked into; the slider stands below the axis. Wheel and
     drag are off until active, since ECharts would keep a page from scrolling. */
  W.zoomOption = function (o, range, active) {
    o.grid[0].bottom = +o.grid[0].bottom + W.zoomRoom;
    o.dataZoom = [
      { id: "slide", type: "slider", xAxisIndex: 0, filterMode: "none", start: range.start, end: range.end, height: 20, bottom: 8, showDetail: false, brushSelect: false, showDataShadow: false,
        borderColor: "#8a8f98", fillerColor: "rgba(0,114,178,0.25)", handleStyle: { color: "#56b4e9", borderColor: "#58616c" }, moveHandleSize: 0 },
      { id: "inside", type: "inside", xAxisIndex: 0, filterMode: "none", start: range.start, end: range.end, disabled: !active }
    ];
    return o;
  };
  W.zoomRoom = 34; // pixels

  if (typeof document === "undefined") return;

  function language() { return document.documentElement.lang.slice(0, 2) === "zh" ? "zh" : "en"; }

  /* A live chart of a time line gets its zoom when it is made. */
  function attach(chart) {
    var fig = chart.getDom().closest("figure.chart");
    if (!fig || fig.dataset.form !== "gantt") return;
    var live = fig.querySelector(".live"), range = { start: 0, end: 100 }, active = false, min = 0, max = 0, set = chart.setOption, buttons = {};
    live.dataset.room = W.zoomRoom; // whoever sets the height again adds it
    live.style.height = parseInt(live.style.height, 10) + W.zoomRoom + "px";
    chart.resize();
    chart.setOption = function (o, more) {
      if (!o.grid) return set.call(chart, o, more);
      min = o.xAxis[0].min; max = o.xAxis[0].max;
      return set.call(chart, W.zoomOption(o, range, active), more);
    };
    var tools = W.make("div", { "class": "zoom", role: "group" }), said = W.make("span", { "class": "shown", "aria-live": "polite" });
    ["near", "far", "left", "right", "all"].forEach(function (act) {
      buttons[act] = W.button(tools, sign(act), act, function () { go(W.zoomed(range, act)); });
    });
    tools.appendChild(said);
    var hint = W.make("span", { "class": "quiet hint" }, tools);
    live.insertAdjacentElement("afterend", tools);

    function sign(act) { return { left: "back", right: "forth" }[act] || act; }
    function go(to) { chart.dispatchAction({ type: "dataZoom", start: to.start, end: to.end }); }
    function tell() {
      var lang = language(), names = { near: ["Zoom in", "放大"], far: ["Zoom out", "缩小"], left: ["Earlier", "向前"], right: ["Later", "向后"], all: ["Show all", "显示全部"] };
      tools.setAttribute("aria-label", W.say(lang, "Zoom of the time line: plus, minus, left and right arrow, Home", "时间线缩放：加号、减号、左右方向键、Home"));
      Object.keys(names).forEach(function (act) { W.name(buttons[act], sign(act), W.say(lang, names[act][0], names[act][1])); });
      buttons.far.disabled = buttons.all.disabled = range.end - range.start > 99.999;
      buttons.left.disabled = range.start < 1e-6; buttons.right.disabled = range.end > 100 - 1e-6;
      said.textContent = W.zoomSaid(range, min, max, fig.dataset.xunit, lang);
      hint.textContent = active ? W.say(lang, "The wheel zooms, dragging moves, until Escape.", "滚轮缩放，拖动平移，按 Esc 结束。") : W.say(lang, "Wheel and drag: with Ctrl, or after a click inside.", "滚轮与拖动：按住 Ctrl，或先在图内点击。");
    }
    function activate(on) {
      if (active === on) return;
      active = on;
      fig.classList.toggle("looked", on);
      set.call(chart, { dataZoom: [{ id: "inside", disabled: !on }] });
      tell();
    }
    /* Before the chart sees what comes with Ctrl, it is told to listen. */
    function withCtrl(e) {
      if (!e.ctrlKey || active) return;
      activate(true);
      document.addEventListener("keyup", function up(k) {
        if (k.key !== "Control") return;
        document.removeEventListener("keyup", up);
        activate(false);
      });
    }
    chart.on("datazoom", function () {
      var z = chart.getOption().dataZoom[0];
      range = { start: z.start, end: z.end };
      tell();
    });
    live.addEventListener("wheel", withCtrl, { capture: true, passive: true });
    live.addEventListener("mousedown", withCtrl, true);
    live.addEventListener("click", function (e) { if (e.pointerType !== "touch") activate(true); });
    document.addEventListener("pointerdown", function (e) { if (!live.contains(e.target)) activate(false); });
    fig.addEventListener("keydown", function (e) {
      if (e.key === "Escape") activate(false);
      var act = tools.contains(e.target) && !e.altKey && !e.ctrlKey && !e.metaKey && W.zoomKey(e.key);
      if (!act) return;
      e.preventDefault();
      go(W.zoomed(range, act));
    });
    document.addEventListener("gradsync-language", tell);
    chart.on("rendered", function once() { chart.off("rendered", once); tell(); });
    tell();
  }

  document.addEventListener("DOMContentLoaded", function () {
    if (typeof echarts === "undefined") return;
    /* A time line that cannot be looked into is a chart all the same. */
    echarts.registerPostInit(function (chart) {
      try { attach(chart); } catch (e) { console.error("gradsync: no zoom", e); }
    });
  }, true);
})(gradsyncWidgets);
