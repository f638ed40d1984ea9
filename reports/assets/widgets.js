/* gradsync reports: pictures that a reader can work. Their numbers are those of the
   table beside them, which is all there is without scripts. The functions of this
   object touch no page, so that tests run them; kinds draw in a browser.
   lang is "en" or "zh" everywhere. */
"use strict";

var gradsyncWidgets = {
  kinds: {},

  /* One of two texts, by language. */
  say: function (lang, en, zh) { return lang === "zh" ? zh : en; },

  /* "1, 2 and 3", "1、2 和 3". */
  and: function (lang, list) {
    if (list.length < 2) return list.join("");
    var last = list[list.length - 1], rest = list.slice(0, -1);
    return gradsyncWidgets.say(lang, rest.join(", ") + " and " + last, rest.join("、") + " 和 " + last);
  },

  /* A text that has to fit a picture: at most so many letters, the rest as "…". */
  fit: function (text, letters) {
    var all = Array.from(String(text));
    return all.length > letters ? all.slice(0, letters - 1).join("") + "…" : all.join("");
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

  /* The middle of one of so many on a circle, the first at the top; four in the corners. */
  onCircle: function (i, of, x, y, rx, ry) {
    var a = (i / of - (of === 4 ? 0.375 : 0.25)) * 2 * Math.PI;
    return { x: x + rx * Math.cos(a), y: y + ry * Math.sin(a) };
  },

  /* Where a reader is after a key: of total steps, from at; -1 for keys that do nothing. */
  keyed: function (key, at, total) {
    var to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: total }[key];
    return to === undefined ? -1 : Math.max(0, Math.min(total, to));
  }
};
