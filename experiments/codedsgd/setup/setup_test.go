package setup

import (
	"testing"

	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
)

// Q by hand: lcm(8, 28, 56), lcm(10, 45, 120), and where r has no blocks only
// those that are there: lcm(2, 1) of r = 2 on two nodes, lcm(3, 3, 1) on three.
func TestMicroBlocks(t *testing.T) {
	for nodes, want := range map[int]int{1: 1, 2: 2, 3: 3, 4: 12, 5: 10, 6: 60, 8: 56, 10: 360} {
		if q := MicroBlocks(nodes, Redundancies...); q != want {
			t.Errorf("Q(%d) = %d, want %d", nodes, q, want)
		}
	}
	if q := MicroBlocks(8, 1, 2, 3, 4, 5, 6, 7, 8); q != 280 { // with C(8,4) = 70
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
	if b := DNN.Batch(8); b != 1280 {
		t.Errorf("|F_j| of the DNN on 8 nodes: %d, want 8·160", b)
	}
	if b := CNN.Batch(10); b != 400 {
		t.Errorf("|F_j| of the CNN on 10 nodes: %d, want 10·40", b)
	}
	for profile, want := range map[string][2]string{"ci": {"", ""}, "quick": {"", ""}, "standard": {"mnist", "cifar-10"}, "paper": {"mnist", "cifar-10"}} {
		if got := [2]string{DNN.Dataset(profile), CNN.Dataset(profile)}; got != want {
			t.Errorf("%s: data %q, want %q", profile, got, want)
		}
	}
}

// A node's knowledge ends at its own blocks.
func TestOwnIsOwn(t *testing.T) {
	a, _ := codedsgd.Assign(3, 2)
	o := Blocks{{1}, {1}, {1}}.Of(a, 0)
	if g, err := o.Layer(2, 0, 0); err == nil || o.Has(2) {
		t.Errorf("node 0 reads block 2 of nodes 1 and 2: %v", g)
	}
}

func TestDataIsListedOnce(t *testing.T) {
	var r result.Result
	for _, name := range []string{"a", "b", "a"} {
		AddData(&r, result.Data{Name: name})
	}
	if len(r.Data) != 2 || r.Data[0].Name != "a" || r.Data[1].Name != "b" {
		t.Errorf("%+v", r.Data)
	}
}

// The cuttings by hand: 840 = 2³·3·5·7 is a multiple of every C(n,r) up to 8 nodes, and 2520
// up to 10; of eight nodes C(8,4) = 70 does not divide 56, and of ten C(10,4) = 210 not 360.
func TestCuttings(t *testing.T) {
	for n := 1; n <= 10; n++ {
		micro, batches := EvenCut(n)
		if want := map[bool]int{true: 840, false: 2520}[n <= 8]; micro != want || batches != want/56 {
			t.Errorf("%d nodes: %d micro-blocks of %d batches, want %d", n, micro, batches, want)
		}
		for _, r := range Choices(n) {
			m, k := Cut(n, r)
			want := [2]int{Q(n), 1}
			if n == 8 && r == 4 {
				want = [2]int{280, 5}
			}
			if n == 10 && r >= 4 && r <= 6 {
				want = [2]int{2520, 7}
			}
			if [2]int{m, k} != want || m%choose(n, r) != 0 || micro%choose(n, r) != 0 {
				t.Errorf("n = %d, r = %d: %d micro-blocks of %d batches, want %v", n, r, m, k, want)
			}
		}
	}
	if d := Drawn(2); len(d) != 1 || d[0] != 2 {
		t.Errorf("on two nodes %v", d)
	}
}
