package reports

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"gradsync/internal/gosource"
)

func TestGoIsColoured(t *testing.T) {
	lines, err := coloured("func f(s string) int { // why\n\treturn len(\"a<b\") + 0x1F + 2.5e3\n}\nvar Größe, nil2 = nil, `x\ny`\nvar c = '\\''")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`<span class="k">func</span> <span class="nf">f</span>(s <span class="kt">string</span>) <span class="kt">int</span> { <span class="c">// why</span>`,
		"\t" + `<span class="k">return</span> <span class="nb">len</span>(<span class="s">&#34;a&lt;b&#34;</span>) + <span class="m">0x1F</span> + <span class="m">2.5e3</span>`,
		`}`,
		`<span class="k">var</span> Größe, nil2 = <span class="kc">nil</span>, <span class="s">` + "`x</span>",
		`<span class="s">y` + "`</span>",
		`<span class="k">var</span> c = <span class="s">&#39;\&#39;&#39;</span>`,
	}
	for i, w := range want {
		if string(lines[i]) != w {
			t.Errorf("line %d is\n%s, want\n%s", i+1, lines[i], w)
		}
	}
}

// TestCodeColours: code.css knows every class and step of the pages, and each colour
// of a token can be read on each ground it stands on, in both themes.
func TestCodeColours(t *testing.T) {
	css, err := os.ReadFile("assets/code.css")
	if err != nil {
		t.Fatal(err)
	}
	classes, class := map[string]bool{}, regexp.MustCompile(`class="(\w+)"`)
	for i := range papers {
		page, err := besideSource(&papers[i], gosource.All)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range page.Algs {
			if rule := fmt.Sprintf(":is(.s%d, .n%[1]d)", len(a.Steps)); !strings.Contains(string(css), rule) {
				t.Errorf("code.css lights no step %d of %s", len(a.Steps), a.ID)
			}
			for _, e := range a.Go {
				for _, l := range e.Lines {
					for _, m := range class.FindAllStringSubmatch(string(l.HTML), -1) {
						classes[m[1]] = true
					}
				}
			}
		}
	}
	if len(classes) < 7 {
		t.Errorf("only the classes %v", classes)
	}
	for c := range classes {
		if !strings.Contains(string(css), "\n."+c+" { color: var(--"+c+")") {
			t.Errorf("code.css has no colour for class %s", c)
		}
	}
	themes := regexp.MustCompile(`--k: [^}]*`).FindAllString(string(css), -1) // sets of variables: light, dark by the system, dark by choice
	if len(themes) != 3 || themes[1] == themes[0] || strings.TrimSpace(themes[1]) != strings.TrimSpace(themes[2]) {
		t.Fatalf("themes %q, want light and twice the same dark", themes)
	}
	for i, grounds := range [][]string{{"#ffffff"}, {"#191d22"}} { // --card of report.css
		v := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+): (#\w{6});`).FindAllStringSubmatch(themes[i], -1) {
			v[m[1]] = m[2]
		}
		for c := range classes {
			for _, ground := range append(grounds, v["lit"]) {
				if got := contrast(t, v[c], ground); got < 4.5 {
					t.Errorf("theme %d: %s (%s) on %s has a contrast of %.2f", i, c, v[c], ground, got)
				}
			}
		}
	}
}
