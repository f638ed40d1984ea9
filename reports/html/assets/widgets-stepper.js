/* gradsync reports: the parts that widgets are made of, the stepper above all. */
"use strict";

(function (W) {
  var SVG = "http://www.w3.org/2000/svg", serial = 0;

  /* A new element at the end of parent. */
  W.make = function (tag, attrs, parent, text) {
    var e = document.createElement(tag);
    Object.keys(attrs || {}).forEach(function (k) { e.setAttribute(k, attrs[k]); });
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  };
  W.draw = function (tag, attrs, parent, text) {
    var e = document.createElementNS(SVG, tag);
    Object.keys(attrs).forEach(function (k) { e.setAttribute(k, attrs[k]); });
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  };

  /* The signs of buttons, drawn, since fonts lack them; from 0 to 16 each way. */
  var signs = {
    first: "M3 3h2v10H3zM14 3v10L6 8z", back: "M11 3v10L4 8z", play: "M4 2.5v11L13 8z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
    forth: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM2 3v10l8-5z"
  };

  /* A button that shows a sign and is called by words. */
  W.button = function (parent, sign, words, act) {
    var b = W.make("button", { type: "button" }, parent);
    b.addEventListener("click", act);
    W.name(b, sign, words);
    return b;
  };
  W.name = function (b, sign, words) {
    b.title = words;
    b.setAttribute("aria-label", words);
    b.replaceChildren();
    W.draw("path", { d: signs[sign] }, W.draw("svg", { "class": "sign", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, b));
  };

  /* An arrow head, as the marker of an id of its own. */
  W.arrowHead = function (svg) {
    var id = "head-" + ++serial;
    var m = W.draw("marker", { id: id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto", markerUnits: "userSpaceOnUse" }, W.draw("defs", {}, svg));
    W.draw("path", { d: "M0 0L8 4L0 8z", "class": "head" }, m);
    return "url(#" + id + ")";
  };

  /* What stands where a picture could not be made. */
  W.broken = function (lang) {
    return W.say(lang, "This picture cannot be shown: its data could not be read. Its numbers are in the table.", "此图无法显示：数据无法读取。其中的数字见表格。");
  };

  /* The places at which the line between the middles of two cards of one size leaves
     the one and meets the other, a little clear of both. */
  W.between = function (a, b, w, h) {
    function out(from, to) {
      var dx = to.x - from.x, dy = to.y - from.y, s = Math.min((w / 2 + 3) / Math.max(1e-9, Math.abs(dx)), (h / 2 + 3) / Math.max(1e-9, Math.abs(dy)));
      return { x: from.x + s * dx, y: from.y + s * dy };
    }
    return [out(a, b), out(b, a)];
  };

  /* What walks through steps: buttons, a slider and keys in box; the reader is after
     step o.state.at of o.total.
       o.show(at)        draws what is after so many steps
       o.said(at)        says it in words
       o.place(at)       says it in two or three words
       o.travel(at, f)   draws share f of the way from at to at + 1; may be absent
       o.jumps           [words, from → to]: buttons of their own
     Where motion is not wanted, play goes from step to step without the way between. */
  W.stepper = function (box, stage, side, lang, o) {
    var calm = matchMedia("(prefers-reduced-motion: reduce)"), state = o.state, playing = false, timer = 0, frame = 0, wrapped = false;
    function t(en, zh) { return W.say(lang, en, zh); }
    state.at = Math.min(state.at || 0, o.total);
    var bar = W.make("div", { "class": "stepper" }, side);
    function button(sign, en, zh, act) { return W.button(bar, sign, t(en, zh), act); }
    button("first", "First", "回到开头", function () { stop(); go(0); });
    var back = button("back", "Back", "上一步", function () { stop(); go(state.at - 1); });
    var play = button("play", "", "", function () {
      if (playing) { stop(); return; }
      playing = true;
      go(state.at === o.total ? 0 : state.at);
      next();
    });
    play.className = "plays";
    var forth = button("forth", "Forward", "下一步", function () { stop(); go(state.at + 1); });
    var end = button("last", "Last", "到最后", function () { stop(); go(o.total); });
    var slider = W.make("input", { type: "range", min: 0, max: o.total, step: 1, "aria-label": t("Step", "步骤") }, bar);
    slider.addEventListener("input", function () { stop(); go(+slider.value); });
    var count = W.make("output", { "aria-live": "off" }, bar); // what is said follows
    (o.jumps || []).forEach(function (j) {
      W.make("button", { type: "button", "class": "jump" }, bar, j[0]).addEventListener("click", function () {
        var to = j[1](state.at);
        stop();
        wrapped = to <= state.at;
        go(to);
      });
    });
    var speed = W.make("button", { type: "button", "class": "jump" }, bar);
    function pace() {
      speed.textContent = state.speed + "\u00a0×";
      speed.title = t("Speed of playing", "播放速度");
    }
    state.speed = state.speed || 1;
    speed.addEventListener("click", function () { state.speed = state.speed === 4 ? 1 : 2 * state.speed; pace(); });
    pace();
    var here = W.make("a", { "class": "jump" }, bar, t("Link to this step", "此步的链接"));
    var said = W.make("p", { "class": "said", "aria-live": "polite" }, side);
    stage.tabIndex = 0;
    stage.setAttribute("role", "group");
    stage.setAttribute("aria-label", t("Diagram: left and right arrow step, Home and End go to the ends", "图示：左右方向键逐步前后移动，Home 与 End 到两端"));
    box.onkeydown = function (e) {
      if (e.altKey || e.ctrlKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
      var to = W.keyed(e.key, state.at, o.total);
      if (to < 0) return;
      e.preventDefault();
      stop(); go(to);
    };

    function stop() {
      clearTimeout(timer); cancelAnimationFrame(frame);
      if (playing) { playing = false; go(state.at); }
    }
    function go(at) {
      cancelAnimationFrame(frame); clearTimeout(timer);
      state.at = at = Math.max(0, Math.min(o.total, at));
      o.show(at);
      said.textContent = (wrapped ? t("From the beginning again. ", "从头开始。") : "") + o.said(at);
      wrapped = false;
      here.href = "#step-" + at;
      slider.value = at;
      slider.setAttribute("aria-valuetext", o.place(at));
      count.textContent = o.place(at);
      back.disabled = at === 0; forth.disabled = end.disabled = at === o.total;
      W.name(play, playing ? "pause" : "play", playing ? t("Pause", "暂停") : t("Play", "播放"));
    }
    /* The way to the next step, then what it leaves; and so on while it plays. */
    function next() {
      if (state.at === o.total) { stop(); return; }
      if (calm.matches || !o.travel) { arrive(); return; }
      var start = 0, lasts = (o.lasts || 1200) / state.speed;
      function move(now) {
        start = start || now;
        var s = Math.min(1, (now - start) / lasts);
        o.travel(state.at, s * s * (3 - 2 * s));
        if (s < 1) frame = requestAnimationFrame(move); else arrive();
      }
      frame = requestAnimationFrame(move);
    }
    function arrive() {
      if (state.at + 1 === o.total) playing = false;
      go(state.at + 1);
      if (playing) timer = setTimeout(next, (o.rests || 1300) / state.speed);
    }
    go(state.at);
    return { go: function (at) { stop(); go(at); }, stop: stop };
  };

  if (typeof document === "undefined") return;

  function language() { return document.documentElement.lang.slice(0, 2) === "zh" ? "zh" : "en"; }

  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".widget").forEach(function (box) {
      var script = box.querySelector("script"), linked = /^#step-(\d+)$/.exec(location.hash);
      var state = { at: linked ? +linked[1] : +box.dataset.from || 0 }, made, until = linked ? 0 : +box.dataset.until || 0, timer = 0;
      function show() {
        try {
          if (made && made.stop) made.stop();
          made = null;
          box.replaceChildren(script);
          made = W.kinds[box.dataset.kind](box, JSON.parse(script.textContent), state, language());
        } catch (e) {
          console.error("gradsync: no picture of kind " + box.dataset.kind, e);
          if (script) box.replaceChildren(script); else box.replaceChildren();
          W.make("p", { "class": "broken", role: "alert" }, box, W.broken(language()));
        }
        box.hidden = false;
      }
      show();
      document.addEventListener("gradsync-language", show);
      /* Runs by itself from data-from to data-until, unless the reader acts first. */
      function run() {
        if (!made || !made.go || state.at >= until) return;
        made.go(state.at + 1);
        timer = setTimeout(run, 1500);
      }
      ["pointerdown", "keydown"].forEach(function (e) { box.addEventListener(e, function () { clearTimeout(timer); until = 0; }, true); });
      if (until && made && made.go && matchMedia("(prefers-reduced-motion: reduce)").matches) made.go(until);
      else if (until) timer = setTimeout(run, 1500);
    });
  });
})(gradsyncWidgets);
