package reports

import (
	"strings"
	"testing"
)

// The experiments that a narrative or a note names are links where the pages have
// them, and words where they do not.
func TestExperimentsThatAreNamedAreLinks(t *testing.T) {
	at := places{at: map[string]string{"codedsgd/proof": "proof-standard", "dasp/table7": "table7"}, tr: &translator{missing: map[string]map[string]bool{}}}
	for html, want := range map[string]string{
		"<code>codedsgd/proof</code>": `<a href="#proof-standard"><code>codedsgd/proof</code></a>`,
		"<code>dasp/table7</code>":    `<a href="dasp.html#table7"><code>dasp/table7</code></a>`,
		"<code>dasp/table8</code>":    "<code>dasp/table8</code>",
		"dasp/table7":                 "dasp/table7",
	} {
		if got := at.link("codedsgd", html, named); got != want {
			t.Errorf("%s becomes %s", html, got)
		}
	}
	notes := at.notes("dasp", []string{"See (dasp/table7), codedsgd/proof-of and </script> & 5 %."})
	if want := `See (<a href="#table7">dasp/table7</a>), codedsgd/proof-of and &lt;/script&gt; &amp; 5` + nbsp + "%."; string(notes[0]) != want {
		t.Errorf("%s, want %s", notes[0], want)
	}
	page := pageOf(t, "compare.html")
	for _, want := range []string{`<a href="codedsgd.html#proof">codedsgd/proof</a> is, and so is <a href="#when">compare/when</a>`, "Invented: codedsgd/proof-steps is no"} {
		if !strings.Contains(page, want) {
			t.Errorf("the notes lack %s", want)
		}
	}
	if story := pageOf(t, "codedsgd.html"); !strings.Contains(story, `<a href="#accounting"><code>codedsgd/accounting</code></a>`) || strings.Contains(story, `<a href="#quantisation">`) {
		t.Error("the narrative does not link what is there, or links what is not")
	}
}

// A narrative that is in Chinese is so in all chapters, and has none besides.
func TestANarrativeIsInBothLanguagesOrInOne(t *testing.T) {
	cut := func(src string) []chunk {
		out, err := chunks("a text", src)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	at := places{at: map[string]string{}, tr: &translator{missing: map[string]map[string]bool{}}}
	en := cut("## Rings {#rings}\nFive in a ring.\n### Cost {#cost}\nA price.\n")
	for _, c := range []struct{ zh, want string }{
		{"## 环 {#rings}\n五个一环。\n", "chapter cost is not in Chinese"},
		{"### 代价 {#cost}\n代价。\n", "chapter rings is not in Chinese"},
		{"## 环 {#rings}\n五个一环。\n### 代价 {#cost}\n代价。\n## 多余 {#more}\n多余。\n", "chapter more is not in English"},
	} {
		if _, err := bilingual("ring", en, cut(c.zh), at); err == nil || err.Error() != "reports: text of ring: "+c.want {
			t.Errorf("%q: %v, want %s", c.zh, err, c.want)
		}
	}
	both, err := bilingual("ring", en, cut("## 环 {#rings}\n五个一环。\n### 代价 {#cost}\n代价。\n"), at)
	if err != nil || len(both) != 1 || !strings.Contains(string(both[0].HTML), `<div class="zh" lang="zh"><p>代价。`) {
		t.Errorf("both languages: %v, %v", both, err)
	}
	one, err := bilingual("ring", en, nil, at)
	if err != nil || len(one) != 1 || strings.Contains(string(one[0].HTML), "lang=") {
		t.Errorf("English alone: %v, %v", one, err)
	}
}

func TestProse(t *testing.T) {
	for s, want := range map[string]string{
		"|F_j| = 160·n & 5 %": "|F<sub>j</sub>| = 160·n &amp; 5" + nbsp + "%",
		"from s_L to s_U":     "from s<sub>L</sub> to s<sub>U</sub>",
		"10·2^(32−b), 2^r":    "10·2<sup>32−b</sup>, 2<sup>r</sup>",
		"-1.5 and 2-3 (-4)":   "−1.5 and 2-3 (−4)",
	} {
		if got := string(prose(s)); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}
