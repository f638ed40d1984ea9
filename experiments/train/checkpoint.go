package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"gradsync/experiments/audit"
	"gradsync/experiments/checkpoint"
	"gradsync/experiments/kit"
	"gradsync/internal/readfile"
	"gradsync/internal/strict"
)

// Checkpoints holds the fields of a Config by which a run that was killed goes on from the newest state that it kept.
//
// On virtual the run is made again, up to that state without computing gradients, since no instant depends on a number: its
// outcome, its trace and all else are those of a run that nobody disturbed. On a real clock it begins where the state was,
// and its times and bytes are of what it did itself.
type Checkpoints struct {
	// CheckpointDir is the folder of the run's state; "": none is kept. What it holds stays when the run has ended, and
	// the same Config then gives the outcome again without training.
	CheckpointDir string `json:"-"`
	// CheckpointEvery is how many updates lie between two states; the last update has one, too.
	CheckpointEvery int64 `json:"-"`
	// TellStart is told before the run begins, in one line, that it goes on, and from where, or that no state is there.
	TellStart func(line string) `json:"-"`
	// written is told of each state that is on the disk, before a rank goes on that waits for it.
	written func()
}

// ErrElasticCheckpoint refuses states of an elastic run.
var ErrElasticCheckpoint = errors.New(
	"train: --checkpoint is not for --elastic: such a run goes on without the ranks that it loses, and starts none again")

// check refuses what cannot go on from a state.
func (k Checkpoints) check(c *Config) error {
	refuse := func(what string) error { return fmt.Errorf("train: --checkpoint is not for %s", what) }
	switch {
	case k.CheckpointDir == "" && k.CheckpointEvery != 0:
		return fmt.Errorf("train: --every %d is of --checkpoint: give the folder, too", k.CheckpointEvery)
	case k.CheckpointDir == "":
		return nil
	case k.CheckpointEvery < 1:
		return fmt.Errorf("train: --checkpoint wants --every N, at least 1: the updates between two checkpoints")
	case c.TimingOnly:
		return refuse("a timing-only run: it has no parameters, and begins anew in no time")
	case c.Clock != nil:
		return refuse("a run on another network's clock")
	case c.Elastic.Elastic:
		return ErrElasticCheckpoint
	case c.Devices != nil:
		return refuse("--collective engine: no runtime repeats what devices sum")
	case c.Runtime == "virtual":
		return nil
	case !c.serverless() && c.Sync != "bsp":
		return refuse(fmt.Sprintf("%s on %s: gradients under way are lost with a run on a real clock, and only on virtual they come again; bsp has none",
			c.Sync, c.Runtime))
	case c.Lease > 0:
		return refuse(fmt.Sprintf("--lease on %s: who was late is late again on virtual only", c.Runtime))
	case c.Record != "" || c.Replay != "":
		return refuse(fmt.Sprintf("--record and --replay on %s: the order of arrival begins with the run", c.Runtime))
	}
	return nil
}

// keeping is a run's state on its way to and from the disk. Only the process of rank 0 has a folder.
type keeping struct {
	folder *checkpoint.Folder
	run    checkpoint.Run
	every  int64
	told   func()            // of each state written; nil: nobody
	from   progress          // that the run goes on from; At is 0 if it begins
	state  *checkpoint.State // the same, with its vectors; nil if it begins
	open   map[int64]*ranksState
	moved  atomic.Int64 // bytes that ranks sent of states, which are no method's
}

// progress is how far a run is, besides its vectors.
type progress struct {
	At      int64        // updates made
	Pushes  int64        // gradients used
	Seconds float64      // of training, on the run's clock
	Last    bool         // the run ended with it
	Stopped bool         // by an evaluation
	Curve   []Point      // evaluations so far
	Best    *bestSoFar   `json:",omitempty"`
	Workers []workerKept `json:",omitempty"` // of a method with a server
	Ranks   []rankKept   `json:",omitempty"` // of one without
}

// bestSoFar is Best with the bits of its loss, which may be no number.
type bestSoFar struct {
	Updates int64
	Loss    uint64
}

// The names of vectors.
const (
	vectorParams   = "params"
	vectorVelocity = "velocity"
	vectorBest     = "best"
)

// bytesLosses and bytesDecisions name what a state has of each gradient so far: it grows with the run.
func bytesLosses(worker int) string { return "losses." + strconv.Itoa(worker) }

func bytesDecisions(rank int) string { return "decisions." + strconv.Itoa(rank) }

