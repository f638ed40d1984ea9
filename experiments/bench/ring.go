package bench

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os/exec"
	"slices"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// KindRing is one all-reduce over the processes of a job, whose Bytes count each rank's vector of
// float32.
const KindRing = "ring"

// Names of the contenders of KindRing.
const (
	OurRing     = "gradsync"          // collective.Ring over TCP
	RingOnMPI   = "gradsync-mpi"      // collective.Ring over Open MPI
	TLSRing     = "gradsync-tls"      // the same with certificates, over TLS 1.3
	MPIRing     = "openmpi-ring"      // the same ring in C over Open MPI's TCP
	MPIReduce   = "openmpi-allreduce" // MPI_Allreduce over Open MPI's TCP
	MPICHReduce = "mpich-allreduce"   // MPI_Allreduce over MPICH's TCP
	Stream      = "loopback"          // one-way TCP stream of 1 MiB writes
)

// Tags of a ring worker.
const (
	tagOrder cluster.Tag = iota + 1
	tagReady
	tagRing
)

// What rank 0 orders the others to do.
const (
	orderOpen = iota + 1 // with the number of bytes
	orderRun             // with the number of steps
)

// ServeRing runs a rank: rank 0 reads a job and orders from in and answers on out, as every worker
// does; the others do what it tells them. Segment is the ring's own, in elements. The sum of the
// first step is checked on every rank.
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

// run waits for all ranks and makes the given steps.
func (w *ringWorker) run(steps int) error {
	if err := barrier(w.p, tagReady); err != nil {
		return err
	}
	for range steps {
		if err := w.ring.AllReduce(w.p, tagRing, w.x); err != nil {
			return err
		}
	}
	return nil
}

