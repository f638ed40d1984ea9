package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// labAim is the range set for real over virtual time before it was measured.
var labAim = [2]float64{0.9, 1.3}

// labLatency is each end's part of a message's way through the namespaces in
// virtual time: small beside a chunk's milliseconds, and not fitted.
const labLatency = 25 * time.Microsecond

// labNotes are said of every table: what no model of bytes has.
var labNotes = []string{
	"Ethernet, IP and TCP headers are 66 of the 1,514 bytes of a full packet: a factor of 1.046 of each ratio is theirs, since virtual time charges a message its 64 bytes of header alone.",
	"Trainings are of an MLP, batch 16 per worker; their parameters are the same in the namespaces as in virtual time, bit for bit, or the lab would have failed.",
	fmt.Sprintf("After a pause a link passes its first %v worth of bytes at once, which shortens a real exchange by so much at most.", labBucket),
}

// labCluster is a set of workers by the rate of each link, in Mbit/s each way.
type labCluster struct {
	Name string `json:"name"`
	Mbit []int  `json:"mbit_per_second"`
}

var labClusters = []labCluster{{"homogeneous", []int{200, 200, 200, 200}}, {"heterogeneous", []int{1000, 1000, 1000, 200}}}

// labRow is one exchange on one cluster, really and in virtual time.
type labRow struct {
	labCluster
	Exchange string       `json:"exchange"`
	Bytes    int          `json:"bytes"`
	Body     int64        `json:"body_bytes"`          // all ranks, per step
	TCP      int64        `json:"tcp_bytes,omitempty"` // what the sockets sent, per step
	Real     bench.Spread `json:"real_seconds"`        // per step
	Virtual  float64      `json:"virtual_seconds"`
	Ratio    float64      `json:"ratio"` // median over virtual
	Within   bool         `json:"within_aim"`
	// Of a training: the parameters' hash, the same really and in virtual time.
	ParamsSHA256 string `json:"params_sha256,omitempty"`
}

// judge sets the ratio beside the aim.
func (r labRow) judge() labRow {
	r.Ratio = r.Real.Median / r.Virtual
	r.Within = r.Ratio >= labAim[0] && r.Ratio <= labAim[1]
	return r
}

// labFlags are lab ring's.
type labFlags struct {
	exchange bench.Exchange
	mbit     []int
	train    bool
}

