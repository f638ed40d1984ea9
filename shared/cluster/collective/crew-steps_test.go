package collective_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/race"
)

// TestWhoeverIsBehindIsSentWhatTheStepLedTo: rank 4 of five is lost. The first of those ahead sends each that is behind
// one message, and nobody else sends any; where all have made as many steps nobody does. All compare once.
func TestWhoeverIsBehindIsSentWhatTheStepLedTo(t *testing.T) {
	for _, x := range []struct {
		made   [4]int64
		states [4][]int // to whom each rank sends
	}{
		{[4]int64{5, 6, 5, 6}, [4][]int{1: {2, 0}}}, {[4]int64{6, 6, 6, 5}, [4][]int{0: {3}}},
		{[4]int64{5, 5, 5, 6}, [4][]int{3: {0, 1, 2}}}, {[4]int64{6, 6, 6, 6}, [4][]int{}},
		{[4]int64{0, 0, 0, 0}, [4][]int{}}, {[4]int64{0, 0, 1, 0}, [4][]int{2: {3, 0, 1}}},
	} {
		most := slices.Max(x.made[:])
		all, err := play(t, 5, map[int]time.Duration{4: 10 * ms}, func(w *witness, c *collective.Crew) error {
			if w.Rank() == 4 {
				return hear(c)
			}
			made := x.made[w.Rank()]
			state := led(made)
			if now, err := regroup(c, 4, made, state...); now != most || err != nil || !same(state, led(most)) {
				t.Errorf("%v: rank %d goes on from %d, %v, with %v", x.made, w.Rank(), now, err, state)
			}
			return nil
		})
		must(t, err)
		for k, w := range all[:4] {
			if got := w.states(); !slices.Equal(got, x.states[k]) {
				t.Errorf("%v: rank %d sends its state to %v, want %v", x.made, k, got, x.states[k])
			}
			if compared := len(w.sent) - len(w.states()); compared != 3 {
				t.Errorf("%v: rank %d tells %d others its steps, want 3", x.made, k, compared)
			}
			for _, m := range w.sent {
				if m.tag < crewSpan+crewTags || m.tag >= 2*crewSpan || m.made != x.made[k] || m.bytes != 0 && m.bytes != 4*8 {
					t.Errorf("%v: rank %d sends %+v, want its steps under a tag of the crew's own in epoch 1", x.made, k, m)
				}
			}
		}
	}
}

// TestAStepWithoutStateIsGivenToo: nothing is to be sent of it but that it was made.
func TestAStepWithoutStateIsGivenToo(t *testing.T) {
	_, err := play(t, 3, map[int]time.Duration{2: 10 * ms}, func(w *witness, c *collective.Crew) error {
		if now, err := regroup(c, 2, int64(w.Rank())); w.Rank() < 2 && (now != 1 || err != nil) {
			t.Errorf("rank %d goes on from %d, %v", w.Rank(), now, err)
		}
		return nil
	})
	must(t, err)
}

