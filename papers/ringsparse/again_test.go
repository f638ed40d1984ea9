package ringsparse_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// TestAResumedRunIsTheWholeRun: a run that makes its first steps again by their decisions, without numbers, and goes on from the
// parameters and residuals after them has the whole run's log and ends its steps at the same instants. Every rate is another,
// so that no time passes for another's; the log holds choices, so that densities are compared too.
func TestAResumedRunIsTheWholeRun(t *testing.T) {
	const n, all, again = 3, 5, 3
	rates := []cluster.CodecRate{{Name: "count", Encode: 1e9}, {Name: "convert", Encode: 3e8}}
	for i, name := range []string{"bitmap", "coo", "rle"} {
		rates = append(rates, cluster.CodecRate{Name: name, Encode: 1e8 / float64(3+2*i), Decode: 1e8 / float64(10+3*i)})
	}
	for name, o := range map[string]ringsparse.Options{"auto": {}, "coo": {Codec: "coo"}, "gradients": {Kinds: "gradients", Codecs: []string{"rle", "coo"}},
		"weights": {Kinds: "weights", Codec: "bitmap"}, "threshold": {Threshold: 0.01}, "all-gather": {Exchange: "all-gather", Threshold: 0.01}} {
		o.Bandwidth, o.Charge, o.Rates, o.LogChoices = 1e6, true, rates, true
		states, decisions := make([]kept, n), make([][]ringsparse.Decision, n)
		run := func(resumed bool) ([]*ringsparse.Log, []string) {
			ends := make([]string, n)
			logs, _, err := cluster.Run(t.Context(), newVirtual(n), func(p cluster.Proc) (*ringsparse.Log, error) {
				k := p.Rank()
				q, log := newQuadratic(k, 0.1, 0.4, ragged...), &ringsparse.Log{}
				job := ringsparse.Job{Task: q, Rate: eta, Steps: all, Options: o, Keep: true, Log: log}
				if resumed {
					job.Timed, log.Decisions = again, decisions[k]
				}
				job.OnStep = func(step int64) (bool, error) {
					switch {
					case step != again-1:
					case resumed:
						copy(q.params, states[k].params)
						copy(log.Residual, states[k].residual)
					default:
						states[k] = kept{slices.Clone(q.params), slices.Clone(log.Residual)}
						decisions[k] = slices.Clone(log.Decisions)
					}
					return false, nil
				}
				_, err := ringsparse.Run(p, job)
				ends[k] = digest(q.params)
				return log, err
			})
			if err != nil {
				t.Fatalf("%s, resumed %v: %v", name, resumed, err)
			}
			return logs, ends
		}
		want, params := run(false)
		got, resumed := run(true)
		if !slices.Equal(resumed, params) {
			t.Errorf("%s: resumed, the ranks end with the parameters %v, want %v", name, resumed, params)
		}
		for k := range n {
			for what, of := range map[string]func(*ringsparse.Log) any{"ends": func(l *ringsparse.Log) any { return l.Ends },
				"choices":   func(l *ringsparse.Log) any { return l.Choices },
				"decisions": func(l *ringsparse.Log) any { return l.Decisions },
				"totals":    func(l *ringsparse.Log) any { return l.Totals }, "residual": func(l *ringsparse.Log) any { return l.Residual }} {
				if g, w := of(got[k]), of(want[k]); !reflect.DeepEqual(g, w) {
					t.Errorf("%s: rank %d, resumed: %s", name, k, difference(what, g, w))
				}
			}
		}
	}
}

// difference names the first element in which two values of one type differ, slices or not.
func difference(what string, got, want any) string {
	if g, w := reflect.ValueOf(got), reflect.ValueOf(want); g.Kind() == reflect.Slice {
		for i := range min(g.Len(), w.Len()) {
			if a, b := g.Index(i).Interface(), w.Index(i).Interface(); a != b {
				return fmt.Sprintf("%s: entry %d is %+v, want %+v", what, i, a, b)
			}
		}
		return fmt.Sprintf("%s: %d entries, want %d", what, g.Len(), w.Len())
	}
	return fmt.Sprintf("%s: %+v, want %+v", what, got, want)
}
