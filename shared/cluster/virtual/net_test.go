package virtual_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// ms is a host whose NIC carries 1,000 bytes per millisecond, α 1 ms in all.
var ms = cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 1e6, Latency: 500 * time.Microsecond}

// ends runs body without headers and returns each rank's last instant.
func ends(t *testing.T, p *cluster.Platform, body func(cluster.Proc) error) []time.Duration {
	t.Helper()
	got, _, err := cluster.Run(t.Context(), virtual.New(p, virtual.Config{Headerless: true, Trace: true}), func(p cluster.Proc) (time.Duration, error) {
		err := body(p)
		return p.Now(), err
	})
	must(t, err)
	return got
}

func want(t *testing.T, got []time.Duration, ms ...float64) {
	t.Helper()
	for i, w := range ms {
		if d := time.Duration(w * 1e6); got[i] != d {
			t.Errorf("rank %d ended at %v, want %v", i, got[i], d)
		}
	}
}

// push sends 2,000 bytes from every rank but 0, which receives them.
func push(p cluster.Proc) error {
	var m cluster.Msg
	if p.Rank() > 0 {
		return cluster.Wait(p, p.Isend(0, 1, &cluster.Msg{Declared: 2000}))
	}
	for range p.Size() - 1 {
		if err := cluster.Wait(p, p.Irecv(cluster.Any, 1, &m)); err != nil {
			return err
		}
	}
	return nil
}

// By hand: α + n·2 ms at the receiver, 2 ms at each sender.
func TestIncastSerialisesAtTheReceiver(t *testing.T) {
	want(t, ends(t, cluster.Uniform(2, ms, nil), push), 3, 2)
	want(t, ends(t, cluster.Uniform(4, ms, nil), push), 7, 2, 2, 2)
}

// By hand: the root's egress sends 2 ms each, one after the other.
func TestASenderSerialises(t *testing.T) {
	body := func(p cluster.Proc) error {
		var m cluster.Msg
		if p.Rank() > 0 {
			return cluster.Wait(p, p.Irecv(0, 1, &m))
		}
		var reqs []cluster.Req
		for to := 1; to < p.Size(); to++ {
			reqs = append(reqs, p.Isend(to, 1, &cluster.Msg{Declared: 2000}))
		}
		return cluster.Wait(p, reqs...)
	}
	want(t, ends(t, cluster.Uniform(4, ms, nil), body), 6, 3, 5, 7)
}

// By hand: sending and receiving at once take no longer than either.
func TestNICsAreFullDuplex(t *testing.T) {
	want(t, ends(t, cluster.Uniform(2, ms, nil), func(p cluster.Proc) error {
		var m cluster.Msg
		return cluster.Wait(p, p.Irecv(1-p.Rank(), 1, &m), p.Isend(1-p.Rank(), 1, &cluster.Msg{Declared: 2000}))
	}), 3, 3)
}

// By hand: a server ten times as fast takes three slow senders at once: all
// end at α + 2 ms; a slow server is the bottleneck of fast senders.
func TestASlowSenderDoesNotHoldAFastReceiver(t *testing.T) {
	p := cluster.Uniform(4, ms, nil)
	p.Workers[0].Bandwidth = 10e6
	want(t, ends(t, p, push), 3, 2, 2, 2)
	p = cluster.Uniform(3, ms, nil)
	p.Workers[1].Bandwidth, p.Workers[2].Bandwidth = 10e6, 10e6
	want(t, ends(t, p, push), 5, 0.2, 0.2)
}

// By hand: overhead o = 0.25 ms per message on either NIC.
func TestOverheadOccupiesBothNICs(t *testing.T) {
	h := ms
	h.Overhead = 250 * time.Microsecond
	want(t, ends(t, cluster.Uniform(2, h, nil), push), 1+2+0.5, 2.25)
	want(t, ends(t, cluster.Uniform(3, h, nil), push), 1+0.25+2*2.25, 2.25, 2.25)
}

// The first byte decides: rank 2's far message was sent first and arrives last, so rank 1's takes the receiver's NIC
// before it. By hand: rank 2 sends at 0 with α = 10.5 ms, rank 1 at 1 ms with α = 1 ms: slots at 2 and 10.5.
func TestIngressSlotsAreGivenAtFirstByteArrival(t *testing.T) {
	p := cluster.Uniform(3, ms, nil)
	p.Workers[2].Latency = 10 * time.Millisecond
	var order []int
	got := ends(t, p, func(p cluster.Proc) error {
		var m cluster.Msg
		switch p.Rank() {
		case 0:
			for range 2 {
				if err := cluster.Wait(p, p.Irecv(cluster.Any, 1, &m)); err != nil {
					return err
				}
				order = append(order, m.From, int(p.Now()/time.Microsecond))
			}
			return nil
		case 1:
			if err := cluster.Sleep(p, time.Millisecond); err != nil {
				return err
			}
		}
		return cluster.Wait(p, p.Isend(0, 1, &cluster.Msg{Declared: 2000}))
	})
	if fmt.Sprint(order) != "[1 4000 2 12500]" {
		t.Errorf("arrivals %v", order)
	}
	want(t, got, 12.5, 3, 2)
}

