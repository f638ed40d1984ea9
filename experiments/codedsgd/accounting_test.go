package codedsgd

import (
	"math/big"
	"strings"
	"testing"

	"gradsync/experiments/claims"
)

func sizesUpTo(t *testing.T, most int) []size {
	t.Helper()
	sizes, err := countSizes(t.Context(), 2, most)
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

// One row per n and r, whose numbers are those of the design's table.
func TestLoadsTable(t *testing.T) {
	sizes := sizesUpTo(t, 10)
	table := loadsTable(planAccounting("quick"), sizes)
	column := map[string]int{}
	for i, c := range table.Columns {
		column[c.Key] = i
		if (i < 2) != (c.Unit == "") {
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
			for key, v := range map[string]float64{"coded": want.coded, "blocks-unicast": want.unicast, "blocks": want.blocks, "ssgd": want.ssgd, "ssgd-unicast": want.pair, "ring": want.all} {
				if got := row[column[key]].(float64); got < v*(1-1e-12) || got > v*(1+1e-12) {
					t.Errorf("n = %d, r = %d, %s: %g, want %g", want.n, want.r, key, got, v)
				}
			}
		}
	}
	if !strings.Contains(table.Caption, "324 of 324 are equal") {
		t.Errorf("the caption says %q", table.Caption)
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
	}{{"ssgd", 8, "7"}, {"ssgd", 2, "none"}, {"uncoded", 8, "5, 6, 7"}, {"uncoded", 3, "2"}, {"ring", 8, "6, 7"}, {"ring", 4, "3"}, {"uncoded-unicast", 4, "2, 3"}, {"sum-only", 8, "7"}, {"replicated", 8, "none"}} {
		less, _ := sends(sizes, c.key)
		if got := redundanciesOf(less, c.n); got != c.want {
			t.Errorf("against %s at n = %d: r = %s, want %s", c.key, c.n, got, c.want)
		}
	}
	for key, want := range map[string]string{"coded-unicast": "at 21 of 28 sizes", "ssgd": "at 6 of 28 sizes, none with r below n − 1", "blocks-unicast": "at 21 of 28"} {
		if got := below(sizes, key); !strings.Contains(got, want) {
			t.Errorf("against %s: %q, want %q", key, got, want)
		}
	}
	if got := below(sizes[:2], "ring"); got != "at none of 1 sizes" {
		t.Errorf("two nodes: %q", got)
	}
}

// The claims, as they are and with one packet or message too many.
func TestAccountingClaims(t *testing.T) {
	sizes := sizesUpTo(t, 6)
	verdictIs(t, judgeOneNth(sizes), claims.Differs, "the smallest that is not 1/n: n = 3, r = 2: 1/4")
	if c := judgeOneNth(sizes); c.Measured != "(n-r)/((n-1)r)" {
		t.Errorf("measured %v", c.Measured)
	}
	verdictIs(t, judgeLikeForLike(sizes), claims.Equal, "15 sizes, n ≤ 6; less than 1 at 6, r > n/2 at 6")
	exact := []size{{N: 4, R: 2}} // as if it were 1/n
	exact[0].Counted.Elements, exact[0].Counted.Alone = 9, 18
	verdictIs(t, judgeOneNth(exact), claims.Equal, "1/n at 1 of them")
	spoilt := sizesUpTo(t, 6)
	spoilt[3].Counted.Elements++
	verdictIs(t, judgeLikeForLike(spoilt), claims.Differs)
	if c := judgeLikeForLike(spoilt); c.Measured != "2/3 at n = 3, r = 2" {
		t.Errorf("measured %v", c.Measured)
	}
	plan := planAccounting("ci")
	loads, err := countStated(plan)
	if err != nil {
		t.Fatal(err)
	}
	verdictIs(t, judgeStated(plan, loads), claims.Equal, "counted once")
	loads[2] = big.NewRat(281, 1)
	verdictIs(t, judgeStated(plan, loads), claims.Differs)
}

// Real bytes are the closed forms, and a wrong one is seen.
func TestRealExchanges(t *testing.T) {
	plan := planAccounting("ci")
	all, err := exchangeSizes(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 9*len(realWays) || sameExchanges(all) != len(all) {
		t.Errorf("%d exchanges, %d as computed: %+v", len(all), sameExchanges(all), all)
	}
	plan.Elements++ // one that leaves a rest: packets are padded
	all, err = exchangeSizes(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if sameExchanges(all) == len(all) {
		t.Error("padding is not seen")
	}
}

func TestAccountingRuns(t *testing.T) {
	r := runProfile(t, accounting(), "ci")
	if len(r.Claims) != 3 || len(r.Figures) != 4 || len(r.Notes) < 6 {
		t.Errorf("%d claims, %d figures, %d notes", len(r.Claims), len(r.Figures), len(r.Notes))
	}
	for _, f := range r.Figures {
		for _, s := range f.Series {
			for _, y := range s.Y {
				if f.Y.Log && y <= 0 {
					t.Errorf("%s, %s: %g on a logarithmic axis", f.ID, s.Name, y)
				}
			}
		}
	}
}
