package lab

import (
	"fmt"
	"slices"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// Spread is the least, the middle and the largest of several values.
type Spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// SpreadOf sorts a copy; an even number of values has the mean of the two in the
// middle as its median. No values have the zero Spread.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return Spread{v[0], (v[(n-1)/2] + v[n/2]) / 2, v[n-1]}
}

// SizeText writes a number of bytes in its largest whole binary unit.
func SizeText(bytes int) string {
	for _, u := range []struct {
		shift int
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if bytes >= 1<<u.shift && bytes%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d %s", bytes>>u.shift, u.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// Tags of an exchange.
const (
	tagRing  cluster.Tag = 1
	tagStart             = cluster.MaxTag - 1
)

// barrier returns on every rank once all ranks have called it: by rank 0.
func barrier(p cluster.Proc) error {
	if p.Rank() != 0 {
		var m cluster.Msg
		return cluster.Wait(p, p.Isend(0, tagStart, &cluster.Msg{}), p.Irecv(0, tagStart, &m))
	}
	in := make([]cluster.Msg, p.Size())
	var got, told []cluster.Req
	for r := 1; r < p.Size(); r++ {
		got = append(got, p.Irecv(r, tagStart, &in[r]))
	}
	if err := cluster.Wait(p, got...); err != nil {
		return err
	}
	for r := 1; r < p.Size(); r++ {
		told = append(told, p.Isend(r, tagStart, &cluster.Msg{}))
	}
	return cluster.Wait(p, told...)
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
		return fmt.Errorf("lab: no exchange %q: known are ring, ringsparse", e.Method)
	case e.Bytes < 4 || e.Bytes%4 != 0:
		return fmt.Errorf("lab: %d bytes, want a multiple of 4", e.Bytes)
	case e.Steps < 1:
		return fmt.Errorf("lab: --steps %d: at least 1", e.Steps)
	case !(e.Density >= 0 && e.Density <= 1):
		return fmt.Errorf("lab: --density %g: 0 to 1", e.Density)
	case e.Segment < 0:
		return fmt.Errorf("lab: --segment %d: at least 0", e.Segment)
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
		err := barrier(p)
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
			return fmt.Errorf("lab: ring: rank %d: element %d is %g after a step, want %g", p.Rank(), i, v, want)
		}
	}
	return nil
}

func (e Exchange) sparse(p cluster.Proc, out *Exchanged, start func() error, end func()) (Exchanged, error) {
	t := &sparseTask{params: make([]float32, e.Bytes/4), grads: make([]float32, e.Bytes/4)}
	r := cluster.Stream(1, 0, "", "lab/exchange") // the same weights on every rank
	for i := range t.params {
		t.params[i] = r.Float32() + 0.5
	}
	// Zeros stay where they are: which entries a rank's data reach does not change.
	r = cluster.Stream(1, p.Rank()+1, "", "lab/exchange")
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
