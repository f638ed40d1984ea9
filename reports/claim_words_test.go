package reports

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
)

// By hand: what stays a claim and what is said of its text. Conditions stay, brackets
// within brackets go with theirs, and a formula's own brackets are no conditions.
func TestSplitAsides(t *testing.T) {
	for _, c := range [][3]string{
		{"FSS keeps all version differences within Smax (FALSE literally (20 at Smax 15 simulated))", "FSS keeps all version differences within Smax", "false literally (20 at Smax 15 simulated)"},
		{"one all-reduce (image lost) (2.4/6)", "one all-reduce (2.4/6)", "image lost"},
		{"DNN training time lower than ASGD (Chinese body and conclusion) (CONFLICTS with English abstract (39.11))", "DNN training time lower than ASGD (Chinese body and conclusion)", "conflicts with English abstract (39.11)"},
		{"order of time (OPPOSITE of DASP Table 4 ordering; 4 servers x 4 P100)", "order of time (4 servers x 4 P100)", "opposite of DASP Table 4 ordering"},
		{"time reduced (INCONSISTENT: 16.9 is the min (D01..D18); 16.9 also happens to be D33)", "time reduced", "inconsistent: 16.9 is the min (D01..D18); 16.9 also happens to be D33"},
		{"data reduced (NOT SUPPORTED: (19) gives 1/r; so does (28))", "data reduced", "not supported: (19) gives 1/r; so does (28)"},
		{"compute nodes (ASGD uses one extra parameter server)", "compute nodes (ASGD uses one extra parameter server)", ""},
		{"Pw = eta*(Pg'+Pg'')+(k+1)*W0", "Pw = eta*(Pg'+Pg'')+(k+1)*W0", ""},
		{"a sum f(image lost)", "a sum f(image lost)", ""},
		{"", "", ""},
	} {
		if claim, said := splitAsides(c[0]); claim != c[1] || said != c[2] {
			t.Errorf("%q: %q and %q, want %q and %q", c[0], claim, said, c[1], c[2])
		}
	}
}

// shouted is a word in capitals that is no name of a method, a network or a data set.
var shouted = regexp.MustCompile(`\b(?:NOT|FALSE|INCONSISTENT|OPPOSITE|CONFLICTS|WRONG|ERROR|UNCLEAR)\b|\blost\b|reconstructed`)

// No claim of claims.csv shows a verdict of ours, or that it was lost, in the column of
// what the source says, and no word of it gets lost.
func TestNoClaimHoldsItsVerdict(t *testing.T) {
	split := 0
	for _, c := range claims.All() {
		s := c.Statement()
		claim, said := splitAsides(s)
		if shouted.MatchString(claim) {
			t.Errorf("%s: %q", c.ID, claim)
		}
		if said != "" {
			split++
		}
		words := func(s string) []string {
			w := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" ()[];", r) })
			slices.Sort(w)
			return w
		}
		if !slices.Equal(words(s), words(claim+" "+said)) {
			t.Errorf("%s: %q became %q and %q", c.ID, s, claim, said)
		}
	}
	if split < 25 {
		t.Errorf("%d claims have something said of their text", split)
	}
}

// The page has the aside below the claim, among its reasons.
func TestAsidesAreReasons(t *testing.T) {
	row := claimRow{Statement: "one all-reduce (image lost) (2.4/6)", Reasons: []reason{{"Criterion", "a range"}}, Found: []found{{Why: "measured"}}}
	row.settle([]judge{{Profile: "quick"}})
	want := []reason{{"Criterion", "a range"}, {"Of the text", "image lost"}, {"Why", "measured"}}
	if row.Statement != "one all-reduce (2.4/6)" || !slices.Equal(row.Reasons, want) {
		t.Errorf("%q, %v", row.Statement, row.Reasons)
	}
}
