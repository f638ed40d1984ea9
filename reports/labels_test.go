package reports

import (
	"fmt"
	"strings"
	"testing"
)

// The style of a table names each column in both languages, whatever is in the name, and
// the style sheet has a rule for each column that a table may name.
func TestColumnsAreNamedOnce(t *testing.T) {
	tr := talker(map[string]string{"time": "时间", `a "b" 'c' \ <d>`: ""})
	got := tr.labels([]columnView{{Title: "time", Unit: "s"}, {Title: `a "b" 'c' \ <d>`}, {Title: "x\ny"}})
	if want := `style="--c1:'time (s)';--z1:'时间 (s)';--c2:'a &#34;b&#34; \27 c\27  \5c  &lt;d&gt;';--c3:'x\a y'"`; string(got) != want {
		t.Errorf("labels\n%s, want\n%s", got, want)
	}
	for i := 1; i <= ruledColumns+1; i++ {
		rule := fmt.Sprintf(".data tr > :nth-child(%d) { --en: var(--c%d); --zh: var(--z%d, var(--c%d)); }", i, i, i, i)
		if n := strings.Count(cssOf(t), rule); n != 1 && i <= ruledColumns || n != 0 && i > ruledColumns {
			t.Errorf("%d rules for column %d", n, i)
		}
	}
	wide := make([]columnView, ruledColumns+1)
	if got := tr.labels(wide); strings.Contains(string(got), fmt.Sprintf("--c%d:", ruledColumns+1)) {
		t.Errorf("a column that no rule names: %s", got)
	}
}

func cssOf(t *testing.T) string {
	t.Helper()
	b, err := assets.ReadFile("assets/report.css")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
