package ringsparse_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/virtual"
)

// sent is one message as it left a rank.
type sent struct {
	To     int
	Tag    cluster.Tag
	Meta   [4]int64
	Digest string // of the body
	Bytes  int
}

// spy notes what a rank sends.
type spy struct {
	cluster.Proc
	sent *[]sent
}

func (s spy) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	*s.sent = append(*s.sent, sent{To: to, Tag: tag, Meta: m.Meta, Digest: fmt.Sprintf("%x", m.Body), Bytes: m.Size()})
	return s.Proc.Isend(to, tag, m)
}

// watch runs job on n ranks and returns what each sent.
func watch(t *testing.T, n int, job ringsparse.Job, task func(rank int) cluster.Task) [][]sent {
	t.Helper()
	all, _, err := cluster.Run(t.Context(), newVirtual(n), func(p cluster.Proc) (list []sent, err error) {
		job := job
		job.Task = task(p.Rank())
		_, err = ringsparse.Run(spy{p, &list}, job)
		return list, err
	})
	must(t, err)
	return all
}

// S13: "every GPU node is connected with its neighbours by number only, the last with the
// first, so that all form a ring."
func TestS13EachRankSendsToTheNextAlone(t *testing.T) {
	for n := 2; n <= 5; n++ {
		job := ringsparse.Job{Rate: eta, Steps: 2, Options: ringsparse.Options{Codec: "bitmap"}}
		for rank, list := range watch(t, n, job, func(r int) cluster.Task { return newQuadratic(r, 0.2, 0.5, ragged...) }) {
			for _, m := range list {
				if m.To != (rank+1)%n {
					t.Errorf("N=%d: rank %d sent to %d", n, rank, m.To)
				}
			}
		}
	}
}

// S13: "synchronisation goes layer by layer", in the order of the backward pass, which is one order on all ranks.
func TestS13LayersAreExchangedLastFirst(t *testing.T) {
	const n = 4
	job := ringsparse.Job{Rate: eta, Steps: 2, Options: ringsparse.Options{Codec: "coo"}}
	var want []cluster.Tag
	for range job.Steps {
		for layer := len(ragged) - 1; layer >= 0; layer-- {
			want = append(want, slices.Repeat([]cluster.Tag{cluster.Tag(layer)}, 2*(n-1))...)
		}
	}
	for rank, list := range watch(t, n, job, func(r int) cluster.Task { return newQuadratic(r, 0.2, 0.5, ragged...) }) {
		var got []cluster.Tag
		for _, m := range list {
			got = append(got, m.Tag)
		}
		if !slices.Equal(got, want) {
			t.Errorf("rank %d sent layers %v, want %v", rank, got, want)
		}
	}
}

// S13: "while a layer is synchronised, the GPU nodes compute the errors and gradients of the layers before it." By
// hand: 3 layers, 1 ms forward in all, 1 ms backward each; a dense exchange between two ranks of 1.25 MB at 1.25 GB/s
// takes 1 ms. Overlapped: 2 ms until the last layer's gradient, 3 exchanges of 1 ms. Else 4 ms, then 3 ms.
func TestS13ExchangeOverlapsTheBackwardPass(t *testing.T) {
	host := cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 1.25e9}
	var layers []cluster.Layer
	for i := range 3 {
		layers = append(layers, cluster.Layer{Offset: i * 312500, Length: 312500,
			Forward: cluster.Work{FLOP: 1e6 / 3.}, Backward: cluster.Work{FLOP: 1e6}})
	}
	const update = 2 * 3 * 312500 * time.Nanosecond // 2 FLOP per parameter
	for noOverlap, want := range map[bool]time.Duration{false: 5*time.Millisecond + update, true: 7*time.Millisecond + update} {
		rt := virtual.New(cluster.Uniform(2, host, nil), virtual.Config{Headerless: true})
		logs, _, err := ran(t, rt, ringsparse.Job{Layers: layers, Rate: eta, Steps: 1,
			Options: ringsparse.Options{Kinds: "gradients", Codec: "dense", NoOverlap: noOverlap}})
		must(t, err)
		if got := logs[0].Ends[0]; got != want {
			t.Errorf("NoOverlap %v: the step ends at %v, want %v", noOverlap, got, want)
		}
	}
}

// S2: "the GPU nodes use the same model parameters": the backward pass still reads W0 while
// layers are exchanged, so nothing is written to it before the pass is over.
func TestS2ParametersStayUntilThePassIsOver(t *testing.T) {
	const n = 3
	rt := local.New(cluster.Uniform(n, link, nil), local.Config{Seed: 1})
	job := ringsparse.Job{Rate: eta, Steps: 2, Options: ringsparse.Options{Codec: "bitmap"}}
	for rank, o := range train(t, rt, job, func(r int) cluster.Task {
		return &slow{quadratic: newQuadratic(r, 0.5, 0, 100, 50), t: t}
	}) {
		if o.Digests[0] == o.Digests[1] {
			t.Errorf("rank %d learnt nothing", rank)
		}
	}
}

// slow gives the exchange of its last layer time before it looks at its parameters.
type slow struct {
	*quadratic
	t *testing.T
}

func (s *slow) Grad(step int64, done func(int)) (float64, error) {
	before := digest(s.params)
	return s.quadratic.Grad(step, func(layer int) {
		if layer == 0 {
			time.Sleep(30 * time.Millisecond)
			if digest(s.params) != before {
				s.t.Errorf("rank %d: parameters changed within step %d", s.rank, step)
			}
		}
		done(layer)
	})
}

