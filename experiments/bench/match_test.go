package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// fake answers rounds from a list and records who was asked when.
type fake struct {
	name    string
	step    float64 // seconds of a warm step
	seconds []float64
	mallocs []int64
	refuse  error
	log     *[]string
	closed  bool
}

func (f *fake) Name() string { return f.name }

func (f *fake) Open(context.Context) (Reply, error) {
	return Reply{Class: f.name, StepSeconds: f.step}, f.refuse
}

func (f *fake) Round(_ context.Context, steps int) (Sample, error) {
	*f.log = append(*f.log, f.name)
	took, mallocs := f.seconds[0], int64(0)
	f.seconds = f.seconds[1:]
	if len(f.mallocs) > 0 {
		mallocs, f.mallocs = f.mallocs[0], f.mallocs[1:]
	}
	return Sample{Steps: steps, Seconds: took, CPUSeconds: 2 * took, Mallocs: mallocs}, nil
}

func (f *fake) Profile(context.Context, float64) ([]Function, error) {
	return []Function{{f.name, 1}}, nil
}

func (f *fake) Close() (int64, error) {
	f.closed = true
	return 1 << 20, nil
}

func TestSpread(t *testing.T) {
	for _, test := range []struct {
		of   []float64
		want Spread
	}{{nil, Spread{}}, {[]float64{3}, Spread{3, 3, 3}}, {[]float64{5, 1, 2}, Spread{1, 2, 5}}, {[]float64{4, 1, 2, 9}, Spread{1, 3, 9}}} {
		given := slices.Clone(test.of)
		if got := SpreadOf(test.of); got != test.want || !slices.Equal(given, test.of) {
			t.Errorf("SpreadOf(%v) = %v, want %v, left %v", given, got, test.want, test.of)
		}
	}
}

// Rounds alternate, each contender runs as many steps as fill a round, and the
// ratio is the median of the rounds' own: a slow moment that meets both leaves
// it alone, where the quotient of the medians would move.
func TestMatchIsInterleaved(t *testing.T) {
	var log []string
	ours := &fake{name: "ours", step: 0.1, seconds: []float64{1, 10, 1, 4}, mallocs: []int64{40, 0, 0, 0}, log: &log}
	peer := &fake{name: "peer", step: 0.5, seconds: []float64{2, 20, 4, 1}, log: &log}
	m := Match{Rounds: 4, Seconds: 1, Peer: "peer", Profile: 1}
	results, notes, err := m.Play(t.Context(), []Contender{ours, peer})
	if err != nil || len(notes) != 0 || len(results) != 2 {
		t.Fatalf("%v, %v, %v", results, notes, err)
	}
	if got := strings.Join(log, " "); got != "ours peer ours peer ours peer ours peer" {
		t.Errorf("order %q", got)
	}
	r, p := results[0], results[1]
	if r.Steps != 10 || p.Steps != 2 {
		t.Errorf("%d and %d steps a round, want 10 and 2", r.Steps, p.Steps)
	}
	// ours: 10, 1, 10, 2.5 steps/s; peer: 1, 0.1, 0.5, 2 steps/s; ratios 10, 10, 20, 1.25.
	if r.Ratio == nil || *r.Ratio != (Spread{1.25, 10, 20}) || p.Ratio != nil {
		t.Errorf("ratio %v and %v, want 1.25, 10, 20 and none", r.Ratio, p.Ratio)
	}
	if want := (Spread{0.1, 0.25, 1}); r.StepTime != want || r.CPU != want.Scaled(2) || r.Rounds != 4 {
		t.Errorf("times %v, CPU %v, %d rounds; want %v", r.StepTime, r.CPU, r.Rounds, want)
	}
	if want := (Spread{1.25, 10, 20}); r.CPURatio == nil || *r.CPURatio != want {
		t.Errorf("CPU ratio %v, want %v", r.CPURatio, want)
	}
	if r.Allocs != 0 || r.PeakBytes != 1<<20 || !ours.closed || !peer.closed || len(r.Functions) != 1 {
		t.Errorf("%+v, closed %v %v", r, ours.closed, peer.closed)
	}
}

// A contender that was quick when it was asked and is starved later has fewer steps in its next rounds.
func TestMatchOfTheStarved(t *testing.T) {
	var log []string
	slow := &fake{name: "slow", step: 0.01, seconds: []float64{50, 0.5}, log: &log}
	results, _, err := (Match{Rounds: 2, Seconds: 1}).Play(t.Context(), []Contender{slow})
	if err != nil || results[0].Steps != 2 || results[0].Speeds[0] != 2 || results[0].Speeds[1] != 4 {
		t.Errorf("%v, %+v", err, results[0])
	}
}

// A contender that cannot is a note; one that fails ends the match; a slow one
// sits out after three rounds.
func TestMatchNotesAndFailures(t *testing.T) {
	var log []string
	quick := func() *fake { return &fake{name: "quick", step: 1, seconds: []float64{1, 1, 1, 1, 1}, log: &log} }
	none := &fake{name: "none", refuse: &Unable{"none: is not installed"}, log: &log}
	slow := &fake{name: "slow", step: 9, seconds: []float64{9, 9, 9, 9, 9}, log: &log}
	results, notes, err := Match{Rounds: 5, Seconds: 1, Budget: 10}.Play(t.Context(), []Contender{none, quick(), slow})
	if err != nil || len(notes) != 1 || notes[0] != (Note{"none", "is not installed"}) {
		t.Fatalf("%v, %v", notes, err)
	}
	if results[0].Rounds != 5 || results[1].Rounds != 3 || results[1].Steps != 1 {
		t.Errorf("%d and %d rounds, want 5 and 3", results[0].Rounds, results[1].Rounds)
	}
	broken, other := &fake{name: "broken", step: 1, seconds: []float64{0}, log: &log}, quick()
	if _, _, err := (Match{Rounds: 1, Seconds: 1}).Play(t.Context(), []Contender{other, broken}); err == nil ||
		!strings.Contains(err.Error(), "broken") || !other.closed {
		t.Errorf("a round of 0 s: %v, the other closed %v", err, other.closed)
	}
	failing := &fake{name: "failing", refuse: errors.New("out of memory"), log: &log}
	if _, _, err := (Match{Rounds: 1, Seconds: 1}).Play(t.Context(), []Contender{failing}); err == nil {
		t.Error("a contender that failed to open was no error")
	}
}

// A group's wall time is its slowest member's, the rest are sums, and a member
// that cannot open closes the others.
func TestGroup(t *testing.T) {
	var a, b []string
	x := &fake{name: "x", step: 1, seconds: []float64{1}, mallocs: []int64{3}, log: &a}
	y := &fake{name: "x", step: 2, seconds: []float64{4}, mallocs: []int64{5}, log: &b}
	g := group{x, y}
	hello, err := g.Open(t.Context())
	if err != nil || hello.StepSeconds != 2 {
		t.Errorf("%+v, %v", hello, err)
	}
	if s, err := g.Round(t.Context(), 7); err != nil || s != (Sample{7, 4, 10, 8}) {
		t.Errorf("%+v, %v", s, err)
	}
	if peak, err := g.Close(); err != nil || peak != 2<<20 {
		t.Errorf("%d, %v", peak, err)
	}
	x.closed, y.refuse = false, &Unable{"no"}
	var unable *Unable
	if _, err := g.Open(t.Context()); !errors.As(err, &unable) || !x.closed {
		t.Errorf("%v, closed %v", err, x.closed)
	}
}
