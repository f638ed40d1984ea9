package claims

import (
	"fmt"
	"testing"

	"gradsync/experiments/result"
)

// Out of scope are the times to accuracy of DSSP's Table I and nothing else; each has a reason, and none is counted;
// X13, which is judged, is of the same text and counted with no document.
func TestOutOfScope(t *testing.T) {
	n := 0
	for _, c := range All() {
		why := OutOfScope(c.ID)
		if (why != "") != (c.Paper == "DSSP" && c.Section == "Table I") {
			t.Errorf("%s, %s of %s: out of scope for %q", c.ID, c.Section, c.Paper, why)
		}
		if why != "" {
			n++
		}
	}
	if n != 12 || len(outside) != n {
		t.Errorf("%d claims out of scope, %d rows, want 12", n, len(outside))
	}
	list := []result.Claim{{ID: "X12"}, {ID: "X13"}, {ID: "D01"}}
	if got := InScope(list); len(got) != 1 || got[0].ID != "D01" || list[0].ID != "X12" {
		t.Errorf("in scope of %v: %v", list, got)
	}
	for _, raw := range []string{"id\nX01\n", "id,why\nX01,same\n", "id,why\nX01,a\nX01,b\n"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is accepted", raw)
				}
			}()
			t.Log(fmt.Sprint(parseOutside([]byte(raw))))
		}()
	}
}
