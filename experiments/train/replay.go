package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gradsync/papers/dasp"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/safetensors"
	"gradsync/shared/tensor/vec"
)

// Clock describes the network whose work and messages decide a run's times: the trained network in
// another size. So a narrow network is trained with the events of the wide one.
type Clock struct {
	Width float64 `json:"width"` // 0: 1
	Image int     `json:"image"` // 0: the network's own side
	Batch int     `json:"batch"` // 0: the run's
}

// replay trains in two passes. The first is a timing-only run of the clock's
// network: who pushed when, on which version, and which update used it. The
// second computes the same gradients and updates in that order, several workers
// at a time. No rule of a method reads a gradient, so that both passes together
// are the run; with the trained network as its own clock they give its bits.
func (r *runner) replay(ctx context.Context) error {
	log, elapsed, err := r.events(ctx)
	if err != nil {
		return err
	}
	r.out.fromLog(log, r.cfg.Warmup)
	r.clock(elapsed)
	if r.shared == nil {
		return nil
	}
	return r.follow(ctx, log)
}

// events runs the first pass and returns its log and its length.
func (r *runner) events(ctx context.Context) (*dasp.Log, time.Duration, error) {
	c := r.cfg
	policy, f, err := c.method()
	if err != nil {
		return nil, 0, input(err)
	}
	m, err := model.Build(model.Spec{Name: c.Model, Width: c.Clock.Width, Image: c.Clock.Image, Classes: c.Classes})
	if err != nil {
		return nil, 0, input(err)
	}
	if c.Clock.Batch > 0 {
		c.Batch = c.Clock.Batch
	}
	if r.shared != nil {
		c.Progress = nil // the second pass is the work
	}
	timed := &runner{cfg: c, out: r.out, layers: c.Work(m.Layers())}
	return timed.serve(ctx, policy, nil, f)
}

// follower is one worker of the second pass.
type follower struct {
	task   *task
	pushes []dasp.Push // whose gradients were used, in order
	next   int         // of them: under way, or waiting for its version
	busy   bool        // under way
	done   chan error
}

// follow runs the second pass.
func (r *runner) follow(ctx context.Context, log *dasp.Log) (err error) {
	c := r.cfg
	server := newTask(r.shared, c.Seed, -1, c.Workers, r.init)
	r.final = server.params
	nodes := make([]follower, c.Workers)
	for w := range nodes {
		nodes[w] = follower{task: newTask(r.shared, c.Seed, w, c.Workers, r.init), done: make(chan error, 1)}
	}
	for _, p := range log.Pushes {
		if p.Applied > 0 {
			nodes[p.Worker].pushes = append(nodes[p.Worker].pushes, p)
		}
	}
	defer func() { // a failed run leaves no gradient behind
		for w := range nodes {
			if nodes[w].busy {
				<-nodes[w].done
			}
		}
	}()
	f := &second{runner: r, nodes: nodes, cores: make(chan struct{}, runtime.GOMAXPROCS(0)),
		opt: dasp.Optimiser{Rate: c.Rate, Momentum: c.Momentum, WeightDecay: c.WeightDecay}, saved: time.Now()}
	return f.run(ctx, log.Updates)
}

// second is the state of a second pass.
type second struct {
	*runner
	nodes []follower
	opt   dasp.Optimiser
	cores chan struct{} // bounds the gradients computed at once
	saved time.Time     // of the last checkpoint
}

func (f *second) run(ctx context.Context, updates []dasp.Update) error {
	version, err := f.restore(updates)
	if err != nil {
		return err
	}
	for w := range f.nodes {
		if f.nodes[w].next < len(f.nodes[w].pushes) && f.nodes[w].pushes[f.nodes[w].next].Pulled < version {
			f.start(&f.nodes[w]) // on the weights that the checkpoint kept
		}
	}
	f.begin(version)
	var used int64
	if version > 0 {
		used = updates[version-1].Pushes
	}
	tell := f.onUpdate(used)
	for _, u := range updates[version:] {
		if err := f.update(u); err != nil {
			return err
		}
		tell(u, f.final)
		if err := f.checkpoint(ctx, u); err != nil {
			return err
		}
		f.begin(u.Version)
	}
	return nil
}

// begin starts every worker that was handed this version.
func (f *second) begin(version int64) {
	for w := range f.nodes {
		n := &f.nodes[w]
		if n.busy || n.next == len(n.pushes) || n.pushes[n.next].Pulled != version {
			continue
		}
		copy(n.task.params, f.final)
		f.start(n)
	}
}

// start computes n's next gradient on the weights that its task holds. A panic in
// a kernel ends the process: it is a programmer's mistake.
func (f *second) start(n *follower) {
	n.busy = true
	step := n.pushes[n.next].Step
	go func() {
		f.cores <- struct{}{}
		_, err := n.task.Grad(step, func(int) {})
		<-f.cores
		n.done <- err
	}()
}