func (a *app) labCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "lab ring", Short: "Run real clusters in network namespaces and compare with virtual time",
		Example: "  gradsync lab ring --json", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, got []string) error {
			if len(got) > 0 {
				return usagef("lab: no lab %q: known is ring", got[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.labRingCommand())
	return cmd
}

func (a *app) labRingCommand() *cobra.Command {
	f := &labFlags{}
	cmd := &cobra.Command{
		Use: "ring", Short: "The ring and RingSparse over TCP between namespaces with limited links, beside virtual time",
		Long: `Each worker is a process in a network namespace of its own, with an address of
its own and a link whose rate tc limits each way; a bridge joins them. The dense
ring and RingSparse run there over TCP, and in virtual time on a platform of the
same rates. Needs Linux, root and iproute2; where namespaces are not permitted a
line says so and nothing is run. First an MLP is trained with both methods by the
same command in the namespaces and in virtual time, which must give the same
parameters; then one vector is exchanged again and again. The machine's own network is not touched, and
what was made is removed, also after Ctrl-C.`,
		Example: "  gradsync lab ring\n  gradsync lab ring --rates 1000,1000,200 --bytes 1048576 --json", Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.labRing(cmd, f) },
	}
	s := cmd.Flags()
	s.IntVar(&f.exchange.Bytes, "bytes", 4<<20, "bytes of a vector of float32")
	s.IntVar(&f.exchange.Steps, "steps", 7, "timed exchanges of each kind")
	s.Float64Var(&f.exchange.Density, "density", 0.1, "ringsparse: share of a worker's gradient that is not 0")
	s.IntVar(&f.exchange.Segment, "segment", 0, "ring: elements of a piece of a chunk (0: the whole chunk)")
	s.BoolVar(&f.train, "train", true, "also train an MLP with both methods")
	s.IntSliceVar(&f.mbit, "rates", nil, "one cluster of these links, Mbit/s (default 200,200,200,200 and 1000,1000,1000,200)")
	return cmd
}

func (f *labFlags) clusters() ([]labCluster, error) {
	e := f.exchange
	e.Method = "ring"
	if err := e.Check(); err != nil {
		return nil, usageError{err}
	}
	if f.mbit == nil {
		return labClusters, nil
	}
	if len(f.mbit) < 2 || len(f.mbit) > 64 {
		return nil, usagef("lab: --rates: %d links, want 2 to 64", len(f.mbit))
	}
	for _, m := range f.mbit {
		if m < 1 || m > 100_000 {
			return nil, usagef("lab: --rates %d: 1 to 100000 Mbit/s", m)
		}
	}
	return []labCluster{{"chosen", f.mbit}}, nil
}

func (a *app) labRing(cmd *cobra.Command, f *labFlags) error {
	ctx := cmd.Context()
	clusters, err := f.clusters()
	if err != nil {
		return err
	}
	var impossible *labImpossible
	switch err := probeLab(ctx); {
	case errors.As(err, &impossible) && a.json:
		return a.printJSON(map[string]any{"lab": "ring", "skipped": impossible.why})
	case errors.As(err, &impossible):
		fmt.Fprintf(a.out, "lab ring: skipped: %s\n", impossible.why)
		return nil
	case err != nil:
		return labEnd(ctx, err)
	}
	if err := sweepLabs(ctx); err != nil {
		return labEnd(ctx, err)
	}
	var rows []labRow
	for _, c := range clusters {
		if !a.quiet {
			fmt.Fprintf(a.err, "%s: %v Mbit/s\n", c.Name, c.Mbit)
		}
		more, err := a.labCluster(cmd, f, c)
		if err != nil {
			return labEnd(ctx, err)
		}
		rows = append(rows, more...)
	}
	if a.json {
		return a.printJSON(map[string]any{"lab": "ring", "aim": labAim, "density": f.exchange.Density, "steps": f.exchange.Steps, "rows": rows, "notes": labNotes})
	}
	a.printLab(rows)
	return nil
}

// labEnd words an interrupt.
func labEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("lab: interrupted; its namespaces are removed")
	}
	return err
}

// labCluster builds one cluster, runs every exchange on it and takes it down.
func (a *app) labCluster(cmd *cobra.Command, f *labFlags, c labCluster) (rows []labRow, err error) {
	net := newLabNet(c.Mbit)
	defer func() {
		if down := net.down(); err == nil {
			err = down
		}
	}()
	if err := net.up(cmd.Context()); err != nil {
		return nil, err
	}
	for _, method := range bench.Exchanges {
		if !f.train {
			break
		}
		r, err := a.labTraining(cmd.Context(), net, c, method)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	for _, method := range bench.Exchanges {
		e := f.exchange
		e.Method, e.Rate = method, float64(slices.Min(c.Mbit))*1e6/8
		real, err := a.labReal(cmd.Context(), net, e)
		if err != nil {
			return nil, err
		}
		modelled, err := runExchange(cmd, e, virtual.New(labPlatform(c), virtual.Config{}))
		if err != nil {
			return nil, err
		}
		rows = append(rows, labCompare(c, real, modelled))
	}
	return rows, nil
}

// labCompare makes a row. Both runs made one step more than they timed.
func labCompare(c labCluster, real, modelled *exchanged) labRow {
	r := labRow{labCluster: c, Exchange: real.Method, Bytes: real.Bytes, Real: bench.SpreadOf(real.Seconds), Virtual: bench.SpreadOf(modelled.Seconds).Median}
	steps := int64(len(real.Seconds) + 1)
	r.Body, r.TCP = real.Body/steps, real.Kernel/steps
	return r.judge()
}

// labPlatform is the cluster as virtual time has it. An exchange computes nothing,
// so the devices' speed is any.
func labPlatform(c labCluster) *cluster.Platform {
	p := cluster.Uniform(len(c.Mbit), cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1, Latency: labLatency}, nil)
	for i := range p.Workers {
		p.Workers[i].Bandwidth = float64(c.Mbit[i]) * 1e6 / 8
	}
	return p
}

