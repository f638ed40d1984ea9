package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"gradsync/papers/dasp"
	"gradsync/shared/tensor/safetensors"
)

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
	if err := safetensors.Write(f.cfg.Checkpoint, file); err != nil {
		return errors.Join(ended, fmt.Errorf("train: checkpoint: %w", err))
	}
	f.saved = time.Now()
	return ended
}

func flat(name string, v []float32) safetensors.Tensor {
	return safetensors.Tensor{Name: name, Shape: []int{len(v)}, Data: v}
}

func workerName(w int) string { return "worker." + strconv.Itoa(w) }

// identity is a hash of all that decides the run's numbers.
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
// this very run counts as none, and the next one takes its place.
func (f *second) restore(updates []dasp.Update) (version int64, err error) {
	if f.cfg.Checkpoint == "" {
		return 0, nil
	}
	run, err := f.identity()
	if err != nil {
		return 0, err
	}
	file, err := safetensors.Read(f.cfg.Checkpoint)
	if err != nil || file.Metadata["run"] != run {
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