// resume opens the folder of states, if the run has one, and takes up the state in it.
func (r *runner) resume() error {
	c := &r.cfg
	if c.CheckpointDir == "" {
		return nil
	}
	r.keeping = &keeping{every: c.CheckpointEvery, told: c.written, open: map[int64]*ranksState{}}
	if !r.leads() {
		return nil
	}
	k := r.keeping
	var err error
	if k.run, err = r.identity(); err != nil {
		return err
	}
	if k.folder, err = checkpoint.Open(c.CheckpointDir); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	if k.state, err = k.folder.Read(k.run); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	if k.state == nil {
		c.tellStart(fmt.Sprintf("checkpoint: no state in %s: from the beginning", c.CheckpointDir))
		return nil
	}
	if err := k.take(len(r.init)); err != nil {
		return fmt.Errorf("train: checkpoint: %s: %w: remove it to begin anew", k.where(), err)
	}
	r.curve.points = slices.Clone(k.from.Curve)
	if b := k.from.Best; b != nil {
		r.best.Best = Best{Updates: b.Updates, Loss: math.Float64frombits(b.Loss)}
		r.best.params = k.state.Vector(vectorBest)
	}
	c.tellStart(k.line())
	return nil
}

func (k Checkpoints) tellStart(line string) {
	if k.TellStart != nil {
		k.TellStart(line)
	}
}

// where names the file.
func (k *keeping) where() string {
	if k.folder == nil {
		return "rank 0's state"
	}
	return k.folder.Path()
}

// line says where the run goes on.
func (k *keeping) line() string {
	if k.from.Last {
		return fmt.Sprintf("checkpoint: %s has the end of this run, after %d updates: nothing is trained, its outcome follows; to train anew, remove it",
			k.where(), k.from.At)
	}
	return fmt.Sprintf("checkpoint: goes on after update %d, from %s", k.from.At, k.where())
}

// take reads the state's progress and checks that it is whole. The file's hash vouches for each of its bytes.
func (k *keeping) take(params int) error {
	if err := strict.JSON(k.state.Rest, &k.from); err != nil {
		return err
	}
	for _, t := range k.state.Vectors {
		if len(t.Data) != params {
			return fmt.Errorf("vector %s has %d numbers, want %d", t.Name, len(t.Data), params)
		}
	}
	if k.from.At < 1 || k.state.Vector(vectorParams) == nil || k.from.Best != nil && k.state.Vector(vectorBest) == nil {
		return fmt.Errorf("it lacks a part")
	}
	return nil
}

// close unlocks the folder; nil has none.
func (k *keeping) close() error {
	if k == nil || k.folder == nil {
		return nil
	}
	return k.folder.Close()
}

// at returns how many updates the state has that the run goes on from.
func (k *keeping) at() int64 {
	if k == nil {
		return 0
	}
	return k.from.At
}

// due reports whether there is to be a state after that many updates.
func (k *keeping) due(updates int64, last bool) bool {
	return k != nil && updates > k.from.At && (last || updates%k.every == 0)
}

// reached notes what evaluations have found so far. No evaluation begins meanwhile.
func (r *runner) reached(p *progress, s *checkpoint.State) error {
	r.curve.group.Wait()
	if r.curve.err != nil {
		return r.curve.err
	}
	p.Curve = slices.Clone(r.curve.points)
	if r.best.params != nil {
		p.Best = &bestSoFar{r.best.Updates, math.Float64bits(r.best.Loss)}
		s.Add(vectorBest, slices.Clone(r.best.params))
	}
	return nil
}

// write brings a state to the disk.
func (k *keeping) write(p *progress, s *checkpoint.State) error {
	var err error
	if s.Rest, err = json.Marshal(p); err != nil {
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	if err := k.folder.Write(k.run, s); err != nil {
		return fmt.Errorf("train: after update %d: %w", p.At, err)
	}
	if k.told != nil {
		k.told()
	}
	return nil
}

// identity says which run this is.
func (r *runner) identity() (checkpoint.Run, error) {
	c := r.cfg
	c.Engine, c.Load = "", "" // other names may stand for the same bits, which are compared
	config, err := json.Marshal(c)
	if err != nil {
		return checkpoint.Run{}, fmt.Errorf("train: checkpoint: %w", err)
	}
	run := checkpoint.Run{Bits: kit.Bits, Config: config, Engine: r.out.Engine, Data: r.shared.set.SHA256, Params: ParamsHash(r.init)}
	h := sha256.New()
	if c.Replay != "" {
		order, err := readfile.Limited(c.Replay, audit.MaxFile)
		if err != nil {
			return run, fmt.Errorf("train: replay: %w", err)
		}
		h.Write(order)
	}
	for _, kept := range c.Mask {
		h.Write([]byte{map[bool]byte{true: 1}[kept]})
	}
	if c.Replay != "" || c.Mask != nil {
		run.Others = hex.EncodeToString(h.Sum(nil))
	}
	return run, nil
}

// words returns numbers as bytes, which a state keeps to the bit.
func words(x []float64) []byte {
	var out []byte
	for _, v := range x {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// fromWords undoes words.
func fromWords(b []byte) []float64 {
	var out []float64
	for ; len(b) >= 8; b = b[8:] {
		out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return out
}
