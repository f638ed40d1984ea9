package cited

import (
	"testing"

	"gradsync/internal/oktest"
)

func TestGoIsColoured(t *testing.T) {
	lines, err := coloured("func f(s string) int { // why\n\treturn len(\"a<b\") + 0x1F + 2.5e3\n}\nvar Größe, nil2 = nil, `x\ny`\nvar c = '\\''")
	oktest.Nil(t, err)
	want := []string{
		`<span class="k">func</span> <span class="nf">f</span>(s <span class="kt">string</span>) <span class="kt">int</span> { <span class="c">// why</span>`,
		"\t" + `<span class="k">return</span> <span class="nb">len</span>(<span class="s">&#34;a&lt;b&#34;</span>) + <span class="m">0x1F</span> + <span ` +
			`class="m">2.5e3</span>`,
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
