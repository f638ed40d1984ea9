package codedsgd_test

import (
	"fmt"
	"strings"
	"testing"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// disagree runs n ranks, timing-only or not, of which rank 2 has another job, and returns the error.
func disagree(t *testing.T, task bool, o codedsgd.Options, change func(job *codedsgd.Job)) error {
	_, _, err := cluster.Run(t.Context(), virtual.New(network(4), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
		q := newQuadratic(36, 6)
		job := codedsgd.Job{Layers: q.layers, Shapes: [][2]int{{6, 6}, {6, 1}}, Batch: 24, Rate: 0.1, Steps: 2, Options: o}
		if task {
			job.Task = q
		}
		if p.Rank() == 2 {
			change(&job)
		}
		return codedsgd.Run(p, job)
	})
	return err
}

// Ranks that do not agree find out from the first packet, also where it is as long and for the same nodes as the one
// that is due; those that differ in what only takes time agree.
func TestRanksThatDoNotAgreeFindOut(t *testing.T) {
	for _, x := range []struct {
		change string
		other  func(job *codedsgd.Job)
		agree  bool
	}{
		{"micro-blocks", func(j *codedsgd.Job) { j.Options.MicroBlocks = 24 }, false},
		{"range", func(j *codedsgd.Job) { j.Options.Range = 11 }, false},
		{"speeds", func(j *codedsgd.Job) { j.Options.Speeds = []float64{1, 2, 3, 4} }, false},
		{"split of a square layer", func(j *codedsgd.Job) { j.Options.Split = "columns" }, false},
		{"batch", func(j *codedsgd.Job) { j.Batch = 23 }, false},
		{"learning rate", func(j *codedsgd.Job) { j.Rate = 0.2 }, false},
		{"weight decay", func(j *codedsgd.Job) { j.WeightDecay = 0.2 }, false},
		{"steps", func(j *codedsgd.Job) { j.Steps = 3 }, false},
		{"shapes", func(j *codedsgd.Job) { j.Shapes = [][2]int{{4, 9}, {6, 1}} }, false},
		{"time alone", func(j *codedsgd.Job) {
			j.Options.NoOverlap, j.Options.Charge, j.Options.Rate, j.Pass.FLOP = true, true, 1e9, 10
		}, true},
	} {
		for _, o := range []codedsgd.Options{{}, {Literal: true}, {Method: "ssgd-unicast"}, {Method: "ssgd-multicast"}, {Method: "compressed"}} {
			for _, task := range []bool{true, false} {
				o.Redundancy = 2
				err := disagree(t, task, o, x.other)
				if x.agree != (err == nil) {
					t.Errorf("%s, %+v, task %v: %v", x.change, o, task, err)
				}
				if err != nil && (!strings.Contains(err.Error(), "rank 2") ||
					!strings.Contains(err.Error(), "do all ranks have the same options?") || strings.Contains(err.Error(), "\n")) {
					t.Errorf("%s, %+v, task %v: %v", x.change, o, task, err)
				}
			}
		}
	}
	if err := disagree(t, true, codedsgd.Options{Redundancy: 2}, func(j *codedsgd.Job) { j.Options.Literal, j.Options.Split = true, "columns" }); err == nil {
		t.Error("a loop as printed passes for groups")
	}
}

// forger changes a bit of one word in the header of what its rank sends.
type forger struct {
	cluster.Proc
	word int
}

func (f *forger) forge(m *cluster.Msg) *cluster.Msg {
	m.Meta[f.word] ^= 1 << 3
	return m
}

func (f *forger) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	return f.Proc.Isend(to, tag, f.forge(m))
}

func (f *forger) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if root == f.Rank() {
		m = f.forge(m)
	}
	return f.Proc.Ibcast(group, root, tag, m)
}

// A message as long as the one that is due is refused if any word of its header is not the same.
func TestEveryWordOfAHeaderIsDue(t *testing.T) {
	for _, o := range []codedsgd.Options{{}, {Method: "ssgd-unicast"}, {Method: "compressed"}} {
		o.Redundancy = 2
		for word := range 4 {
			_, _, err := cluster.Run(t.Context(), virtual.New(network(4), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
				if p.Rank() == 1 {
					p = &forger{p, word}
				}
				return codedsgd.Run(p, codedsgd.Job{Task: newQuadratic(24), Batch: 24, Rate: 0.1, Steps: 1, Options: o})
			})
			if err == nil || !strings.Contains(err.Error(), "rank 1 sent") {
				t.Errorf("%+v, word %d: %v", o, word, err)
			}
		}
	}
}

// A node that holds other parameters sends other segments; of a literal exchange what
// comes once more shows it, in one line.
func TestWhatComesOnceMoreMustBeTheSame(t *testing.T) {
	run := func(by float32) error {
		_, _, err := cluster.Run(t.Context(), virtual.New(network(5), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
			q := newQuadratic(30)
			if p.Rank() == 4 {
				for i := range q.params {
					q.params[i] += by
				}
			}
			return codedsgd.Run(p, codedsgd.Job{Task: q, Batch: 23, Rate: 0.1, Steps: 1, Options: codedsgd.Options{Redundancy: 3, Literal: true}})
		})
		return err
	}
	if err := run(0.01); err == nil || !strings.Contains(fmt.Sprint(err), "came once more and differs") {
		t.Errorf("a node of other parameters: %v", err)
	}
	if err := run(0); err != nil {
		t.Errorf("nodes of the same parameters: %v", err)
	}
}
