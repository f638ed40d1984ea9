package collective_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

const (
	ms       = time.Millisecond
	crewTags = 3            // of a crew's exchanges
	crewSpan = crewTags + 2 // and of its own in each epoch
)

// crewHost sends a kilobyte in a millisecond, which arrives a millisecond later.
var crewHost = cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 1e6, Latency: ms / 2}

// note holds a message as others see it: receiver, tag, first word and bytes of the body.
type note struct {
	to    int
	tag   cluster.Tag
	made  int64
	bytes int
}

// witness is a rank's Proc that notes what its crew does.
type witness struct {
	cluster.Survivor
	sent     []note
	received []cluster.Req
	waits    int
	forge    func(to int, m *cluster.Msg) (withheld bool) // changes what is sent; nil: nothing
}

func (w *witness) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	w.sent = append(w.sent, note{to, tag, m.Meta[0], len(m.Body)})
	if w.forge != nil && w.forge(to, m) {
		to = w.Rank()
	}
	return w.Survivor.Isend(to, tag, m)
}

func (w *witness) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	w.received = append(w.received, w.Survivor.Irecv(from, tag, into))
	return w.received[len(w.received)-1]
}

func (w *witness) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	if w.waits++; w.waits > 100_000 {
		panic("a crew waits without end")
	}
	return w.Survivor.WaitAny(until, reqs...)
}

// states returns to whom the rank sent what a step led to, in order: of a crew's own messages these have bodies.
func (w *witness) states() (to []int) {
	for _, m := range w.sent {
		if m.bytes > 0 {
			to = append(to, m.to)
		}
	}
	return to
}

// elastic returns n equal ranks in virtual time.
func elastic(n int, notice time.Duration) cluster.Runtime {
	return virtual.New(cluster.Uniform(n, crewHost, nil), virtual.Config{Seed: 1, Elastic: true, Notice: notice})
}

// play runs body with a crew on n ranks, of which some are lost at instants, which all are told at once.
func play(t *testing.T, n int, lost map[int]time.Duration,
	body func(w *witness, c *collective.Crew) error) ([]*witness, error) {
	t.Helper()
	all := make([]*witness, n)
	_, err := elastic(n, 0).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		if at := lost[p.Rank()]; at > 0 {
			failing(p, at)
		}
		w := &witness{Survivor: p.(cluster.Survivor)}
		all[p.Rank()] = w
		c, err := collective.NewCrew(w, crewTags)
		if err != nil {
			return nil, err
		}
		return nil, body(w, c)
	})
	return all, err
}

// failing lets p's host fail at an instant.
func failing(p cluster.Proc, at time.Duration) {
	p.Go("host", func(p cluster.Proc) error {
		if err := cluster.Sleep(p, at-p.Now()); err != nil {
			return err
		}
		return cluster.ErrCrashed
	})
}

// hear waits in an exchange until a rank is lost.
func hear(c *collective.Crew) error {
	if i, err := c.Proc().WaitAny(0); i != -1 || !errors.Is(err, cluster.ErrLost) {
		return fmt.Errorf("waiting for a loss ends with %d, %w", i, err)
	}
	return nil
}

// regroup hears of a loss and regroups, until that many ranks are left.
func regroup(c *collective.Crew, left int, made int64, state ...[]float32) (int64, error) {
	var err error
	for err == nil && len(c.Alive()) > left {
		if err = hear(c); err == nil {
			made, err = c.Regroup(made, state...)
		}
	}
	return made, err
}

// led returns what a number of steps led to, other numbers for each and in two vectors.
func led(made int64) [][]float32 {
	a, b := make([]float32, 3), make([]float32, 5)
	for i := range b {
		b[i] = float32(100*made + int64(i))
	}
	copy(a, []float32{-float32(made), 0.5, 7})
	return [][]float32{a, b}
}

func same(a, b [][]float32) bool { return slices.EqualFunc(a, b, slices.Equal) }

func TestACrewIsForRunsThatOutliveALoss(t *testing.T) {
	rt := virtual.New(cluster.Uniform(2, crewHost, nil), virtual.Config{})
	_, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		if c, err := collective.NewCrew(p, crewTags); c != nil || err != nil {
			return nil, fmt.Errorf("a run that ends with the first loss has the crew %v, %v", c, err)
		}
		return nil, nil
	})
	must(t, err)
}

