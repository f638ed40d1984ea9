package reports

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/reports/notebook"
)

// What nearly all results of a profile say is said once; no fact is lost: who says
// otherwise keeps its own, who has a fact that another lacks keeps it, and a warning
// stays with its result.
func TestShareFacts(t *testing.T) {
	v, dirty := fact{Name: notebook.Alike("version"), Value: notebook.Alike("1")}, fact{Name: notebook.Alike("changes"), Value: notebook.Alike("some"), Warn: true}
	commit := func(s string) fact { return fact{Name: notebook.Alike("commit"), Value: notebook.Alike(s), Code: true} }
	data := fact{Name: notebook.Alike("data"), Value: notebook.Alike("mnist")}
	sides := []side{
		{Profile: "quick", Prov: []fact{commit("b"), v, dirty, data}},
		{Profile: "standard", Prov: []fact{v, commit("b")}},
	}
	for range 4 {
		sides = append(sides, side{Profile: "quick", Prov: []fact{commit("a"), v, dirty}})
	}
	sides[2].Prov = append(sides[2].Prov, data)
	for i := range sides { // one with two licences, one with none: as many as sides, and yet not everybody's
		if i != 0 {
			sides[i].Prov = append(sides[i].Prov, fact{Name: notebook.Alike("licence"), Value: notebook.Alike("MIT")})
		}
		if i == 5 {
			sides[i].Prov = append(sides[i].Prov, fact{Name: notebook.Alike("licence"), Value: notebook.Alike("MIT")})
		}
	}
	got := shareFacts(sides)
	if d := cmp.Diff([]commonFacts{{"quick", []fact{v, commit("a")}}}, got); d != "" {
		t.Errorf("in common:\n%s", d)
	}
	mit := fact{Name: notebook.Alike("licence"), Value: notebook.Alike("MIT")}
	for i, want := range [][]fact{{commit("b"), dirty, data}, {v, commit("b"), mit}, {dirty, data, mit}, {dirty, mit}, {dirty, mit}, {dirty, mit, mit}} {
		if d := cmp.Diff(want, sides[i].Prov); d != "" {
			t.Errorf("side %d keeps:\n%s", i, d)
		}
	}
}
