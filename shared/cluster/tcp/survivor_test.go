package tcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// served is a rendezvous that is no rank's.
type served struct {
	lost []int // in the verdict
	told []int // at once
	err  error
	done chan struct{}

	watched  tcp.Verdict // as a launcher elsewhere hears it
	heard    []int
	begun    bool
	watching error
}

// elastic returns the configurations of n ranks of an elastic job, of which some are to be lost, and serves their
// rendezvous.
func elastic(t *testing.T, n, losses int, timeout time.Duration) ([]tcp.Config, *served) {
	t.Helper()
	return elasticBy(t, n, losses, timeout, "", "")
}

// elasticBy is elastic by certificates: in here is the rendezvous's, in there are the ranks'.
func elasticBy(t *testing.T, n, losses int, timeout time.Duration, here, there string) ([]tcp.Config, *served) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	cfgs := make([]tcp.Config, n)
	for i := range cfgs {
		cfgs[i] = tcp.Config{Rank: i, Size: n, Job: fmt.Sprint("elastic ", losses), Rendezvous: ln.Addr().String(), Timeout: timeout, Join: never,
			Chunk: 64 << 10, Elastic: true, Certs: there}
	}
	s := &served{done: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() {
		cancel()
		<-s.done
	})
	var group sync.WaitGroup
	group.Go(func() {
		var v tcp.Verdict
		at := cfgs[0]
		at.Certs = here
		v, s.err = tcp.Rendezvous(ctx, at, ln, tcp.Events{Lost: func(l tcp.Loss) { s.told = append(s.told, l.Rank) }})
		s.lost = v.Ranks()
	})
	may := make(chan struct{}, 2)
	group.Go(func() {
		s.watched, s.watching = tcp.Watch(ctx, cfgs[n-1], tcp.Events{Here: func() { may <- struct{}{} }, Begun: func() { s.begun = true },
			Lost: func(l tcp.Loss) { s.heard = append(s.heard, l.Rank) }})
		may <- struct{}{}
	})
	go func() {
		defer close(s.done)
		group.Wait()
		if got := s.watched.Ranks(); !slices.Equal(got, s.lost) || !slices.Equal(s.told, s.lost) || !slices.Equal(s.heard, s.lost) ||
			fmt.Sprint(s.watching) != fmt.Sprint(s.err) {
			t.Errorf("the rendezvous says %v, lost %v and told %v; who watches hears %v, %v and %v", s.err, s.lost, s.told, s.watching, got, s.heard)
		}
		if s.begun != (s.err == nil) {
			t.Errorf("the run has begun: %v; it ended with %v", s.begun, s.err)
		}
		for _, l := range s.watched.Lost {
			if l.After <= 0 || l.Cause == "" {
				t.Errorf("%+v: want an instant and a cause", l)
			}
		}
	}()
	<-may
	return cfgs, s
}

// meets exchanges a message with every living rank until all know of a number of losses, and returns with whom it ended.
func meets(p cluster.Proc, losses int) ([]byte, error) {
	s := p.(cluster.Survivor)
	for step, all := int64(0), false; !all; step++ {
		alive := s.Alive()
		in, reqs := make([]cluster.Msg, p.Size()), make([]cluster.Req, p.Size())
		for _, k := range alive {
			reqs[k] = p.Irecv(k, 1, &in[k])
			p.Isend(k, 1, &cluster.Msg{Body: make([]byte, 100_000), Given: true, Meta: [4]int64{step, int64(p.Size() - len(alive))}})
		}
		all = true
		for _, k := range alive {
			if err := cluster.Wait(p, reqs[k]); errors.Is(err, cluster.ErrLost) {
				continue
			} else if err != nil {
				return nil, err
			}
			if in[k].Meta[0] != step || len(in[k].Body) != 100_000 {
				return nil, fmt.Errorf("rank %d got step %d of rank %d in step %d", p.Rank(), in[k].Meta[0], k, step)
			}
			all = all && in[k].Meta[1] == int64(losses)
		}
	}
	return fmt.Appendf(nil, "rank %d with %v", p.Rank(), s.Alive()), nil
}

// runElastic runs one rank in this process and prints how it ended. The job's name says how many are to be lost.
func runElastic(cfg tcp.Config) {
	var losses int
	if _, err := fmt.Sscanf(cfg.Job, "elastic %d", &losses); err != nil {
		panic(err)
	}
	out, err := tcp.New(cfg).Run(context.Background(), func(p cluster.Proc) ([]byte, error) {
		fmt.Println("started")
		return meets(p, losses)
	})
	end := ended{Text: fmt.Sprint(err)}
	if out.Trace != nil {
		end.Lost = out.Trace.Lost
	}
	for _, r := range out.Results {
		end.Results = append(end.Results, string(r))
	}
	_ = json.NewEncoder(os.Stdout).Encode(end)
}