// TestTheTagsOfAllEpochsLieBelowMaxTag: there are 2²² − 2 tags for as many epochs as ranks, two in each the crew's own.
func TestTheTagsOfAllEpochsLieBelowMaxTag(t *testing.T) {
	for _, c := range []struct {
		n    int
		tags cluster.Tag
		want string
	}{
		{1, 1<<22 - 4, ""},
		{1, 1<<22 - 3, "collective: 4194303 tags for each of 1 epochs are too many"},
		{2, 1<<21 - 3, ""},
		{2, 1<<21 - 2, "collective: 2097152 tags for each of 2 epochs are too many"},
		{4, 1 << 30, "collective: 1073741826 tags for each of 4 epochs are too many"}, // 2³² and more in all
	} {
		_, err := elastic(c.n, 0).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			crew, err := collective.NewCrew(p, c.tags)
			if err == nil {
				err = errors.New("") // none
			}
			if (crew != nil) != (c.want == "") || err.Error() != c.want {
				t.Errorf("%d ranks, %d tags: a crew %v, %v, want %q", c.n, c.tags, crew != nil, err, c.want)
			}
			return nil, nil
		})
		must(t, err)
	}
}

// TestACrewsProcIsOneOfTheLivingAlone: without rank 1 of five the others are 0, 1, 2, 3, and every operation goes by
// that.
func TestACrewsProcIsOneOfTheLivingAlone(t *testing.T) {
	_, err := play(t, 5, map[int]time.Duration{1: 10 * ms}, func(w *witness, c *collective.Crew) error {
		if all := c.Proc(); all.Rank() != w.Rank() || all.Size() != 5 || !slices.Equal(c.Alive(), []int{0, 1, 2, 3, 4}) {
			t.Errorf("rank %d at first: %d of %d, alive %v", w.Rank(), all.Rank(), all.Size(), c.Alive())
		}
		if _, err := regroup(c, 4, 3); err != nil {
			return err
		}
		p := c.Proc()
		me := map[int]int{0: 0, 2: 1, 3: 2, 4: 3}[w.Rank()]
		if p.Rank() != me || p.Size() != 4 || !slices.Equal(c.Alive(), []int{0, 2, 3, 4}) {
			t.Errorf("rank %d: %d of %d, alive %v", w.Rank(), p.Rank(), p.Size(), c.Alive())
		}
		var left, some, cast cluster.Msg
		right := &cluster.Msg{Body: []byte{byte(me)}}
		reqs := []cluster.Req{p.Irecv((me+3)%4, 0, &left), p.Irecv(cluster.Any, 1, &some)}
		reqs = append(reqs, p.Isend((me+1)%4, 0, right), p.Isend((me+1)%4, 1, right))
		if me == 2 {
			cast.Body = []byte("heard")
		}
		if me > 0 {
			reqs = append(reqs, p.Ibcast([]int{1, 2, 3}, 2, 2, &cast))
		}
		if err := cluster.Wait(p, reqs...); err != nil {
			return err
		}
		if want := byte(me+3) % 4; left.Body[0] != want || some.Body[0] != want || me > 0 && string(cast.Body) != "heard" {
			t.Errorf("member %d received %v, %v and of member 2 %q", me, left.Body, some.Body, cast.Body)
		}
		x := []float32{float32(int(1) << w.Rank())}
		if err := collective.RingAllReduce(p, 0, x); err != nil || x[0] != 0b11101 {
			t.Errorf("the sum over the living is %v, %v", x, err)
		}
		return cluster.Wait(w, p.Go("aside", func(q cluster.Proc) error {
			if q.Rank() != w.Rank() || q.Size() != 5 {
				t.Errorf("a thread of rank %d is %d of %d", w.Rank(), q.Rank(), q.Size())
			}
			return nil
		}))
	})
	must(t, err)
}

