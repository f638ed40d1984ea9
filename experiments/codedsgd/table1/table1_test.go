package table1

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
)

// A training begins with n classes on the first n nodes; a batch of all nodes for
// the methods that cut one into blocks, one of each node's for ASGD.
func TestConfigurationIsThePapers(t *testing.T) {
	for _, w := range setup.Networks() {
		for n := 2; n <= 10; n++ {
			c, a := configOf(w, "cssgd", n, "ci"), configOf(w, "asp", n, "ci")
			if c.Classes != n || a.Classes != n || c.Workers != n || a.Workers != n || c.Model != w.Model {
				t.Errorf("%s on %d nodes: %+v, %+v", w.Key, n, c, a)
			}
			if c.BatchSize != n*w.PerNode || c.Batch != 0 || a.Batch != w.PerNode || a.BatchSize != 0 {
				t.Errorf("%s on %d nodes: batch %d of all, %d of each; ASGD %d, %d", w.Key, n, c.BatchSize, c.Batch, a.BatchSize, a.Batch)
			}
			if len(c.Platform.Workers) != 10 || !c.Platform.Multicast || a.Platform.Server == nil || c.Launch != -1 || c.Overhead != -1 {
				t.Errorf("%s on %d nodes: not the reference's CPU nodes: %+v", w.Key, n, c)
			}
		}
	}
}

// The table says what the platform is, that the paper's is lost, and judges both counts.
func TestTable1(t *testing.T) {
	oktest.Slow(t)
	r := kittest.Ran(t, Experiment(), "ci")
	kittest.WantCells(t, r, "nodes", "host", "node0", "server")
	kittest.WantCells(t, r, "nodes", "last", "node9", "server")
	kittest.WantCells(t, r, "nodes", "count", 10, 1)
	kittest.WantCells(t, r, "tasks", "classes", 2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	kittest.WantCells(t, r, "tasks", "micro", 2, 3, 12, 10, 60, 105, 56, 252, 360, 2, 3, 12, 10, 60, 105, 56, 252, 360)
	if len(r.Claims) != 2 || r.Claims[0].ID != "C09" || r.Claims[1].ID != "C24" {
		t.Fatalf("claims %+v", r.Claims)
	}
	kittest.FoundAs(t, r.Claims[1], claims.Input, result.Because("C24", "fewest", 2, "most", 10))
	for profile, want := range map[string]string{"ci": claims.NotRun, "quick": claims.NotRun, "standard": claims.Input, "paper": claims.Input} {
		c := judgeNodes(profile, setup.Platform())
		if kittest.FoundAs(t, c, want, result.Because("C09", "nodes", 10, "server", true)); (c.Measured == nil) != (want == claims.NotRun) {
			t.Errorf("%s in %s: measured %v", c.ID, profile, c.Measured)
		}
	}
}

// A node that differs has a row of its own, and its neighbours theirs.
func TestUnequalNodesHaveTheirRows(t *testing.T) {
	p := setup.Platform()
	p.Workers[2].FLOPS *= 2
	r := &result.Result{Frames: []result.Frame{hosts(p)}}
	kittest.WantCells(t, r, "nodes", "host", "node0", "node2", "node3", "server")
	kittest.WantCells(t, r, "nodes", "last", "node1", "node2", "node9", "server")
	kittest.WantCells(t, r, "nodes", "count", 2, 1, 7, 1)
}

// Every host's values are in the frame, hosts with one reason in one row.
func TestAssumptionsAreAllThere(t *testing.T) {
	p := setup.Platform()
	f := assumptions(p)
	for _, list := range [][]cluster.Assumption{p.Assumed, p.Workers[9].Assumed, p.Server.Assumed} {
		for _, a := range list {
			if !slices.ContainsFunc(f.Rows, func(row []any) bool {
				return row[2] == a.Field && fmt.Sprint(row[3], " ", row[4]) == strings.Replace(a.Value, "us", "µs", 1) && row[5] == a.Confidence
			}) {
				t.Errorf("no row of %s, %s", a.Field, a.Value)
			}
		}
	}
	if first := f.Rows[0]; len(f.Rows) != 10 || first[0] != "node0" || first[1] != "node9" {
		t.Errorf("%d rows, the first %v", len(f.Rows), first)
	}
}

// C24 in all outcomes: right, and wrong in the configuration, the network, the images or the nodes.
func TestClassesAreJudged(t *testing.T) {
	good := task{Network: setup.DNN, Nodes: 4, Classes: 4, Logits: 4, Labels: 4}
	kittest.FoundAs(t, judgeClasses([]task{good, good}), claims.Input)
	for field, spoil := range map[string]func(*task){
		"classes": func(x *task) { x.Classes = 10 }, "logits": func(x *task) { x.Logits = 10 },
		"labels": func(x *task) { x.Labels = 3 }, "nodes": func(x *task) { x.Nodes = 5 },
	} {
		bad := good
		spoil(&bad)
		if c := judgeClasses([]task{good, bad}); c.Verdict != claims.Differs || c.Found.Code != "C24-other" || c.Found.Args[field] == 4 {
			t.Errorf("%s: %s: %+v", field, c.Verdict, c.Found)
		}
	}
}

// The calibration by hand. DNN of 8 outputs: 668,680 parameters, 6·667,648 = 4,005,888 operations per sample; 160
// samples at 5 GFLOP/s take 128.19 ms, 7·56/8 = 49 gradients of 2.67472 MB through 125 MB/s 1,048.5 ms. CNN: 544,840
// and 36,771,840; 294.17 ms and 854.3 ms. The ranges are those of claims C25 and C26.
func TestCalibrationByHand(t *testing.T) {
	all := calibration(setup.Platform())
	for i, want := range []struct {
		parameters                  int
		flop, calc, comm, low, high float64
	}{{668680, 4005888, 0.128188, 1.048490, 5.25, 10.5}, {544840, 36771840, 0.294175, 0.854309, 1.75, 5.25}} {
		r := all[i]
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-5*b }
		if r.Parameters != want.parameters || r.FLOP != want.flop || !near(r.Calc, want.calc) || !near(r.Comm, want.comm) ||
			r.Low != want.low || r.High != want.high || !r.inside() {
			t.Errorf("%s: %+v, want %+v", r.Network.Title, r, want)
		}
	}
	slow := setup.Platform()
	for i := range slow.Workers {
		slow.Workers[i].Bandwidth /= 10
	}
	if all = calibration(slow); all[0].inside() || all[1].inside() {
		t.Errorf("a tenth of the link is inside: %+v", all)
	}
	r := &result.Result{Facts: table1Facts(slow, []task{{Nodes: 2}}, all)}
	kittest.WantFact(t, r, "inside", false)
	kittest.WantFact(t, r, "faults", 1)
}
