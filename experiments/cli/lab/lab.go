// Package lab runs real clusters in network namespaces of this machine, a process per
// worker behind a link of limited rate, and sets their times beside those of virtual time
// on a platform of the same rates. Run measures one cluster; Probe says whether there can
// be a lab here. It needs Linux, root and iproute2, and touches nothing of the machine's
// own network.
package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"gradsync/experiments/cli/launch"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
)

// Aim is the range set for real over virtual time before it was measured.
var Aim = [2]float64{0.9, 1.3}

// latency is each end's part of a message's way through the namespaces in virtual time:
// small beside a chunk's milliseconds, and not fitted.
const latency = 25 * time.Microsecond

// Notes say of every table what no model of bytes has.
var Notes = []string{
	"Ethernet, IP and TCP headers are 66 of the 1,514 bytes of a full packet: a factor of 1.046 of each ratio is theirs, " +
		"since virtual time charges a message its 64 bytes of header alone.",
	"Trainings are of an MLP, batch 16 per worker; their parameters are the same in the namespaces as in virtual time, bit for bit, or the lab would have failed.",
	fmt.Sprintf("After a pause a link passes its first %v worth of bytes at once, which shortens a real exchange by so much at most.", bucket),
}

// Cluster is a set of workers by the rate of each link, in Mbit/s each way.
type Cluster struct {
	Name string `json:"name"`
	Mbit []int  `json:"mbit_per_second"`
}

// Clusters lists the clusters of a lab unless others are chosen.
var Clusters = []Cluster{{"homogeneous", []int{200, 200, 200, 200}}, {"heterogeneous", []int{1000, 1000, 1000, 200}}}

// Row is one exchange on one cluster, really and in virtual time.
type Row struct {
	Cluster
	Exchange string  `json:"exchange"`
	Bytes    int     `json:"bytes"`
	Body     int64   `json:"body_bytes"`          // all ranks, per step
	TCP      int64   `json:"tcp_bytes,omitempty"` // what the sockets sent, per step
	Real     Spread  `json:"real_seconds"`        // per step
	Virtual  float64 `json:"virtual_seconds"`
	Ratio    float64 `json:"ratio"` // median over virtual
	Within   bool    `json:"within_aim"`
	// ParamsSHA256 hashes the parameters of a training, the same really and in virtual time.
	ParamsSHA256 string `json:"params_sha256,omitempty"`
}

// judge sets the ratio beside the aim.
func (r Row) judge() Row {
	r.Ratio = r.Real.Median / r.Virtual
	r.Within = r.Ratio >= Aim[0] && r.Ratio <= Aim[1]
	return r
}

// Timing holds the steps of an exchange that was timed, as rank 0 prints them.
type Timing struct {
	Method  string    `json:"method"`
	Bytes   int       `json:"bytes"`
	Ranks   int       `json:"ranks"`
	Seconds []float64 `json:"seconds"`             // of each step, the slowest rank's
	Body    int64     `json:"body_bytes"`          // that all ranks sent, of all steps
	Header  int64     `json:"header_bytes"`        // of their frames
	Kernel  int64     `json:"tcp_bytes,omitempty"` // that the ranks' sockets sent, as the system counts
}

// Time runs the steps of an exchange on a runtime. On one of several processes only rank 0
// has the others' records.
func Time(ctx context.Context, e Exchange, rt cluster.Runtime) (*Timing, error) {
	got, trace, err := cluster.Run(ctx, rt, e.Run)
	if err != nil {
		return nil, err
	}
	out := &Timing{Method: e.Method, Bytes: e.Bytes, Ranks: len(got), Seconds: make([]float64, e.Steps)}
	for _, g := range got {
		for i, d := range g.Steps {
			out.Seconds[i] = max(out.Seconds[i], d.Seconds())
		}
	}
	for _, s := range trace.Sent {
		out.Body, out.Header = out.Body+s.Bytes, out.Header+s.Header
	}
	for _, k := range trace.Kernel {
		out.Kernel += k
	}
	return out, nil
}