// outlive runs n processes, kills victims one after the other and checks that the others go on to the end,
// and that the first of them has what all left. They have the certificates of a folder; "": none.
func outlive(t *testing.T, certs string, n int, victims ...int) {
	t.Helper()
	cfgs, s := elasticBy(t, n, len(victims), never, certs, certs)
	var procs []*process
	for _, cfg := range cfgs {
		procs = append(procs, launch(t, cfg))
	}
	for _, p := range procs {
		if got := p.line(t); got != "started" {
			t.Fatalf("a rank said %q", got)
		}
	}
	r := cluster.Stream(uint64(time.Now().UnixNano()), 0, "", "blows")
	for _, v := range victims {
		time.Sleep(time.Duration(r.Int64N(int64(60 * time.Millisecond))))
		must(t, procs[v].cmd.Process.Kill())
	}
	var alive []int
	for k := range n {
		if !slices.Contains(victims, k) {
			alive = append(alive, k)
		}
	}
	for i, k := range alive {
		var end ended
		must(t, json.Unmarshal([]byte(procs[k].line(t)), &end))
		if end.Text != "<nil>" || !slices.Equal(slices.Sorted(slices.Values(end.Lost)), slices.Sorted(slices.Values(victims))) {
			t.Errorf("rank %d: %+v, want a good end without %v", k, end, victims)
			continue
		}
		for j, got := range end.Results {
			want := ""
			if slices.Contains(alive, j) && (i == 0 || j == k) {
				want = fmt.Sprintf("rank %d with %v", j, alive)
			}
			if got != want {
				t.Errorf("rank %d has %q of rank %d, want %q", k, got, j, want)
			}
		}
	}
	<-s.done
	if s.err != nil || len(s.lost) != len(victims) {
		t.Errorf("the rendezvous says %v, lost %v", s.err, s.lost)
	}
}

// Processes that are killed are lost, whichever they are, and the others go on.
func TestSurvivorsOfKilledProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	for _, victims := range [][]int{{2}, {0}, {0, 1}, {3, 0, 1}} {
		outlive(t, "", 4, victims...)
	}
}

// Half a message of a rank that is lost is nobody's: a receive from any rank goes on with another's, one from that rank
// ends, and sends to it end too. Its own run ends and says why.
func TestHalfAMessageIsDiscarded(t *testing.T) {
	cfgs, s := elastic(t, 3, 1, never)
	cfgs[2] = cfgs[2].WithFaults(func(peer int, conn net.Conn) net.Conn {
		if peer != 0 {
			return conn
		}
		return &bad{Conn: conn, flip: 100_000}
	})
	_, errs := each(cfgs, func(p cluster.Proc) ([]byte, error) {
		sv := p.(cluster.Survivor)
		var m, n cluster.Msg
		switch p.Rank() {
		case 2:
			sent := p.Isend(0, 1, &cluster.Msg{Body: make([]byte, 2_000_000)})
			return nil, cluster.Wait(p, sent, p.Irecv(0, 9, &m))
		case 1:
			if err := cluster.Wait(p, sv.Lost()); err != nil {
				return nil, err
			}
			return nil, cluster.Wait(p, p.Isend(0, 1, &cluster.Msg{Body: []byte("whole")}))
		}
		anyone, named := p.Irecv(cluster.Any, 1, &m), p.Irecv(2, 2, &n)
		var reqs []cluster.Req
		for range 10 { // most will never leave
			reqs = append(reqs, p.Isend(2, 3, &cluster.Msg{Body: make([]byte, 2_000_000)}))
		}
		if err := cluster.Wait(p, anyone); err != nil || m.From != 1 || string(m.Body) != "whole" {
			return nil, fmt.Errorf("%d bytes of rank %d, %w", len(m.Body), m.From, err)
		}
		if err := cluster.Wait(p, named); !errors.Is(err, cluster.ErrLost) {
			return nil, fmt.Errorf("receive from the lost rank: %w", err)
		}
		return nil, cluster.Wait(p, reqs...)
	})
	if errs[0] != nil || errs[1] != nil {
		t.Errorf("survivors: %v, %v", errs[0], errs[1])
	}
	wantLost(t, "the lost one", errs[2], 2, "corrupt")
	if <-s.done; s.err != nil || !slices.Equal(s.lost, []int{2}) {
		t.Errorf("the rendezvous says %v, lost %v", s.err, s.lost)
	}
}

// A job agrees on whether it is elastic.
func TestElasticForAllOrNone(t *testing.T) {
	cfgs, s := elastic(t, 2, 0, never)
	cfgs[1].Elastic = false
	_, errs := each(cfgs[1:], nothing)
	wantAll(t, errs, "elastic false, the job true")
	if <-s.done; s.err == nil || len(s.lost) > 0 {
		t.Errorf("the rendezvous says %v, lost %v", s.err, s.lost)
	}
}

// A rank whose run is not elastic is no survivor.
func TestNotElastic(t *testing.T) {
	_, errs := each(job(t, 2), func(p cluster.Proc) ([]byte, error) {
		if _, ok := p.(cluster.Survivor); ok {
			return nil, errors.New("a survivor")
		}
		if p.Rank() == 1 {
			return nil, cluster.ErrCrashed
		}
		return rings(p)
	})
	for rank, err := range errs {
		var a *cluster.AbortError
		if !errors.As(err, &a) || a.Rank != 1 || a.Op != "body" || !strings.Contains(err.Error(), "crashed") {
			t.Errorf("rank %d: %v, want rank 1's failure", rank, err)
		}
	}
}
