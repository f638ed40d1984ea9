package accounting

import (
	"math/big"
	"slices"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

func sizesUpTo(t *testing.T, most int) []placement {
	t.Helper()
	return oktest.Must(countPlacements(t.Context(), 2, most))(t)
}

// One row per n and r, whose numbers are those of the design's table.
func TestLoadsTable(t *testing.T) {
	sizes := sizesUpTo(t, 10)
	table, column := loads(sizes), map[string]int{}
	for i, c := range table.Columns {
		column[c.Key] = i
		if (c.Unit == "") != (i < 2 || c.Key == "sends") {
			t.Errorf("column %s has unit %q", c.Key, c.Unit)
		}
	}
	if len(table.Rows) != 54 {
		t.Errorf("%d rows, want 2 + 3 + … + 10", len(table.Rows))
	}
	for _, want := range []struct {
		n, r                                    int
		coded, unicast, blocks, ssgd, pair, all float64
	}{
		{3, 2, 1.5, 6, 3, 3, 6, 4}, {8, 3, 280. / 3, 392, 56, 8, 56, 14}, {10, 2, 180, 405, 45, 10, 90, 18}, {10, 9, 10. / 9, 90, 10, 10, 90, 18},
	} {
		for _, row := range table.Rows {
			if row[0] != want.n || row[1] != want.r {
				continue
			}
			for key, v := range map[string]float64{"coded": want.coded, "blocks-unicast": want.unicast, "blocks": want.blocks,
				"ssgd": want.ssgd, "ssgd-unicast": want.pair, "ring": want.all} {
				if got := row[column[key]].(float64); got < v*(1-1e-12) || got > v*(1+1e-12) {
					t.Errorf("n = %d, r = %d, %s: %g, want %g", want.n, want.r, key, got, v)
				}
			}
		}
	}
	if equal, of := countedEqual(sizes); equal != of || of != 324 {
		t.Errorf("%d of %d are equal, want 324", equal, of)
	}
	sizes[7].Counted.Elements++ // one packet more than the closed form
	if equal, of := countedEqual(sizes); equal != of-1 {
		t.Errorf("%d of %d are equal, want one that is not", equal, of)
	}
}

// By hand: against SSGD by multicast n − 1 alone is enough, against the uncoded
// blocks more than half, against the ring from n = 5 on also n − 2.
func TestWhereCodedPacketsSendLess(t *testing.T) {
	sizes := sizesUpTo(t, 8)
	for _, c := range []struct {
		key  string
		n    int
		want string
	}{{"ssgd", 8, "7"}, {"ssgd", 2, ""}, {"uncoded", 8, "5,6,7"}, {"uncoded", 3, "2"}, {"ring", 8, "6,7"},
		{"ring", 4, "3"}, {"uncoded-unicast", 4, "2,3"}, {"sum-only", 8, "7"}, {"replicated", 8, ""}} {
		less, _ := sends(sizes, c.key)
		if got := redundanciesOf(less, c.n); got != c.want {
			t.Errorf("against %s at n = %d: r = %s, want %s", c.key, c.n, got, c.want)
		}
	}
	r := &result.Result{Frames: showWins(planOf("quick"), sizes)}
	for i, rival := range kittest.Cells(t, r, "wins", "rival") {
		want, known := map[any][]any{"coded-unicast": {21, 28, "some", 6}, "ssgd": {6, 28, "some", 1}, "blocks-unicast": {21, 28, "some", 6}}[rival]
		if row := r.Frame("wins").Rows[i]; known && !slices.Equal(row[2:], want) {
			t.Errorf("against %s: %v, want %v", rival, row[2:], want)
		}
	}
	r.Frames = showWins(planOf("quick"), sizes[:2])
	if row := r.Frame("wins").Rows[7]; row[0] != "ring" || row[4] != "none" {
		t.Errorf("two nodes: %v", row)
	}
}

// The claims, as they are and with one packet or message too many.
func TestAccountingClaims(t *testing.T) {
	sizes := sizesUpTo(t, 6)
	kittest.FoundAs(t, judgeOneNth(sizes), claims.Differs, result.Because("C18-form"), result.Because("C18-smallest", "n", 3, "r", 2, "ratio", "1/4"))
	kittest.FoundAs(t, judgeLikeForLike(sizes), claims.Equal, result.Because("C28", "of", 15, "most", 6), result.Because("C28-less", "less", 6, "late", 6))
	exact := []placement{{N: 4, R: 2}} // as if it were 1/n
	exact[0].Counted.Elements, exact[0].Counted.Alone = 9, 18
	kittest.FoundAs(t, judgeOneNth(exact), claims.Equal, result.Because("C18", "of", 1, "most", 4, "equal", 1, "form", 0))
	spoilt := sizesUpTo(t, 6)
	spoilt[3].Counted.Elements++
	kittest.FoundAs(t, judgeLikeForLike(spoilt), claims.Differs, result.Because("C28-other", "ratio", "2/3", "n", 3, "r", 2))
	loads := countStated(planOf("ci"))
	kittest.FoundAs(t, judgeStated(loads), claims.Equal)
	loads[2] = big.NewRat(281, 1)
	kittest.FoundAs(t, judgeStated(loads), claims.Differs)
}

// Real bytes are the closed forms, and a wrong one is seen.
func TestRealExchanges(t *testing.T) {
	plan := planOf("ci")
	all := oktest.Must(exchangeSizes(t.Context(), plan))(t)
	if len(all) != 9*len(realWays) || sameExchanges(all) != len(all) {
		t.Errorf("%d exchanges, %d as computed: %+v", len(all), sameExchanges(all), all)
	}
	plan.Elements++ // one that leaves a rest: packets are padded
	all = oktest.Must(exchangeSizes(t.Context(), plan))(t)
	if sameExchanges(all) == len(all) {
		t.Error("padding is not seen")
	}
}

func TestAccountingRuns(t *testing.T) {
	r := kittest.Ran(t, Experiment(), "ci")
	if len(r.Claims) != 3 || len(r.Figures) != 5 {
		t.Errorf("%d claims, %d figures", len(r.Claims), len(r.Figures))
	}
	at := r.Frame("loads").At("sends")
	for _, row := range r.Frame("loads").Rows {
		for _, key := range r.Figures[0].Y { // on a logarithmic axis
			if y := row[r.Frame("loads").At(key)]; row[at] == true && y.(float64) <= 0 {
				t.Errorf("%s: %v is drawn", key, y)
			}
		}
	}
}

// Up to n = 6, by hand: 5 + 4 + 3 + 2 + 1 sizes with r < n, one of each n on the line. On eight
// nodes CSSGD's points are 1 to 16 times as high as the line.
func TestLine(t *testing.T) {
	if points, above, on := lined(6); points != 15 || above != 10 || on != 5 {
		t.Errorf("%d points, %d above, %d on the line", points, above, on)
	}
	f, high := lineFrame(planOf("quick")), 0.0
	for _, row := range f.Rows {
		over, ok := row[f.At("over")].(float64)
		if ok = ok && row[f.At("point")] == "cssgd"; ok && over < 1 {
			t.Errorf("below the line: %v", row)
		} else if ok {
			high = max(high, over)
		}
	}
	if len(f.Rows) != 18 || high < 16 || high > 17 { // 280/3 over 40/7
		t.Errorf("%d rows, at most %g times the line", len(f.Rows), high)
	}
}
