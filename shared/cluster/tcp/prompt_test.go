package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// piped is the fabric of a node whose connections are pipes of this process, in the time of a synctest bubble: there a
// message takes no time at all, and time passes only while everybody waits for it.
type piped struct {
	connections
	hall  *hall
	host  *piped     // of the rendezvous
	ends  []net.Conn // data connections, by rank
	mu    sync.Mutex
	all   []net.Conn    // that its process has open
	ended bool          // its process
	still chan struct{} // closed once its process moves again; nil: it does
}

// opens notes a connection, and closes it if the process has ended.
func (p *piped) opens(conn net.Conn) net.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all = append(p.all, conn); p.ended {
		_ = conn.Close()
	}
	return &standing{conn, p}
}

// standing is a connection of a process that may stand still: it stays open, and nothing comes or goes.
type standing struct {
	net.Conn
	p *piped
}

func (c *standing) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.p.moves()
	return n, err
}

func (c *standing) Write(b []byte) (int, error) {
	c.p.moves()
	return c.Conn.Write(b)
}

// moves waits while the process stands still.
func (p *piped) moves() {
	p.mu.Lock()
	still := p.still
	p.mu.Unlock()
	if still != nil {
		<-still
	}
}

// stop lets the process stand still for some time.
func (p *piped) stop(rest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.still = make(chan struct{})
	time.AfterFunc(rest, func() { close(p.still) })
}

// kill ends all connections, as the death of the process does.
func (p *piped) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, conn := range p.all {
		_ = conn.Close()
	}
}

func (p *piped) meet(context.Context) (net.Listener, error) {
	near, far := net.Pipe()
	p.hall.enter(p.host.opens(far))
	p.n.ctl = newWire(p.opens(near), &p.n.cfg)
	_, err := p.n.present("pipe")
	return &hall{closed: true}, err
}

func (p *piped) join(net.Listener) error {
	n := p.n
	n.Mu.Lock()
	for r := range n.peers {
		if r != n.cfg.Rank {
			q := &peer{n: n, rank: r, job: jobHash(n.cfg.Job)}
			q.link = newLink(n, q, p.opens(p.ends[r]))
			n.peers[r] = q
		}
	}
	n.Mu.Unlock()
	for _, q := range n.peers {
		if q == nil {
			continue
		}
		n.keep(q.link)
		for _, use := range []func(){q.link.read, q.link.write} {
			q.users.Add(1)
			if !n.start(func() { defer q.users.Done(); use() }) {
				return errStopped
			}
		}
	}
	return nil
}

// The run of TestNobodyWaitsForALoss: a step is a pause, as of a computation, and then a message of every rank to every
// other, of two pieces.
const promptRanks, promptSteps, promptPause = 5, 12, 10 * time.Millisecond

// promptly makes the steps with the living.
func promptly(p cluster.Proc) ([]byte, error) {
	c, err := collective.NewCrew(p, 1)
	if c == nil || err != nil {
		return nil, err
	}
	state := []float32{0} // 1 more with each step
	step := func() error {
		q := c.Proc()
		if err := cluster.Sleep(q, promptPause); err != nil {
			return err
		}
		var reqs []cluster.Req
		for k := range q.Size() {
			if k != q.Rank() {
				reqs = append(reqs, q.Isend(k, 0, &cluster.Msg{Body: make([]byte, 100_000)}), q.Irecv(k, 0, &cluster.Msg{}))
			}
		}
		return cluster.Wait(q, reqs...)
	}
	made := int64(0)
	for made < promptSteps {
		before := made
		if err = step(); errors.Is(err, cluster.ErrLost) {
			made, err = c.Regroup(made, state)
		} else if err == nil {
			made, state[0] = made+1, state[0]+1
		}
		if err == nil && float32(made) != state[0] {
			err = fmt.Errorf("state %v after %d steps, %d before", state, made, before)
		}
		if err != nil {
			return nil, err
		}
	}
	return fmt.Append(nil, made), c.Close(made, state)
}

// blows are the instants at which something happens to ranks; promptRanks is the rendezvous.
type blows map[int]time.Duration

// survive runs body on all ranks, strikes by blow, and returns how the rendezvous says that the run ended and each rank.
// Whoever waits for longer than the limit waits for ever.
func survive(t *testing.T, cfg Config, body func(cluster.Proc) ([]byte, error), limit time.Duration, strike blows,
	blow func(p *piped)) (v Verdict, err error, errs []error) {
	meet := &hall{conns: make(chan net.Conn, promptRanks)}
	c := newCoordinator(&cfg, 1, meet)
	host, ranks, errs := &piped{}, make([]*piped, promptRanks), make([]error, promptRanks)
	for k := range ranks {
		own := cfg
		own.Rank = k
		ranks[k] = &piped{connections: connections{newNode(own, 1, nil)}, hall: meet, host: host}
		ranks[k].ends = make([]net.Conn, promptRanks)
		ranks[k].n.fabric = ranks[k]
		for i := range k {
			ranks[k].ends[i], ranks[i].ends[k] = net.Pipe()
		}
	}
	c.inform = Events{Begun: func() {
		for k, at := range strike {
			time.AfterFunc(at, func() { blow(append(ranks, host)[k]) })
		}
	}}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() { v, err = c.alone(ctx) })
	for k, p := range ranks {
		group.Go(func() { _, errs[k] = p.n.process(t.Context(), nil, body) })
	}
	group.Wait()
	return v, err, errs
}

