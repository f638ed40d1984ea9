package codedsgd_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// aggregate returns the rule's outcome.
func aggregate(t *testing.T, r codedsgd.Rule, pieces [][]float32) []float32 {
	t.Helper()
	dst := make([]float32, len(pieces[0]))
	if err := r.Aggregate(dst, pieces); err != nil {
		t.Fatal(err)
	}
	return dst
}

// Worked out with pencil. Krum of 0, 1, 3, 10, 30 with f = 1 sums the two least squares:
// 1+9, 1+4, 4+9, 49+81, 400+729. Of 0 … 4 three have 2: the smallest is taken.
func TestRulesByHand(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	line := func(xs ...float32) (out [][]float32) {
		for _, x := range xs {
			out = append(out, []float32{x})
		}
		return out
	}
	for _, c := range []struct {
		rule   codedsgd.Rule
		pieces [][]float32
		want   []float32
	}{
		{codedsgd.Rule{Name: codedsgd.Mean}, [][]float32{{1, 2}, {3, 6}}, []float32{2, 4}},
		{codedsgd.Rule{Name: codedsgd.Median}, [][]float32{{1, -9}, {5, 0}, {2, 7}}, []float32{2, 0}},
		{codedsgd.Rule{Name: codedsgd.Median}, [][]float32{{1, 8}, {5, 0}, {2, 7}, {9, 1}}, []float32{3.5, 4}},
		{codedsgd.Rule{Name: codedsgd.Krum, Bad: 1}, line(30, 0, 1, 10, 3), []float32{1}},
		{codedsgd.Rule{Name: codedsgd.Krum, Bad: 1}, line(4, 3, 2, 1, 0), []float32{1}},
		{codedsgd.Rule{Name: codedsgd.Krum}, line(0, 5, 6), []float32{5}}, // one neighbour: a tie of 5 and 6
		{codedsgd.Rule{Name: codedsgd.Clip}, [][]float32{{3, 4}, {6, 8}, {0, 1}}, []float32{2, 3}},
		{codedsgd.Rule{Name: codedsgd.Clip}, [][]float32{{0, 8}, {0, 2}}, []float32{0, 3.5}}, // to 5
		{codedsgd.Rule{Name: codedsgd.Clip}, [][]float32{{0}, {0}, {9}}, []float32{0}},
		// NaN is below all numbers, a piece that has one far from all, and clipped to 0.
		{codedsgd.Rule{Name: codedsgd.Median}, [][]float32{{nan, 8}, {5, inf}, {2, 7}}, []float32{2, 8}},
		{codedsgd.Rule{Name: codedsgd.Median}, [][]float32{{nan}, {5}, {2}, {inf}}, []float32{3.5}},
		{codedsgd.Rule{Name: codedsgd.Krum, Bad: 1}, line(nan, 0, 1, 3, inf), []float32{1}},
		{codedsgd.Rule{Name: codedsgd.Clip}, [][]float32{{3, 4}, {6, 8}, {0, 5}, {nan, 0}}, []float32{1.875, 3.75}}, // to 7.5
	} {
		if got := aggregate(t, c.rule, c.pieces); !slices.Equal(got, c.want) {
			t.Errorf("%+v of %v: %v, want %v", c.rule, c.pieces, got, c.want)
		}
	}
	for _, rule := range rules(4) {
		if rule.Bounded() != (rule.Name == codedsgd.Clip) {
			t.Errorf("%+v: bounded %v", rule, rule.Bounded())
		}
	}
	for _, c := range []struct{ pieces, krum, median int }{{12, 4, 5}, {11, 4, 5}, {5, 1, 2}, {4, 0, 1}, {3, 0, 1}, {2, -1, 0}, {1, -1, 0}} {
		krum, median := codedsgd.Rule{Name: codedsgd.Krum}.Tolerates(c.pieces), codedsgd.Rule{Name: codedsgd.Median}.Tolerates(c.pieces)
		if krum != c.krum || median != c.median || (codedsgd.Rule{Name: codedsgd.Mean}).Tolerates(c.pieces) != 0 {
			t.Errorf("%d pieces: Krum tolerates %d, the median %d", c.pieces, krum, median)
		}
	}
	if w := (codedsgd.Rule{Name: codedsgd.Krum}).Work(4, 10); w.FLOP != 3*6*10 || w.Bytes != 160 {
		t.Errorf("Krum of 4 pieces of 10 costs %+v", w)
	}
	if w := (codedsgd.Rule{Name: codedsgd.Median}).Work(8, 10); w.FLOP != 8*3*10 {
		t.Errorf("the median of 8 pieces of 10 costs %+v", w)
	}
}

