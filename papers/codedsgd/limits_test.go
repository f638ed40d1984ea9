package codedsgd

import (
	"strings"
	"testing"
)

// What a run would refuse, or never finish planning, is refused of the options alone.
func TestOptionsThatNoModelCanHave(t *testing.T) {
	for want, x := range map[string]struct {
		n int
		o Options
	}{
		"63 nodes are too many":                {63, Options{Redundancy: 1}},
		"have 118264581564861424 blocks":       {60, Options{Redundancy: 30}},
		"600000000 micro-blocks, want at most": {4, Options{Redundancy: 2, MicroBlocks: 600_000_000}},
		"more than 1000000 packets of 462":     {12, Options{Redundancy: 6, Literal: true}},
		"13 terms of 2496144 blocks":           {24, Options{Redundancy: 13}},
		"messages in a step":                   {62, Options{Redundancy: 5}},
		"not of cssgd":                         {3, Options{Redundancy: 2, Rounds: true, Literal: true}},
		"sums of depth 31 among 62 nodes":      {62, Options{Method: Compressed, Redundancy: 57, Depth: 31}},
	} {
		if err := x.o.Check(x.n); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d nodes, %+v: %v, want %q", x.n, x.o, err, want)
		}
	}
	for _, x := range []struct {
		n int
		o Options
	}{
		{8, Options{Redundancy: 5, Literal: true}}, {12, Options{Redundancy: 12, Literal: true}}, {62, Options{Redundancy: 62}},
		{62, Options{}}, {12, Options{Redundancy: 6}}, {4, Options{Redundancy: 2, MicroBlocks: 6 << 20}},
		{62, Options{Method: Compressed, Redundancy: 2}}, {4, Options{Range: 1e-30}}, {4, Options{Range: 3e38, Method: Compressed}},
	} {
		if err := x.o.Check(x.n); err != nil {
			t.Errorf("%d nodes, %+v: %v", x.n, x.o, err)
		}
	}
}

// As many messages as planned are counted: groups' packets, whole gradients, and the packets and
// slices of a plan of sums.
func TestFlightsAreThePlans(t *testing.T) {
	plans(t, 7, func(n, r, depth int, p *SumPlan) {
		want := 0
		if p.gathers() {
			want = len(p.Packets()) + n
		}
		if got := (Options{Method: Compressed, Depth: depth}).flights(p.a); got != want {
			t.Errorf("n=%d r=%d t=%d: %d messages, want %d", n, r, depth, got, want)
		}
		for method, want := range map[string]int{CSSGD: len(p.a.Groups()) * (r + 1), SSGDUnicast: p.a.Blocks() * (n - r), SSGDMulticast: p.a.Blocks()} {
			if got := (Options{Method: method}).flights(p.a); got != want {
				t.Errorf("n=%d r=%d %s: %d messages, want %d", n, r, method, got, want)
			}
		}
	})
}

// A model of many layers has as many times the messages of one.
func TestLayersMultiplyMessages(t *testing.T) {
	x := &node{m: 1, each: 1, o: Options{Method: SSGDMulticast, Redundancy: 1}, a: &Assignment{24, 1}, last: 999_999}
	if _, err := newExchanger(x); err == nil || !strings.Contains(err.Error(), "24000000 messages in a step") {
		t.Errorf("a million layers: %v", err)
	}
}