// update makes one global update: the gradients are summed in the order of the
// first pass.
func (f *second) update(u dasp.Update) error {
	var sum []float32 // in the first gradient's memory
	for i, w := range u.Workers {
		n := &f.nodes[w]
		if !n.busy || n.pushes[n.next].Applied != u.Version {
			return fmt.Errorf("train: update %d uses a gradient of worker %d that is not under way", u.Version, w)
		}
		n.busy = false
		if err := <-n.done; err != nil {
			return fmt.Errorf("train: worker %d, step %d: %w", w, n.pushes[n.next].Step, err)
		}
		n.next++
		if i == 0 {
			sum = n.task.grads
		} else {
			vec.AddTo(sum, n.task.grads)
		}
	}
	f.opt.Step(f.final, sum, u.Weight)
	return nil
}

// inFlight lists the workers whose gradient is under way.
func (f *second) inFlight() (ws []int) {
	for w := range f.nodes {
		if f.nodes[w].busy {
			ws = append(ws, w)
		}
	}
	return slices.Clip(ws)
}

// checkpointEvery is how much work an interruption that leaves no time for a
// checkpoint costs at most. Tests shorten it.
var checkpointEvery = 5 * time.Minute

// checkpoint writes the run's state after u if the run has a file for it and ctx
// has ended, whose error it then returns, or the last one is old. The events are
// not in it: the first pass makes them again. What is under way is kept as the
// weights that it is computed on.
func (f *second) checkpoint(ctx context.Context, u dasp.Update) error {
	ended := ctx.Err()
	if f.cfg.Checkpoint == "" || ended == nil && time.Since(f.saved) < checkpointEvery {
		return ended
	}
	f.curve.group.Wait()
	if f.curve.err != nil {
		return f.curve.err
	}
	points, err := json.Marshal(f.curve.points)
	if err != nil {
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	run, err := f.identity()
	if err != nil {
		return err
	}
	file := safetensors.File{Metadata: map[string]string{"run": run, "version": strconv.FormatInt(u.Version, 10), "curve": string(points)},
		Tensors: []safetensors.Tensor{flat("params", f.final)}}
	for _, w := range f.inFlight() {
		file.Tensors = append(file.Tensors, flat(workerName(w), f.nodes[w].task.params))
	}
	file.Metadata["seal"] = seal(file)
	if err := safetensors.Write(f.cfg.Checkpoint, file); err != nil {
		return errors.Join(ended, fmt.Errorf("train: checkpoint: %w", err))
	}
	f.saved = time.Now()
	return ended
}

// seal returns a hash of all that a checkpoint holds: one whose bytes have changed would give other numbers, and say nothing.
func seal(file safetensors.File) string {
	h := sha256.New()
	for _, name := range []string{"run", "version", "curve"} {
		fmt.Fprintf(h, "%s %q\n", name, file.Metadata[name])
	}
	for _, t := range slices.SortedFunc(slices.Values(file.Tensors), func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) }) {
		fmt.Fprintf(h, "%q %s\n", t.Name, ParamsHash(t.Data))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func flat(name string, v []float32) safetensors.Tensor {
	return safetensors.Tensor{Name: name, Shape: []int{len(v)}, Data: v}
}

func workerName(w int) string { return "worker." + strconv.Itoa(w) }

// identity returns a hash of all that decides the run's numbers.
func (f *second) identity() (string, error) {
	raw, err := json.Marshal(f.cfg)
	if err != nil {
		return "", fmt.Errorf("train: checkpoint: %w", err)
	}
	sum := sha256.Sum256(append(append(raw, f.engine()...), f.shared.set.SHA256...))
	return hex.EncodeToString(sum[:]), nil
}

func (f *second) engine() string { return f.shared.engine }

// restore takes up the run where its checkpoint left it and returns the version
// it has reached: 0 without a checkpoint. A file that is no whole checkpoint of
// this very run counts as none, and the next one takes its place: the numbers are the
// same, and what names the file is the memo, which names it by the run.
func (f *second) restore(updates []dasp.Update) (version int64, err error) {
	if f.cfg.Checkpoint == "" {
		return 0, nil
	}
	run, err := f.identity()
	if err != nil {
		return 0, err
	}
	file, err := safetensors.Read(f.cfg.Checkpoint)
	if err != nil || file.Metadata["run"] != run || file.Metadata["seal"] != seal(file) {
		return 0, nil
	}
	version, err = strconv.ParseInt(file.Metadata["version"], 10, 64)
	var points []Point
	if err != nil || version < 1 || version > int64(len(updates)) || json.Unmarshal([]byte(file.Metadata["curve"]), &points) != nil {
		return 0, nil
	}
	saved := map[string][]float32{}
	for _, t := range file.Tensors {
		if len(t.Data) == len(f.final) {
			saved[t.Name] = t.Data
		}
	}
	next := make([]int, len(f.nodes))
	for w, n := range f.nodes {
		for next[w] < len(n.pushes) && n.pushes[next[w]].Applied <= version {
			next[w]++
		}
		if next[w] < len(n.pushes) && n.pushes[next[w]].Pulled < version && saved[workerName(w)] == nil {
			return 0, nil
		}
	}
	if saved["params"] == nil {
		return 0, nil
	}
	copy(f.final, saved["params"])
	f.curve.points = points
	for w := range f.nodes {
		f.nodes[w].next = next[w]
		copy(f.nodes[w].task.params, saved[workerName(w)])
	}
	return version, nil
}