// drawn returns pieces around a common point.
func drawn(r *rand.Rand, pieces, length int) [][]float32 {
	out := make([][]float32, pieces)
	for i := range out {
		for j := range length {
			out[i] = append(out[i], float32(j)+float32(r.NormFloat64()))
		}
	}
	return out
}

// rules lists every rule of a number of pieces, Krum at its largest f.
func rules(pieces int) (out []codedsgd.Rule) {
	for _, name := range codedsgd.Rules() {
		r := codedsgd.Rule{Name: name}
		if name == codedsgd.Krum {
			if r.Bad = r.Tolerates(pieces); r.Bad < 0 {
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// The order of the pieces does not matter, ties of Krum and signs of zeros included, and no
// piece is changed.
func TestRulesDoNotDependOnOrder(t *testing.T) {
	r := cluster.Stream(1, 0, "", "pieces")
	for pieces := 1; pieces <= 9; pieces++ {
		for _, rule := range rules(pieces) {
			p := drawn(r, pieces, 4)
			if pieces > 3 {
				p[0], p[2] = slices.Clone(p[1]), slices.Clone(p[3]) // twins tie
				for i := range p {
					p[i][0] = 0
					if i%2 > 0 {
						p[i][0] = float32(math.Copysign(0, -1))
					}
				}
			}
			before := fmt.Sprint(p)
			want := aggregate(t, rule, p)
			if fmt.Sprint(p) != before {
				t.Errorf("%+v changed its pieces", rule)
			}
			for range 20 {
				r.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
				got := aggregate(t, rule, p)
				for i, x := range got {
					summed := rule.Name == codedsgd.Mean || rule.Name == codedsgd.Clip
					same := math.Float32bits(x) == math.Float32bits(want[i])
					if d := math.Abs(float64(x - want[i])); !summed && !same || d > 1e-6 {
						t.Fatalf("%+v of %d pieces: %v, in another order %v", rule, pieces, want, got)
					}
				}
			}
		}
	}
}

// The breakdown point: however far f pieces are thrown, alike, apart or out of the numbers, what
// a rule tolerates leaves its outcome among the honest, and the mean is anywhere with one. A
// majority moves the median and clip, Q−f−1 alike pieces move Krum; as many that are apart,
// and for the median on both sides, need not.
func TestBreakdownPoint(t *testing.T) {
	const far, length = 1e20, 3
	r := cluster.Stream(2, 0, "", "pieces")
	for pieces := 3; pieces <= 12; pieces++ {
		for _, rule := range rules(pieces) {
			p, beyond := drawn(r, pieces, length), map[string]int{codedsgd.Mean: 1, codedsgd.Krum: pieces - rule.Bad - 1}[rule.Name]
			if beyond == 0 {
				beyond = pieces/2 + 1
			}
			for _, bad := range []int{rule.Tolerates(pieces), beyond} {
				for _, kind := range []string{"alike", "apart", "NaN", "infinite", "both"} {
					for i := range bad {
						for j := range length {
							p[i][j] = map[string]float32{"alike": far, "apart": far * float32(1+r.Float64()), "NaN": float32(math.NaN()),
								"infinite": float32(math.Inf(1)), "both": float32(math.Inf(1 - 2*(i%2)))}[kind]
						}
						if kind == "both" && i%3 == 2 {
							p[i][0] = float32(math.NaN())
						}
					}
					norm := 0.0
					for _, x := range aggregate(t, rule, p) {
						norm = math.Hypot(norm, float64(x))
					}
					exempt := bad == beyond && (rule.Name == codedsgd.Krum && kind == "apart" || rule.Name == codedsgd.Median && kind == "both")
					if honest := norm < 100; honest != (bad == rule.Tolerates(pieces)) && !exempt {
						t.Errorf("%+v of %d pieces, %d bad, %s: norm %g", rule, pieces, bad, kind, norm)
					}
				}
			}
		}
	}
}

// Every exchange brings every piece to every node, to the bit: each rank ends each step with
// the parameters that the rule gives one node that has all pieces, whatever n and r, with a
// sample of a thousandfold gradient, which the paper's range would clip.
func TestRuleOfEveryPieceOnEveryNode(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	const batch, micro, rate, decay = 30, 12, 0.3, 0.01
	big := func(int) *quadratic {
		q := newQuadratic(lengths...)
		q.big = 7
		return q
	}
	for _, rule := range rules(micro) {
		one := big(0)
		want := []string{}
		for step := range int64(2) {
			var pieces [][]float32
			for i := range micro {
				lo, hi := i*batch/micro, (i+1)*batch/micro
				g := make([]float32, len(one.params))
				if _, err := one.BlockGrad(step, lo, hi, g, func(int) {}); err != nil {
					t.Fatal(err)
				}
				for k := range g {
					g[k] /= float32(hi - lo)
				}
				pieces = append(pieces, g)
			}
			for k, g := range aggregate(t, rule, pieces) {
				w := float64(one.params[k])
				one.params[k] = float32(w - rate*(float64(g)+decay*w))
			}
			want = append(want, digest(one.params))
		}
		for n := 1; n <= 4; n++ {
			for r := 1; r <= n; r++ {
				for _, o := range []codedsgd.Options{{}, {Literal: true}, {Method: codedsgd.SSGDMulticast}, {Method: codedsgd.SSGDUnicast}, {Split: codedsgd.Columns},
					{Rounds: true}, {Rounds: true, Method: codedsgd.SSGDMulticast}} {
					o.Redundancy, o.MicroBlocks, o.Rule = r, micro, rule
					job := codedsgd.Job{Shapes: shapes, Batch: batch, Rate: rate, WeightDecay: decay, Steps: 2, Options: o}
					got, _ := train(t, virtual.New(network(n), virtual.Config{}), job, big)
					for rank := range got {
						if !slices.Equal(got[rank].Digests, want) {
							t.Fatalf("n=%d r=%d %+v: rank %d has other bits than one node", n, r, o, rank)
						}
						if s := got[rank].Log.Totals; s.Saturated != 0 {
							t.Errorf("n=%d r=%d %+v: %d numbers clipped", n, r, o, s.Saturated)
						}
					}
				}
			}
		}
	}
}

// A piece that is not finite does not end a run under a rule that tolerates it: its NaN travels
// coded and plain, and every node ends with the same finite parameters. The mean ends the run,
// and so does the median if two of three pieces are such: both name the rule's outcome.
func TestPiecesThatAreNotFinite(t *testing.T) {
	for _, poison := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		ends := make([]*quadratic, 4)
		poisoned := func(rank int) *quadratic {
			q := plain(0)
			q.poisoned, q.poison = 11, poison
			ends[rank] = q
			return q
		}
		for _, rule := range rules(6) {
			for _, method := range []string{codedsgd.CSSGD, codedsgd.SSGDMulticast} {
				job := codedsgd.Job{Batch: 12, Rate: 0.1, Steps: 3, Options: codedsgd.Options{Method: method, Redundancy: 2, Rule: rule}}
				if rule.Name == codedsgd.Mean {
					_, _, err := cluster.Run(t.Context(), virtual.New(network(4), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
						job.Task = poisoned(0)
						return codedsgd.Run(p, job)
					})
					var gone *codedsgd.NotFiniteError
					if !errors.As(err, &gone) || gone.Rule != codedsgd.Mean || gone.Numbers != 1 || gone.Layer != 3 || gone.Step != 0 {
						t.Errorf("%s, %g: %v", method, poison, err)
					}
					continue
				}
				got, _ := train(t, virtual.New(network(4), virtual.Config{}), job, poisoned)
				var counted int64
				for rank, r := range got {
					counted += r.Log.Totals.NotFinite
					for _, w := range ends[rank].params {
						if math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) {
							t.Fatalf("%+v, %s, %g: rank %d ends with %g", rule, method, poison, rank, w)
						}
					}
				}
				if counted != 2*3 {
					t.Errorf("%+v, %s, %g: %d numbers counted, want one at each of two holders in three steps", rule, method, poison, counted)
				}
			}
		}
	}
}

// Rounds send the same bytes in more packets, and a packet does not wait for the last
// micro-block: where sending takes as long as computing, the iteration ends sooner.
func TestRoundsLeaveEarlier(t *testing.T) {
	run := func(rounds bool) (totals codedsgd.Totals, end float64) {
		layers := newQuadratic(1200).layers
		layers[0].Backward = cluster.Work{FLOP: 4e5}
		logs, _, err := cluster.Run(t.Context(), virtual.New(network(4), virtual.Config{Headerless: true}), func(p cluster.Proc) (*codedsgd.Log, error) {
			return codedsgd.Run(p, codedsgd.Job{Layers: layers, Batch: 48, Steps: 1, Options: codedsgd.Options{Redundancy: 3, MicroBlocks: 48, Rounds: rounds}})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range logs {
			totals.Merge(l.Totals)
			end = max(end, l.Ends[0].Seconds())
		}
		return totals, end
	}
	whole, late := run(false)
	rounds, early := run(true)
	// 36 samples of 0.5 ms, then 4 packets of 12·400 numbers at 125 MB/s: 0.15 ms each, at once.
	if computing := 36 * 0.5e-3; early > computing+0.1e-3 || late < computing+0.15e-3 {
		t.Errorf("in rounds %g s, else %g, computing takes %g", early, late, computing)
	}
	if rounds.Bytes != whole.Bytes || rounds.Packets != 12*whole.Packets || rounds.CodingBytes != whole.CodingBytes {
		t.Errorf("in rounds %+v, else %+v", rounds, whole)
	}
}

// A timing-only run has the events of the real one, and aggregating takes its time: of one
// node, whose gradients cost nothing, all of it but the update's.
func TestRuleTakesTime(t *testing.T) {
	rule := codedsgd.Rule{Name: codedsgd.Krum, Bad: 1}
	for n, r := range map[int]int{1: 1, 4: 2} {
		job := codedsgd.Job{Batch: 30, Rate: 0.1, Steps: 2, Options: codedsgd.Options{Redundancy: r, MicroBlocks: 6, Rule: rule}}
		real, _ := train(t, virtual.New(network(n), virtual.Config{}), job, plain)
		job.Layers = plain(0).layers
		logs, _, err := cluster.Run(t.Context(), virtual.New(network(n), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
			return codedsgd.Run(p, job)
		})
		if err != nil || !slices.Equal(logs[0].Ends, real[0].Log.Ends) {
			t.Errorf("n=%d: %v, timing-only %v: %v", n, real[0].Log.Ends, logs, err)
		}
	}
	layers := newQuadratic(1000).layers
	layers[0].Forward, layers[0].Backward = cluster.Work{}, cluster.Work{}
	logs, _, err := cluster.Run(t.Context(), virtual.New(network(1), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
		return codedsgd.Run(p, codedsgd.Job{Layers: layers, Batch: 6, Steps: 1, Options: codedsgd.Options{MicroBlocks: 6, Rule: rule}})
	})
	if want := (rule.Work(6, 1000).FLOP + 4*1000) / link.FLOPS; err != nil || math.Abs(logs[0].Ends[0].Seconds()-want) > 1e-9 {
		t.Errorf("%v, %v, want %g s", logs, err, want)
	}
}

// Pieces are neither quantised nor added: only encoding and decoding count. n = 3, r = 2, a
// layer of 4: each node encodes two halves and decodes two packets of two halves.
func TestRuleCodesOnlyPackets(t *testing.T) {
	for method, want := range map[string]int64{codedsgd.CSSGD: 3 * 4 * (4 + 8), codedsgd.SSGDMulticast: 0, codedsgd.SSGDUnicast: 0} {
		for _, task := range []bool{true, false} {
			totals, _ := traffic(t, 3, task, func() codedsgd.Job {
				q := newQuadratic(4)
				return codedsgd.Job{Layers: q.layers, Batch: 3, Steps: 1,
					Options: codedsgd.Options{Method: method, Redundancy: 2, Rule: codedsgd.Rule{Name: codedsgd.Median}}}
			})
			if totals.CodingBytes != want {
				t.Errorf("%s, task %v: %d bytes, want %d", method, task, totals.CodingBytes, want)
			}
		}
	}
}

// Who sends a block plainly has it earliest, and all send about as many.
func TestPlainBlocksHaveManySenders(t *testing.T) {
	for n := 2; n <= 8; n++ {
		for r := 1; r < n; r++ {
			o := codedsgd.Options{Method: codedsgd.SSGDMulticast, Redundancy: r, Rule: codedsgd.Rule{Name: codedsgd.Median}}
			logs, _, err := cluster.Run(t.Context(), virtual.New(network(n), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
				return codedsgd.Run(p, codedsgd.Job{Layers: newQuadratic(10).layers, Batch: 100, Steps: 1, Options: o})
			})
			if err != nil {
				t.Fatal(err)
			}
			least, most, all := int64(math.MaxInt64), int64(0), int64(0)
			for _, l := range logs {
				least, most, all = min(least, l.Totals.Packets), max(most, l.Totals.Packets), all+l.Totals.Packets
			}
			if all != int64(choose(n, r)) || most > least+int64(n/2) {
				t.Errorf("n=%d r=%d: %d messages, %d to %d of a node", n, r, all, least, most)
			}
		}
	}
}

// What has no outcome is refused with one line, in an exchange and alone.
func TestRulesThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(j *codedsgd.Job){
		"not of cssgd":     func(j *codedsgd.Job) { j.Options.Rounds, j.Options.Literal = true, true },
		"no rule":          func(j *codedsgd.Job) { j.Options.Rule.Name = "mode" },
		"neither a range":  func(j *codedsgd.Job) { j.Options.Range = 10 },
		"nor sums":         func(j *codedsgd.Job) { j.Options.Method = codedsgd.Compressed },
		"are of rule krum": func(j *codedsgd.Job) { j.Options.Rule.Bad = 1 },
		"with 1 bad ones":  func(j *codedsgd.Job) { j.Options.Rule = codedsgd.Rule{Name: codedsgd.Krum, Bad: 1} },
		"with -1 bad ones": func(j *codedsgd.Job) { j.Options.Rule = codedsgd.Rule{Name: codedsgd.Krum, Bad: -1} },
		"has no sample":    func(j *codedsgd.Job) { j.Batch = 2 },
		"NaN or infinite": func(j *codedsgd.Job) {
			q := newQuadratic(4, 3)
			q.poisoned, q.poison = 1, float32(math.NaN())
			j.Task, j.Options.Rule.Name = q, codedsgd.Mean
		},
		"are NaN": func(j *codedsgd.Job) {
			q := newQuadratic(4, 3)
			q.poisoned, q.poison = 1, float32(math.Inf(-1))
			j.Task, j.Options.Rule = q, codedsgd.Rule{} // the paper's sum
		},
	} {
		_, _, err := cluster.Run(t.Context(), virtual.New(network(3), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
			job := codedsgd.Job{Task: newQuadratic(4, 3), Batch: 9, Steps: 1,
				Options: codedsgd.Options{Redundancy: 2, Rule: codedsgd.Rule{Name: codedsgd.Median}}}
			change(&job)
			return codedsgd.Run(p, job)
		})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", want, err)
		}
		var diverged *codedsgd.NotFiniteError
		if errors.As(err, &diverged) != strings.Contains(want, "NaN") || diverged != nil && diverged.Layer != 1 {
			t.Errorf("%s: %+v is another kind of error", want, diverged)
		}
	}
	for _, r := range []codedsgd.Rule{{Name: codedsgd.Mean}, {Name: codedsgd.Krum}, {Name: "mode"}} {
		if err := r.Aggregate(nil, nil); err == nil {
			t.Errorf("%+v of nothing: no error", r)
		}
	}
}

// Ranks of another rule find out.
func TestRanksOfAnotherRuleFindOut(t *testing.T) {
	o := codedsgd.Options{Redundancy: 2, Rule: codedsgd.Rule{Name: codedsgd.Median}}
	err := disagree(t, true, o, func(j *codedsgd.Job) { j.Options.Rule.Name = codedsgd.Clip })
	if err == nil || !strings.Contains(err.Error(), "do all ranks have the same options?") {
		t.Errorf("median and clip: %v", err)
	}
}