// TestTwoStepsApartIsRefused: by all, at the same words; in an exchange, and where some have made all steps.
func TestTwoStepsApartIsRefused(t *testing.T) {
	for _, x := range []struct {
		made [3]int64
		want string
	}{
		{[3]int64{3, 5, 4}, "collective: rank 0 has made 3 steps and another 5: they can be one apart"},
		{[3]int64{5, 5, 2}, "collective: rank 2 has made 2 steps and another 5: they can be one apart"},
	} {
		for _, closes := range []bool{false, true} {
			_, err := play(t, 4, map[int]time.Duration{3: 10 * ms}, func(w *witness, c *collective.Crew) error {
				if w.Rank() == 3 {
					return hear(c)
				}
				made := x.made[w.Rank()]
				state := led(made)
				now, err := made, error(nil)
				if closes && made == 5 {
					err = c.Close(made, state...)
				} else {
					now, err = regroup(c, 3, made, state...)
				}
				if now != made || fmt.Sprint(err) != x.want || !same(state, led(made)) {
					t.Errorf("%v, at the end %v: rank %d goes on from %d, %v, with %v", x.made, closes, w.Rank(), now, err, state)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%v, at the end %v: %v", x.made, closes, err)
			}
		}
	}
}

// TestALossWhileTheCrewRegroups: rank 3 is lost at 10 ms, and another at each instant of the 20 ms in which the others
// compare and are sent a state: who is left ends with what the furthest of them had made, and nothing stays open.
func TestALossWhileTheCrewRegroups(t *testing.T) {
	midst := 0
	for _, made := range [][3]int64{{4, 5, 5}, {4, 5, 4}, {5, 4, 4}, {5, 5, 5}} {
		for second := range 3 {
			for at := 10 * ms; at < 30*ms; at += race.Less(100*time.Microsecond, ms/2) {
				midst += twoLosses(t, made, second, at)
			}
		}
	}
	if midst < 100 {
		t.Errorf("the second loss came in the midst of a Regroup in %d runs", midst)
	}
}

// twoLosses plays four ranks that have made some steps, of which rank 3 is lost at 10 ms and another later. It returns
// how many of a rank's calls of Regroup outlived both.
func twoLosses(t *testing.T, made [3]int64, second int, at time.Duration) (midst int) {
	t.Helper()
	const length = 1000 // 4 ms
	state := func(made int64) []float32 { return slices.Repeat([]float32{float32(made)}, length) }
	var ends []int64
	all, err := play(t, 4, map[int]time.Duration{3: 10 * ms, second: at}, func(w *witness, c *collective.Crew) error {
		if w.Rank() == 3 {
			return hear(c)
		}
		now, x := made[w.Rank()], state(made[w.Rank()])
		for len(c.Alive()) > 2 {
			before, err := len(c.Alive()), hear(c)
			if err != nil {
				return err
			}
			if now, err = c.Regroup(now, x); err != nil {
				return err
			}
			if before-len(c.Alive()) == 2 && at > 10*ms {
				midst++
			}
			if w.Now() > at && len(c.Alive()) > 2 {
				t.Errorf("%v, rank %d lost at %v: rank %d has regrouped with it at %v", made, second, at, w.Rank(), w.Now())
			}
		}
		if !slices.Equal(x, state(now)) {
			t.Errorf("%v, rank %d lost at %v: rank %d has made %d steps, with %v", made, second, at, w.Rank(), now, x[0])
		}
		for _, q := range w.received {
			if !q.Done() {
				t.Errorf("%v, rank %d lost at %v: a receive of rank %d is open", made, second, at, w.Rank())
			}
		}
		ends = append(ends, now)
		return nil
	})
	if err != nil {
		t.Fatalf("%v, rank %d lost at %v: %v", made, second, at, err)
	}
	left := slices.Delete(slices.Clone(made[:]), second, second+1)
	most := slices.Max(left)
	if gave := len(all[second].states()) > 0; gave && made[second] > most && slices.Max(ends) > most {
		most = made[second] // all of its state came
	}
	if !slices.Equal(ends, []int64{most, most}) {
		t.Errorf("%v, rank %d lost at %v: the others go on from %v, want %d", made, second, at, ends, most)
	}
	return midst
}

// TestALossWhileAStateIsAwaited: rank 2 tells its steps to rank 0 and is lost before it tells them to rank 1. So 0
// waits for the state of 1, which never sends it: they compare again.
func TestALossWhileAStateIsAwaited(t *testing.T) {
	all, err := play(t, 4, map[int]time.Duration{3: 10 * ms, 2: 20 * ms}, func(w *witness, c *collective.Crew) error {
		switch w.Rank() {
		case 3:
			return hear(c)
		case 2:
			w.forge = func(to int, _ *cluster.Msg) bool { return to == 1 }
		}
		made := []int64{4, 5, 4}[w.Rank()]
		state := led(made)
		now, err := regroup(c, 2, made, state...)
		if w.Rank() < 2 && (now != 5 || err != nil || !same(state, led(5)) || w.Now() < 20*ms) {
			t.Errorf("rank %d goes on from %d, %v, with %v, at %v", w.Rank(), now, err, state, w.Now())
		}
		return err
	})
	must(t, err)
	for k, w := range all[:2] {
		if slices.ContainsFunc(w.received, func(q cluster.Req) bool { return !q.Done() }) {
			t.Errorf("a receive of rank %d is open", k)
		}
	}
	if got := all[1].states(); !slices.Equal(got, []int{0}) {
		t.Errorf("rank 1 sends its state to %v", got)
	}
}

// TestNoneGoesBeforeAllHaveMadeAllSteps: ranks end 10, 20, 30 and 40 ms after the beginning, and go when they have
// heard from the last. Each tells each once.
func TestNoneGoesBeforeAllHaveMadeAllSteps(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		all, err := play(t, 4, nil, func(w *witness, c *collective.Crew) error {
			if err := cluster.Sleep(w, time.Duration(10+10*order[w.Rank()])*ms); err != nil {
				return err
			}
			err := c.Close(3, led(3)...)
			if w.Now() < 40*ms {
				t.Errorf("order %v: rank %d goes at %v, before the last has made all steps", order, w.Rank(), w.Now())
			}
			return err
		})
		if err != nil {
			t.Errorf("order %v: %v", order, err)
		}
		for k, w := range all {
			var to []int
			for _, m := range w.sent {
				if m.tag != cluster.MaxTag-2 || m.bytes != 0 {
					t.Errorf("order %v: rank %d sends %+v", order, k, m)
				}
				to = append(to, m.to)
			}
			if slices.Sort(to); !slices.Equal(to, slices.Delete([]int{0, 1, 2, 3}, k, k+1)) {
				t.Errorf("order %v: rank %d tells %v", order, k, to)
			}
		}
	}
}

// TestWhoeverHasMadeAllStepsStaysForTheOthers: rank 2 is one step behind when rank 3 is lost; 0 and 1 have made the
// last. At each instant of what follows another may be lost too: rank 2 is given the step by whoever of both is left,
// at once or again.
func TestWhoeverHasMadeAllStepsStaysForTheOthers(t *testing.T) {
	for _, second := range []int{-1, 0, 1} {
		for at := 10 * ms; at < 30*ms; at += race.Less(100*time.Microsecond, ms/2) {
			lost := map[int]time.Duration{3: 10 * ms}
			if second >= 0 {
				lost[second] = at
			}
			all, err := play(t, 4, lost, func(w *witness, c *collective.Crew) error {
				made := int64(3)
				x := slices.Repeat([]float32{3}, 1000) // 4 ms
				switch w.Rank() {
				case 2:
					made = 2
					clear(x)
					for made < 3 {
						err := hear(c)
						if err == nil {
							made, err = c.Regroup(made, x)
						}
						if err != nil {
							return err
						}
					}
				case 3:
					return hear(c)
				}
				if err := c.Close(made, x); err != nil {
					return err
				}
				if x[0] != 3 || x[999] != 3 {
					t.Errorf("rank %d lost at %v: rank %d ends with %v", second, at, w.Rank(), x[0])
				}
				return nil
			})
			if err != nil {
				t.Fatalf("rank %d lost at %v: %v", second, at, err)
			}
			if second < 0 && (!slices.Equal(all[0].states(), []int{2}) || len(all[1].states())+len(all[2].states()) > 0) {
				t.Errorf("the step was given by %v, %v, %v", all[0].states(), all[1].states(), all[2].states())
			}
		}
	}
}

// TestOneThatIsOverIsNotOneStepBehind: rank 2 is the last to make all steps, at 20 ms, and goes at once, for it has
// heard so of the others. Rank 3 is lost meanwhile, so that 0 and 1 regroup with one that has gone: nobody sends it a
// state or waits for it.
func TestOneThatIsOverIsNotOneStepBehind(t *testing.T) {
	told, asked := 0, 0
	for at := 15 * ms; at < 25*ms; at += 50 * time.Microsecond {
		var gone time.Duration
		all, err := play(t, 4, map[int]time.Duration{3: at}, func(w *witness, c *collective.Crew) error {
			if w.Rank() == 2 {
				if err := cluster.Sleep(w, 20*ms); err != nil {
					return err
				}
			}
			err := c.Close(3, led(3)...)
			if w.Rank() == 2 {
				gone = w.Now()
			}
			return err
		})
		if err != nil {
			t.Fatalf("rank 3 lost at %v: %v", at, err)
		}
		for k, w := range all {
			if got := w.states(); got != nil {
				t.Errorf("rank 3 lost at %v: rank %d sends its state to %v", at, k, got)
			}
			for _, m := range w.sent {
				if m.made != 0 && m.made != 3 {
					t.Errorf("rank 3 lost at %v: rank %d says %+v", at, k, m)
				}
			}
		}
		if gone <= at {
			told++
			if len(all[0].sent) > 3 {
				asked++
			}
		}
	}
	if asked == 0 || asked == told {
		t.Errorf("of %d losses after rank 2 had gone rank 0 regrouped for %d, want some", told, asked)
	}
}

// TestWhoHasHeardOfAllGoesAtOnce: 0 and 1 wait for rank 2 alone when it is lost. Nobody needs anything: neither
// compares.
func TestWhoHasHeardOfAllGoesAtOnce(t *testing.T) {
	_, err := play(t, 3, map[int]time.Duration{2: 10 * ms}, func(w *witness, c *collective.Crew) error {
		if w.Rank() == 2 {
			return hear(c)
		}
		err := c.Close(3, led(3)...)
		if w.Now() != 10*ms || len(w.sent) != 2 {
			t.Errorf("rank %d goes at %v and has sent %+v", w.Rank(), w.Now(), w.sent)
		}
		return err
	})
	must(t, err)
}

// TestACrewTrains: steps of an all-reduce, of which some ranks are lost at random instants and each hears at another.
// The sum of a step says who made it: the living always, one that was lost never again. Those left end with the same,
// and what one has made stays as it was.
func TestACrewTrains(t *testing.T) {
	const steps = 6
	given, repeated := 0, 0
	for seed := range race.Less(uint64(400), 60) {
		r := cluster.Stream(seed, 0, "", "crash")
		n, lost := 2+r.IntN(4), map[int]time.Duration{}
		for _, k := range r.Perm(n)[:r.IntN(n)] {
			lost[k] = 1 + time.Duration(r.Int64N(int64(60*ms)))
		}
		ends := make([][]float32, n)
		_, err := elastic(n, 3*ms).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			if at := lost[p.Rank()]; at > 0 {
				failing(p, at)
			}
			c, err := collective.NewCrew(p, 1)
			if err != nil {
				return nil, err
			}
			x := make([]float32, steps)
			for made := int64(0); made < steps; {
				g := make([]float32, steps)
				g[made] = float32(int(1) << p.Rank())
				before, kept := made, slices.Clone(x[:made])
				switch err := collective.RingAllReduce(c.Proc(), 0, g); {
				case err == nil:
					x[made] = g[made]
					made++
				case !errors.Is(err, cluster.ErrLost):
					return nil, err
				default:
					if made, err = c.Regroup(made, x); err != nil {
						return nil, err
					}
					given += int(made - before)
					repeated += int(before + 1 - made)
				}
				if !slices.Equal(x[:before], kept) || made > before && x[before] == 0 || made == before && x[made] != 0 {
					return nil, fmt.Errorf("after step %d and %d made, %v and then %v", before, made, kept, x)
				}
			}
			ends[p.Rank()] = x
			return nil, c.Close(steps, x)
		})
		if err != nil {
			t.Fatalf("seed %d, lost %v: %v", seed, lost, err)
		}
		agree(t, fmt.Sprintf("seed %d, lost %v", seed, lost), lost, ends)
	}
	if given == 0 || repeated == 0 {
		t.Errorf("%d steps were given and %d repeated", given, repeated)
	}
}

// agree compares what ranks end with, nil where they did not: step by step, who made it.
func agree(t *testing.T, what string, lost map[int]time.Duration, ends [][]float32) {
	t.Helper()
	var first []float32
	for k, x := range ends {
		if lost[k] > 0 {
			continue
		}
		if first == nil {
			first = x
		}
		if !slices.Equal(x, first) {
			t.Errorf("%s: rank %d ends with %v, another with %v", what, k, x, first)
		}
		for s, v := range x {
			if int(v)>>k&1 == 0 || s > 0 && int(v)&^int(x[s-1]) != 0 {
				t.Errorf("%s: ranks %b made step %d of %v", what, int(v), s, x)
			}
		}
	}
}
