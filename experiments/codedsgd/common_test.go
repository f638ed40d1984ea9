package codedsgd

import (
	"testing"
)

// Q by hand: lcm(8, 28, 56), lcm(10, 45, 120), and where r has no blocks only
// those that are there: lcm(2, 1) of r = 2 on two nodes, lcm(3, 3, 1) on three.
func TestMicroBlocks(t *testing.T) {
	for nodes, want := range map[int]int{1: 1, 2: 2, 3: 3, 4: 12, 5: 10, 6: 60, 8: 56, 10: 360} {
		if q := microBlocks(nodes, redundancies...); q != want {
			t.Errorf("Q(%d) = %d, want %d", nodes, q, want)
		}
	}
	if q := microBlocks(8, 1, 2, 3, 4, 5, 6, 7, 8); q != 280 { // with C(8,4) = 70
		t.Errorf("Q(8) of all r = %d, want 280", q)
	}
}

func TestChoose(t *testing.T) {
	for _, c := range [][3]int{{0, 0, 1}, {5, 2, 10}, {8, 3, 56}, {8, 5, 56}, {10, 9, 10}, {3, 4, 0}, {3, -1, 0}, {30, 15, 155117520}} {
		if got := choose(c[0], c[1]); got != c[2] {
			t.Errorf("C(%d,%d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// What the paper states of batches and tasks, and which set a profile trains on.
func TestNetworks(t *testing.T) {
	if b := dnn.batch(8); b != 1280 {
		t.Errorf("|F_j| of the DNN on 8 nodes: %d, want 8·160", b)
	}
	if b := cnn.batch(10); b != 400 {
		t.Errorf("|F_j| of the CNN on 10 nodes: %d, want 10·40", b)
	}
	for profile, want := range map[string][2]string{"ci": {"", ""}, "quick": {"", ""}, "standard": {"mnist", "cifar-10"}, "paper": {"mnist", "cifar-10"}} {
		if got := [2]string{dnn.dataset(profile), cnn.dataset(profile)}; got != want {
			t.Errorf("%s: data %q, want %q", profile, got, want)
		}
	}
}

// A training begins with n classes on the first n nodes; a batch of all nodes for
// the methods that cut one into blocks, one of each node's for ASGD.
func TestConfigurationIsThePapers(t *testing.T) {
	for _, w := range networks() {
		for n := 2; n <= 10; n++ {
			c, a := w.config("cssgd", n, "ci"), w.config("asp", n, "ci")
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
