package codedsgd

import (
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	_ "gradsync/shared/tensor/engine/portable"
)

// Every sentence of the paper has exactly one verdict, where it belongs, in each profile's
// results: none is passed over, none is judged where it looks best.
func TestEveryClaimIsJudgedOnce(t *testing.T) {
	// Gaps: C09 and C12 are not run where a profile does not meet the paper's protocol.
	paper := kittest.Paper{List: Experiments, Letters: "C", Rows: 35, Gaps: true, Results: "../results"}
	made := paper.Made(t)
	for _, r := range made {
		for _, c := range r.Claims {
			if r.ID != "codedsgd/"+where[c.ID] {
				t.Errorf("%s is judged in %s, want in %s", c.ID, r.ID, where[c.ID])
			}
		}
	}
	paper.Judged(t, made)
}

// where says which experiment judges each claim.
var where = map[string]string{
	"C01": "fig14", "C02": "fig14", "C03": "fig14", "C04": "fig15", "C05": "fig15", "C06": "fig15", "C07": "fig6", "C08": "fig7",
	"C09": "table1", "C10": "fig12", "C11": "fig13", "C12": "fig14", "C13": "quantisation", "C14": "proof", "C15": "proof", "C16": "proof", "C17": "proof",
	"C18": "accounting", "C19": "fig12", "C20": "fig11", "C21": "fig8", "C22": "proof", "C23": "proof", "C24": "table1", "C25": "fig12", "C26": "fig13",
	"C27": "overcount", "C28": "accounting", "C29": "accounting", "C30": "table2", "C31": "fig10", "C32": "quantisation", "C33": "fig14",
	"C34": "fig12", "C35": "fig8",
}

// paged are the experiments in the order of the page.
var paged = []string{"fig1", "fig2", "fig3", "proof", "overcount", "accounting",
	"table1", "table2", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10", "fig11", "fig12", "fig13", "fig14", "fig15",
	"abstracts", "quantisation", "speed", "survival"}

// Every experiment runs in every profile, but survival, of which real data change nothing that it asks. Each says where it comes from, and estimates its
// time, more for more.
func TestExperimentsAreWhole(t *testing.T) {
	var got []string
	for _, e := range Experiments() {
		got = append(got, strings.TrimPrefix(e.ID, "codedsgd/"))
		profiles := exp.Profiles
		if e.ID == "codedsgd/survival" {
			profiles = []string{"ci", "quick"}
		}
		if !slices.Equal(e.Profiles, profiles) || e.Run == nil || !strings.HasPrefix(e.Source, "CSSGD, ") {
			t.Errorf("%s: profiles %v, title %q, source %q", e.ID, e.Profiles, e.Title, e.Source)
		}
		ci, quick, standard, paper := e.Seconds("ci", 1), e.Seconds("quick", 3), e.Seconds("standard", 3), e.Seconds("paper", 3)
		if !(ci > 0 && ci <= quick && quick <= standard && standard <= paper) {
			t.Errorf("%s: estimates %g, %g, %g, %g s", e.ID, ci, quick, standard, paper)
		}
	}
	if !slices.Equal(got, paged) {
		t.Errorf("%v, want %v", got, paged)
	}
}
