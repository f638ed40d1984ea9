package bench

import (
	"encoding/binary"
	"fmt"
	"io"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// KindRing is one all-reduce over the processes of a job, whose Bytes are those of
// each rank's vector of float32.
const KindRing = "ring"

// Names of the contenders of KindRing.
const (
	OurRing   = "gradsync"          // collective.Ring over TCP
	MPIRing   = "openmpi-ring"      // the same ring in C over Open MPI's TCP
	MPIReduce = "openmpi-allreduce" // MPI_Allreduce over Open MPI's TCP
	Stream    = "loopback"          // one-way TCP stream of 1 MiB writes
)

// Tags of a ring worker.
const (
	tagOrder cluster.Tag = iota + 1
	tagReady
	tagRing
)

// What rank 0 orders the others to do.
const (
	orderOpen = iota + 1 // so many bytes
	orderRun             // so many steps
)

// ServeRing is a rank's life: rank 0 reads a job and orders from in and answers on
// out, as every worker does; the others do what it tells them. Segment is the
// ring's own, in elements. The sum of the first step is checked on every rank.
func ServeRing(p cluster.Proc, in io.Reader, out io.Writer, segment int, facts ...string) error {
	w := &ringWorker{p: p, ring: collective.Ring{Segment: segment, Scratch: &collective.Scratch{}}}
	if p.Rank() != 0 {
		return w.obey()
	}
	serving := Serve(in, out, func(j Job) (*Task, error) {
		if j.Kind != KindRing || j.Bytes < 4 || j.Bytes%4 != 0 {
			return nil, fmt.Errorf("bench: ring: a job %q of %d bytes, want %q and a multiple of 4", j.Kind, j.Bytes, KindRing)
		}
		if err := w.tell(orderOpen, j.Bytes); err != nil {
			return nil, err
		}
		run := func(steps int) error {
			if err := w.tell(orderRun, steps); err != nil {
				return err
			}
			return w.run(steps)
		}
		return &Task{Class: "tcp", Facts: facts, Run: run}, w.open(j.Bytes)
	})
	if err := w.tell(0, 0); serving == nil {
		serving = err
	}
	return serving
}

type ringWorker struct {
	p    cluster.Proc
	ring collective.Ring
	x    []float32
}

// tell sends an order to all other ranks.
func (w *ringWorker) tell(what, how int) error {
	body := binary.LittleEndian.AppendUint64([]byte{byte(what)}, uint64(how))
	var sent []cluster.Req
	for r := 1; r < w.p.Size(); r++ {
		sent = append(sent, w.p.Isend(r, tagOrder, &cluster.Msg{Body: body}))
	}
	return cluster.Wait(w.p, sent...)
}

// obey does what rank 0 orders until that is nothing.
func (w *ringWorker) obey() error {
	for {
		var m cluster.Msg
		if err := cluster.Wait(w.p, w.p.Irecv(0, tagOrder, &m)); err != nil {
			return err
		}
		if len(m.Body) != 9 {
			return fmt.Errorf("bench: ring: an order of %d bytes", len(m.Body))
		}
		how := int(binary.LittleEndian.Uint64(m.Body[1:]))
		var err error
		switch m.Body[0] {
		case orderOpen:
			err = w.open(how)
		case orderRun:
			err = w.run(how)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// open makes the vector and checks one step on it: rank r gives r+1 everywhere. It
// leaves zeros, so that no number of steps overflows.
func (w *ringWorker) open(bytes int) error {
	w.x = make([]float32, bytes/4)
	for i := range w.x {
		w.x[i] = float32(w.p.Rank() + 1)
	}
	if err := w.run(1); err != nil {
		return err
	}
	if err := summed(w.x, w.p); err != nil {
		return err
	}
	clear(w.x)
	return nil
}

// run waits for all ranks and makes so many steps.
func (w *ringWorker) run(steps int) error {
	if err := Barrier(w.p, tagReady); err != nil {
		return err
	}
	for range steps {
		if err := w.ring.AllReduce(w.p, tagRing, w.x); err != nil {
			return err
		}
	}
	return nil
}

// Barrier returns on every rank once all ranks have called it: by rank 0.
func Barrier(p cluster.Proc, tag cluster.Tag) error {
	if p.Rank() != 0 {
		var m cluster.Msg
		return cluster.Wait(p, p.Isend(0, tag, &cluster.Msg{}), p.Irecv(0, tag, &m))
	}
	in := make([]cluster.Msg, p.Size())
	var got, told []cluster.Req
	for r := 1; r < p.Size(); r++ {
		got = append(got, p.Irecv(r, tag, &in[r]))
	}
	if err := cluster.Wait(p, got...); err != nil {
		return err
	}
	for r := 1; r < p.Size(); r++ {
		told = append(told, p.Isend(r, tag, &cluster.Msg{}))
	}
	return cluster.Wait(p, told...)
}

// BusBandwidth is the bytes per second that an all-reduce of so many bytes moves
// over each rank's link,
//
//	bytes/seconds · 2(ranks−1)/ranks,
//
// which does not depend on the number of ranks where the links are the limit.
func BusBandwidth(bytes, ranks int, seconds float64) float64 {
	return float64(bytes) / seconds * 2 * float64(ranks-1) / float64(ranks)
}
