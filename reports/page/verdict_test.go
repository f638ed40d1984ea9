package page

import (
	"fmt"
	"slices"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/notebook"
)

// A tally counts each verdict by itself, in the order of all verdicts, and says how many of its claims are derived.
func TestTallies(t *testing.T) {
	of := func(verdict string) result.Claim { return result.Claim{Verdict: verdict} }
	derived := result.Claim{Verdict: claims.Within, Remark: claims.DerivedRemark}
	ts := Count([]result.Claim{of(claims.Input), of(claims.Differs), derived, of(claims.Undecided), of(claims.Within), of(claims.Undecided),
		of(claims.Equal), of(claims.NotStated)})
	got := ""
	for _, x := range ts {
		got += fmt.Sprintf("%s %d", x.Key, x.N)
		for _, p := range x.Of {
			got += fmt.Sprintf(" %s %d", p.Key, p.N)
		}
		got += "; "
	}
	if want := "holds 3 derived 1; not 1; cannot 2; input 1; "; got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
	if RemarkOn(result.Claim{Verdict: claims.Within}).Word.En() != "" {
		t.Error("a remark on a claim that needs none")
	}
}

// Every kind and every verdict has its words in both languages.
func TestWordsOfKindsAndVerdicts(t *testing.T) {
	two := func(what string, texts ...notebook.Both) {
		for _, s := range texts {
			if s.En() == "" || s.Zh() == "" {
				t.Errorf("%s: %q, %q", what, s.En(), s.Zh())
			}
		}
	}
	for _, k := range kindOrder {
		two(k, Kinds[k], kindNames[k])
	}
	for _, v := range Verdicts {
		two(v.Key, v.Word, v.Means)
	}
	for _, r := range remarks {
		two(r.Key, r.Word, r.Means)
	}
	var keys []string
	signs := map[string]bool{}
	for _, v := range Verdicts {
		keys, signs[v.Sign] = append(keys, v.Key), true
	}
	if !slices.Equal(keys, claims.Words) || len(signs) != len(keys) {
		t.Errorf("the verdicts are %q, want %q, with a sign each: %v", keys, claims.Words, signs)
	}
	for _, v := range claims.Verdicts {
		if _, ok := FindVerdict(v); !ok {
			t.Errorf("%s has no words", v)
		}
	}
	if len(Kinds) != len(kindOrder) || len(kindNames) != len(kindOrder) {
		t.Errorf("%d kinds, %d in order, %d names", len(Kinds), len(kindOrder), len(kindNames))
	}
}
