package train

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/checkpoint"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/safetensors"
	"gradsync/shared/tensor/vec"
)

// rankKept holds a state's part of one rank of a method without a server; parameters are the same on all.
type rankKept struct {
	// Of the rank's own gradients so far, elements that coded SGD's int32 could not hold.
	Saturated, NotFinite int64
}

// vectorResidual names what a rank's threshold holds back, of ringsparse.
func vectorResidual(rank int) string { return "residual." + strconv.Itoa(rank) }

// ranksState is a state under way: every rank adds its part when it has made the update.
type ranksState struct {
	progress
	checkpoint.State
	missing int
}

// replayed returns how many steps are made again, without numbers: on virtual time those before the state that the run goes on from.
func (r *runner) replayed() int64 {
	if r.cfg.Runtime == "virtual" {
		return r.keeping.at()
	}
	return 0
}

// begun returns how many updates, and of how many gradients, an earlier process had made which this one does not make again.
func (r *runner) begun() (updates, pushes int64) {
	if r.keeping == nil || r.cfg.Runtime == "virtual" {
		return 0, 0
	}
	return r.keeping.from.At, r.keeping.from.Pushes
}

// before returns the seconds of training that an earlier process spent on them.
func (r *runner) before() float64 {
	if updates, _ := r.begun(); updates > 0 {
		return r.keeping.from.Seconds
	}
	return 0
}

// begin takes up the state that the run goes on from, where it does not make the steps before again, and returns the
// first step to make.
func (x *replica) begin() (int64, error) {
	begun, _ := x.begun()
	if begun == 0 {
		return 0, nil
	}
	return begun, x.restore()
}

// restore puts back the state that the run goes on from.
func (x *replica) restore() error {
	if len(x.keeping.from.Ranks) != x.p.Size() {
		return fmt.Errorf("train: checkpoint: %s has %d ranks, want %d", x.keeping.where(), len(x.keeping.from.Ranks), x.p.Size())
	}
	copy(x.task.params, x.keeping.state.Vector(vectorParams))
	if x.opt != nil {
		copy(x.opt.Velocity(len(x.task.params)), x.keeping.state.Vector(vectorVelocity))
	}
	own := x.keeping.from.Ranks[x.p.Rank()]
	if x.codedLog != nil {
		x.codedLog.Totals.Saturated, x.codedLog.Totals.NotFinite = own.Saturated, own.NotFinite
	}
	if x.sparseLog != nil {
		residual := x.keeping.state.Vector(vectorResidual(x.p.Rank()))
		if begun, _ := x.begun(); begun > 0 {
			x.sparseLog.Residual = slices.Clone(residual)
		}
		copy(x.sparseLog.Residual, residual)
	}
	return nil
}

// keepCommon begins a state where one is due, with what all ranks have in common. The first rank to make the update
// calls it, when it has evaluated and before anybody else does.
func (x *replica) keepCommon(updates int64, stop bool) error {
	last := stop || updates == x.steps
	if !x.keeping.due(updates, last) {
		return nil
	}
	n := x.p.Size()
	s := &ranksState{missing: n, progress: progress{At: updates, Pushes: updates * int64(x.cfg.Workers),
		Seconds: x.before() + x.p.Now().Seconds(), Last: last, Stopped: stop, Ranks: make([]rankKept, n)}}
	s.Add(vectorParams, slices.Clone(x.task.params))
	if x.opt != nil {
		s.Add(vectorVelocity, slices.Clone(x.opt.Velocity(len(x.task.params))))
	}
	if err := x.reached(&s.progress, &s.State); err != nil {
		return err
	}
	x.keeping.open[updates] = s
	return nil
}

