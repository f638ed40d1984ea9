package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
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
	ends  []net.Conn // data connections, by rank
	mu    sync.Mutex
	all   []net.Conn // that its process has open
	ended bool       // its process
}

// opens notes a connection, and closes it if the process has ended.
func (p *piped) opens(conn net.Conn) net.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all = append(p.all, conn); p.ended {
		_ = conn.Close()
	}
	return conn
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
	p.hall.enter(far)
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
const (
	promptRanks = 5
	promptSteps = 12
	promptPause = 10 * time.Millisecond
)

// promptly makes the steps with the living.
func promptly(p cluster.Proc) ([]byte, error) {
	c, err := collective.NewCrew(p, 1)
	if err != nil {
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

// blows are the instants at which ranks die.
type blows map[int]time.Duration

// survive runs promptly on all ranks, strikes, and returns how the rendezvous says that the run ended and each rank.
func survive(t *testing.T, cfg Config, strike blows) (v Verdict, err error, errs []error) {
	meet := &hall{conns: make(chan net.Conn, promptRanks)}
	c := newCoordinator(&cfg, 1, meet)
	ranks, errs := make([]*piped, promptRanks), make([]error, promptRanks)
	for k := range ranks {
		own := cfg
		own.Rank = k
		ranks[k] = &piped{connections: connections{newNode(own, 1, nil)}, hall: meet, ends: make([]net.Conn, promptRanks)}
		ranks[k].n.fabric = ranks[k]
		for i := range k {
			ranks[k].ends[i], ranks[i].ends[k] = net.Pipe()
		}
	}
	c.inform = Events{Begun: func() {
		for k, at := range strike {
			time.AfterFunc(at, ranks[k].kill)
		}
	}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // of the bubble: who waits longer waits for ever
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() { v, err = c.alone(ctx) })
	for k, p := range ranks {
		group.Go(func() { _, errs[k] = p.n.process(t.Context(), nil, promptly) })
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
		victims := r.Perm(promptRanks)[:2]
		strike := blows{}
		for _, k := range victims { // every second one in the midst of the messages of a step
			strike[k] = time.Duration(1+r.IntN(promptSteps-2))*promptPause - time.Duration(r.IntN(2)*r.IntN(int(promptPause)))
		}
		synctest.Test(t, func(t *testing.T) {
			cfg, err := Config{Size: promptRanks, Job: secret, Rendezvous: "127.0.0.1:1", Timeout: time.Minute,
				Join: time.Minute, Chunk: 64 << 10, Elastic: true}.checked()
			must(t, err)
			cfg.id, cfg.host = plain, plain
			begin := time.Now()
			v, err, errs := survive(t, cfg, strike)
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
