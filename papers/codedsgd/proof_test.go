package codedsgd

import (
	"os"
	"slices"
	"testing"
)

// grid visits all redundancies of 2 to most nodes.
func grid(t *testing.T, most int, f func(e *Enumeration)) {
	t.Helper()
	for n := 2; n <= most; n++ {
		for r := 1; r <= n; r++ {
			e, err := Enumerate(n, r)
			must(t, err)
			f(e)
		}
	}
}

// proofNodes is up to how many nodes the tests count.
func proofNodes() int {
	if os.Getenv("GRADSYNC_LONG") != "" {
		return 12
	}
	return 8
}

// Every step holds as corrected, and as printed does or does not, first where found by hand.
func TestSection24Proof(t *testing.T) {
	first := map[string][2]int{ // the smallest n and r at which the printed form is wrong
		"§2.2": {3, 2}, "Alg. 3": {5, 3}, "Alg. 3, r = 1": {3, 1}, "(16)": {2, 1}, "(24)": {2, 1}, "(25)": {2, 1}, "(26)": {3, 2}, "§2.4": {3, 1},
	}
	steps := Proof()
	cases, wrong := make([]int, len(steps)), make([][2]int, len(steps))
	grid(t, proofNodes(), func(e *Enumeration) {
		for k := range steps {
			for _, s := range steps[k].Sides(e) {
				cases[k]++
				if s.Left.Cmp(s.Right) != 0 {
					t.Errorf("%s, n = %d, r = %d: %s: counted %v, computed %v", steps[k].Number, e.n, e.r, s.What, s.Left, s.Right)
				}
				if s.Printed != nil && s.Left.Cmp(s.Printed) != 0 && wrong[k] == [2]int{} {
					wrong[k] = [2]int{e.n, e.r}
				}
			}
		}
	})
	for k, s := range steps {
		if cases[k] < 6 {
			t.Errorf("%s: only %d cases", s.Number, cases[k])
		}
		if wrong[k] != first[s.Number] || (s.Corrected == "") != (wrong[k] == [2]int{}) {
			t.Errorf("%s: printed wrong first at %v, want %v; corrected %q", s.Number, wrong[k], first[s.Number], s.Corrected)
		}
	}
}

// holdsIn reports whether a step holds for every n up to most if the enumeration is
// changed by spoil and the right sides are for n+dn and r+dr.
func holdsIn(t *testing.T, s *Step, most, dn, dr int, spoil func(e *Enumeration) bool) bool {
	t.Helper()
	holds, cases := true, 0
	grid(t, most, func(e *Enumeration) {
		n, r := e.n+dn, e.r+dr
		if outside(n, r) || n < 2 || !spoil(e) {
			return
		}
		for _, side := range s.sides(e, n, r) {
			cases++
			holds = holds && side.Left.Cmp(side.Right) == 0
		}
	})
	if cases == 0 {
		t.Errorf("%s: nothing was compared", s.Number)
	}
	return holds
}

func asIs(*Enumeration) bool { return true }

// Of a step that counts packets, one too few or too many must be noticed; of one that counts blocks, a block.
var countsPackets = []string{"§2.2", "Alg. 3", "Alg. 3, r = 1", "Alg. 4", "(16)", "(19)", "(25)", "(26)", "(27)", "(28)"}

