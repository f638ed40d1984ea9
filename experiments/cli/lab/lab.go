// Package lab trains in network namespaces of this machine, a process per rank behind a link of limited rate, and sets
// the seconds of an update beside those of virtual time on a platform of the same rates. It needs Linux, root and
// iproute2, and touches nothing of the machine's own network.
package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"gradsync/experiments/cli/launch"
	"gradsync/experiments/method"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

const updates = 8 // of a training; the first is not in its mean

// Row is a training, really and in virtual time. Numbers are of an update, bytes of all ranks. Ethernet, IP and TCP
// headers are 66 of the 1,514 bytes of a full packet, of which virtual time knows nothing: 1.046 of each ratio.
type Row struct {
	Mbit    []int   `json:"mbit_per_second"`
	Method  string  `json:"method"`
	Body    int64   `json:"body_bytes"`
	TCP     int64   `json:"tcp_bytes"` // that sockets sent
	Real    float64 `json:"real_seconds"`
	Virtual float64 `json:"virtual_seconds"`
	Ratio   float64 `json:"ratio"`
	SHA256  string  `json:"params_sha256"` // of the parameters at the end
}

// Plan says what to train on a cluster.
type Plan struct {
	Mbit    []int    // rate of each rank's link, each way; of a method with a server the first is the server's
	Methods []string // by name of train --sync
	Words   []string // more words of train
	Errors  io.Writer
}

// Run builds the cluster, trains by every method and takes it down.
func (p Plan) Run(ctx context.Context) (rows []Row, err error) {
	net := &namespaces{mbit: p.Mbit}
	defer func() { err = errors.Join(err, net.down()) }()
	if err := net.up(ctx); err != nil {
		return nil, err
	}
	for _, name := range p.Methods {
		m, _ := method.Get(name)
		real, modelled, err := p.train(ctx, net, m)
		ordered := m.Family != method.Server || name == "bsp" // else the order of arrival decides
		if err == nil && ordered && real.ParamsSHA256 != modelled.ParamsSHA256 {
			err = fmt.Errorf("lab: %s: other parameters over TCP than in virtual time", name)
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, Row{p.Mbit, name, real.BytesSent / updates, real.KernelBytes / updates, real.Iteration.PerUpdate,
			modelled.Iteration.PerUpdate, real.Iteration.PerUpdate / modelled.Iteration.PerUpdate, real.ParamsSHA256})
	}
	return rows, nil
}

// train trains by one command in the namespaces and in virtual time: an MLP of 670,000 parameters, whose arithmetic, at
// the 50 GFLOP/s of a core here, is some per cent of its exchange's time.
func (p Plan) train(ctx context.Context, net *namespaces, m method.Method) (real, modelled train.Outcome, err error) {
	platform := cluster.Uniform(len(p.Mbit), cluster.Host{Name: "w", FLOPS: 50e9, Latency: 25 * time.Microsecond}, nil)
	for i, mbit := range p.Mbit {
		platform.Workers[i].Bandwidth = float64(mbit) * 1e6 / 8
	}
	if m.Family == method.Server {
		platform.Server, platform.Workers = &platform.Workers[0], platform.Workers[1:]
	}
	file, err := os.CreateTemp("", "gradsync-lab-*.json")
	if err != nil {
		return real, modelled, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(cluster.Marshal(platform))
	self, missing := os.Executable()
	if err = errors.Join(err, file.Close(), missing); err != nil {
		return real, modelled, err
	}
	words := []string{self, "--json", "--quiet", "train", "--sync", m.Name, "--model", "mlp", "--raw-pixels", "--platform", file.Name(),
		"--workers", strconv.Itoa(len(platform.Workers)), "--updates", strconv.Itoa(updates), "--warmup", "1", "--eval-every", "-1",
		"--launch=-1ns", "--overhead=-1ns"}
	if m.Name == "ringsparse" { // B of the cost rule, the same for both
		words = append(words, "--link", fmt.Sprint(float64(slices.Min(p.Mbit))*1e6/8))
	}
	words = append(words, p.Words...)
	if err := p.inside(ctx, &real, net, append(words, "--runtime", "tcp")); err != nil {
		return real, modelled, err
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env, cmd.Stderr = launch.Environment(nil), p.Errors
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &modelled)
	}
	return real, modelled, err
}

// inside runs a command as a rank in every namespace and reads the object that rank 0 prints.
func (p Plan) inside(ctx context.Context, into any, net *namespaces, words []string) error {
	at := tcp.Config{Size: len(net.mbit), Job: launch.NewJob(), Rendezvous: address(0) + ":" + launch.Port, Timeout: 20 * time.Second,
		Join: 20 * time.Second, Insecure: true} // a network of its own
	var children []launch.Child
	for i := range net.mbit {
		at.Rank, at.Host, at.Listen = i, i == 0, address(i)
		children = append(children, launch.Rank(at, address(i), exec.Command("ip", inSpace(net.space(i), words...)[1:]...)))
	}
	var out bytes.Buffer
	if err := launch.Tend(ctx, children, &out, p.Errors); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return json.Unmarshal(out.Bytes(), into)
}