// S6: "N−1 times until reduce-scatter is complete … after N−1 iterations each node has
// gathered": 2(N−1) messages per rank and layer. The last reduce step receives and does
// not send; in step i rank r sends block r−i, in the all-gather r+1−i.
func TestS6TwiceNMinusOneExchanges(t *testing.T) {
	for n := 1; n <= 6; n++ {
		job := ringsparse.Job{Rate: eta, Steps: 1, Options: ringsparse.Options{Codec: "dense"}}
		const length = 100
		for rank, list := range watch(t, n, job, func(r int) cluster.Task { return newQuadratic(r, 0.2, 0.5, length) }) {
			if len(list) != 2*(n-1) {
				t.Fatalf("N=%d rank %d: %d messages, want %d", n, rank, len(list), 2*(n-1))
			}
			for i, m := range list {
				block, contributors := rank-i, i+1
				if i >= n-1 {
					block, contributors = rank+1-(i-(n-1)), n
				}
				if lo, hi := ringsparse.Block(length, n, block); m.Meta[2] != int64(contributors) || m.Meta[3] != int64(hi-lo) {
					t.Errorf("N=%d rank %d message %d: %d contributors, %d entries, want %d, %d", n, rank, i, m.Meta[2], m.Meta[3], contributors, hi-lo)
				}
			}
		}
	}
}

// S6: "a node that receives the previous node's data overwrites its local block with it":
// a block goes round as the same bytes under the same tags, never coded again.
func TestS6AllGatherForwardsTheSameBytes(t *testing.T) {
	const n = 5
	job := ringsparse.Job{Rate: eta, Steps: 1, Options: ringsparse.Options{Bandwidth: 1e8}}
	lists := watch(t, n, job, func(r int) cluster.Task { return newRandom(r, 0.3, 0.5, 103) })
	for owner := range n {
		first := lists[owner][n-1]
		for hop := range n - 1 {
			if got := lists[(owner+hop)%n][n-1+hop]; got.Digest != first.Digest || got.Meta != first.Meta {
				t.Errorf("block of owner %d at hop %d: %v, want %v", owner, hop, got.Meta, first.Meta)
			}
		}
	}
}

// S6: "after this stage the parameters of all GPU nodes agree", and they are those of the definition: W0 − η·Σg/N.
func TestS6AllParametersAgree(t *testing.T) {
	for n := 1; n <= 7; n++ {
		task := func(r int) cluster.Task { return newQuadratic(r, 0.3, 0.3, ragged...) }
		var want []float64
		for r := range n {
			q := newQuadratic(r, 0.3, 0.3, ragged...)
			if _, err := q.Grad(0, func(int) {}); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = make([]float64, len(q.params))
			}
			for i, g := range q.grads {
				want[i] += (float64(q.params[i]) - eta*float64(g)) / float64(n)
			}
		}
		out := train(t, newVirtual(n), ringsparse.Job{Rate: eta, Steps: 1, Options: ringsparse.Options{Codec: "bitmap"}}, task)
		for rank, o := range out {
			for i, w := range o.Params {
				if d := float64(w) - want[i]; d > 1e-5 || d < -1e-5 {
					t.Fatalf("N=%d rank %d: parameter %d is %g, want %g", n, rank, i, w, want[i])
				}
			}
			if o.Digests[0] != out[0].Digests[0] {
				t.Errorf("N=%d: rank %d differs from rank 0", n, rank)
			}
		}
	}
}

// S7: "until the predefined number of iterations"; OnStep may end them earlier.
func TestS7RepeatsForThePredefinedIterations(t *testing.T) {
	for _, stopAt := range []int64{-1, 2} {
		logs, _, err := cluster.Run(t.Context(), newVirtual(3), func(p cluster.Proc) (*ringsparse.Log, error) {
			return ringsparse.Run(p, ringsparse.Job{Task: newQuadratic(p.Rank(), 0.3, 0, 20), Rate: eta, Steps: 5,
				Options: ringsparse.Options{Codec: "dense"}, OnStep: func(step int64) (bool, error) { return step == stopAt, nil }})
		})
		must(t, err)
		if want := map[int64]int{-1: 5, 2: 3}[stopAt]; len(logs[1].Ends) != want {
			t.Errorf("stop at %d: %d steps, want %d", stopAt, len(logs[1].Ends), want)
		}
	}
}

// S5, the note: "the speed of a layer's synchronisation is limited by the slowest transfer
// between neighbours." One link of eight times less bandwidth takes eight times as long.
func TestS5TheSlowestLinkSetsTheTime(t *testing.T) {
	end := func(slow float64) (last float64) {
		p := cluster.Uniform(4, cluster.Host{Name: "w", FLOPS: 1e15, Bandwidth: 1e9}, nil)
		p.Workers[2].Bandwidth /= slow
		logs, _, err := ran(t, virtual.New(p, virtual.Config{Headerless: true}),
			ringsparse.Job{Layers: []cluster.Layer{{Length: 1e6}}, Rate: eta, Steps: 1,
				Options: ringsparse.Options{Kinds: "gradients", Codec: "dense"}})
		must(t, err)
		for _, l := range logs {
			last = max(last, l.Ends[0].Seconds())
		}
		return last
	}
	if ratio := end(8) / end(1); ratio < 7.9 || ratio > 8.1 {
		t.Errorf("a link of 1/8 makes it %g times as slow, want 8", ratio)
	}
}