// A formula for one node or one copy more or less, and an exchange with a packet or a
// block too few or too many, make every step fail.
func TestSection24ProofNoticesMistakes(t *testing.T) {
	packet := func(change func([]Packet) []Packet) func(e *Enumeration) bool {
		return func(e *Enumeration) bool {
			if len(e.packets) == 0 {
				return false
			}
			last := len(e.packets) - 1
			e.packets[last] = change(e.packets[last])
			return true
		}
	}
	block := func(change func([]uint64) []uint64) func(e *Enumeration) bool {
		return func(e *Enumeration) bool {
			e.holders, e.sent = change(e.holders), change(e.sent)
			return e.r < e.n // the only block of r = n may be missed
		}
	}
	steps := Proof()
	for k := range steps {
		s := &steps[k]
		type mistake struct {
			name   string
			dn, dr int
			spoil  func(e *Enumeration) bool
		}
		all := []mistake{{"n−1", -1, 0, asIs}, {"n+1", 1, 0, asIs}, {"r−1", 0, -1, asIs}, {"r+1", 0, 1, asIs}}
		if slices.Contains(countsPackets, s.Number) {
			all = append(all,
				mistake{"a packet dropped", 0, 0, packet(func(p []Packet) []Packet { return p[1:] })},
				mistake{"a packet twice", 0, 0, packet(func(p []Packet) []Packet { return append(p, p[0]) })})
		} else {
			all = append(all,
				mistake{"a block dropped", 0, 0, block(func(b []uint64) []uint64 { return b[1:] })},
				mistake{"a block twice", 0, 0, block(func(b []uint64) []uint64 { return append(b, b[0]) })})
		}
		if s.Number == "Alg. 3, r = 1" { // there is no redundancy 0
			all = slices.Delete(all, 2, 3)
		}
		if !holdsIn(t, s, 5, 0, 0, asIs) {
			t.Errorf("%s fails without a mistake", s.Number)
		}
		for _, m := range all {
			if holdsIn(t, s, 5, m.dn, m.dr, m.spoil) {
				t.Errorf("%s does not notice %s", s.Number, m.name)
			}
		}
	}
}

// The loop, counted with sets of nodes, is Algorithm 3's walked packet by packet.
func TestAlgorithm3Line2LoopCount(t *testing.T) {
	most := 6
	if proofNodes() > 8 {
		most = 7
	}
	grid(t, most, func(e *Enumeration) {
		a, err := Assign(e.n, e.r)
		must(t, err)
		var want LoopCount
		for i := range e.n {
			a.Literal(i, func(p Packet) bool {
				want.Combinations++
				if len(p.To) == 0 {
					return true
				}
				want.Packets++
				want.Deliveries += int64(len(p.To))
				var union uint64
				for _, x := range p.Terms {
					union |= setOf(a.Holders(x.Block))
				}
				if len(members(union)) == e.r+1 {
					want.Useful++
				}
				return true
			})
		}
		if got, ok := e.Loop(); !ok || got != want {
			t.Errorf("n = %d, r = %d: %+v (%v), walked %+v", e.n, e.r, got, ok, want)
		}
	})
	// Every segment comes equally often, and more than once where the text above says.
	grid(t, proofNodes(), func(e *Enumeration) {
		got, ok := e.Loop()
		repeats := LoopRepeats(e.n, e.r)
		if !ok || e.r == e.n {
			if (e.r == e.n) != (repeats == nil) {
				t.Errorf("n = %d, r = %d: repeats %v", e.n, e.r, repeats)
			}
			return
		}
		if want := repeats.Int64() * int64(e.Counts().Deliveries); got.Deliveries != want || (repeats.Int64() > 1) != (e.r >= 3 && e.r <= e.n-2) {
			t.Errorf("n = %d, r = %d: %d receptions, %v times all would be %d", e.n, e.r, got.Deliveries, repeats, want)
		}
	})
	// Counted before this code, by another program.
	for _, c := range []struct{ n, r, packets, useful int64 }{{5, 3, 80, 20}, {6, 3, 600, 60}, {6, 4, 1170, 30}, {7, 3, 2660, 140}, {8, 3, 8680, 280}} {
		e, err := Enumerate(int(c.n), int(c.r))
		must(t, err)
		if got, ok := e.Loop(); !ok || got.Packets != c.packets || got.Useful != c.useful {
			t.Errorf("n = %d, r = %d: %+v (%v), want %d packets, %d useful", c.n, c.r, got, ok, c.packets, c.useful)
		}
	}
	e, err := Enumerate(9, 5)
	must(t, err)
	if got, ok := e.Loop(); ok || got != (LoopCount{}) {
		t.Errorf("n = 9, r = 5: counted %+v of 12 million combinations per node", got)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