// Plan says what to run on a cluster.
type Plan struct {
	Exchange Exchange  // all but its method and the rate of its links
	Train    bool      // also train an MLP with both methods
	Errors   io.Writer // where they complain
}

// Run builds one cluster, runs every training and exchange on it and takes it down.
func (p Plan) Run(ctx context.Context, c Cluster) (rows []Row, err error) {
	net := newNamespaces(c.Mbit)
	defer func() {
		if down := net.down(); err == nil {
			err = down
		}
	}()
	if err := net.up(ctx); err != nil {
		return nil, err
	}
	for _, method := range Exchanges {
		if !p.Train {
			break
		}
		r, err := p.training(ctx, net, c, method)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	for _, method := range Exchanges {
		e := p.Exchange
		e.Method, e.Rate = method, float64(slices.Min(c.Mbit))*1e6/8
		real, err := p.exchange(ctx, net, e)
		if err != nil {
			return nil, err
		}
		modelled, err := Time(ctx, e, virtual.New(platform(c), virtual.Config{}))
		if err != nil {
			return nil, err
		}
		rows = append(rows, compare(c, real, modelled))
	}
	return rows, nil
}

// compare makes a row. Both runs made one step more than they timed.
func compare(c Cluster, real, modelled *Timing) Row {
	r := Row{Cluster: c, Exchange: real.Method, Bytes: real.Bytes, Real: SpreadOf(real.Seconds), Virtual: SpreadOf(modelled.Seconds).Median}
	steps := int64(len(real.Seconds) + 1)
	r.Body, r.TCP = real.Body/steps, real.Kernel/steps
	return r.judge()
}

// platform returns the cluster as virtual time has it. An exchange computes nothing, so
// the devices may have any speed.
func platform(c Cluster) *cluster.Platform {
	p := cluster.Uniform(len(c.Mbit), cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1, Latency: latency}, nil)
	for i := range p.Workers {
		p.Workers[i].Bandwidth = float64(c.Mbit[i]) * 1e6 / 8
	}
	return p
}

// exchange makes the exchange's steps, a rank in every namespace.
func (p Plan) exchange(ctx context.Context, net *namespaces, e Exchange) (*Timing, error) {
	got := &Timing{}
	err := p.inside(ctx, net, got, "lab", "ring-worker", "--exchange", e.Method, "--bytes", strconv.Itoa(e.Bytes), "--steps", strconv.Itoa(e.Steps),
		"--density", fmt.Sprint(e.Density), "--segment", strconv.Itoa(e.Segment), "--bandwidth", fmt.Sprint(e.Rate))
	if err == nil && (len(got.Seconds) != e.Steps || !(slices.Min(got.Seconds) > 0)) {
		err = fmt.Errorf("lab: %s: %d steps of %v s, want %d", e.Method, len(got.Seconds), got.Seconds, e.Steps)
	}
	return got, err
}

// inside runs a command of this binary as a rank in every namespace and reads the object
// that rank 0 prints.
func (p Plan) inside(ctx context.Context, net *namespaces, into any, words ...string) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	words = append([]string{binary, "--json", "--quiet"}, words...)
	at := tcp.Config{Size: len(net.mbit), Job: launch.NewJob(), Rendezvous: address(0) + ":" + launch.Port, Timeout: 20 * time.Second,
		Join: 20 * time.Second, Insecure: true} // a network of its own
	var children []launch.Child
	for i := range net.mbit {
		at.Rank, at.Host, at.Listen = i, i == 0, address(i)
		line := inSpace(net.space(i), words...)
		c := launch.Rank(at, address(i), exec.Command(line[0], line[1:]...))
		children = append(children, c)
	}
	var out bytes.Buffer
	if err := launch.Tend(ctx, children, &out, p.Errors); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		return fmt.Errorf("lab: what rank 0 printed: %w: %q", err, out.String())
	}
	return nil
}
