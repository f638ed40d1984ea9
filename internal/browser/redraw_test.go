package browser

// redraws: after a choice of theme and of language the charts in sight are of it at
// once, and those far away are not drawn again before they come near, nor seen as they
// were. It leaves theme and language as they were, and says whether the page has charts
// so far apart.
func redraws(b *tab) bool {
	found := eval[struct {
		Apart bool
		Bad   []string
	}](b, redrawScript)
	for _, bad := range found.Bad {
		b.t.Error(bad)
	}
	return found.Apart
}

const redrawScript = `(async () => {
	const figures = [...document.querySelectorAll("figure.chart")].filter(f => f.checkVisibility()),
		near = figures[0], far = figures[figures.length - 1], out = [];
	if (!near || far.getBoundingClientRect().top - near.getBoundingClientRect().bottom < 2 * innerHeight) return { Apart: false, Bad: out };
	const root = document.documentElement, to = async f => {
		f.scrollIntoView();
		for (let i = 0; i < 4; i++) await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
	};
	const svg = f => f.querySelector(".live svg"), stands = f => !!svg(f) && svg(f).checkVisibility();
	const ink = () => { const p = document.body.appendChild(document.createElement("p"));
		p.style.color = "var(--ink)"; const c = getComputedStyle(p).color; p.remove(); return c; };
	const has = (f, colour) => [...svg(f).querySelectorAll("text")].some(t => getComputedStyle(t).fill === colour);
	const chinese = f => /[\u4e00-\u9fff]/.test(svg(f).textContent);
	const say = (when, what) => out.push(when + ": " + what);

	await to(far);
	await to(near);
	if (!stands(near) || !stands(far)) { say("at first", "the first or the last chart is not drawn"); return { Apart: true, Bad: out }; }
	const was = ink(), drawn = far.querySelector(".live").innerHTML;
	const theme = document.getElementById("theme"), lang = document.getElementById("lang");
	while (ink() === was) theme.click();
	if (!has(near, ink()) || has(near, was)) say("another theme", "the chart in sight has not its ink");
	if (stands(far)) say("another theme", "the chart far away is not hidden");
	if (far.querySelector(".live").innerHTML !== drawn) say("another theme", "the chart far away is drawn at once");
	await to(far);
	if (!stands(far) || !has(far, ink()) || has(far, was)) say("another theme", "the chart that came near has not its ink");
	await to(near);
	while (ink() !== was || root.dataset.theme) theme.click();
	const chart = echarts.getInstanceByDom(near.querySelector(".live")), legend = () => chart.getOption().legend[0],
		off = () => Object.values(legend().selected).filter(on => !on).length;
	chart.dispatchAction({ type: "legendToggleSelect", name: legend().data[0] });
	lang.click();
	if (off() !== 1) say("Chinese", off() + " series of the chart in sight are hidden, want the one that its reader hid");
	if (!chinese(near)) say("Chinese", "the chart in sight has no Chinese");
	if (stands(far)) say("Chinese", "the chart far away is not hidden");
	lang.click();
	chart.dispatchAction({ type: "legendToggleSelect", name: legend().data[0] });
	if (chinese(near)) say("English", "the chart in sight is Chinese");
	await to(far);
	if (!stands(far) || chinese(far) || !has(far, was)) say("English", "the chart that came near is not English, or has not its ink");
	await to(near);
	return { Apart: true, Bad: out };
})()`