// By hand: native multicast is one transmission, fan-out three.
func TestMulticastSendsOnce(t *testing.T) {
	for _, native := range []bool{true, false} {
		p := cluster.Uniform(4, ms, nil)
		p.Multicast = native
		group, rt := []int{0, 1, 2, 3}, virtual.New(p, virtual.Config{Headerless: true})
		got, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (time.Duration, error) {
			m := cluster.Msg{}
			if p.Rank() == 0 {
				m.Body = bytes.Repeat([]byte{1, 2}, 1000)
			}
			err := cluster.Wait(p, p.Ibcast(group, 0, 1, &m))
			return p.Now(), err
		})
		must(t, err)
		if native {
			want(t, got, 2, 3, 3, 3)
		} else {
			want(t, got, 6, 3, 5, 7)
		}
		if n := trace.Sent[0].Messages; n != map[bool]int64{true: 1, false: 3}[native] {
			t.Errorf("native %v: %d messages", native, n)
		}
	}
}

// By hand: 1e6 flop at 1e9 flop/s is 1 ms; the device is FIFO.
func TestComputationTakesThePlatformsTime(t *testing.T) {
	want(t, ends(t, cluster.Uniform(1, ms, nil), func(p cluster.Proc) error {
		w := cluster.Work{FLOP: 1e6}
		first := p.Start(nil, w, w)
		second := p.Start(nil, w)
		for i, r := range append(first, second...) {
			if err := cluster.Wait(p, r); err != nil {
				return err
			}
			if want := time.Duration(i+1) * time.Millisecond; p.Now() != want {
				return fmt.Errorf("stage %d at %v, want %v", i, p.Now(), want)
			}
		}
		return nil
	}), 3)
}

// busy makes a run with everything in it: real sums, jitter, threads, Any.
func busy(p cluster.Proc) ([]byte, error) {
	x := make([]float32, 1000)
	var log bytes.Buffer
	for step := range 5 {
		stages := []cluster.Work{{FLOP: 3e5}, {FLOP: 2e5}}
		reqs := p.Start(func(done func(int)) error {
			for i := range x {
				x[i] = float32(p.Rank()+1)*0.1 + float32(i*step)*1e-3 + x[i]/3
				if i == len(x)/2 {
					done(0)
				}
			}
			done(1)
			return nil
		}, stages...)
		chatter := p.Go("chatter", func(q cluster.Proc) error {
			var m cluster.Msg
			r := q.Irecv(cluster.Any, 9, &m)
			to := (q.Rank() + 1 + step%(q.Size()-1)) % q.Size()
			err := cluster.Wait(q, q.Isend(to, 9, &cluster.Msg{Declared: q.Rand("size").IntN(5000)}), r)
			fmt.Fprintln(&log, "from", m.From, m.Size(), q.Now())
			return err
		})
		if err := cluster.Wait(p, append(reqs, chatter)...); err != nil {
			return nil, err
		}
		if err := collective.RingAllReduce(p, 2, x); err != nil {
			return nil, err
		}
		fmt.Fprintln(&log, step, p.Now())
		if err := binary.Write(&log, binary.LittleEndian, x); err != nil {
			return nil, err
		}
	}
	return log.Bytes(), nil
}

// said returns all that a run of busy tells: its times, its bytes, its trace.
func said(t *testing.T, p *cluster.Platform, seed uint64) string {
	t.Helper()
	out, err := virtual.New(p, virtual.Config{Seed: seed, Trace: true}).Run(t.Context(), busy)
	must(t, err)
	return fmt.Sprintf("%v %s %v", out.Elapsed, out.Results, *out.Trace)
}

func TestTheSameBytesForEveryGOMAXPROCS(t *testing.T) {
	host := ms
	host.Jitter = 0.2
	run := func(seed uint64) string { return said(t, cluster.Uniform(7, host, nil), seed) }
	first := run(3)
	if run(4) == first {
		t.Error("the seed changes nothing")
	}
	for _, procs := range []int{1, 2, 7} {
		before := runtime.GOMAXPROCS(procs)
		for range 3 {
			if run(3) != first {
				t.Errorf("GOMAXPROCS %d gave other bytes", procs)
			}
		}
		runtime.GOMAXPROCS(before)
	}
}
