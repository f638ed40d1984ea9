package dasp_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/local"
)

// lodging is a quadratic that lives in the method's memory.
type lodging struct{ *quadratic }

func (l lodging) Lodge(params, grads []float32) { l.params, l.grads = params, grads }

// TestMemoryDecidesNoBit: wherever parameters and gradients lie, under every method the weights are those that the log
// accounts for: in the task's own memory, in messages, on a machine whose words are not the wire's, and where a body
// that was given away holds nothing any more, to which nobody writes.
func TestMemoryDecidesNoBit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	for where, c := range map[string]struct{ lodges, other bool }{
		"its own": {}, "messages": {lodges: true}, "other words": {lodges: true, other: true},
	} {
		t.Run(where, func(t *testing.T) {
			if c.other {
				t.Cleanup(dasp.OtherWords())
			}
			for _, name := range rivals.Names() {
				var weights [][]float32
				job := training(t, name, rivals.Defaults(6), 200, &weights)
				l, _ := run(t, gpus(1, 1.2, 1.4, 1.6, 1.9, 3.6), 1, lodged(job, c.lodges), poisoned)
				checkLog(t, l)
				replay(t, l, weights)
			}
		})
	}
}

// lodged replaces the job's task by one that lodges.
func lodged(job func(rank int) dasp.Job, lodges bool) func(rank int) dasp.Job {
	return func(rank int) dasp.Job {
		j := job(rank)
		if lodges {
			j.Task = lodging{j.Task.(*quadratic)}
		}
		return j
	}
}

// poisoned is dasp.Run where bodies that were given away hold nothing.
func poisoned(p cluster.Proc, job dasp.Job) (*dasp.Log, error) {
	x := &poisoner{Proc: p}
	l, err := dasp.Run(x, job)
	return l, errors.Join(err, x.check())
}

// poisoner keeps the promise of cluster.Msg.Given to the letter: a body that was given away holds no numbers any more, so
// that who reads it finds NaN.
type poisoner struct {
	cluster.Proc
	given [][]byte
}

const poison = 0xFF

func (x *poisoner) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if m.Given && m.Body != nil {
		old := m.Body[:cap(m.Body)]
		m.Body = slices.Clone(m.Body)
		for i := range old {
			old[i] = poison
		}
		x.given = append(x.given, old)
	}
	return x.Proc.Isend(to, tag, m)
}

// check returns an error if somebody has written to a body since it was given away.
func (x *poisoner) check() error {
	for k, b := range x.given {
		if i := slices.IndexFunc(b, func(c byte) bool { return c != poison }); i >= 0 {
			return fmt.Errorf("rank %d wrote to byte %d of body %d after it had given it away", x.Rank(), i, k)
		}
	}
	return nil
}

// TestMemoryOnRealGoroutines: a body handed from goroutine to goroutine has one owner at
// a time, which the race detector would tell, and BSP's weights are those of virtual time.
func TestMemoryOnRealGoroutines(t *testing.T) {
	p := gpus(1, 1.2, 1.9)
	var virtually, really [][]float32
	run(t, p, 1, training(t, "bsp", rivals.Defaults(3), 60, &virtually), nil)
	job := lodged(training(t, "bsp", rivals.Defaults(3), 60, &really), true)
	rt := local.New(p, local.Config{Seed: 1, WithServer: true})
	logs, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*dasp.Log, error) { return dasp.Run(p, job(p.Rank())) })
	if err != nil {
		t.Fatal(err)
	}
	replay(t, logs[0], really)
	if len(really) != len(virtually) {
		t.Errorf("%d updates, want %d", len(really), len(virtually))
	}
}