// Two ranks of five die, one after the other or both at once, in a pause or in the midst of the messages, and nobody
// waits for anything but the pauses: each loss costs the living at most the pause that is repeated. The time-out is a
// minute, and time is that of a bubble, in which any wait for it would pass.
func TestNobodyWaitsForALoss(t *testing.T) {
	times := 150 // two losses each
	if testing.Short() {
		times = 10
	}
	var most, left time.Duration
	r := cluster.Stream(41, promptRanks, "", "prompt")
	for i := range times {
		victims, strike := r.Perm(promptRanks)[:2], blows{}
		for _, k := range victims { // every second one in the midst of the messages of a step
			strike[k] = time.Duration(1+r.IntN(promptSteps-2))*promptPause - time.Duration(r.IntN(2)*r.IntN(int(promptPause)))
		}
		synctest.Test(t, func(t *testing.T) {
			cfg, begin := promptConfig(t, true), time.Now()
			v, err, errs := survive(t, cfg, promptly, time.Second, strike, (*piped).kill)
			took := time.Since(begin)
			lost := v.Ranks()
			if slices.Sort(lost); err != nil || !slices.Equal(lost, slices.Sorted(slices.Values(victims))) {
				t.Errorf("%d: %v: the rendezvous says %v, lost %v", i, strike, err, lost)
			}
			for k, err := range errs {
				if (err != nil) != slices.Contains(victims, k) {
					t.Errorf("%d: %v: rank %d: %v", i, strike, k, err)
				}
			}
			if most = max(most, v.Elapsed); v.Elapsed > (promptSteps+2)*promptPause {
				t.Errorf("%d: %v: the living took %v, want at most %v", i, strike, v.Elapsed, (promptSteps+2)*promptPause)
			}
			left = max(left, took-v.Elapsed)
			if took > v.Elapsed+promptPause {
				t.Errorf("%d: %v: %v passed until all were gone, after %v", i, strike, took, v.Elapsed)
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d losses: %d steps of %v took at most %v and the rest %v", 2*times, promptSteps, promptPause, most, left)
}

// promptConfig returns the configuration of all ranks but for their numbers.
func promptConfig(t *testing.T, elastic bool) Config {
	cfg := sure(Config{Size: promptRanks, Job: secret, Rendezvous: "127.0.0.1:1", Timeout: time.Minute,
		Join: time.Minute, Chunk: 64 << 10, Elastic: elastic}.checked())(t)
	cfg.id, cfg.host = plain, plain
	return cfg
}

// A process that stands still keeps its connections open and says nothing: once its time-out is over all others name it,
// or go on without it where the run is elastic; so with the rendezvous. When it moves again its run ends and says so.
func TestAStoppedProcessIsNamed(t *testing.T) {
	const at = 45 * time.Millisecond
	for _, elastic := range []bool{false, true} {
		for victim := range promptRanks + 1 {
			if elastic && victim == promptRanks {
				continue // nobody needs it before the end
			}
			synctest.Test(t, func(t *testing.T) {
				cfg, begin, ends := promptConfig(t, elastic), time.Now(), make([]time.Duration, promptRanks)
				v, err, errs := survive(t, cfg, func(p cluster.Proc) (out []byte, err error) {
					if out, err = promptly(p); !elastic {
						out, err = endlessly(p)
					}
					ends[p.Rank()] = time.Since(begin)
					return out, err
				}, time.Hour, blows{victim: at}, func(p *piped) { p.stop(2 * cfg.Timeout) })
				goesOn := elastic && victim < promptRanks
				if (err == nil) != goesOn || goesOn && !slices.Equal(v.Ranks(), []int{victim}) {
					t.Errorf("elastic %v: the rendezvous says %v, lost %v, want %d", elastic, err, v.Ranks(), victim)
				}
				for k, err := range errs {
					said := fmt.Sprint(err)
					if k == victim {
						if !strings.Contains(said, fmt.Sprint("rank ", k, " ")) && !strings.Contains(said, "rendezvous") {
							t.Errorf("elastic %v: the stopped one, %d, says %v", elastic, k, err)
						}
						continue
					}
					var a *cluster.AbortError
					named := errors.As(err, &a) && a.Op == "silent" && (a.Rank == victim || strings.Contains(said, "rendezvous"))
					if named == goesOn || goesOn && err != nil {
						t.Errorf("elastic %v, %d stopped: rank %d: %v", elastic, victim, k, err)
					}
					if late := ends[k] - at; late < cfg.Timeout*7/8 || late > cfg.Timeout*5/4 {
						t.Errorf("elastic %v, %d stopped: rank %d ends after %v", elastic, victim, k, late)
					}
				}
			})
		}
	}
}

// endlessly exchanges messages with the neighbours, one a second, until something fails.
func endlessly(p cluster.Proc) ([]byte, error) {
	for n := p.Size(); ; {
		if err := cluster.Sleep(p, time.Second); err != nil {
			return nil, err
		}
		var in cluster.Msg
		sent := p.Isend((p.Rank()+1)%n, 0, &cluster.Msg{Body: make([]byte, 100_000)})
		if err := cluster.Wait(p, sent, p.Irecv((p.Rank()+n-1)%n, 0, &in)); err != nil {
			return nil, err
		}
	}
}