// barrier returns on every rank once all ranks have called it: by rank 0.
func barrier(p cluster.Proc, tag cluster.Tag) error {
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

// KindStream is 1 MiB of a one-way TCP stream to another process.
const KindStream = "stream"

// streamWrite is the size of a write and of a read.
const streamWrite = 1 << 20

// ServeStream runs the stream's sender: a worker whose step is one write. Receiver makes the
// command of the other process, which calls ReceiveStream with the address.
func ServeStream(in io.Reader, out io.Writer, receiver func(address string) *exec.Cmd) error {
	var conn net.Conn
	var other *exec.Cmd
	defer func() {
		if conn != nil {
			conn.Close() // which ends the other
			_ = other.Wait()
		}
	}()
	return Serve(in, out, func(j Job) (*Task, error) {
		if j.Kind != KindStream {
			return nil, fmt.Errorf("bench: stream: a job %q", j.Kind)
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		_ = listener.(*net.TCPListener).SetDeadline(time.Now().Add(10 * time.Second))
		other = receiver(listener.Addr().String())
		if err := other.Start(); err != nil {
			return nil, err
		}
		if conn, err = listener.Accept(); err != nil {
			_ = other.Process.Kill()
			_ = other.Wait()
			return nil, fmt.Errorf("bench: stream: the other process did not come: %w", err)
		}
		block := make([]byte, streamWrite)
		return &Task{Class: "tcp", Bytes: streamWrite, Run: func(steps int) error { return stream(conn, block, steps) }}, nil
	})
}

// stream announces how many blocks follow, writes them and waits for one byte.
func stream(conn net.Conn, block []byte, steps int) error {
	if err := binary.Write(conn, binary.LittleEndian, int64(steps)); err != nil {
		return err
	}
	for range steps {
		if _, err := conn.Write(block); err != nil {
			return err
		}
	}
	_, err := io.ReadFull(conn, make([]byte, 1))
	return err
}

// ReceiveStream reads what ServeStream's process at address sends until it ends.
func ReceiveStream(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	block := make([]byte, streamWrite)
	for {
		var steps int64
		switch err := binary.Read(conn, binary.LittleEndian, &steps); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
		for range steps {
			if _, err := io.ReadFull(conn, block); err != nil {
				return err
			}
		}
		if _, err := conn.Write([]byte{1}); err != nil {
			return err
		}
	}
}

// Exchange is a number of steps that do nothing but exchange one vector: the same
// text on a real network and in virtual time.
type Exchange struct {
	Method  string  // "ring" or "ringsparse"
	Bytes   int     // of each rank's vector of float32
	Steps   int     // after one that does not count
	Density float64 // ringsparse: share of each rank's gradient that is not 0
	Segment int     // ring: elements of a piece, 0: the whole chunk
	Rate    float64 // ringsparse: bandwidth B of the cost rule S42, bytes/s
}

// Exchanges are the methods.
var Exchanges = []string{"ring", "ringsparse"}

// Check names what is wrong.
func (e Exchange) Check() error {
	switch {
	case !slices.Contains(Exchanges, e.Method):
		return fmt.Errorf("bench: no exchange %q: known are ring, ringsparse", e.Method)
	case e.Bytes < 4 || e.Bytes%4 != 0:
		return fmt.Errorf("bench: %d bytes, want a multiple of 4", e.Bytes)
	case e.Steps < 1:
		return fmt.Errorf("bench: --steps %d: at least 1", e.Steps)
	case !(e.Density >= 0 && e.Density <= 1):
		return fmt.Errorf("bench: --density %g: 0 to 1", e.Density)
	case e.Segment < 0:
		return fmt.Errorf("bench: --segment %d: at least 0", e.Segment)
	}
	return nil
}

// Exchanged is one rank's record: how long each step lasted on its clock, and what
// it sent of all steps, the uncounted one too, as RingSparse counts it.
type Exchanged struct {
	Steps  []time.Duration
	Totals ringsparse.Totals
}

// Run makes the steps of one rank, all ranks beginning each at the same time.
func (e Exchange) Run(p cluster.Proc) (Exchanged, error) {
	var out Exchanged
	var begin time.Duration
	start := func() error {
		err := barrier(p, cluster.MaxTag-1)
		begin = p.Now()
		return err
	}
	end := func() { out.Steps = append(out.Steps, p.Now()-begin) }
	if e.Method == "ringsparse" {
		return e.sparse(p, &out, start, end)
	}
	x := make([]float32, e.Bytes/4)
	for i := range x {
		x[i] = float32(p.Rank() + 1)
	}
	ring := collective.Ring{Segment: e.Segment, Scratch: &collective.Scratch{}}
	for step := range e.Steps + 1 {
		if err := start(); err != nil {
			return out, err
		}
		if err := ring.AllReduce(p, tagRing, x); err != nil {
			return out, err
		}
		end()
		if step == 0 {
			if err := summed(x, p); err != nil {
				return out, err
			}
			clear(x)
		}
	}
	out.Steps = out.Steps[1:]
	return out, nil
}

// summed checks the sum over ranks of rank+1.
func summed(x []float32, p cluster.Proc) error {
	want := float32(p.Size() * (p.Size() + 1) / 2)
	for i, v := range x {
		if v != want {
			return fmt.Errorf("bench: ring: rank %d: element %d is %g after a step, want %g", p.Rank(), i, v, want)
		}
	}
	return nil
}

func (e Exchange) sparse(p cluster.Proc, out *Exchanged, start func() error, end func()) (Exchanged, error) {
	t := &sparseTask{params: make([]float32, e.Bytes/4), grads: make([]float32, e.Bytes/4)}
	r := cluster.Stream(1, 0, "", "bench/exchange") // the same weights on every rank
	for i := range t.params {
		t.params[i] = r.Float32() + 0.5
	}
	// Zeros stay where they are: which entries a rank's data reach does not change.
	r = cluster.Stream(1, p.Rank()+1, "", "bench/exchange")
	for i := range t.grads {
		if r.Float64() < e.Density {
			t.grads[i] = r.Float32() + 0.5
		}
	}
	t.all = slices.Clone(t.grads)
	log, err := ringsparse.Run(p, ringsparse.Job{
		Task: t, Rate: 1e-3, Steps: int64(e.Steps) + 1,
		Options: ringsparse.Options{Bandwidth: e.Rate},
		OnStep: func(step int64) (bool, error) {
			if step > 0 {
				end()
			}
			return false, start()
		},
	})
	if err == nil {
		out.Totals = log.Totals
	}
	return *out, err
}

// sparseTask is a gradient that costs nothing to compute.
type sparseTask struct{ params, grads, all []float32 }

func (t *sparseTask) Layers() []cluster.Layer {
	return []cluster.Layer{{Name: "x", Length: len(t.params)}}
}
func (t *sparseTask) Params() []float32 { return t.params }
func (t *sparseTask) Grads() []float32  { return t.grads }

// Grad gives the same gradient in every step, whatever the exchange made of it.
func (t *sparseTask) Grad(_ int64, done func(layer int)) (float64, error) {
	copy(t.grads, t.all)
	done(0)
	return 0, nil
}
