package reports

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// The experiments that a narrative or a note names are links where the pages have them, and words where they do not.
func TestExperimentsThatAreNamedAreLinks(t *testing.T) {
	at := experimentPages{"codedsgd/proof": true, "dasp/table7": true}
	for html, want := range map[string][2]string{
		"<code>codedsgd/proof</code>": {`<a href="codedsgd/proof.html"><code>codedsgd/proof</code></a>`,
			`<a href="../codedsgd/proof.html"><code>codedsgd/proof</code></a>`},
		"<code>dasp/table7</code>": {`<a href="dasp/table7.html"><code>dasp/table7</code></a>`, "<code>dasp/table7</code>"}, // its own page
		"<code>dasp/table8</code>": {"<code>dasp/table8</code>", "<code>dasp/table8</code>"},
		"dasp/table7":              {"dasp/table7", "dasp/table7"},
	} {
		if got := [2]string{at.link(html), at.linkFrom("dasp/table7", html)}; got != want {
			t.Errorf("%s becomes %q, want %q", html, got, want)
		}
	}
	own := pageOf(t, "compare/example-when.html")
	for _, want := range []string{`<a href="../codedsgd/example-load.html"><code>codedsgd/example-load</code></a> says why, <code>codedsgd/none</code> ` +
		`does not, and <code>compare/example-when</code> is here`} {
		if !strings.Contains(own, want) {
			t.Errorf("the page of a result lacks %s", want)
		}
	}
}

// A narrative that is in Chinese is so in all chapters, and has none besides.
func TestANarrativeIsInBothLanguagesOrInOne(t *testing.T) {
	cut := func(src string) []chunk { return oktest.Must(chunks("a text", src))(t) }
	of := teller{key: "ring", at: experimentPages{}}
	en := cut("## Rings {#rings}\nFive in a ring.\n### Cost {#cost}\nA price.\n")
	for _, c := range []struct{ zh, want string }{
		{"## 环 {#rings}\n五个一环。\n", "chapter cost is not in Chinese"},
		{"### 代价 {#cost}\n代价。\n", "chapter rings is not in Chinese"},
		{"## 环 {#rings}\n五个一环。\n### 代价 {#cost}\n代价。\n## 多余 {#more}\n多余。\n", "chapter more is not in English"},
	} {
		if _, err := of.bilingual(en, cut(c.zh)); err == nil || err.Error() != "reports: text of ring: "+c.want {
			t.Errorf("%q: %v, want %s", c.zh, err, c.want)
		}
	}
	both, err := of.bilingual(en, cut("## 环 {#rings}\n五个一环。\n### 代价 {#cost}\n代价。\n"))
	if err != nil || len(both) != 2 || !strings.Contains(string(both[1].HTML()), `<div class="zh" lang="zh"><p>代价。`) {
		t.Errorf("both languages: %v, %v", both, err)
	}
	one, err := of.bilingual(en, nil)
	if err != nil || len(one) != 2 || strings.Contains(string(one[0].HTML()), "lang=") {
		t.Errorf("English alone: %v, %v", one, err)
	}
}

// references matches what a narrative points to: sections, formulas, figures and experiments.
var references = regexp.MustCompile("\\]\\(([^)]*#[^)]*)\\)|`([a-z]+/[a-z0-9-]+)`|\\[\\[([^\\]]+)\\]\\]")

// Both languages have the same headings in the same order, and below each the same
// formulas, figures, experiments and numbers of table rows and points.
func TestNarrativesAgree(t *testing.T) {
	files, err := fs.Glob(wordFiles, "text/*.en.md")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d narratives: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "text/"), ".en.md")
		en, zh := chunksOf(t, name+".en.md"), chunksOf(t, name+".zh.md")
		if len(zh) == 0 {
			t.Errorf("%s: no Chinese", name)
			continue
		}
		if len(en) != len(zh) {
			t.Errorf("%s: %d chapters, %d in Chinese", name, len(en), len(zh))
			continue
		}
		for i, c := range en {
			z := zh[i]
			if c.id != z.id || c.level != z.level {
				t.Errorf("%s: chapter %d is %s, in Chinese %s", name, i, c.id, z.id)
				continue
			}
			if a, b := pointsTo(c.body), pointsTo(z.body); !slices.Equal(a, b) {
				t.Errorf("%s, %s: refers to %q, in Chinese to %q", name, c.id, a, b)
			}
			for _, sign := range []string{"\n| ", "\n- "} {
				if n, m := strings.Count("\n"+c.body, sign), strings.Count("\n"+z.body, sign); n != m {
					t.Errorf("%s, %s: %d × %q, in Chinese %d", name, c.id, n, sign, m)
				}
			}
		}
	}
}

// variables are the lines at the head of a narrative that name results.
var variables = regexp.MustCompile(`(?m)^\{\{\$[a-z]+ := result [^}]*\}\}\n`)

// chunksOf cuts a narrative before its numbers are bound; none where there is no such file.
func chunksOf(t *testing.T, name string) []chunk {
	t.Helper()
	src, err := wordFiles.ReadFile("text/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	oktest.Nil(t, err)
	return oktest.Must(chunks(name, variables.ReplaceAllString(string(src), "")))(t)
}

// pointsTo lists references, sorted: languages order them differently.
func pointsTo(body string) []string {
	var out []string
	for _, m := range references.FindAllStringSubmatch(body, -1) {
		out = append(out, m[1]+m[2]+m[3])
	}
	slices.Sort(out)
	return out
}

func TestNarrativeWithoutID(t *testing.T) {
	for name, src := range map[string]string{"no id": "## Words\n", "deep": "#### Words {#w}\n", "before": "words\n## W {#w}\n"} {
		if _, err := chunks(name, src); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
