package claims

import (
	"testing"

	result "gradsync/experiments/result1"
)

// What the judge says of an interval that holds the null is undecided; a clear
// difference, one on the other side, one that holds and one of another verdict are not.
func TestUndecided(t *testing.T) {
	for _, c := range []struct {
		value  float64
		ci     *[2]float64
		want   bool
		reason string
	}{
		{30, &[2]float64{-5, 65}, true, "the interval holds 0"},
		{30, &[2]float64{25, 35}, false, "another size, and clear"},
		{-30, &[2]float64{-65, 5}, false, "the other side"},
		{0, &[2]float64{0, 0}, false, "no difference"},
		{17, &[2]float64{-1, 35}, false, "within the tolerance"},
	} {
		judged := Judge("D01", Evidence{Value: c.value, CI95: c.ci, Seeds: 3})
		if Undecided(judged) != c.want {
			t.Errorf("%s: %s, %q: undecided %t", c.reason, judged.Verdict, judged.Why, !c.want)
		}
	}
	if Undecided(result.Claim{Verdict: Differs, Why: "another size; elsewhere the interval contains the null 0"}) {
		t.Error("a later reason counts as the first")
	}
}

// A number that was put in says so by its reasons, by what differs or by its row.
func TestGiven(t *testing.T) {
	for _, c := range []struct {
		claim result.Claim
		want  bool
	}{
		{Judge("D41", Evidence{Value: 6, Note: SetAsStated + "; plus one"}), true},
		{Judge("C09", Evidence{Value: 8, Note: "the most; " + Set}), true},
		{Judge("D37", Evidence{Value: "1.8-61.2", Note: "recomputed; " + NothingRun}), true},
		{result.Claim{ID: "B06", Differs: []string{"another", TakenOver}}, true},
		{result.Claim{ID: "C12", Verdict: Differs}, true},
		{Judge("D41", Evidence{Value: 6, Note: "counted"}), false},
		{result.Claim{ID: "B10", Differs: []string{"data"}}, false},
	} {
		if Given(c.claim) != c.want {
			t.Errorf("%s %q %q: given %t", c.claim.ID, c.claim.Why, c.claim.Differs, !c.want)
		}
	}
}

// What follows from the source's numbers is no number of the source.
func TestDerived(t *testing.T) {
	for id, want := range map[string]bool{"D42": true, "C27": true, "C28": true, "D41": false, "D37": false} {
		if c := Judge(id, Evidence{NotRun: "here"}); Derived(c) != want {
			t.Errorf("%s of %q: derived %t", id, c.Source, !want)
		}
	}
}
