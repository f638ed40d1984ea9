/* gradsync reports: DASP, event by event. Lines are those of its Algorithms 1 and 2. */
"use strict";

(function (W) {
  /* Who waits after so many events, first come first: worker, state, until when or for
     whom, whether an update has used the gradient already. */
  W.daspWaiting = function (data, at) {
    var waiting = [];
    data.events.slice(0, at).forEach(function (e) {
      var i = waiting.findIndex(function (w) { return w.worker === e.worker; });
      if (e.what === "push" && e.state !== "QIS") waiting.push({ worker: e.worker, state: e.state, until: e.until, untilWorker: e.untilWorker, gap: e.gap, used: false });
      else if (e.what === "release") waiting.splice(i, 1);
      else if (e.what === "used") waiting[i].used = true;
      else if (e.what === "timer") { waiting[i].until = e.until; waiting[i].untilWorker = e.untilWorker; }
    });
    return waiting;
  };

  /* The place after the next event in which somebody begins to wait, in one state or
     any; round from the end; at itself if there is none. */
  W.daspNext = function (data, at, state) {
    for (var i = 0; i < data.events.length; i++) {
      var k = (at + i) % data.events.length, e = data.events[k];
      if (e.what === "push" && e.state !== "QIS" && (!state || e.state === state)) return k + 1;
    }
    return at;
  };

  /* Until when somebody waits, in words. */
  W.daspUntil = function (w, lang) {
    return w.untilWorker > 0 ? W.say(lang, "worker " + w.untilWorker + " comes back", "工作节点 " + w.untilWorker + " 回来") : w.until;
  };

  function arrives(data, e, lang) {
    return W.say(lang, e.time + ": worker " + e.worker + " delivers a gradient that it computed on version " + e.held + ". The oldest version still in use is " + e.min + " (worker " + e.oldest + "), so the gap is " + e.gap,
      e.time + "：工作节点 " + e.worker + " 交来用版本 " + e.held + " 算出的梯度。仍在使用的最旧版本是 " + e.min + "（工作节点 " + e.oldest + "），版本差为 " + e.gap);
  }

  function push(data, e, lang) {
    function t(en, zh) { return W.say(lang, en, zh); }
    if (e.state === "QIS") {
      return arrives(data, e, lang) + t(", not more than Smin\u00a0=\u00a0" + data.smin + ": it goes on at once (QIS; Algorithm 1, lines 5–6). Its gradient alone makes version " + e.newest + ", with staleness " + e.staleness + ".",
        "，不超过 Smin\u00a0=\u00a0" + data.smin + "：立即继续（QIS；算法 1 第 5–6 行）。它的梯度单独生成版本 " + e.newest + "，陈旧度 " + e.staleness + "。");
    }
    if (e.state === "FSS") {
      return arrives(data, e, lang) + t(", more than Smax\u00a0=\u00a0" + data.smax + ": it must wait until worker " + e.oldest + " has delivered (FSS; Algorithm 1, lines 13–15).",
        "，超过 Smax\u00a0=\u00a0" + data.smax + "：必须等到工作节点 " + e.oldest + " 交来梯度（FSS；算法 1 第 13–15 行）。");
    }
    var head = arrives(data, e, lang) + t(", more than Smin\u00a0=\u00a0" + data.smin + " and not more than Smax\u00a0=\u00a0" + data.smax + ": it waits a little (WSS; Algorithm 1, lines 7–12), here for " + e.wait,
      "，大于 Smin\u00a0=\u00a0" + data.smin + " 且不超过 Smax\u00a0=\u00a0" + data.smax + "：稍等（WSS；算法 1 第 7–12 行），这里等 " + e.wait);
    if (e.why === "wait") return head + t(" by Eq. (1). Worker " + e.worker + " waits until " + W.daspUntil(e, lang) + ", in the hope that worker " + e.oldest + " comes back meanwhile.", "（式 (1)）。工作节点 " + e.worker + " 等到 " + W.daspUntil(e, lang) + "，期望工作节点 " + e.oldest + " 此间回来。");
    return head + t(". The version to hand out would be more than Smax ahead of worker " + e.oldest + ", so worker " + e.worker + " waits for it (our re-check).", "。将要发出的版本会比工作节点 " + e.oldest + " 领先超过 Smax，因此工作节点 " + e.worker + " 等它回来（本实现的复查）。");
  }

  /* The version in which the gradient that event at releases was used before, by a
     group of others; 0 for none. */
  W.daspUsed = function (data, at) {
    var worker = data.events[at - 1].worker;
    for (var i = at - 2; i >= 0; i--) {
      var e = data.events[i];
      if (e.worker === worker && e.what === "used") return e.newest;
      if (e.worker === worker && e.what === "push") break;
    }
    return 0;
  };

  function release(data, at, lang) {
    function t(en, zh) { return W.say(lang, en, zh); }
    var e = data.events[at - 1], used = W.daspUsed(data, at);
    var why = { "wait-over": t("its time is over (Algorithm 1, line 12)", "等待时间已到（算法 1 第 12 行）"),
      "wait-zero": t("its wait is 0 (Algorithm 1, line 12)", "等待时间为 0（算法 1 第 12 行）"),
      "within-smax-again": t("after worker " + e.by + ", nobody left is more than Smax = " + data.smax + " behind version " + e.newest, "工作节点 " + e.by + " 之后，其余工作节点落后版本 " + e.newest + " 都不超过 Smax = " + data.smax) }[e.why];
    var update = used ? t("used already, one of K = " + e.group + " in version " + used + " (Algorithm 2, line 6)", "此前已用，是版本 " + used + " 中 K = " + e.group + " 个之一（算法 2 第 6 行）")
      : e.group > 1 ? t("one of K = " + e.group + " in its update (Algorithm 2, line 6)", "是其更新中 K = " + e.group + " 个之一（算法 2 第 6 行）")
      : t("alone in its update, K = 1 (Algorithm 2, line 6)", "单独成为一次更新，K = 1（算法 2 第 6 行）");
    return t(e.time + ": worker " + e.worker + " is released from " + e.state + ": " + why + ". Its gradient is " + update + ", staleness " + e.staleness + ". It goes on with version " + e.newest + ".",
      e.time + "：工作节点 " + e.worker + " 离开 " + e.state + "：" + why + "。它的梯度" + update + "，陈旧度 " + e.staleness + "。它用版本 " + e.newest + " 继续。");
  }

  /* An event in words: which line of which algorithm applies, and why. */
  W.daspSaid = function (data, at, lang) {
    function t(en, zh) { return W.say(lang, en, zh); }
    var e = data.events[at - 1];
    if (!e) return t("All " + data.workers + " workers hold version 0 and compute. " + data.events.length + " events follow.", "全部 " + data.workers + " 个工作节点持有版本 0，正在计算。接下来有 " + data.events.length + " 个事件。");
    if (e.what === "push") return push(data, e, lang);
    if (e.what === "release") return release(data, at, lang);
    if (e.what === "used") {
      return t(e.time + ": the gradient of worker " + e.worker + ", which waits in " + e.state + ", is used with the others that wait: K = " + e.group + " in version " + e.newest + " (Algorithm 2, line 6), staleness " + e.staleness + ". The worker itself waits on.",
        e.time + "：在 " + e.state + " 中等待的工作节点 " + e.worker + " 的梯度与其他等待者一起使用：版本 " + e.newest + " 含 K = " + e.group + " 个（算法 2 第 6 行），陈旧度 " + e.staleness + "。工作节点本身继续等待。");
    }
    return t(e.time + ": the wait of worker " + e.worker + " is over, but the version to hand out would be more than Smax = " + data.smax + " ahead of worker " + e.oldest + ". It waits on (our re-check).",
      e.time + "：工作节点 " + e.worker + " 的等待时间已到，但将要发出的版本会比工作节点 " + e.oldest + " 领先超过 Smax = " + data.smax + "。它继续等待（本实现的复查）。");
  };

  /* Where versions stand: the first on the axis, and how many. */
  W.daspAxis = function (data, at) {
    var e = data.events[at - 1], from = e ? Math.min(e.min, e.held) : 0;
    return { from: from, base: e ? e.min : 0, count: Math.max(data.smax + data.workers, (e ? e.newest : 0) - from + 1) };
  };

  var left = 74, right = 388, top = 44, lane = 33;

  /* The mark of a state: a ring computes, a triangle waits in WSS, a square in FSS, a
     disc was answered at once. */
  function mark(g, x, y, state, role) {
    var at = { "class": "mark " + state + (role ? " " + role : "") };
    if (state === "WSS") at.d = "M" + x + " " + (y - 8) + "l9 15h-18z";
    else if (state === "FSS") at.d = "M" + (x - 7.5) + " " + (y - 7.5) + "h15v15h-15z";
    else at.d = "M" + (x - 7) + " " + y + "a7 7 0 1 0 14 0a7 7 0 1 0 -14 0z";
    W.draw("path", at, g);
  }

  function axis(g, data, a, x, bottom, lang) {
    [["QIS", a.base - 0.5, a.base + data.smin + 0.5], ["WSS", a.base + data.smin + 0.5, a.base + data.smax + 0.5], ["FSS", a.base + data.smax + 0.5, a.from + a.count - 0.5]].forEach(function (b) {
      W.draw("rect", { "class": "zone " + b[0], x: x(b[1]), y: top - 22, width: x(b[2]) - x(b[1]), height: bottom - top + 22 }, g);
      W.draw("text", { x: (x(b[1]) + x(b[2])) / 2, y: top - 9, "text-anchor": "middle", "class": "strong" }, g, b[0]);
    });
    [["S_min", data.smin], ["S_max", data.smax]].forEach(function (s) {
      var at = x(a.base + s[1] + 0.5);
      W.draw("line", { "class": "threshold", x1: at, x2: at, y1: top - 22, y2: bottom }, g);
      W.draw("text", { x: at, y: top - 27, "text-anchor": "middle", "class": "small" }, g, s[0].replace("_", "") + " = " + s[1]);
    });
    for (var v = a.from; v < a.from + a.count; v++) {
      W.draw("text", { x: x(v), y: bottom + 15, "text-anchor": "middle", "class": "small" }, g, v);
    }
    W.draw("text", { x: (left + right) / 2, y: bottom + 31, "text-anchor": "middle", "class": "small" }, g, W.say(lang, "version held, oldest in use on the left", "所持版本，在用的最旧版本在左"));
  }

  W.kinds.walk = function (box, data, state, lang) {
    function t(en, zh) { return W.say(lang, en, zh); }
    var bottom = top + data.workers * lane, two = W.make("div", { "class": "stage" }, box), one = W.make("div", {}, two), side = W.make("div", {}, two);
    var svg = W.draw("svg", { viewBox: "0 0 392 " + (bottom + 38), "aria-hidden": "true", focusable: "false" }, one), g = W.draw("g", {}, svg);
    var facts = W.make("p", { "class": "facts" }), title = W.make("p", { "class": "queue" }), queue = W.make("ol", { "class": "steps" });

    function show(at) {
      g.replaceChildren();
      var e = data.events[at - 1], a = W.daspAxis(data, at), waiting = W.daspWaiting(data, at);
      function x(v) { return left + (v - a.from + 0.5) * (right - left) / a.count; }
      axis(g, data, a, x, bottom, lang);
      for (var n = 1; n <= data.workers; n++) {
        var y = top + (n - 0.5) * lane, w = waiting.filter(function (w) { return w.worker === n; })[0], now = e && e.worker === n, held = e ? e.v[n - 1] : 0;
        if (now) W.draw("rect", { "class": "current", x: 2, y: y - lane / 2 + 1, width: 386, height: lane - 2, rx: 4 }, g);
        W.draw("text", { x: 5, y: y + 4, "class": now ? "strong small" : "small" }, g, t("worker ", "工作节点 ") + n);
        if (now && e.what === "push" && e.gap > 0) {
          W.draw("line", { "class": "gap", x1: x(e.min), x2: x(e.held), y1: y, y2: y }, g);
        }
        if (now && held !== e.held) {
          mark(g, x(e.held), y, e.state, "ghost");
          W.draw("line", { "class": "hop", x1: x(e.held) + 10, x2: x(held) - 9, y1: y, y2: y, "marker-end": head }, g);
        }
        mark(g, x(held), y, w ? w.state : now && e.what === "push" ? "QIS" : "computes", now ? "now" : "");
        if (w) {
          /* The word stays in the zone of its state where there is room on either side. */
          var ends = x(a.base + (w.state === "WSS" ? data.smax + 0.5 : a.count)), far = x(held) > Math.min(right, ends) - 48;
          W.draw("text", { x: x(held) + (far ? -12 : 12), y: y + 4, "text-anchor": far ? "end" : "start", "class": "small strong halo" }, g, w.state);
        }
      }
      facts.textContent = e ? t("State ", "状态 ") + e.state + t(", gap ", "，版本差 ") + e.gap + (e.group > 0 ? t(", staleness ", "，陈旧度 ") + e.staleness + t(", K\u00a0=\u00a0", "，K\u00a0=\u00a0") + e.group : "") + t(", newest version ", "，最新版本 ") + e.newest : "";
      title.textContent = waiting.length ? t("Waiting: " + waiting.length, "等待中：" + waiting.length) : t("Nobody waits.", "没有工作节点在等待。");
      queue.replaceChildren();
      waiting.forEach(function (w) {
        W.make("li", {}, queue, t("worker ", "工作节点 ") + w.worker + (w.state === "FSS" ? " ■ " : " ▲ ") + w.state + t(", until ", w.untilWorker > 0 ? "，直到" : "，直到 ") + W.daspUntil(w, lang) + (w.used ? t("; gradient used", "；梯度已用") : ""));
      });
    }
    var head = W.arrowHead(svg), total = data.events.length;
    var out = W.stepper(box, one, side, lang, { state: state, total: total, show: show, rests: 1800,
      said: function (at) { return W.daspSaid(data, at, lang); },
      place: function (at) { return at === 0 ? t("start", "开始") : t("event " + at + " of " + total + ", ", "事件 " + at + " / " + total + "，") + data.events[at - 1].time; },
      jumps: [["", t("Next wait", "下一次等待")], ["FSS", t("Next FSS", "下一次 FSS")]].filter(function (j) { return W.daspNext(data, 0, j[0]); })
        .map(function (j) { return [j[1], function (at) { return W.daspNext(data, at, j[0]); }]; }) });
    side.appendChild(facts); side.appendChild(title); side.appendChild(queue);
    W.make("p", { "class": "quiet" }, box, t("Ring: computing. Disc: answered at once. Triangle, square: waiting. Line: the gap.",
      "圆环：正在计算。圆点：立即答复。三角、方块：等待中。线：版本差。"));
    return out;
  };
})(gradsyncWidgets);
