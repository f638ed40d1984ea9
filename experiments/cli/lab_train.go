package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"

	"gradsync/experiments/bench"
	"gradsync/shared/cluster"
)

// labUpdates are those of a lab's training; the first is not in its mean.
const labUpdates = 8

// labTrained is what a training prints, as far as a lab compares it.
type labTrained struct {
	Iteration struct {
		Update float64 `json:"per_update"`
	} `json:"iteration_seconds"`
	Sent   int64  `json:"bytes_sent"`
	Kernel int64  `json:"kernel_bytes"`
	SHA256 string `json:"params_sha256"`
}

// labTraining trains by one command in the namespaces and in virtual time.
func (a *app) labTraining(ctx context.Context, net *labNet, c labCluster, method string) (r labRow, err error) {
	platform, err := labPlatformFile(c)
	if err != nil {
		return r, err
	}
	defer os.Remove(platform)
	words := labTrainWords(c, method, platform)
	var real, modelled labTrained
	if err := a.inLab(ctx, net, &real, append(words, "--runtime", "tcp")...); err != nil {
		return r, err
	}
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"--json", "--quiet"}, words...)...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), ofMember), workerEnv+"=1")
	cmd.Stderr = a.err
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(bytes.TrimSpace(out), &modelled)
	}
	if err != nil {
		return r, fmt.Errorf("lab: train in virtual time: %w", err)
	}
	return labTrainRow(c, method, real, modelled)
}

// labTrainWords are the command of a training on so many links: an MLP of 670,000
// parameters, whose arithmetic is some per cent of its exchange's time.
func labTrainWords(c labCluster, method, platform string) []string {
	words := []string{"train", "--sync", method, "--model", "mlp", "--raw-pixels", "--workers", strconv.Itoa(len(c.Mbit)), "--platform", platform,
		"--updates", strconv.Itoa(labUpdates), "--warmup", "1", "--eval-every", "-1", "--launch=-1ns", "--overhead=-1ns"}
	if method == "ringsparse" { // B of the cost rule, the same for both
		words = append(words, "--link", fmt.Sprint(float64(slices.Min(c.Mbit))*1e6/8))
	}
	return words
}

// labTrainRow compares two trainings. Other parameters are an error: then the
// exchange is wrong, and its time is nothing.
func labTrainRow(c labCluster, method string, real, modelled labTrained) (labRow, error) {
	switch {
	case real.SHA256 == "" || real.SHA256 != modelled.SHA256:
		return labRow{}, fmt.Errorf("lab: train --sync %s: parameters' sha256 %q over TCP, %q in virtual time", method, real.SHA256, modelled.SHA256)
	case !(real.Iteration.Update > 0 && modelled.Iteration.Update > 0):
		return labRow{}, fmt.Errorf("lab: train --sync %s: %g s an update over TCP, %g in virtual time", method, real.Iteration.Update, modelled.Iteration.Update)
	}
	t := real.Iteration.Update
	r := labRow{labCluster: c, Exchange: "train " + method, Bytes: labModelBytes, Body: real.Sent / labUpdates, TCP: real.Kernel / labUpdates,
		Real: bench.Spread{Min: t, Median: t, Max: t}, Virtual: modelled.Iteration.Update, ParamsSHA256: real.SHA256}
	return r.judge(), nil
}

// labModelBytes is the MLP's gradient.
const labModelBytes = 4 * 669_706

// labPlatformFile writes the cluster as a platform: devices of 50 GFLOP/s, as one
// core of a recent server reaches here.
func labPlatformFile(c labCluster) (string, error) {
	p := labPlatform(c)
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