// labReal makes the exchange's steps, a rank in every namespace.
func (a *app) labReal(ctx context.Context, net *labNet, e bench.Exchange) (*exchanged, error) {
	got := &exchanged{}
	err := a.inLab(ctx, net, got, "bench", "ring-worker", "--exchange", e.Method, "--bytes", strconv.Itoa(e.Bytes), "--steps", strconv.Itoa(e.Steps),
		"--density", fmt.Sprint(e.Density), "--segment", strconv.Itoa(e.Segment), "--bandwidth", fmt.Sprint(e.Rate))
	if err == nil && (len(got.Seconds) != e.Steps || !(slices.Min(got.Seconds) > 0)) {
		err = fmt.Errorf("lab: %s: %d steps of %v s, want %d", e.Method, len(got.Seconds), got.Seconds, e.Steps)
	}
	return got, err
}

// inLab runs a command of this binary as a rank in every namespace and reads the
// object that rank 0 prints.
func (a *app) inLab(ctx context.Context, net *labNet, into any, words ...string) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	words = append([]string{binary, "--json", "--quiet"}, words...)
	m := member{size: len(net.mbit), job: newJob(), rendezvous: labAddress(0) + ":" + rendezvousPort, timeout: 20 * time.Second, join: 20 * time.Second}
	var children []child
	for i := range net.mbit {
		m.rank, m.host, m.listen = i, i == 0, labAddress(i)
		line := inSpace(net.space(i), words...)
		c := child{name: fmt.Sprintf("rank %d at %s", i, labAddress(i)), label: fmt.Sprintf("[%d] ", i), plain: i == 0, cmd: exec.Command(line[0], line[1:]...)}
		c.cmd.Env = append(slices.DeleteFunc(os.Environ(), ofMember), append(m.environ(), workerEnv+"=1")...)
		children = append(children, c)
	}
	var out bytes.Buffer
	if err := tend(ctx, children, &out, a.err); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		return fmt.Errorf("lab: what rank 0 printed: %w: %q", err, out.String())
	}
	return nil
}

func (a *app) printLab(rows []labRow) {
	fmt.Fprintf(a.out, "%-14s %-24s %-16s %9s %9s %28s %11s %6s  %s\n", "cluster", "links, Mbit/s", "what", "vector", "MB sent", "real ms, median (min, max)", "virtual ms", "ratio", "aim")
	for _, r := range rows {
		word := "within"
		if !r.Within {
			word = "outside"
		}
		real := fmt.Sprintf("%.1f (%.1f, %.1f)", 1e3*r.Real.Median, 1e3*r.Real.Min, 1e3*r.Real.Max)
		if r.ParamsSHA256 != "" {
			real = fmt.Sprintf("mean %.1f", 1e3*r.Real.Median)
		}
		fmt.Fprintf(a.out, "%-14s %-24s %-16s %9s %9.2f %28s %11.1f %6.3f  %s %.2g to %.2g\n", r.Name, fmt.Sprint(r.Mbit), r.Exchange, bench.SizeText(r.Bytes), float64(r.Body)/1e6,
			real, 1e3*r.Virtual, r.Ratio, word, labAim[0], labAim[1])
	}
	for _, n := range labNotes {
		fmt.Fprintln(a.out, n)
	}
}