// TestAnExchangeUsesTheTagsOfItsCrew: other tags are a mistake of the programmer.
func TestAnExchangeUsesTheTagsOfItsCrew(t *testing.T) {
	_, err := play(t, 2, nil, func(w *witness, c *collective.Crew) error {
		p, m := c.Proc(), &cluster.Msg{Body: []byte{1}}
		for name, call := range map[string]func(cluster.Tag) cluster.Req{
			"send":      func(tag cluster.Tag) cluster.Req { return p.Isend(p.Rank(), tag, m) },
			"receive":   func(tag cluster.Tag) cluster.Req { return p.Irecv(p.Rank(), tag, &cluster.Msg{}) },
			"broadcast": func(tag cluster.Tag) cluster.Req { return p.Ibcast([]int{p.Rank()}, p.Rank(), tag, m) },
		} {
			for _, tag := range []cluster.Tag{-1, 0, crewTags - 1, crewTags} {
				said := panics(func() { call(tag) })
				want := fmt.Sprintf("collective: tag %d of a crew's exchange, want 0 ≤ tag < 3", tag)
				if tag == 0 || tag == crewTags-1 {
					want = ""
				}
				if said != want {
					t.Errorf("%s of tag %d: %q, want %q", name, tag, said, want)
				}
			}
		}
		return nil
	})
	must(t, err)
}

// panics returns what f panics with, "" if it returns.
func panics(f func()) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// TestWhoeverIsToldOfALossGivesUpTheExchange: at that instant a wait ends, and when the crew has regrouped all that the
// exchange began has ended: a receive of what nobody sends, a send of 300 ms, and a computation of 100 ms.
func TestWhoeverIsToldOfALossGivesUpTheExchange(t *testing.T) {
	_, err := play(t, 3, map[int]time.Duration{2: 10 * ms}, func(w *witness, c *collective.Crew) error {
		if w.Rank() == 2 {
			return hear(c)
		}
		p := c.Proc()
		var never, early cluster.Msg
		open := []cluster.Req{p.Irecv(1-w.Rank(), 0, &never)}
		for range 150 { // more than the crew keeps
			p.Isend(w.Rank(), 1, &cluster.Msg{Body: []byte{1}})
		}
		first := p.Irecv(w.Rank(), 1, &early)
		if i, err := p.WaitAny(5*ms, open[0]); i != -1 || !errors.Is(err, cluster.ErrDeadline) || p.Now() != 5*ms {
			t.Errorf("rank %d: a wait of 5 ms ends with %d, %v at %v", w.Rank(), i, err, p.Now())
		}
		ran := false
		open = append(open, p.Start(func(done func(int)) error {
			ran = true
			done(0)
			return nil
		}, cluster.Work{Fixed: 95 * ms})...)
		if w.Rank() == 0 {
			open = append(open, p.Isend(1, 2, &cluster.Msg{Body: make([]byte, 300_000)}))
		}
		if i, err := p.WaitAny(0, open[0]); i != -1 || err != cluster.ErrLost || p.Now() != 10*ms {
			t.Errorf("rank %d: a wait ends with %d, %v at %v, want the loss at 10 ms", w.Rank(), i, err, p.Now())
		}
		if i, err := p.WaitAny(0, open[0], first); i != 1 || err != nil {
			t.Errorf("rank %d: what came before the loss counts for %d, %v", w.Rank(), i, err)
		}
		if made, err := c.Regroup(7); made != 7 || err != nil {
			t.Errorf("rank %d regroups at %d, %v", w.Rank(), made, err)
		}
		for i, q := range open {
			if !q.Done() || q.Err() != []error{cluster.ErrCancelled, nil, nil}[i] {
				t.Errorf("rank %d, operation %d of the exchange: done %v, %v", w.Rank(), i, q.Done(), q.Err())
			}
		}
		if !ran {
			t.Errorf("rank %d: the computation was not made", w.Rank())
		}
		return nil
	})
	must(t, err)
}

// TestWhatHasEndedIsForgotten: of ten thousand sends that are done a crew that regroups waits for few.
func TestWhatHasEndedIsForgotten(t *testing.T) {
	_, err := play(t, 2, map[int]time.Duration{1: 10 * ms}, func(w *witness, c *collective.Crew) error {
		for range 10_000 {
			c.Proc().Isend(w.Rank(), 0, &cluster.Msg{})
		}
		if err := hear(c); err != nil {
			return err
		}
		before := w.waits
		_, err := c.Regroup(0)
		if waits := w.waits - before; waits > 70 {
			t.Errorf("regrouping waits %d times", waits)
		}
		return err
	})
	must(t, err)
}

