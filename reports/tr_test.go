package reports

import (
	"html/template"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func talker(of map[string]string) *translator {
	return &translator{of: of, missing: map[string]map[string]bool{}}
}

func TestTranslator(t *testing.T) {
	tr := talker(map[string]string{
		"After # pushes # wait.": "#1 次推送后有 #2 个在等。", "Nobody waits.": "无人等待。", "ASP": "",
	})
	for en, want := range map[string]template.HTML{
		"After 1,200 pushes 3 wait.": `<span class="en">After 1,200 pushes 3 wait.</span><span class="zh" lang="zh">1,200 次推送后有 3 个在等。</span>`,
		"After 7 pushes 0.5 wait. Nobody waits.": `<span class="en">After 7 pushes 0.5 wait. Nobody waits.</span>` +
			`<span class="zh" lang="zh">7 次推送后有 0.5 个在等。无人等待。</span>`,
		"ASP":                    "ASP",
		"12.5":                   "12.5",
		"After # pushes 3 wait.": "After # pushes 3 wait.",
		"Unheard of <b>.":        "Unheard of &lt;b&gt;.",
		"Nobody waits. Unheard.": "Nobody waits. Unheard.",
		"Nobody waits.; ASP":     `<span class="en">Nobody waits.; ASP</span><span class="zh" lang="zh">无人等待。；ASP</span>`,
	} {
		if got := tr.both(en, escaped); got != want {
			t.Errorf("both(%q) = %q, want %q", en, got, want)
		}
	}
	if got, want := slices.Sorted(maps.Keys(tr.missing[""])), []string{"After # pushes # wait.", "Unheard of <b>.", "Unheard."}; !slices.Equal(got, want) {
		t.Errorf("missing %q, want %q", got, want)
	}
	if got := tr.label("aria-label", "Nobody waits."); got != `aria-label="Nobody waits." data-named="aria-label" data-zh-aria-label="无人等待。"` {
		t.Errorf("label: %s", got)
	}
}

// A word with its own Chinese on a page has it there alone, its numbers too.
func TestChineseOfOnePage(t *testing.T) {
	tr := talker(map[string]string{"switch #": "#1 号交换机", "page dasp: switch #": "开关 #1"})
	for page, want := range map[string]string{"dasp": "开关 3", "ring": "3 号交换机", "": "3 号交换机"} {
		tr.page = page
		if got, ok := tr.zh("switch 3"); got != want || !ok {
			t.Errorf("page %q: %q, want %q", page, got, want)
		}
	}
}

func TestClausesOf(t *testing.T) {
	if got, want := clausesOf("a; b (c; d); e;f"), []string{"a", "b (c; d)", "e;f"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestChineseKeepsNumbers(t *testing.T) {
	for _, c := range []struct {
		en, zh string
		ok     bool
	}{
		{"# of #", "#2 中的 #1", true}, {"# of #", "", true}, {"# of #", "#1", false}, {"# of #", "#1 #3", false},
		{"# of #", "#1 #2 7", false}, {"none", "无", true}, {"none", "#1", false},
	} {
		if err := fits(c.en, c.zh); (err == nil) != c.ok {
			t.Errorf("fits(%q, %q) = %v", c.en, c.zh, err)
		}
	}
	tr, err := newTranslator()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range tr.twice {
		t.Error(line)
	}
}

// references are what a narrative points to: sections, formulas, figures and experiments.
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
		en, err := narrative(name + ".en.md")
		if err != nil {
			t.Fatal(err)
		}
		zh, err := narrative(name + ".zh.md")
		if err != nil {
			t.Fatal(err)
		}
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
			a, b := pointsTo(c.body), pointsTo(z.body)
			if !slices.Equal(a, b) {
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
