package codedsgd

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/codedtest"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	_ "gradsync/shared/tensor/engine/portable"
)

const committed = "../results"

// Every sentence of the paper has exactly one verdict in a run of profile ci, here and
// now: none is passed over, none is judged where it looks best.
func TestEveryClaimIsJudgedOnce(t *testing.T) {
	judgedOnce(t, func(e exp.Experiment) [][2]string { return verdicts(codedtest.Ran(t, e, "ci", 0)) })
}

func verdicts(r *result.Result) (out [][2]string) {
	for _, c := range r.Claims {
		out = append(out, [2]string{c.ID, c.Verdict})
	}
	return out
}

// The same of the committed results.
func TestEveryClaimIsJudgedOnceAmongCommittedResults(t *testing.T) {
	for _, profile := range []string{"ci", "quick", "standard"} {
		t.Run(profile, func(t *testing.T) {
			judgedOnce(t, func(e exp.Experiment) (out [][2]string) {
				raw, err := os.ReadFile(result.Path(committed, e.ID, profile))
				if err != nil {
					t.Fatalf("%s has no committed result: %v (make publish)", e.ID, err)
				}
				var r struct { // what both versions of the schema hold
					ID, Status string
					Claims     []struct{ ID, Verdict string }
				}
				if err := json.Unmarshal(raw, &r); err != nil || r.Status != result.Complete || r.ID != e.ID {
					t.Errorf("%s: committed as %q, status %s, %v", e.ID, r.ID, r.Status, err)
				}
				for _, c := range r.Claims {
					out = append(out, [2]string{c.ID, c.Verdict})
				}
				return out
			})
		})
	}
}

// where says which experiment judges each claim.
var where = map[string]string{
	"C01": "fig14", "C02": "fig14", "C03": "fig14", "C04": "fig15", "C05": "fig15", "C06": "fig15", "C07": "fig6", "C08": "fig7",
	"C09": "table1", "C10": "fig12", "C11": "fig13", "C12": "fig14", "C13": "quantisation", "C14": "proof", "C15": "proof", "C16": "proof", "C17": "proof",
	"C18": "accounting", "C19": "fig12", "C20": "fig11", "C21": "fig8", "C22": "proof", "C23": "proof", "C24": "table1", "C25": "fig12", "C26": "fig13",
	"C27": "overcount", "C28": "accounting", "C29": "accounting", "C30": "table2", "C31": "fig10", "C32": "quantisation", "C33": "fig14",
	"C34": "fig12", "C35": "fig8",
}

func judgedOnce(t *testing.T, open func(exp.Experiment) [][2]string) {
	t.Helper()
	judged := map[string][]string{}
	for _, e := range Experiments() {
		for _, c := range open(e) {
			judged[c[0]] = append(judged[c[0]], strings.TrimPrefix(e.ID, "codedsgd/"))
			if c[1] == claims.NotRun || c[1] == claims.NotStated {
				t.Errorf("%s: %s is %s", e.ID, c[0], c[1])
			}
		}
	}
	rows := 0
	for _, c := range claims.All() {
		if c.Paper != "CSSGD" {
			continue
		}
		rows++
		if in := judged[c.ID]; !slices.Equal(in, []string{where[c.ID]}) {
			t.Errorf("%s is judged in %v, want once, in %s", c.ID, in, where[c.ID])
		}
		delete(judged, c.ID)
	}
	for id, in := range judged {
		t.Errorf("%s, in %v, is no claim of this paper", id, in)
	}
	if rows != 35 || len(where) != rows {
		t.Errorf("%d rows, want C01–C35, judged in %d places", rows, len(where))
	}
}

// paged are the experiments in the order of the page.
var paged = []string{"fig1", "fig2", "fig3", "proof", "overcount", "accounting",
	"table1", "table2", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10", "fig11", "fig12", "fig13", "fig14", "fig15",
	"abstracts", "quantisation", "speed"}

// Every experiment runs in every profile, says where it comes from, and estimates its
// time, more for more.
func TestExperimentsAreWhole(t *testing.T) {
	var got []string
	for _, e := range Experiments() {
		got = append(got, strings.TrimPrefix(e.ID, "codedsgd/"))
		if !slices.Equal(e.Profiles, exp.Profiles) || e.Run == nil || !strings.HasPrefix(e.Source, "CSSGD, ") {
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
