package browser

import "github.com/chromedp/chromedp/kb"

// keyboard: the first Tab of a page just opened shows the way past the bar, and every
// control has a name for screen readers and shows the focus.
func keyboard(b *tab) {
	t := b.t
	b.press(kb.Tab)
	if !eval[bool](b, `document.activeElement.matches("a.skip") && document.activeElement.getBoundingClientRect().left >= 0`) {
		t.Errorf("the first Tab goes to %s, want the skip link, in sight", eval[string](b, `document.activeElement.outerHTML.slice(0, 200)`))
	}
	b.press(kb.Enter)
	b.frames(2)
	if !eval[bool](b, `document.activeElement.matches("main")`) {
		t.Errorf("the skip link goes to %s, want main", eval[string](b, `document.activeElement.outerHTML.slice(0, 80)`))
	}
	b.press(kb.Tab)
	if !eval[bool](b, `!!document.activeElement.closest("main") && !document.activeElement.matches("main")`) {
		t.Errorf("a Tab from main goes to %s", eval[string](b, `document.activeElement.outerHTML.slice(0, 80)`))
	}
	for _, bad := range eval[[]string](b, focusScript) {
		t.Error(bad)
	}
}

const focusScript = `(function () {
	var out = [], told = new Set();
	function say(e, what) {
		var key = what + e.localName + e.className;
		if (!told.has(key)) { told.add(key); out.push(what + ": " + e.outerHTML.slice(0, 160)); }
	}
	function name(e) {
		var by = (e.getAttribute("aria-labelledby") || "").split(" ").map(id => document.getElementById(id)).filter(Boolean).map(x => x.textContent).join(" ");
		var inner = e.cloneNode(true);
		inner.querySelectorAll("[aria-hidden=true]").forEach(x => x.remove());
		var labels = [...(e.labels || [])].map(l => l.textContent).join(" ");
		return (by || e.getAttribute("aria-label") || labels || inner.textContent || e.getAttribute("title") || "").trim();
	}
	var kinds = new Set();
	document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex='-1'])").forEach(e => {
		if (!e.checkVisibility({ visibilityProperty: true }) || e.disabled) return;
		if (!name(e)) say(e, "no name");
		if (e.tabIndex > 0) say(e, "out of the order of the page");
		var kind = e.localName + " " + e.className + " " + (e.parentElement.className || e.parentElement.localName);
		if (kinds.has(kind)) return;
		kinds.add(kind);
		e.focus({ focusVisible: true, preventScroll: true });
		if (document.activeElement !== e) { say(e, "takes no focus"); return; }
		// A checkbox may show its focus by its label.
		var shows = [e, e.closest("label"), ...(e.labels || []), e.nextElementSibling].filter(Boolean).some(x => {
			var s = getComputedStyle(x);
			return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1;
		});
		if (!shows) say(e, "shows no focus");
	});
	return out.slice(0, 10);
})()`

// calm: for a reader who asks for less motion, nothing moves once it stands.
func calm(b *tab) {
	b.settled()
	for _, m := range eval[[]string](b, calmScript) {
		b.t.Error(m)
	}
}

// calmScript looks for a while in which nothing changes: what a busy machine draws late ends, what moves by itself does not.
// A page's timers go off in the order of their times, so a while of the page's is one for what moves in it, too.
const calmScript = `(async () => {
	const wait = ms => new Promise(done => setTimeout(done, ms));
	let out = [];
	document.querySelectorAll(".widget button").forEach(b => { if (b.checkVisibility()) b.click(); });
	await wait(200);
	for (let whiles = 0; whiles < 200 && (out.length || !whiles); whiles++) {
		out = [];
		const seen = new MutationObserver(list => list.forEach(m => { if (out.length < 5)
			out.push("changes by itself: " + (m.target.closest ? m.target : m.target.parentElement).outerHTML.slice(0, 120)); }));
		seen.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
		await wait(500);
		for (let k = 0; k < 4; k++) await new Promise(requestAnimationFrame);
		seen.disconnect();
	}
	document.getAnimations().forEach(a => { if (a.playState === "running") out.push("an animation runs: " + (a.animationName || a.transitionProperty)); });
	if (getComputedStyle(document.documentElement).scrollBehavior === "smooth") out.push("scrolls smoothly");
	return out;
})()`
