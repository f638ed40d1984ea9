package reports

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What all results of a profile share is said once; no fact is lost, and a warning
// stays with its result.
func TestShareFacts(t *testing.T) {
	v, dirty := fact{Name: "version", Value: "1"}, fact{Name: "changes", Value: "some", Warn: true}
	sha := func(s string) fact { return fact{Name: "result sha256", Value: s, Code: true} }
	sides := []side{
		{Profile: "quick", Prov: []fact{v, dirty, sha("a")}},
		{Profile: "standard", Prov: []fact{v, sha("b")}},
		{Profile: "quick", Prov: []fact{v, dirty, sha("c")}},
	}
	got := shareFacts(sides)
	if d := cmp.Diff([]commonFacts{{"quick", []fact{v}}}, got); d != "" {
		t.Errorf("in common:\n%s", d)
	}
	for i, want := range [][]fact{{dirty, sha("a")}, {v, sha("b")}, {dirty, sha("c")}} {
		if d := cmp.Diff(want, sides[i].Prov); d != "" {
			t.Errorf("side %d keeps:\n%s", i, d)
		}
	}
}
