/* gradsync reports: the few things that a page does by itself. No request is made. */
"use strict";

/* Where the place called id on the page of a document is now, "" if nowhere. */
function gradsyncMoved(m, id) {
  function under(list) { // the longest name that id is, or begins with
    return list.filter(function (x) { return id === x || id.indexOf(x + "-") === 0; }).sort(function (a, b) { return b.length - a.length; })[0];
  }
  var claim = /^(?:claim-.*-)?([a-z]\d{2})$/i.exec(id), stem;
  if (claim) return m.document + "/claims.html#" + claim[1].toUpperCase();
  if (/^claims?(-|$)/.test(id) || id === "how") return m.document + "/claims.html";
  if (/^prov(enance)?(-|$)/.test(id)) return m.document + "/provenance.html#" + id;
  if (m.assumptions && m.assumptions.indexOf(id) >= 0) return m.document + "/assumptions.html#" + id;
  if (under(m.code || [])) return m.document + "/code.html#" + id;
  if ((stem = under(m.results || []))) return m.document + "/" + stem + ".html#" + id;
  return "";
}

/* The first twenty entries that have all the words asked for, in either language; those first whose title
   begins with them. */
function gradsyncFind(list, asked) {
  var words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  function text(f) { return (f.t.en + " " + f.t.zh + " " + f.u.en + " " + f.u.zh).toLowerCase(); }
  function first(f) { return [f.t.en, f.t.zh, f.u.en, f.u.zh].some(function (t) { return t.toLowerCase().indexOf(words[0]) === 0; }) ? 0 : 1; }
  return list.filter(function (f) { var t = text(f); return words.every(function (w) { return t.indexOf(w) >= 0; }); })
    .sort(function (a, b) { return first(a) - first(b); }).slice(0, 20);
}

