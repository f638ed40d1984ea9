package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"

	"gradsync/experiments/cli/launch"
	"gradsync/shared/cluster"
)

// updates is the number of updates of a lab's training; the first is not in its mean.
const updates = 8

// trained holds what a lab compares of a training's output.
type trained struct {
	Iteration struct {
		Update float64 `json:"per_update"`
	} `json:"iteration_seconds"`
	Sent   int64  `json:"bytes_sent"`
	Kernel int64  `json:"kernel_bytes"`
	SHA256 string `json:"params_sha256"`
}

// training trains by one command in the namespaces and in virtual time.
func (p Plan) training(ctx context.Context, net *namespaces, c Cluster, method string) (r Row, err error) {
	file, err := platformFile(c)
	if err != nil {
		return r, err
	}
	defer os.Remove(file)
	words := trainWords(c, method, file)
	var real, modelled trained
	if err := p.inside(ctx, net, &real, append(words, "--runtime", "tcp")...); err != nil {
		return r, err
	}
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"--json", "--quiet"}, words...)...)
	cmd.Env = launch.Environment(nil)
	cmd.Stderr = p.Errors
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(bytes.TrimSpace(out), &modelled)
	}
	if err != nil {
		return r, fmt.Errorf("lab: train in virtual time: %w", err)
	}
	return trainRow(c, method, real, modelled)
}

// trainWords returns the command of a training on the cluster's links: an MLP of 670,000
// parameters, whose arithmetic is some per cent of its exchange's time.
func trainWords(c Cluster, method, platform string) []string {
	words := []string{"train", "--sync", method, "--model", "mlp", "--raw-pixels", "--workers", strconv.Itoa(len(c.Mbit)), "--platform", platform,
		"--updates", strconv.Itoa(updates), "--warmup", "1", "--eval-every", "-1", "--launch=-1ns", "--overhead=-1ns"}
	if method == "ringsparse" { // B of the cost rule, the same for both
		words = append(words, "--link", fmt.Sprint(float64(slices.Min(c.Mbit))*1e6/8))
	}
	return words
}

// trainRow compares two trainings. If their parameters differ, the exchange is wrong and
// its time means nothing: that is an error.
func trainRow(c Cluster, method string, real, modelled trained) (Row, error) {
	switch {
	case real.SHA256 == "" || real.SHA256 != modelled.SHA256:
		return Row{}, fmt.Errorf("lab: train --sync %s: parameters' sha256 %q over TCP, %q in virtual time", method, real.SHA256, modelled.SHA256)
	case !(real.Iteration.Update > 0 && modelled.Iteration.Update > 0):
		return Row{}, fmt.Errorf("lab: train --sync %s: %g s an update over TCP, %g in virtual time", method, real.Iteration.Update, modelled.Iteration.Update)
	}
	t := real.Iteration.Update
	r := Row{Cluster: c, Exchange: "train " + method, Bytes: modelBytes, Body: real.Sent / updates, TCP: real.Kernel / updates,
		Real: Spread{Min: t, Median: t, Max: t}, Virtual: modelled.Iteration.Update, ParamsSHA256: real.SHA256}
	return r.judge(), nil
}

// modelBytes is the size of the MLP's gradient.
const modelBytes = 4 * 669_706

// platformFile writes the cluster as a platform with devices of 50 GFLOP/s, which one core
// of a recent server reaches here.
func platformFile(c Cluster) (string, error) {
	p := platform(c)
	p.Name = "lab-" + c.Name
	for i := range p.Workers {
		p.Workers[i].FLOPS = 50e9
	}
	f, err := os.CreateTemp("", "gradsync-lab-*.json")
	if err != nil {
		return "", err
	}
	_, err = f.Write(cluster.Marshal(p))
	if closing := f.Close(); err == nil {
		err = closing
	}
	return f.Name(), err
}