// asked is a request that counts how often it is asked whether it is done.
type asked struct {
	cluster.Req
	times *int
}

func (a asked) Done() bool {
	*a.times++
	return a.Req.Done()
}

// asking is a Proc of such receives.
type asking struct {
	cluster.Survivor
	times int
}

func (a *asking) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	return asked{a.Survivor.Irecv(from, tag, into), &a.times}
}

func (a *asking) Cancel(q cluster.Req) { a.Survivor.Cancel(q.(asked).Req) }

func (a *asking) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	for i, q := range reqs {
		if q, ok := q.(asked); ok {
			reqs[i] = q.Req
		}
	}
	return a.Survivor.WaitAny(until, reqs...)
}

// TestWhatIsOpenIsSeldomAsked: a thousand receives are open at once; the crew asks each a few times whether it is done,
// not whenever there is another.
func TestWhatIsOpenIsSeldomAsked(t *testing.T) {
	_, err := elastic(1, 0).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		a := &asking{Survivor: p.(cluster.Survivor)}
		c, err := collective.NewCrew(a, crewTags)
		if err != nil {
			return nil, err
		}
		for range 1000 {
			c.Proc().Irecv(0, 0, &cluster.Msg{})
		}
		if a.times == 0 || a.times > 2000 {
			t.Errorf("1000 receives were asked %d times", a.times)
		}
		_, err = c.Regroup(0)
		return nil, err
	})
	must(t, err)
}

// TestALossDoesNotHideAFailure: what ends the run or the rank, or a computation that failed, ends Regroup and Close
// too, also where nobody is left to tell.
func TestALossDoesNotHideAFailure(t *testing.T) {
	overheated := errors.New("overheated")
	fails := func(after time.Duration) func(cluster.Proc) {
		return func(p cluster.Proc) { p.Start(func(func(int)) error { return overheated }, cluster.Work{Fixed: after}) }
	}
	sends := func(p cluster.Proc) { p.Isend(1, 0, &cluster.Msg{Body: make([]byte, 100_000)}) }
	var abort *cluster.AbortError
	for name, x := range map[string]struct {
		begin func(p cluster.Proc)       // something that lasts
		aside func(p cluster.Proc) error // what happens at 50 ms
		is    func(err error) bool
	}{
		"a computation fails": {fails(50 * ms), nil, func(err error) bool { return errors.Is(err, overheated) }},
		"the rank is lost": {sends, func(cluster.Proc) error { return cluster.ErrCrashed },
			func(err error) bool { return errors.Is(err, cluster.ErrCrashed) }},
		"the run ends": {sends, func(cluster.Proc) error { panic(overheated) },
			func(err error) bool { return errors.As(err, &abort) }},
	} {
		for _, closes := range []bool{false, true} {
			_, _ = play(t, 2, map[int]time.Duration{1: 10 * ms}, func(w *witness, c *collective.Crew) error {
				if w.Rank() == 1 {
					return cluster.Sleep(w, time.Hour)
				}
				x.begin(c.Proc())
				if x.aside != nil {
					w.Go("aside", func(p cluster.Proc) error {
						if err := cluster.Sleep(p, 50*ms); err != nil {
							return err
						}
						return x.aside(p)
					})
				}
				var err error
				if closes {
					err = c.Close(3)
				} else {
					_, err = regroup(c, 1, 3)
				}
				if !x.is(err) {
					t.Errorf("%s, at the end %v: %v", name, closes, err)
				}
				return nil
			})
		}
	}
}

