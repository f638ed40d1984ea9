package reports

import result "gradsync/experiments/result1"

// exampleCost and the two below have the ids of real experiments, and claims of
// real rows, whose criteria the page reads; their numbers are invented.
func exampleCost() *result.Result {
	r := newFixture("ring/cost", "Example: bytes by the formula and counted", "Example, All-reduce communication cost", result.TimingOnly)
	r.Data, r.Engine = nil, ""
	r.Claims = []result.Claim{
		{ID: "B08", Statement: "data transferred per GPU (image lost)", Source: "ring, Allreduce Communication Cost", Paper: "2*(N-1)*K/N", Unit: "-",
			Tolerance: ptr(0), Measured: "2*(N-1)*K/N", Verdict: "equal", Why: "Invented: counted for 111 pairs of N and K."},
		{ID: "B05", Statement: "naive reduce cost, 10 GPUs", Source: "ring, The Communication Problem", Paper: 10.8, Unit: "s",
			Tolerance: ptr(0.108), Measured: 11.1, Verdict: "differs", Why: "Invented."},
		{ID: "B14", Statement: "measured iteration, 40 GPUs", Source: "ring, Applying", Paper: "650-700", Unit: "ms",
			Tolerance: ptr(25), Measured: 666.0, Verdict: "same-sign", Why: "Invented.", Differs: []string{"the devices are assumed"}},
	}
	r.Notes = []string{"Invented: all ranks together send 2(N − 1)K bytes."}
	f := result.Figure{ID: "bytes", Title: "Bytes that each rank sends", Kind: result.TimingOnly, Form: "line", Caption: "Invented numbers.",
		Alt: "The ring's line is flat, the single reducer's rises, the two others lie on the ring's.",
		X:   result.Axis{Title: "ranks N"}, Y: result.Axis{Title: "bytes sent, in units of K", Unit: ""}}
	for i, m := range []string{"ring", "naive", "halving-doubling", "hierarchical", "bound"} {
		s := result.Series{Name: m, Group: m}
		for n := 2; n <= 11; n++ {
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, 1.11+float64(i*n)/11)
		}
		f.Series = append(f.Series, s)
	}
	r.Figures = []result.Figure{f}
	return r
}

func exampleDecisions() *result.Result {
	r := newFixture("ringsparse/decisions", "Example: what was chosen", "Example, S41 and S42", result.Trained)
	r.Claims = []result.Claim{
		{ID: "P05", Statement: "keep W_i if Swi>=Sgi else keep G_i", Source: "ringsparse, S41", Paper: "tie -> weights", Unit: "-", Tolerance: ptr(0),
			Measured: "tie -> weights", Verdict: "equal"},
		{ID: "P09", Statement: "speed-up near linear", Source: "ringsparse, abstract / benefits", Paper: "qualitative", Unit: "-", Tolerance: ptr(0.1),
			Measured: "0.111 of linear at N = 32", Verdict: "differs", Why: "Invented."},
	}
	r.Notes = []string{"Invented: 77.7 % of the blocks are chosen by the tie alone."}
	f := result.Figure{ID: "shares", Title: "Bytes by method", Kind: result.Trained, Form: "bar", Caption: "Invented numbers.", Alt: "Five bars of falling height.",
		X: result.Axis{Title: "network", Categories: []string{"MLP", "ResNet-18"}}, Y: result.Axis{Title: "bytes", Unit: "MB"}}
	t := result.Table{ID: "bytes", Title: "Bytes by method", Caption: "Invented numbers.", Columns: []result.Column{{Key: "m", Title: "method"}, {Key: "b", Title: "bytes", Unit: "MB", Digits: 2}}}
	for i, m := range []string{"dense", "ringsparse", "gradients", "weights", "all-gather"} {
		y := 11.1 / float64(i+1)
		f.Series = append(f.Series, result.Series{Name: m, Group: m, Y: []float64{y, 2 * y}})
		t.Rows = append(t.Rows, []any{m, y})
	}
	r.Figures, r.Tables = []result.Figure{f}, []result.Table{t}
	return r
}

func exampleOverlap() *result.Result {
	r := newFixture("ringsparse/overlap", "Example: one iteration", "Example, S13", result.TimingOnly)
	r.Data, r.Engine = nil, ""
	r.Figures = []result.Figure{{ID: "lanes", Title: "One iteration of one rank", Kind: result.TimingOnly, Form: "gantt", Caption: "Invented.",
		Alt: "The last layers' reduce-scatter runs below the first layers' backward bands.", X: result.Axis{Title: "virtual time", Unit: "ms"}, Y: result.Axis{Title: "what"},
		Lanes: []string{"device", "link"},
		Bands: []result.Band{{Lane: 0, From: 0, To: 11.1, State: "forward"}, {Lane: 0, From: 11.1, To: 33.3, State: "backward"}, {Lane: 0, From: 44.4, To: 45.5, State: "update"},
			{Lane: 1, From: 22.2, To: 33.3, State: "reduce-scatter"}, {Lane: 1, From: 33.3, To: 44.4, State: "all-gather"}}}}
	return r
}
