package reports

import (
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// The names are those of claims.csv, rows D42, D53 and D58, by hand.
func TestListsNameTheirNumbers(t *testing.T) {
	for _, c := range []struct {
		id, paper, ours, why        string
		wantPaper, wantOurs, wantTo string
	}{
		{"D42", "0.831; 0.8437; 0.8720", "0.81901; 0.8; -1", "intervals [0.1, 0.2]; [0.8, 0.8]; [-2, 0]; the platform is assumed",
			"DASP/BSP 0.831; SSP/BSP 0.8437; DSSP/BSP 0.8720", "DASP/BSP 0.819; SSP/BSP 0.8000; DSSP/BSP −1.0000",
			"intervals DASP/BSP [0.1, 0.2], SSP/BSP [0.8, 0.8], DSSP/BSP [-2, 0]; the platform is assumed"},
		{"D53", "2.168; 1.428; 0.865", "", "in the ratios 1.144; 1.226; 1.071", "DASP/BSP 2.168; DASP/SSP 1.428; DASP/DSSP 0.865", "",
			"in the ratios DASP/BSP 1.144, DASP/SSP 1.226, DASP/DSSP 1.071"},
		{"D42", "0.1; 0.2", "0.1; 0.2", "[0, 1]; [0, 2]", "0.1; 0.2", "0.1; 0.2", "[0, 1]; [0, 2]"}, // not three
		{"D58", "1; 2", "ASP/BSP 1.07; 1.24", "", "1; 2", "ASP/BSP 1.07; 1.24", ""},
		{"X01", "1; 2; 3", "1; 2; 3", "1; 2; 3", "1; 2; 3", "1; 2; 3", "1; 2; 3"}, // in no row
	} {
		cl := result.Claim{ID: c.id, Paper: c.paper, Measured: c.ours, Unit: "ratio", Why: c.why}
		r := &result.Result{ID: "dasp/x", Claims: []result.Claim{cl}}
		row := groupClaims([]loaded{{Result: r, Stem: "x"}}).Rows[0]
		why := ""
		if len(row.Reasons) > 0 {
			why = row.Reasons[0].Text
		}
		for _, p := range [][2]string{{row.Paper, c.wantPaper}, {row.Found[0].Ours, c.wantOurs}, {why, c.wantTo}} {
			if got := strings.ReplaceAll(p[0], nbsp, " "); got != p[1] {
				t.Errorf("%s: %q, want %q", c.id, got, p[1])
			}
		}
	}
}
