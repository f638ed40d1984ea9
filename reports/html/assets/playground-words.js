/* The playground in words: what is fastest and why, and the same from the command line. */
"use strict";

(function () {
  var P = gradsyncPlayground, TOTAL = P.TOTAL;

  /* What bounds a method: the largest part of its iteration. */
  P.bound = function (c, key) {
    if (key === "asp") {
      var turns = c[TOTAL] * P.si(P.state)[4] > c[5] * 1.0000001;
      return turns ? P.say("the workers’ own turns bound it", "受限于各工作节点自身的一轮") : P.say("the server’s link is full", "服务器链路已满");
    }
    var parts = [[c[0], P.say("computing", "计算")], [c[1], P.say("waiting for the slowest worker", "等待最慢的工作节点")], [c[2], P.say("the exchange", "交换")]];
    parts.sort(function (a, b) { return b[0] - a[0]; });
    var share = Math.round(100 * parts[0][0] / c[TOTAL]);
    return P.say(share + " % of it is " + parts[0][1], parts[0][1] + "占 " + share + " %");
  };
  P.sentence = function (all) {
    var best = P.fastest(all);
    if (best < 0) return P.say("Nothing is chosen.", "未选择任何方法。");
    var c = all[best], names = P.ties(all, best).map(function (m) { return P.word(m.name); });
    var atLeast = P.data.methods[best].atLeast ? "≥ " : "";
    var text = P.say("Fastest: " + names.join(" = ") + ", " + atLeast + P.seconds(c[TOTAL]) + " per iteration; " + P.bound(c, P.data.methods[best].key) + ".",
      "最快：" + names.join(" = ") + "，每次迭代 " + atLeast + P.seconds(c[TOTAL]) + "；" + P.bound(c, P.data.methods[best].key) + "。");
    if (P.data.methods[best].atLeast) {
      var sure = P.least(all.map(function (x, i) { return P.data.methods[i].atLeast ? NaN : x[TOTAL]; }), P.hidden);
      text += P.say(" That is a lower bound.", "这是下界。") + (sure < 0 ? "" : P.say(" The fastest of the others: " + P.word(P.data.methods[sure].name) + ", " + P.seconds(all[sure][TOTAL]) + ".",
        "其余方法中最快：" + P.word(P.data.methods[sure].name) + "，" + P.seconds(all[sure][TOTAL]) + "。"));
    }
    var lean = P.least(all.map(function (c) { return P.half(c) ? NaN : P.most(c); }), P.hidden);
    if (lean >= 0) {
      text += P.say(" Fewest bytes through one link: " + P.word(P.data.methods[lean].name) + ", " + P.scaled(P.most(all[lean]), "bytes") + ".",
        "单条链路字节最少：" + P.word(P.data.methods[lean].name) + "，" + P.scaled(P.most(all[lean]), "bytes") + "。");
    }
    if (P.state.h > 1) {
      text += P.say(" In every iteration of BSP, or round a ring, each of the other " + (P.state.n - 1) + " waits " + P.seconds(all[0][1]) + " for the slow worker.",
        "在 BSP 或环的每次迭代中，其余 " + (P.state.n - 1) + " 个工作节点各等待慢工作节点 " + P.seconds(all[0][1]) + "。");
    }
    return text;
  };
  /* Bytes through the busiest machine's link in its busier direction; at least so many
     where half of it no formula says. */
  P.most = function (c) { return c[4] === c[4] && !(c[5] > c[4]) ? c[4] : c[5]; };
  P.half = function (c) { return (c[4] === c[4]) !== (c[5] === c[5]); };

  /* What to say to a guess, the method guessed, before the answer. */
  P.guessed = function (guess, all) {
    var best = P.fastest(all);
    if (!guess || best < 0) return "";
    if (P.ties(all, best).indexOf(guess) >= 0) return P.say("You said so. ", "猜对了。");
    return P.say("You said " + P.word(guess.name) + ". ", "您猜的是" + P.word(guess.name) + "。");
  };

  /* Which method is least where, in words. */
  P.crossings = function (s, xs, points) {
    var runs = P.runs(points, P.hidden);
    var by = {}, order = [];
    runs.forEach(function (r) {
      if (!by[r.m]) { by[r.m] = []; order.push(r.m); }
      by[r.m].push(r.from === r.to ? P.plain(xs[r.from]) : P.plain(xs[r.from]) + P.say(" to ", " 至 ") + P.plain(xs[r.to]));
    });
    return P.say("Fastest by ", "最快，按") + P.word(s.name) + (s.unit ? " (" + s.unit + ")" : "") + P.say(": ", "：") + order.map(function (m) {
      return P.word(P.data.methods[m].name) + (P.data.methods[m].atLeast ? P.say(" (a lower bound)", "（下界）") : "") + P.say(" at ", " ") + by[m].join(P.say(", ", "、"));
    }).join(P.say("; ", "；")) + P.say(".", "。");
  };
  /* What the command line has of this setting: exchanges, and the paper's model. */
  P.commands = function (s, all) {
    function at(key) { return all[P.data.methods.map(function (m) { return m.key; }).indexOf(key)]; }
    var link = " --k " + P.plain(4 * s[3]) + " --bandwidth " + P.plain(s[4]) + " --latency " + P.plain(s[6]), model = at("cssgd-model")[TOTAL];
    var out = ["naive.both-seconds --n " + (s[0] + 1) + link, "naive.both-seconds --n " + s[0] + link, "ring.seconds --n " + s[0] + link, "halving-doubling.seconds --n " + s[0] + link];
    if (at("hierarchical")[TOTAL] === at("hierarchical")[TOTAL]) {
      out.push("hierarchical.seconds --nodes " + s[0] / s[1] + " --per-node " + s[1] + " --k " + P.plain(4 * s[3]) + " --bandwidth " + P.plain(s[5]) + " --latency " + P.plain(s[6]) +
        " --node-bandwidth " + P.plain(s[4]) + " --node-latency " + P.plain(s[6]));
    }
    if (model === model) {
      var blocks = 1; /* C(N, r): the model's SSGD sends each block's gradient */
      for (var i = 0; i < s[2]; i++) blocks = blocks * (s[0] - i) / (i + 1);
      out.push("codedsgd.time --n " + s[0] + " --r " + s[2] + " --tcalc " + P.plain(s[7] * s[8]) + " --tcomm " + P.plain(blocks / s[0] * at("ssgd-unicast")[2]));
    }
    return out.map(function (c) { return "bin/gradsync eval " + c; });
  };
})();
