package claims

import (
	"math/rand/v2"
	"testing"

	"gradsync/experiments/result"
)

// The rules of one part. 1 is the bound, or the margin's ends are −1 and 1.
func TestFindings(t *testing.T) {
	at := func(lo, hi float64) *[2]float64 { return &[2]float64{lo, hi} }
	for _, test := range []struct {
		name      string
		got, want string
	}{
		{"at most, below", AtMost(at(0.5, 0.9), 1), Holds},
		{"at most, up to the bound", AtMost(at(0.5, 1), 1), Holds},
		{"at most, a tie of numbers", AtMost(at(1, 1), 1), Holds},
		{"at most, open", AtMost(at(0.5, 1.5), 1), Undecided},
		{"at most, above", AtMost(at(1.1, 1.5), 1), Differs},
		{"at most, one seed", AtMost(nil, 1), Undecided},
		{"less than, below", LessThan(at(0.5, 0.9), 1), Holds},
		{"less than, up to the bound", LessThan(at(0.5, 1), 1), Undecided},
		{"less than, a tie of numbers", LessThan(at(1, 1), 1), Differs},
		{"less than, above", LessThan(at(1, 1.5), 1), Differs},
		{"less than, one seed", LessThan(nil, 1), Undecided},
		{"at least, above", AtLeast(at(1, 2), 1), Holds},
		{"at least, open", AtLeast(at(0.5, 2), 1), Undecided},
		{"at least, one seed", AtLeast(nil, 1), Undecided},
		{"more than, above", MoreThan(at(1.1, 2), 1), Holds},
		{"more than, a tie of numbers", MoreThan(at(1, 1), 1), Differs},
		{"margin, inside", Inside(at(-0.5, 0.9), -1, 1), Holds},
		{"margin, to both ends", Inside(at(-1, 1), -1, 1), Holds},
		{"margin, outside above", Inside(at(1.1, 2), -1, 1), Differs},
		{"margin, outside below", Inside(at(-3, -1.1), -1, 1), Differs},
		{"margin, over one end", Inside(at(0.5, 1.1), -1, 1), Undecided},
		{"margin, over both", Inside(at(-2, 2), -1, 1), Undecided},
		{"margin, one seed", Inside(nil, -1, 1), Undecided},
		{"every, one against", Every(Holds, Undecided, Differs, NoCase), Differs},
		{"every, one open", Every(Holds, Undecided, NoCase), Undecided},
		{"every, ties count neither way", Every(NoCase, Holds, NoCase), Holds},
		{"every, nothing but ties", Every(NoCase, NoCase), NoCase},
		{"every, none", Every(), NoCase},
		{"some, one for", Some(Differs, Undecided, Holds), Holds},
		{"some, one open", Some(Differs, Undecided), Undecided},
		{"some, all against", Some(Differs, NoCase), Differs},
		{"some, nothing but ties", Some(NoCase), NoCase},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, want %s", test.name, test.got, test.want)
		}
	}
}

// A part keeps its finding, and a claim of parts has theirs.
func TestParts(t *testing.T) {
	var parts []result.Part
	for _, f := range []string{NoCase, Holds, Undecided, Differs} {
		p := Mark(result.Part{Value: 1.0}, f)
		if got := FindingOf(p); got != f {
			t.Errorf("a part marked %s is %s", f, got)
		}
		parts = append(parts, p)
		if got, want := Verdict("D56", OfParts(parts, 3, nil)).Verdict, f; got != want {
			t.Errorf("of %d parts the claim is %s, want %s", len(parts), got, want)
		}
	}
	if p := Mark(parts[3], Undecided); p.Holds != nil || !p.Undecided {
		t.Errorf("a part marked again is %+v", p)
	}
}

// A comparison turned round is decided the other way, or open both ways.
func TestFindingsTurnedRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 2))
	other := map[string]string{Holds: Differs, Differs: Holds, Undecided: Undecided}
	for range 5000 {
		lo := rng.Float64()*4 - 2
		x := &[2]float64{lo, lo + rng.Float64()*rng.Float64()*3}
		if a, b := AtMost(x, 1), MoreThan(x, 1); b != other[a] {
			t.Fatalf("[%g, %g] is at most 1: %s, more than 1: %s", x[0], x[1], a, b)
		}
		if a, b := LessThan(x, -1), AtLeast(x, -1); b != other[a] {
			t.Fatalf("[%g, %g] is less than −1: %s, at least −1: %s", x[0], x[1], a, b)
		}
		if a, b := Inside(x, -1, 1), Inside(mirrored(x), -1, 1); a != b {
			t.Fatalf("[%g, %g] inside: %s, mirrored: %s", x[0], x[1], a, b)
		}
	}
}

// A claim in words names the parts that decide it, three at most, with their numbers.
func TestDecidingParts(t *testing.T) {
	of := func(finding, method string, value any, ci *[2]float64) result.Part {
		return Mark(result.Part{Of: map[string]string{"method": method}, Value: value, CI95: ci}, finding)
	}
	parts := []result.Part{of(Holds, "a", 1.0, nil), of(Undecided, "b", 0.5, &[2]float64{0.4, 0.6}), of(Differs, "c", 2.0, nil),
		of(Undecided, "d", nil, nil), of(Undecided, "e", 3, nil), of(Undecided, "f", 4.0, nil)}
	open := Verdict("D56", Found{Finding: Undecided, Seeds: 3, Parts: parts}).Reasons[0]
	list := open.Args["parts"].([]map[string]any)
	if open.Code != "open-parts" || len(list) != 3 || open.Args["more"] != 1 || list[0]["method"] != "b" || list[0]["lo"] != 0.4 || list[0]["value"] != 0.5 {
		t.Errorf("%+v", open)
	}
	if _, has := list[1]["value"]; has || list[2]["method"] != "e" {
		t.Errorf("%+v", list)
	}
	against := Verdict("D56", Found{Finding: Differs, Seeds: 3, Parts: parts}).Reasons[0]
	if list = against.Args["parts"].([]map[string]any); against.Code != "does-not-hold" || len(list) != 1 || list[0]["method"] != "c" ||
		against.Args["more"] != 0 {
		t.Errorf("%+v", against)
	}
	if r := Verdict("D56", Found{Finding: Differs, Seeds: 3}).Reasons[0]; r.Args != nil {
		t.Errorf("a claim without parts names %+v", r)
	}
}
