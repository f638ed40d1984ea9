package reports

import (
	"html/template"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// exampleProof has the columns of codedsgd/proof, and a step that fails.
func exampleProof() *result.Result {
	r := newFixture("codedsgd/proof", "Example: the proof, step by step", "Example §2.4", result.Counted)
	r.Data, r.Engine, r.Seeds = nil, "", nil
	t := result.Table{ID: "steps", Title: "Every step", Caption: "Invented.", Columns: []result.Column{
		{Key: "equation", Title: "equation"}, {Key: "says", Title: "what it says"}, {Key: "printed", Title: "as printed"}, {Key: "corrected", Title: "as it holds"},
		{Key: "cases", Title: "cases"}, {Key: "verdict", Title: "verdict"}, {Key: "wrong", Title: "printed wrong in"}, {Key: "smallest", Title: "smallest counter-example"}},
		Rows: [][]any{
			{"(24)", "what r+1 nodes have in common", "|D_{i_1} ∩ D_{i_{r+1}}| = r+1", "P_{M∖k} & <b>", 11, "printed wrong, corrected holds", "11 of 11", "n = 2, r = 1: counted 0, as printed 2"},
			{"(20)", "blocks that a node has", "D_left", "as printed", 11, "holds as printed", nil, ""},
			{"Alg. 3, r = 1", "invented", "1", "2", 11, "fails", "1 of 11", "n = 1"},
		}}
	r.Tables = []result.Table{t}
	return r
}

// A step that fails is printed as large as one that holds, each leads to its equation,
// and no word is lost.
func TestProofTable(t *testing.T) {
	box := cut(t, pageOf(t, "codedsgd.html"), `id="proof-steps"`, "</table>")
	for _, want := range []string{
		`class="data proof"`, `<a href="#eq24">(24)</a>`, `<a href="#alg3">Alg. 3, r = 1</a>`,
		`<span class="chip v-differs"><span class="sign" aria-hidden="true">✗</span> printed wrong</span> <span class="chip v-equal"><span class="sign" aria-hidden="true">＝</span> corrected holds</span>`,
		`<span class="chip v-equal"><span class="sign" aria-hidden="true">＝</span> holds as printed</span>`,
		`<span class="chip v-differs"><span class="sign" aria-hidden="true">✗</span> fails</span>`,
		"|D<sub>i<sub>1</sub></sub> ∩ D<sub>i<sub>r+1</sub></sub>| = r+1", "P<sub>M∖k</sub> &amp; &lt;b&gt;", "D<sub>left</sub>",
		`;--c4:'as it holds';`, `;--c8:'smallest counter-example';`, "n = 2, r = 1: counted 0, as printed 2",
	} {
		if !strings.Contains(box, want) {
			t.Errorf("the table lacks %s:\n%s", want, box)
		}
	}
	for s, want := range map[string]template.HTML{"§2.2": `<a href="#s2.2">§2.2</a>`, "lemma": "lemma"} {
		if got := linkNumber(s); got != want {
			t.Errorf("%s becomes %s", s, got)
		}
	}
	if got := proved("holds corrected; printed never wrong"); !strings.Contains(string(got), "v-equal") {
		t.Errorf("a form that holds: %s", got)
	}
}
