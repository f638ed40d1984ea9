//gradsync:pure

package rivals

import (
	"slices"
	"strconv"

	"gradsync/papers/dasp"
)

// roster holds what every rival keeps: who is present, who waits, the clocks.
type roster struct {
	name    string
	present []bool
	waiting []bool
	clock   []int64 // pushes so far; a joiner starts at the slowest clock
	out     []dasp.Action
}

func newRoster(name string, n int) roster {
	r := roster{name: name, present: make([]bool, n), waiting: make([]bool, n), clock: make([]int64, n)}
	for i := range r.present {
		r.present[i] = true
	}
	return r
}

// Name returns the method's name.
func (r *roster) Name() string { return r.name }

// n returns the number of workers of the cluster, present or not.
func (r *roster) n() int { return len(r.present) }

// here returns the number of workers present.
func (r *roster) here() (count int) {
	for _, present := range r.present {
		if present {
			count++
		}
	}
	return count
}

// arrive checks and counts a push.
func (r *roster) arrive(w int) {
	if r.waiting[w] || !r.present[w] {
		panic(r.name + ": push from worker " + strconv.Itoa(w) + ", which waits or has left")
	}
	r.clock[w]++
}

// slowest returns the least clock of the workers present other than skip, and
// the lowest id that has it; (0, −1) if there is nobody.
func (r *roster) slowest(skip int) (clock int64, id int) {
	id = -1
	for i, c := range r.clock {
		if i != skip && r.present[i] && (id < 0 || c < clock) {
			clock, id = c, i
		}
	}
	return clock, id
}

// join makes w present and answers it.
func (r *roster) join(w int) {
	if c, id := r.slowest(w); id >= 0 {
		r.clock[w] = c
	}
	r.present[w] = true
	r.reply(w, dasp.QIS)
}

// leave takes w out.
func (r *roster) leave(w int) { r.present[w], r.waiting[w] = false, false }

// apply makes one version of the gradients of workers.
func (r *roster) apply(weight float64, workers ...int) {
	r.out = append(r.out, dasp.Action{Kind: dasp.Apply, Workers: workers, Weight: weight})
}

// drop discards the gradient of w.
func (r *roster) drop(w int) {
	r.out = append(r.out, dasp.Action{Kind: dasp.Drop, Workers: []int{w}})
}

// reply answers w. Methods without states answer in QIS what they did not
// delay, and in no state what they did.
func (r *roster) reply(w int, s dasp.State) {
	r.waiting[w] = false
	r.out = append(r.out, dasp.Action{Kind: dasp.Reply, Workers: []int{w}, State: s})
}

// waiters returns the workers that wait, in rank order.
func (r *roster) waiters() (ws []int) {
	for w, waits := range r.waiting {
		if waits {
			ws = append(ws, w)
		}
	}
	return ws
}

// answer replies to workers in order; last has just pushed and was not delayed.
func (r *roster) answer(workers []int, last int) {
	for _, w := range workers {
		state := dasp.State(0)
		if w == last {
			state = dasp.QIS
		}
		r.reply(w, state)
	}
}

// release answers, in rank order, the waiters that are at most s clocks ahead; last has just pushed.
func (r *roster) release(s int64, last int) {
	slow, _ := r.slowest(-1)
	r.answer(slices.DeleteFunc(r.waiters(), func(w int) bool { return r.clock[w]-slow > s }), last)
}