// TestARankThatBeginsAfterALossRegroupsFirst: rank 2 begins at 30 ms and was never told of the loss at 10 ms, nor is it
// told now. The others wait for it to compare.
func TestARankThatBeginsAfterALossRegroupsFirst(t *testing.T) {
	_, err := elastic(4, 0).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		switch p.Rank() {
		case 3:
			return nil, errors.Join(cluster.Sleep(p, 10*ms), cluster.ErrCrashed)
		case 2:
			if err := cluster.Sleep(p, 30*ms); err != nil {
				return nil, err
			}
		}
		c, err := collective.NewCrew(p, crewTags)
		if err != nil {
			return nil, err
		}
		q := c.Proc()
		i, err := q.WaitAny(0, q.Isend(q.Rank(), 0, &cluster.Msg{}))
		if p.Rank() == 2 && (i != -1 || err != cluster.ErrLost) || p.Rank() != 2 && (i != 0 || err != nil) {
			t.Errorf("rank %d's first wait: %d, %v", p.Rank(), i, err)
		}
		if p.Rank() != 2 {
			if err := hear(c); err != nil {
				return nil, err
			}
		}
		if made, err := c.Regroup(0); made != 0 || err != nil || p.Now() < 30*ms {
			t.Errorf("rank %d regroups at %d, %v at %v", p.Rank(), made, err, p.Now())
		}
		x := []float32{float32(int(1) << p.Rank())}
		if err := collective.RingAllReduce(q, 0, x); err != nil || x[0] != 0b111 {
			t.Errorf("the sum over the living is %v, %v", x, err)
		}
		return nil, nil
	})
	must(t, err)
}

// TestNothingOfAnExchangeGivenUpIsTakenForItsRepetition: rank 0 sends and broadcasts 1; nobody receives that before the
// loss. It repeats both with 2.
func TestNothingOfAnExchangeGivenUpIsTakenForItsRepetition(t *testing.T) {
	all, err := play(t, 3, map[int]time.Duration{2: 10 * ms}, func(w *witness, c *collective.Crew) error {
		for value := byte(1); value <= 2; value++ {
			p := c.Proc()
			var sent, cast cluster.Msg
			if w.Rank() == 0 {
				p.Isend(1, 0, &cluster.Msg{Body: []byte{value}})
				cast.Body = []byte{value}
				p.Ibcast([]int{0, 1}, 0, 0, &cast)
			}
			if value == 1 {
				if _, err := regroup(c, 2, 0); err != nil {
					return err
				}
				continue
			}
			if w.Rank() == 1 {
				err := cluster.Wait(p, p.Irecv(0, 0, &sent), p.Ibcast([]int{0, 1}, 0, 0, &cast))
				if err != nil || sent.Body[0] != 2 || cast.Body[0] != 2 {
					t.Errorf("the repetition is taken from %v and %v, %v", sent.Body, cast.Body, err)
				}
			}
		}
		return nil
	})
	must(t, err)
	if got := all[0].sent; len(got) != 3 || got[0].tag != 0 || got[2].tag != crewSpan ||
		got[1].tag < crewSpan+crewTags || got[1].tag >= 2*crewSpan {
		t.Errorf("rank 0 sent %+v: want a tag of epoch 0, one of the crew's own and one of epoch 1", got)
	}
}

// TestRanksOfOtherStatesAreRefused: what the one that is ahead sends must be of the step it told, and as long as here.
func TestRanksOfOtherStatesAreRefused(t *testing.T) {
	for _, x := range []struct {
		length int
		forge  func(to int, m *cluster.Msg) bool
		want   string
	}{
		{3, nil, ""},
		{4, nil, "collective: rank 1 sent 16 bytes of step 5, want 12 of step 5"},
		{2, nil, "collective: rank 1 sent 8 bytes of step 5, want 12 of step 5"},
		{3, func(_ int, m *cluster.Msg) bool {
			if len(m.Body) > 0 {
				m.Meta[0]++
			}
			return false
		}, "collective: rank 1 sent 12 bytes of step 6, want 12 of step 5"},
	} {
		_, err := play(t, 3, map[int]time.Duration{2: 10 * ms}, func(w *witness, c *collective.Crew) error {
			state := []float32{1, 2, 3}
			if w.Rank() > 0 {
				w.forge = x.forge
				_, err := regroup(c, 2, 5, make([]float32, x.length))
				return err
			}
			made, err := regroup(c, 2, 4, state)
			switch {
			case x.want == "":
				if made != 5 || err != nil || state[0] != 0 {
					t.Errorf("%d, %v, state %v", made, err, state)
				}
			case made != 4 || err == nil || !strings.HasSuffix(err.Error(), x.want) || !slices.Equal(state, []float32{1, 2, 3}):
				t.Errorf("%d, %v, want %q; state %v", made, err, x.want, state)
			}
			return nil
		})
		must(t, err)
	}
}