// keepRank adds the rank's own part to a state where one is due, and writes it if it was the last.
func (x *replica) keepRank(updates int64, stop bool) error {
	if !x.keeping.due(updates, stop || updates == x.steps) {
		return nil
	}
	own, decisions, residual := x.ownPart()
	if x.cfg.TCP != nil {
		return x.gather(updates, own, residual)
	}
	x.stopping.Lock()
	defer x.stopping.Unlock()
	s := x.keeping.open[updates]
	if s == nil {
		return nil // whoever was to begin it has failed, and ends the run
	}
	s.Ranks[x.p.Rank()] = own
	s.Add(vectorResidual(x.p.Rank()), slices.Clone(residual))
	s.AddBytes(bytesDecisions(x.p.Rank()), decisions)
	if s.missing--; s.missing > 0 {
		return nil
	}
	delete(x.keeping.open, updates)
	slices.SortFunc(s.Vectors, func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return x.keeping.write(&s.progress, &s.State)
}

// ownPart returns what a state has of this rank alone. Decisions are of ringsparse on virtual time, packed.
func (x *replica) ownPart() (own rankKept, decisions []byte, residual []float32) {
	if x.codedLog != nil {
		own.Saturated, own.NotFinite = x.codedLog.Totals.Saturated, x.codedLog.Totals.NotFinite
	}
	if x.sparseLog != nil {
		decisions, residual = packed(x.sparseLog.Decisions), x.sparseLog.Residual
	}
	return own, decisions, residual
}

// tagState is the tag of messages with states. No method uses it, nor does what else takes the last tags: sameRun, groups of
// devices, a crew.
const tagState = cluster.MaxTag - 3

// gather brings the ranks' own parts to rank 0, which writes the state. The dense methods' ranks have none.
func (x *replica) gather(updates int64, own rankKept, residual []float32) error {
	if x.p.Rank() > 0 {
		if x.opt != nil {
			return nil
		}
		m := &cluster.Msg{Meta: [4]int64{updates, own.Saturated, own.NotFinite}, Body: vec.AppendBytes([]byte{}, residual)}
		return cluster.Wait(x.p, x.p.Isend(0, tagState, m))
	}
	k := x.keeping
	s := k.open[updates]
	delete(k.open, updates)
	s.Ranks[0] = own
	s.Add(vectorResidual(0), residual)
	for rank := 1; rank < x.p.Size() && x.opt == nil; rank++ {
		var m cluster.Msg
		if err := cluster.Wait(x.p, x.p.Irecv(rank, tagState, &m)); err != nil {
			return err
		}
		if m.Meta[0] != updates || len(m.Body) != 4*len(residual) {
			return fmt.Errorf("train: checkpoint: rank %d has made %d updates and sends %d bytes, want %d and %d",
				rank, m.Meta[0], len(m.Body), updates, 4*len(residual))
		}
		k.moved.Add(int64(len(m.Body)))
		s.Ranks[rank] = rankKept{Saturated: m.Meta[1], NotFinite: m.Meta[2]}
		if residual != nil {
			theirs := make([]float32, len(residual))
			if err := vec.FromBytes(theirs, m.Body); err != nil {
				return err
			}
			s.Add(vectorResidual(rank), theirs)
		}
	}
	return k.write(&s.progress, &s.State)
}

// share tells the other processes of a job from which state the run goes on, which rank 0's alone has read. Of a method with a
// server its workers need no more than its progress.
func (r *runner) share(p cluster.Proc) error {
	k := r.keeping
	if k == nil || r.cfg.TCP == nil {
		return nil
	}
	if p.Rank() > 0 {
		var m cluster.Msg
		if err := cluster.Wait(p, p.Irecv(0, tagState, &m)); err != nil || len(m.Body) == 0 {
			return err
		}
		f, err := safetensors.Decode(m.Body)
		if err == nil {
			k.state = &checkpoint.State{Vectors: f.Tensors}
			err = json.Unmarshal([]byte(f.Metadata[sharedProgress]), &k.from)
		}
		if err != nil {
			return fmt.Errorf("train: checkpoint: from rank 0: %w", err)
		}
		return nil
	}
	for rank := 1; rank < p.Size(); rank++ {
		m := &cluster.Msg{Body: []byte{}}
		if k.state != nil {
			from := k.from
			from.Curve, from.Best = nil, nil
			raw, err := json.Marshal(from)
			if err != nil {
				return fmt.Errorf("train: checkpoint: %w", err)
			}
			f := safetensors.File{Metadata: map[string]string{sharedProgress: string(raw)}}
			for _, t := range k.state.Vectors {
				if r.cfg.serverless() && slices.Contains([]string{vectorParams, vectorVelocity, vectorResidual(rank)}, t.Name) {
					f.Tensors = append(f.Tensors, t)
				}
			}
			if m.Body, err = safetensors.Encode(f); err != nil {
				return fmt.Errorf("train: checkpoint: %w", err)
			}
			k.moved.Add(int64(len(m.Body)))
		}
		if err := cluster.Wait(p, p.Isend(rank, tagState, m)); err != nil {
			return err
		}
	}
	return nil
}

// sharedProgress names the progress in what share sends.
const sharedProgress = "progress"

// tieBit of a decision's first byte says that the tie rule decided; the others are its kind.
const tieBit = 1 << 7

// packed returns decisions as compressed records of packedBytes.
func packed(decisions []ringsparse.Decision) []byte {
	if len(decisions) == 0 {
		return nil
	}
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestSpeed) // of a level that there is
	var record []byte
	for _, d := range decisions {
		kind := byte(d.Kind)
		if d.Tie {
			kind |= tieBit
		}
		record = binary.LittleEndian.AppendUint32(append(record[:0], kind, d.Codec), uint32(d.Bytes))
		record = binary.LittleEndian.AppendUint64(record, math.Float64bits(d.Weights))
		_, _ = w.Write(binary.LittleEndian.AppendUint64(record, math.Float64bits(d.Gradients))) // a buffer takes all
	}
	_ = w.Close()
	return out.Bytes()
}

const packedBytes = 2 + 4 + 8 + 8

// fromPacked undoes packed.
func fromPacked(b []byte) (out []ringsparse.Decision, err error) {
	if len(b) == 0 {
		return nil, nil
	}
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(b)))
	if err != nil {
		return nil, fmt.Errorf("its decisions: %w", err)
	}
	for ; len(raw) >= packedBytes; raw = raw[packedBytes:] {
		out = append(out, ringsparse.Decision{Kind: ringsparse.Kind(raw[0] &^ tieBit), Tie: raw[0]&tieBit != 0, Codec: raw[1],
			Bytes: int(binary.LittleEndian.Uint32(raw[2:])), Weights: math.Float64frombits(binary.LittleEndian.Uint64(raw[6:])),
			Gradients: math.Float64frombits(binary.LittleEndian.Uint64(raw[14:]))})
	}
	return out, nil
}
