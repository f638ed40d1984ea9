package dasp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// stale returns a policy of c in which node 0 is far ahead of the slow node 2;
// node 1 is near the oldest. Newest version 7, Smin 1, Smax 3, α = ½.
func stale(t *testing.T, change func(*Config)) *policy {
	c := Config{Workers: 3, Smin: 1, Smax: 3, Alpha: 0.5}
	change(&c)
	p := started(t, c)
	p.view = View{V: []int64{7, 5, 4}, F: []time.Duration{10 * ms, 10 * ms, 50 * ms}, Present: []bool{true, true, true}, Newest: 7}
	return p
}

// script is the same for every switch: node 0 (gap 3), node 1 (gap 1), the
// timer of node 0 if it was set, then node 2 (gap 0).
func script(p *policy) string {
	var b strings.Builder
	var timer time.Duration
	note := func(what string, actions []Action) {
		fmt.Fprintf(&b, "%s:", what)
		for _, a := range actions {
			switch a.Kind {
			case Apply:
				fmt.Fprintf(&b, " apply%v×%.2f", a.Workers, a.Weight)
			case Reply:
				fmt.Fprintf(&b, " reply%v%v%d", a.Workers, a.State, a.Gap)
			case SetTimer:
				fmt.Fprintf(&b, " timer%v", a.At)
				timer = a.At
			}
		}
		b.WriteString("\n")
	}
	note("push0", push(p, 0, 100*ms, 10*ms))
	note("push1", push(p, 1, 101*ms, 10*ms))
	if timer > 0 {
		note("timer", slices.Clone(p.Step(Event{Kind: EventTimer, Worker: 0, At: timer})))
	}
	note("push2", push(p, 2, 150*ms, 50*ms))
	return b.String()
}

// TestSwitches turns each switch alone against the default and says, by hand, what the same events then lead to.
func TestSwitches(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		// Node 0: WSS, T_wait = ½·(50 − 10) ms. At its end version 9 would be 5 ahead
		// of node 2, and Smax is 3: held until node 2 completes.
		{"default", func(*Config) {}, `
push0: timer120ms
push1: apply[1]×0.33 reply[1]QIS1
timer:
push2: apply[2]×0.33 reply[2]QIS0 apply[0]×1.00 reply[0]WSS3
`},
		// Gap 8 − 4 = 4 of the version about to be held: FSS, and so is node 1.
		{"post-update gap", func(c *Config) { c.PostUpdateGap = true }, `
push0:
push1:
push2: apply[0 1 2]×0.33 reply[0]FSS4 reply[1]FSS4 reply[2]WSS3
`},
		{"literal FSS", func(c *Config) { c.LiteralFSS = true }, `
push0: timer120ms
push1: apply[1]×0.33 reply[1]QIS1
timer: apply[0]×1.00 reply[0]WSS3
push2: apply[2]×0.33 reply[2]QIS0
`},
		// Node 1 and then node 2 join the group, QIS or not, and wait with it.
		{"join", func(c *Config) { c.Join = true }, `
push0: timer120ms
push1:
timer:
push2: apply[0 1 2]×0.33 reply[0]WSS3 reply[1]QIS1 reply[2]QIS0
`},
		{"QIS weight 1", func(c *Config) { c.QISWeight = ScaleGroup }, `
push0: timer120ms
push1: apply[1]×1.00 reply[1]QIS1
timer:
push2: apply[2]×1.00 reply[2]QIS0 apply[0]×1.00 reply[0]WSS3
`},
		{"group weight 1/N", func(c *Config) { c.GroupWeight = ScaleWorkers }, `
push0: timer120ms
push1: apply[1]×0.33 reply[1]QIS1
timer:
push2: apply[2]×0.33 reply[2]QIS0 apply[0]×0.33 reply[0]WSS3
`},
		// ½·10 + ½·50 ms.
		{"convex wait", func(c *Config) { c.Wait = WaitConvex }, `
push0: timer130ms
push1: apply[1]×0.33 reply[1]QIS1
timer:
push2: apply[2]×0.33 reply[2]QIS0 apply[0]×1.00 reply[0]WSS3
`},
		// ½·50 ms.
		{"wait of the oldest", func(c *Config) { c.Wait = WaitOldest }, `
push0: timer125ms
push1: apply[1]×0.33 reply[1]QIS1
timer:
push2: apply[2]×0.33 reply[2]QIS0 apply[0]×1.00 reply[0]WSS3
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := script(stale(t, c.change)); got != c.want[1:] {
				t.Errorf("got:\n%swant:%s", got, c.want)
			}
		})
	}
}

// TestSwitchesOfASlowNewest: TestSwitches' newest node is the faster one, where "absolute" is the default. Here the
// newest node 0 takes 50 ms and the oldest 30 ms, α = ½, and Smax lets WSS answers go when T_wait is over.
func TestSwitchesOfASlowNewest(t *testing.T) {
	for form, want := range map[WaitForm]string{
		WaitDifference: "reply[0]WSS3",  // ½·(30 − 50) < 0: at once
		WaitAbsolute:   "timer[0]110ms", // ½·20
		WaitConvex:     "timer[0]130ms", // ½·50 + ½·30 = 40, capped at 30
		WaitOldest:     "timer[0]115ms", // ½·30
	} {
		p := stale(t, func(c *Config) { c.Wait, c.Smax = form, 9 })
		p.view.F[2] = 30 * ms
		a := push(p, 0, 100*ms, 50*ms)
		last := a[len(a)-1]
		got := fmt.Sprintf("timer%v%v", last.Workers, last.At)
		if last.Kind == Reply {
			got = fmt.Sprintf("reply%v%v%d", last.Workers, last.State, last.Gap)
		}
		if got != want {
			t.Errorf("%v: %s, want %s", form, got, want)
		}
	}
}
