package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// boxes are the widgets of a page, but those of a profile that is not chosen.
const boxes = `[...document.querySelectorAll(".widget")].filter(w => !w.closest(".profiled") || w.closest(".profiled").checkVisibility())`

// widgets: what a reader can work does something: every button changes its picture or words, and so does every slider
// by the arrow keys. It returns how many widgets there are, and how many buttons that play.
func widgets(b *tab) (total, played int) {
	b.media("screen", "prefers-reduced-motion", "reduce") // a step is done at once
	total = eval[int](b, boxes+`.length`)
	for i := range total {
		work(b, i)
	}
	b.media("screen", "prefers-reduced-motion", "no-preference")
	for i := range total {
		played += plays(b, i)
	}
	return total, played
}

// plays tries the buttons that only a reader without a wish for less motion sees; it returns how many there are.
func plays(b *tab, i int) int {
	b.t.Helper()
	type outcome struct {
		N    int
		Dead []string
	}
	o := eval[outcome](b, fmt.Sprintf(`(async () => {
		const box = %s[%d], all = [...box.querySelectorAll("button.plays")].filter(b => b.checkVisibility()), dead = [];
		const pause = done => setTimeout(done, 100), name = b => b.getAttribute("aria-label");
		for (const b of all) {
			const was = name(b), drawn = box.querySelector(".stage").innerHTML;
			b.click();
			for (let k = 0; k < 1200 && (name(b) === was || box.querySelector(".stage").innerHTML === drawn); k++) await new Promise(pause);
			if (name(b) === was || box.querySelector(".stage").innerHTML === drawn) dead.push(was);
			b.click();
			if (name(b) !== was) dead.push("not " + was);
			const still = box.querySelector(".stage").innerHTML;
			await new Promise(pause);
			if (box.querySelector(".stage").innerHTML !== still) dead.push("after " + was);
		}
		return { n: all.length, dead };
	})()`, boxes, i))
	for _, d := range o.Dead {
		b.t.Errorf("widget %d: the button %q does not play and stop", i, d)
	}
	return o.N
}

// work tries every control of a page's widget number i.
func work(b *tab, i int) {
	b.t.Helper()
	box := fmt.Sprintf(`%s[%d]`, boxes, i)
	name := eval[string](b, box+`.getAttribute("aria-label") || ""`)
	if name == "" {
		b.t.Errorf("widget %d has no name", i)
	}
	if !eval[bool](b, box+`.scrollIntoView(), `+box+`.checkVisibility()`) {
		b.t.Errorf("widget %q is not shown", name)
		return
	}
	// First and Back do nothing before another button did something.
	dead := eval[[]string](b, `(async () => {
		const box = `+box+`, buttons = [...box.querySelectorAll("button")].filter(b => b.checkVisibility());
		async function changes(b) {
			if (b.disabled) return false;
			const was = box.innerHTML;
			b.click();
			for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
			return box.innerHTML !== was;
		}
		const dead = [];
		for (const b of buttons) {
			let works = await changes(b);
			for (const other of buttons) {
				if (works) break;
				if (other !== b && await changes(other)) works = await changes(b);
			}
			if (!works) dead.push(b.textContent || b.getAttribute("aria-label"));
		}
		return dead;
	})()`)
	for _, d := range dead {
		b.t.Errorf("widget %q: the button %q changes nothing", name, d)
	}
	// A diagram that steps does so by the arrow keys, too.
	if eval[bool](b, `!!`+box+`.querySelector(".stepper")`) {
		eval[any](b, box+`.querySelector("[role=group][tabindex='0']").focus()`)
		b.press(kb.Home)
		was := eval[string](b, box+`.innerHTML`)
		for _, k := range []struct{ name, key string }{{"End", kb.End}, {"Home", kb.Home}, {"right arrow", kb.ArrowRight}, {"left arrow", kb.ArrowLeft}} {
			b.press(k.key)
			now := eval[string](b, box+`.innerHTML`)
			if now == was {
				b.t.Errorf("widget %q: the key %s changes nothing", name, k.name)
			}
			was = now
		}
	}
	controls := eval[int](b, box+`.querySelectorAll("button").length`)
	sliders := eval[int](b, box+`.querySelectorAll("input[type=range]:not(:disabled)").length`)
	for k := range sliders {
		at, moved := fmt.Sprintf(`%s.querySelectorAll("input[type=range]:not(:disabled)")[%d]`, box, k), false
		for _, key := range []string{kb.ArrowRight, kb.ArrowLeft} {
			eval[any](b, at+`.focus()`)
			was := eval[string](b, box+`.innerText`)
			b.press(key)
			b.frames(2)
			moved = moved || eval[string](b, box+`.innerText`) != was
		}
		if !moved {
			b.t.Errorf("widget %q: the arrow keys on slider %d change nothing", name, k)
		}
	}
	if controls+sliders == 0 {
		b.t.Errorf("widget %q has neither button nor slider", name)
	}
}

// TestPlayground: its module starts, and every slider changes the results by the
// arrow keys.
func TestPlayground(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.open(filepath.Join(folder(t), "playground.html"))
	if !eval[bool](b, `(async () => {
		for (let k = 0; k < 6000 && document.getElementById("try").hidden; k++) await new Promise(done => setTimeout(done, 20));
		document.querySelector("details.more-sliders").open = true;
		return !document.getElementById("try").hidden;
	})()`) {
		t.Fatal("the sliders do not appear")
	}
	sliders := eval[[]string](b, `[...document.querySelectorAll("#try input[type=range]")].map(e => e.id)`)
	if len(sliders) < 5 {
		t.Errorf("%d sliders, want at least 5: %q", len(sliders), sliders)
	}
	for _, id := range sliders {
		moved := false
		for _, key := range []string{kb.ArrowRight, kb.ArrowLeft} {
			was := eval[string](b, `document.getElementById("`+id+`").focus(), document.getElementById("try").innerText`)
			b.press(key)
			b.frames(2)
			moved = moved || eval[string](b, `document.getElementById("try").innerText`) != was
		}
		if !moved {
			t.Errorf("the arrow keys on %s change nothing", id)
		}
	}
}