/* What follows is for browsers only. */
if (typeof document !== "undefined") (function () {
  var root = document.documentElement;

  /* The reader's choice of theme; where storage is forbidden it lasts until the page is left. */
  function stored() { try { return localStorage.getItem("gradsync-theme"); } catch (e) { return null; } }
  function store(v) { try { v ? localStorage.setItem("gradsync-theme", v) : localStorage.removeItem("gradsync-theme"); } catch (e) { /* not remembered */ } }
  /* The reader's language. A style hides the other; only what styles cannot reach is exchanged here. */
  function language() { try { return localStorage.getItem("gradsync-language") === "zh"; } catch (e) { return false; } }
  function speak(zh) {
    root.lang = zh ? "zh" : "en";
    document.querySelectorAll("[data-named]").forEach(function (e) {
      e.dataset.named.split(" ").forEach(function (name) {
        var kept = "data-en-" + name;
        if (!e.hasAttribute(kept)) e.setAttribute(kept, e.getAttribute(name));
        e.setAttribute(name, e.getAttribute((zh ? "data-zh-" : "data-en-") + name));
      });
    });
    document.querySelectorAll("table.data:not([style])").forEach(function (t) {
      var heads = [].map.call(t.querySelectorAll("thead th"), function (th) { return shown(th, zh); });
      t.querySelectorAll("tbody tr").forEach(function (tr) {
        for (var i = 0; i < tr.children.length && tr.children.length === heads.length; i++) tr.children[i].setAttribute("data-label", heads[i]);
      });
    });
    nameTheme(theme());
    document.dispatchEvent(new CustomEvent("gradsync-language"));
  }
  /* The words of e in one language. */
  function shown(e, zh) {
    var c = e.cloneNode(true);
    c.querySelectorAll(zh ? ".en" : ".zh").forEach(function (x) { x.remove(); });
    return c.textContent.trim();
  }

  var themes = ["auto", "light", "dark"], themesZh = { auto: "自动", light: "浅色", dark: "深色" };
  function theme() { var t = stored() || root.dataset.theme; return themes.indexOf(t) > 0 ? t : "auto"; }
  function apply(t) {
    if (t === "auto") delete root.dataset.theme; else root.dataset.theme = t;
    nameTheme(t);
  }
  function nameTheme(t) {
    var b = document.getElementById("theme");
    if (b) b.textContent = root.lang === "zh" ? "主题：" + themesZh[t] : "Theme: " + t;
  }
  root.classList.add("js");
  apply(theme());

  function copy(text, button) {
    function done() {
      if (!button.words) button.words = button.innerHTML;
      clearTimeout(button.wait);
      button.textContent = root.lang === "zh" ? "已复制" : "Copied";
      button.wait = setTimeout(function () { button.innerHTML = button.words; }, 1200);
    }
    function byHand() {
      var t = document.createElement("textarea");
      t.value = text; document.body.appendChild(t); t.select();
      try { document.execCommand("copy"); done(); } finally { t.remove(); button.focus(); }
    }
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, byHand);
    else byHand();
  }

  document.addEventListener("click", function (e) {
    var b = e.target.closest("button");
    if (!b) return;
    if (b.id === "theme") {
      var next = themes[(themes.indexOf(theme()) + 1) % 3];
      store(next === "auto" ? null : next); apply(next);
    } else if (b.dataset.copy) {
      copy(document.getElementById(b.dataset.copy).textContent, b);
    }
  });

  /* Tables that stand open for whoever has no script, and on paper; what is folded besides is printed too. */
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details.rows:not([open]), details.fold:not([open])").forEach(function (d) { d.open = true; d.dataset.paper = "yes"; });
  });
  window.addEventListener("afterprint", function () {
    document.querySelectorAll("details[data-paper]").forEach(function (d) { d.open = false; delete d.dataset.paper; });
  });

  /* One profile at a time: the reader's choice goes from page to page, and a link to what
     another profile shows chooses that one. */
  function profileOf(e) { return e && e.closest ? e.closest(".profiled") : null; }
  function choose(profile) {
    var b = document.getElementById("show-" + profile);
    if (b) b.checked = true;
    return !!b;
  }
  function follow() {
    var at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1))), box = profileOf(at);
    if (!box || box.offsetParent !== null) return;
    var name = [].find.call(box.classList, function (c) { return /^p-/.test(c); });
    if (name && choose(name.slice(2))) at.scrollIntoView();
  }
  function profiles() {
    var kept = null;
    try { kept = localStorage.getItem("gradsync-profile"); } catch (e) { /* not remembered */ }
    if (kept) choose(kept);
    document.addEventListener("change", function (e) {
      if (!e.target.classList.contains("profile")) return;
      try { localStorage.setItem("gradsync-profile", e.target.value); } catch (x) { /* not remembered */ }
    });
    window.addEventListener("hashchange", follow);
    follow();
  }

  /* Where an anchor of this page has gone: published citations still arrive. */
  function go() {
    var box = document.getElementById("moved"), id = decodeURIComponent(location.hash.slice(1));
    var here = id && document.getElementById(id), fold = here && here.closest("details:not([open])");
    if (fold) { fold.open = true; here.scrollIntoView(); }
    if (!box || !id || here) return;
    var to = gradsyncMoved(JSON.parse(box.textContent), id);
    if (to) location.replace((/\/[^/]+\/[^/]+$/.test(location.pathname) && document.querySelector('.home[href^="../"]') ? "../" : "") + to);
  }

  /* Search: titles and claims, from a script that is loaded when the box is first used. */
  function search() {
    var box = document.getElementById("find");
    if (!box) return;
    var list = box.parentNode.querySelector("ol"), root = document.querySelector(".home").getAttribute("href").replace("index.html", "");
    function ask() {
      var zh = document.documentElement.lang === "zh" ? "zh" : "en";
      list.replaceChildren();
      gradsyncFind(typeof gradsyncFound === "undefined" ? [] : gradsyncFound, box.value).forEach(function (f) {
        var li = document.createElement("li"), a = document.createElement("a"), small = document.createElement("span");
        a.href = root + f.h; a.textContent = f.t[zh]; small.textContent = f.u[zh];
        a.appendChild(small); li.appendChild(a); list.appendChild(li);
      });
    }
    box.addEventListener("focus", function () {
      if (document.getElementById("found")) return;
      var s = document.createElement("script");
      s.id = "found"; s.src = root + "assets/search-index.js"; s.onload = ask;
      document.head.appendChild(s);
    });
    box.addEventListener("input", ask);
    box.parentNode.addEventListener("keydown", function (e) { if (e.key === "Escape") { box.value = ""; ask(); box.focus(); } });
  }

  /* Tables whose rows readers choose: shown are those that have the key of every choice, their own, of their
     group, or of what the profile shows of them. */
  function filter(box) {
    var rows = (box.closest(".tablebox") || document).querySelectorAll("tr[data-k]");
    function run() {
      var p = document.querySelector("input.profile:checked"), shown = 0, groups = new Set();
      var wants = [].map.call(box.querySelectorAll("select"), function (s) { return s.value; }).filter(Boolean);
      rows.forEach(function (tr) {
        var keys = (tr.dataset.k + " " + (tr.parentNode.dataset.k || "")).split(" ");
        tr.querySelectorAll("[data-k]").forEach(function (d) { if (!p || d.classList.contains("p-" + p.value)) keys.push(d.dataset.k); });
        tr.hidden = !wants.every(function (k) { return keys.indexOf(k) >= 0; });
        if (!tr.hidden) { shown++; groups.add(tr.parentNode); }
      });
      rows.forEach(function (tr) { tr.parentNode.hidden = !groups.has(tr.parentNode); });
      box.querySelector("output").textContent = shown + " / " + rows.length;
    }
    box.addEventListener("change", run);
    document.querySelectorAll("input.profile").forEach(function (i) { i.addEventListener("change", run); });
    run();
  }

  document.addEventListener("DOMContentLoaded", function () {
    apply(theme());
    go();
    window.addEventListener("hashchange", go);
    search();
    document.querySelectorAll(".filters").forEach(filter);
    profiles();
    var lang = document.getElementById("lang");
    if (lang) {
      lang.checked = language();
      lang.addEventListener("change", function () {
        try { localStorage.setItem("gradsync-language", lang.checked ? "zh" : "en"); } catch (e) { /* not remembered */ }
        speak(lang.checked);
      });
      if (lang.checked) speak(true);
    }
    document.querySelectorAll("details.rows").forEach(function (d) { d.open = false; });
  });
})();
