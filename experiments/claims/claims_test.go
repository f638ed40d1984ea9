package claims

import (
	"slices"
	"strings"
	"testing"
)

// Every DASP row that states a number (or a list of them) has a tolerance; a
// tolerance wider than ±5 points (of %) or 25 % (of other units) has a reason.
func TestTolerancesAreFixed(t *testing.T) {
	judged := 0
	for _, c := range All() {
		stated := c.Numbers()
		if c.Paper != "DASP" || stated == nil {
			continue
		}
		judged++
		if c.Tolerance == nil {
			t.Errorf("%s states %s %s and has no tolerance", c.ID, c.Value, c.Unit)
			continue
		}
		for _, v := range stated {
			limit := 0.25 * v
			if c.Unit == "%" {
				limit = 5
			}
			if *c.Tolerance > limit && c.ToleranceWhy == "" {
				t.Errorf("%s: tolerance %g of %g %s is wide and gives no reason", c.ID, *c.Tolerance, v, c.Unit)
			}
			if c.Null != nil && c.Unit == "%" && v-*c.Tolerance <= *c.Null {
				t.Errorf("%s: tolerance %g of %g %s lets no effect at all count as within", c.ID, *c.Tolerance, v, c.Unit)
			}
		}
	}
	// D01–D36 but no text among them, D41, D42–D55: counted by hand in claims.csv.
	if judged != 36+1+14 {
		t.Errorf("%d DASP rows state numbers, want 51", judged)
	}
}

func TestGet(t *testing.T) {
	c, ok := Get("D13")
	if v, isNumber := c.Number(); !ok || !isNumber || v != 82.1 || c.Baseline != "BSP" {
		t.Errorf("Get(D13) = %+v, %v; the paper states 82.1 %% against BSP", c, ok)
	}
	if _, ok := Get("Z99"); ok {
		t.Error("Get found a claim that does not exist")
	}
	if c, _ := Get("D37"); c.Numbers() != nil {
		t.Errorf("the range %q was read as numbers", c.Value)
	}
}

// The rows of DSSP's Table I differ in nothing but the method and the accuracy:
// their sentences name both, and what "same" stands for.
func TestDSSPStatements(t *testing.T) {
	seen := map[string]string{}
	for _, c := range All() {
		if c.Paper != "DSSP" {
			continue
		}
		s := c.Statement()
		if other := seen[s]; other != "" {
			t.Errorf("%s and %s both say %q", other, c.ID, s)
		}
		seen[s] = c.ID
		if strings.Contains(s, "(same)") {
			t.Errorf("%s: %q refers to another row", c.ID, s)
		}
	}
	want := "ASP, time to 0.68 test accuracy (ResNet-110, CIFAR-100, 2 workers (GTX1060 + GTX1080 Ti), batch 128, lr 0.05, 300 epochs)"
	if c, _ := Get("X04"); c.Statement() != want || len(seen) != 13 {
		t.Errorf("X04 says %q, want %q; %d rows, want 13", c.Statement(), want, len(seen))
	}
	if c, _ := Get("X13"); !strings.HasPrefix(c.Statement(), "homogeneous order") {
		t.Errorf("X13 says %q", c.Statement())
	}
}

func TestParseRefuses(t *testing.T) {
	const head = "id,paper,section,claim,quantity,baseline,value,unit,conditions\n"
	const row = "A1,p,s,c,q,b,1,%,x\n"
	const tol = "id,tolerance,null,margin,why\n"
	for _, test := range []struct{ claims, tolerances, want string }{
		{"id,paper\n", tol, "header"},
		{head + row + row, tol, "twice"},
		{head + row, tol + "B1,1,0,,\n", "no claim"},
		{head + row, tol + "A1,1,0,,\nA1,2,0,,\n", "twice"},
		{head + row, tol + "A1,wide,0,,\n", "no number"},
		{head + row, tol + "A1,1,none,,\n", "null"},
		{head + row, tol + "A1,1,0,wide,\n", "margin"},
		{head + row, tol + "A1,1,,-1,\n", "margin"},
	} {
		_, err := parse([]byte(test.claims), []byte(test.tolerances))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("parse(%q, %q) = %v, want an error with %q", test.claims, test.tolerances, err, test.want)
		}
	}
}

// Claims of no difference over seeds have a margin and no null.
func TestMargins(t *testing.T) {
	var got []string
	for _, c := range All() {
		if c.Margin == nil {
			continue
		}
		if got = append(got, c.ID); c.Null != nil || *c.Margin > *c.Tolerance {
			t.Errorf("%s: margin %g beside a null, or wider than its tolerance %g", c.ID, *c.Margin, *c.Tolerance)
		}
	}
	if !slices.Equal(got, []string{"P10", "C30"}) || Margin("P10") != 0.005 || Margin("C30") != 1 {
		t.Errorf("margins of %v", got)
	}
}
