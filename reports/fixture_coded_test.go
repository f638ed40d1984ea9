package reports

import (
	"fmt"

	result "gradsync/experiments/result1"
)

// exampleLoads has the shape of codedsgd/accounting; its numbers are invented, some of
// them exact fractions, and one is missing.
func exampleLoads() *result.Result {
	r := newFixture("codedsgd/accounting", "Example: what each way of counting says", "Example §2.4", result.Modelled)
	r.Data, r.Engine, r.Seeds = nil, "", nil
	r.Claims = []result.Claim{
		{ID: "C18", Statement: "data reduced to 1/n of the naive method in general", Source: "CSSGD, 2.2", Paper: "1/n", Unit: "ratio", Tolerance: ptr(0),
			Measured: "11/111", Verdict: "differs", Why: "Invented."},
		{ID: "C28", Statement: "coded multicast over uncoded multicast of the same blocks", Source: "CSSGD, derived", Paper: "(n-r)/r", Unit: "ratio", Tolerance: ptr(0),
			Measured: "(n-r)/r", Verdict: "equal", Why: "Invented."},
	}
	t := result.Table{ID: "loads", Title: "Load of one batch", Caption: "Invented numbers.", Columns: []result.Column{
		{Key: "n", Title: "n"}, {Key: "r", Title: "r"}, {Key: "coded", Title: "CSSGD, multicast", Unit: "gradient units"},
		{Key: "blocks", Title: "SSGD block by block, unicast", Unit: "gradient units"}, {Key: "replicated", Title: "replicated workers", Unit: "gradient units"}}}
	for n := 2; n <= 5; n++ {
		for k := 1; k <= n; k++ {
			row := []any{n, k, fmt.Sprintf("%d/11", 111*n-11*k), fmt.Sprint(1111 * n), nil}
			if n%k == 0 {
				row[4] = fmt.Sprint(n)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	r.Tables = []result.Table{t}
	return r
}

// exampleExchange has the shape of codedsgd/fig2 and the packets of three nodes that
// compute two of three blocks each; its times are invented.
func exampleExchange() *result.Result {
	r := newFixture("codedsgd/fig2", "Example: what a packet holds", "CSSGD, Fig. 2", result.Counted)
	r.Data, r.Engine, r.Seeds = nil, "", nil
	t := result.Table{ID: "packets-3-2", Title: "Every packet, n = 3, r = 2", Caption: "Invented times.", Columns: []result.Column{
		{Key: "step", Title: "packet"}, {Key: "from", Title: "from node"}, {Key: "to", Title: "to nodes"}, {Key: "begin", Title: "begins", Unit: "ms", Digits: 3},
		{Key: "end", Title: "ends", Unit: "ms", Digits: 3}, {Key: "content", Title: "content"}, {Key: "decoded", Title: "decoded"}, {Key: "bytes", Title: "bytes"}, {Key: "subtracted", Title: "subtracted before"}},
		Rows: [][]any{
			{1, 0, "1, 2", 1.11, 2.22, "G0[0] + G1[0]", "node 1: G{0,2}[0]; node 2: G{0,1}[0]", 111, "node 1: G0[0]; node 2: G1[0]"},
			{2, 1, "0, 2", 1.11, 2.22, "G0[1] + G2[0]", "node 0: G{1,2}[0]; node 2: G{0,1}[1]", 111, "node 0: G0[1]; node 2: G2[0]"},
			{3, 2, "0, 1", 1.11, 3.33, "G1[1] + G2[1]", "node 0: G{1,2}[1]; node 1: G{0,2}[1]", 111, "node 0: G1[1]; node 1: G2[1]"},
		}}
	lacks := result.Table{ID: "complete-3-2", Title: "When a node has what it lacks, n = 3, r = 2", Columns: []result.Column{
		{Key: "node", Title: "node"}, {Key: "block", Title: "lacks block"}, {Key: "holders", Title: "held by"}},
		Rows: [][]any{{0, 2, "{1,2}"}, {1, 1, "{0,2}"}, {2, 0, "{0,1}"}}}
	r.Tables = []result.Table{t, lacks}
	return r
}

// exampleCompare has the shape of the page that compares all methods.
func exampleCompare() *result.Result {
	r := newFixture("compare/when", "Example: which method when", "ours: all methods beside one another", result.Trained)
	r.Notes = []string{"Invented: take the invented method when 11.1 % of the links are slow."}
	f := result.Figure{ID: "bars", Title: "Time to the target", Kind: result.Trained, Form: "bar", Caption: "Invented numbers.", Alt: "Twelve bars of falling height.",
		X: result.Axis{Title: "cluster", Categories: []string{"equal nodes"}}, Y: result.Axis{Title: "time", Unit: "s"}}
	for i, m := range compared {
		f.Series = append(f.Series, result.Series{Name: m, Group: m, Y: []float64{11.1 / float64(i+1)}})
	}
	r.Figures = []result.Figure{f}
	r.Tables = []result.Table{{ID: "more", Title: "More", Caption: "Invented.", Columns: []result.Column{{Key: "k", Title: "k"}}, Rows: [][]any{{"v"}}},
		{ID: "advice", Title: "Which to use when", Caption: "Invented.", Columns: []result.Column{{Key: "situation", Title: "situation"}, {Key: "use", Title: "use"}},
			Rows: [][]any{{"equal nodes", "the invented method; codedsgd/proof says why, codedsgd/none does not"}}}}
	r.Notes = append(r.Notes, "Invented: codedsgd/proof-steps is no experiment, codedsgd/proof is, and so is compare/when (5 and/or 6).")
	return r
}

// compared are the methods of the four documents that one figure may hold.
var compared = []string{"BSP", "ASP", "SSP", "DSSP", "DASP", "naive", "ring", "RingSparse", "SSGD", "ASGD", "CSSGD", "compressed"}
