package train

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"gradsync/experiments/checkpoint"
	"gradsync/papers/dasp"
)

// workerKept holds a state's part of a worker: which weights it was handed last. The losses of its gradients before, and of
// that one if it was used, are among the state's bytes.
type workerKept struct {
	Step   int64 // of the gradient on these weights
	Pulled int64 // their version
	Used   bool  // an update has used that gradient
}

// vectorHanded names the weights of a version.
func vectorHanded(version int64) string { return "handed." + strconv.FormatInt(version, 10) }

// past spares a worker's task what need not be computed again: it has the losses of the first gradients, which updates have
// used, and the weights of the next one. It takes note of further losses.
type past struct {
	first   int64     // step whose gradient is computed
	weights []float32 // it is computed on; nil: on those that come

	mu     sync.Mutex
	losses []float64
}

// again returns the loss of a step that is not computed; of the first one that is it puts the weights in place.
func (t *past) again(step int64, params []float32) (loss float64, done bool) {
	if step < t.first {
		return t.losses[step], true
	}
	if step == t.first && t.weights != nil {
		copy(params, t.weights)
	}
	return 0, false
}

func (t *past) note(step int64, loss float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for int64(len(t.losses)) <= step {
		t.losses = append(t.losses, 0)
	}
	t.losses[step] = loss
}

func (t *past) upTo(step int64) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return words(t.losses[:step])
}

// handed is the latest weights that the server handed to a worker.
type handed struct {
	step, version int64
	used          bool
	params        []float32 // shared with other workers; nil while the run is made again
}

// serverKeeper keeps the states of a method with a server, on the server.
type serverKeeper struct {
	*keeping
	r       *runner
	workers []handed
	pasts   []*past // of the workers' tasks; nil on a real clock
}

var _ dasp.Keeper = (*serverKeeper)(nil)

// newServerKeeper returns nil without a folder.
func newServerKeeper(r *runner) (*serverKeeper, error) {
	if r.keeping == nil {
		return nil, nil
	}
	k := &serverKeeper{keeping: r.keeping, r: r, workers: make([]handed, r.cfg.Workers)}
	begun, _ := r.begun()
	for w := range k.workers {
		k.workers[w].step = begun - 1
	}
	if r.cfg.Runtime != "virtual" { // no gradient is under way, and nothing is made again
		return k, nil
	}
	for range k.workers {
		k.pasts = append(k.pasts, &past{})
	}
	if k.from.At == 0 {
		return k, nil
	}
	if len(k.from.Workers) != len(k.pasts) {
		return nil, fmt.Errorf("train: checkpoint: %s has %d workers, want %d", k.where(), len(k.from.Workers), len(k.pasts))
	}
	for w, kept := range k.from.Workers {
		t := k.pasts[w]
		t.losses, t.first = fromWords(k.state.Bytes[bytesLosses(w)]), kept.Step
		if kept.Used {
			t.first++
		} else if t.weights = k.state.Vector(vectorHanded(kept.Pulled)); t.weights == nil {
			return nil, fmt.Errorf("train: checkpoint: %s lacks the weights of version %d", k.where(), kept.Pulled)
		}
		if int64(len(t.losses)) != t.first {
			return nil, fmt.Errorf("train: checkpoint: %s has %d losses of worker %d, want %d", k.where(), len(t.losses), w, t.first)
		}
	}
	return k, nil
}

// onUpdate evaluates as the run does, but nothing that the state's evaluations have.
func (k *serverKeeper) onUpdate() func(u dasp.Update, params []float32) bool {
	tell := k.r.onUpdate(k.from.Pushes)
	return func(u dasp.Update, params []float32) bool {
		k.r.stopped = tell(u, params) || u.Version == k.from.At && k.from.Stopped
		return k.r.stopped
	}
}

// Handed keeps a copy of the weights, one for all workers that are handed a version.
func (k *serverKeeper) Handed(worker int, version int64, params []float32) {
	h := &k.workers[worker]
	h.step, h.version, h.used, h.params = h.step+1, version, false, nil
	if version < k.from.At {
		return
	}
	for _, o := range k.workers {
		if o.params != nil && o.version == version {
			h.params = o.params
			return
		}
	}
	h.params = slices.Clone(params)
}

// Updated writes a state where one is due, and puts back the one that the run goes on from.
func (k *serverKeeper) Updated(u dasp.Update, params, velocity []float32, last bool) (replaced bool, err error) {
	for _, w := range u.Workers {
		k.workers[w].used = true
	}
	if u.Version == k.from.At {
		return true, k.restore(params, velocity)
	}
	if !k.due(u.Version, last) {
		return false, nil
	}
	p, s := &progress{At: u.Version, Pushes: u.Pushes, Seconds: k.r.before() + u.At.Seconds(), Last: last, Stopped: k.r.stopped}, &checkpoint.State{}
	s.Add(vectorParams, params)
	s.Add(vectorVelocity, velocity)
	for w, h := range k.workers {
		kept := workerKept{Step: h.step, Pulled: h.version, Used: h.used}
		first := h.step
		if h.used {
			first++
		} else if name := vectorHanded(h.version); s.Vector(name) == nil {
			s.Add(name, h.params)
		}
		if k.pasts != nil {
			s.AddBytes(bytesLosses(w), k.pasts[w].upTo(first))
		}
		p.Workers = append(p.Workers, kept)
	}
	if err := k.r.reached(p, s); err != nil {
		return false, err
	}
	return false, k.write(p, s)
}

// restore puts back the state. What the run came to when it was made again must be what the state says.
func (k *serverKeeper) restore(params, velocity []float32) error {
	for w := range k.workers {
		h, kept := &k.workers[w], k.from.Workers[w]
		if h.step != kept.Step || h.version != kept.Pulled || h.used != kept.Used {
			return fmt.Errorf("train: checkpoint: %s: after update %d worker %d is at step %d of version %d, here at step %d of version %d: is it of another gradsync?",
				k.where(), k.from.At, w, kept.Step, kept.Pulled, h.step, h.version)
		}
		if !h.used {
			h.params = k.pasts[w].weights
		}
	}
	copy(params, k.state.Vector(vectorParams))
	copy(velocity, k.state.Vector(vectorVelocity))
	return nil
}
