package codedsgd

import (
	"math"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/shared/cluster"
)

// The table says what the platform is, that the paper's is lost, and judges both
// counts.
func TestTable1(t *testing.T) {
	r := runProfile(t, table1(), "ci")
	hosts := tableOf(t, r, "nodes")
	wantColumn(t, hosts, "host", "node0 … node9", "server")
	wantColumn(t, hosts, "count", 10, 1)
	wantColumn(t, tableOf(t, r, "tasks"), "classes", 2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	wantColumn(t, tableOf(t, r, "tasks"), "micro", 2, 3, 12, 10, 60, 105, 56, 252, 360, 2, 3, 12, 10, 60, 105, 56, 252, 360)
	if len(r.Claims) != 2 || r.Claims[0].ID != "C09" || r.Claims[1].ID != "C24" {
		t.Fatalf("claims %+v", r.Claims)
	}
	if c := r.Claims[1]; c.Verdict != claims.Equal || !strings.Contains(c.Why, "set as stated, not found") {
		t.Errorf("%s is %s: %s", c.ID, c.Verdict, c.Why)
	}
	for profile, want := range map[string]string{"ci": claims.Differs, "quick": claims.Differs, "standard": claims.Equal, "paper": claims.Equal} {
		if c := judgeNodes(profile, referencePlatform()); c.Verdict != want || !strings.Contains(c.Why, "the platform has 10") {
			t.Errorf("%s in %s is %s: %s, want %s", c.ID, profile, c.Verdict, c.Why, want)
		}
	}
	if !strings.Contains(r.Notes[0], "is lost") {
		t.Errorf("the first note is %q", r.Notes[0])
	}
}

// A node that differs has a row of its own, and its neighbours theirs.
func TestUnequalNodesHaveTheirRows(t *testing.T) {
	p := referencePlatform()
	p.Workers[2].FLOPS *= 2
	wantColumn(t, hostTable(p), "host", "node0, node1", "node2", "node3 … node9", "server")
}

// Every host has its reasons in the table, hosts with one reason one row.
func TestReasonsAreAllThere(t *testing.T) {
	p := referencePlatform()
	x := assumptionTable(p)
	rows := map[string]bool{}
	for _, row := range x.Rows {
		rows[row[1].(string)+"|"+row[3].(string)] = true
	}
	if len(rows) != len(x.Rows) {
		t.Errorf("%d rows of %d reasons", len(x.Rows), len(rows))
	}
	for _, list := range [][]cluster.Assumption{p.Assumed, p.Workers[9].Assumed, p.Server.Assumed} {
		for _, a := range list {
			if !rows[a.Field+"|"+a.Why] {
				t.Errorf("no row of %s: %s", a.Field, a.Why)
			}
		}
	}
	if s := span([]string{"a", "b"}); s != "a, b" {
		t.Error(s)
	}
	if s := span([]string{"a", "b", "c", "d"}); s != "a … d" {
		t.Error(s)
	}
}

// C24 in all outcomes: right, and wrong in the configuration, the network, the
// images or the nodes.
func TestClassesAreJudged(t *testing.T) {
	good := nClass{Network: dnn, Nodes: 4, Classes: 4, Logits: 4, Labels: 4}
	if c := judgeClasses([]nClass{good, good}); c.Verdict != claims.Equal {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
	for field, spoil := range map[string]func(*nClass){
		"configured for 10": func(x *nClass) { x.Classes = 10 },
		"10 logits":         func(x *nClass) { x.Logits = 10 },
		"images of 3":       func(x *nClass) { x.Labels = 3 },
		"on 5 nodes":        func(x *nClass) { x.Nodes = 5 },
	} {
		bad := good
		spoil(&bad)
		if c := judgeClasses([]nClass{good, bad}); c.Verdict != claims.Differs || !strings.Contains(c.Why, field) {
			t.Errorf("%s: %s: %s", field, c.Verdict, c.Why)
		}
	}
}

// The calibration by hand. DNN of 8 outputs: 668,680 parameters, 6·667,648 = 4,005,888
// operations per sample; 160 samples at 5 GFLOP/s take 128.19 ms, 7·56/8 = 49
// gradients of 2.67472 MB through 125 MB/s 1,048.5 ms. CNN: 544,840 and 36,771,840;
// 294.17 ms and 854.3 ms. The ranges are those of claims C25 and C26.
func TestCalibrationByHand(t *testing.T) {
	all, err := calibration(referencePlatform())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		parameters                  int
		flop, calc, comm, low, high float64
	}{{668680, 4005888, 0.128188, 1.048490, 5.25, 10.5}, {544840, 36771840, 0.294175, 0.854309, 1.75, 5.25}} {
		r := all[i]
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-5*b }
		if r.Parameters != want.parameters || r.FLOP != want.flop || !near(r.Calc, want.calc) || !near(r.Comm, want.comm) || r.Low != want.low || r.High != want.high || !r.inside() {
			t.Errorf("%s: %+v, want %+v", r.Network.Title, r, want)
		}
	}
	slow := referencePlatform()
	for i := range slow.Workers {
		slow.Workers[i].Bandwidth /= 10
	}
	if all, err = calibration(slow); err != nil || all[0].inside() || all[1].inside() {
		t.Errorf("a tenth of the link is inside: %+v, %v", all, err)
	}
	if n := table1Notes(slow, []nClass{{Nodes: 2}}, all); !strings.Contains(n[1], "outside") || !strings.Contains(n[2], "1 of 1") {
		t.Errorf("notes %q", n)
	}
}

// At the threshold the two neighbours take the same time in the paper's exact model.
func TestThreshold(t *testing.T) {
	at := func(n, r int, rho float64) float64 {
		return float64(r) + float64(n-r)/float64((n-1)*r)*rho
	}
	for n := 3; n <= 12; n++ {
		for r := 1; r < n; r++ {
			rho := threshold(n, r)
			if a, b := at(n, r, rho), at(n, r+1, rho); math.Abs(a-b) > 1e-12*a {
				t.Errorf("n = %d, r = %d: %g and %g at %g", n, r, a, b, rho)
			}
		}
	}
}
