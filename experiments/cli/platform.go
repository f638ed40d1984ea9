package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/platforms"
	"gradsync/internal/atomic"
	"gradsync/shared/cluster"
)

const platformHelp = `A platform is the cluster that a run is timed on: workers, a parameter server, their
devices and links, as a JSON file. train --platform takes a name of those that come
with gradsync, a file of yours, or the platform of a result: RESULT.json where it ran
on one, else RESULT.json#KEY, as platform show RESULT.json lists them.

A file has name, workers and of each worker name, flops and bandwidth; count makes
several of one, slow changes its speed in the course of a run. Numbers have units:
"4.9 TFLOP/s", "10 Gb/s" (bits), "1.25 GB/s" (bytes), "25 us", "5 %".
experiments/platforms/README.md is the manual, schema/platform.schema.json beside it
the schema for editors.`

// platformCommand makes platform list, show, new and check.
func (a *app) platformCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "platform list|show|new|check", Short: "List, show, make and check clusters for --platform", Long: platformHelp,
		Example: "  gradsync platform list\n" +
			"  gradsync platform new --workers 8 --slow 1 --factor 3 --link 1Gb/s --out eight.json\n" +
			"  gradsync platform show eight.json\n" +
			"  gradsync train --platform eight.json --workers 8 --timing-only --updates 200",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, got []string) error {
			if len(got) > 0 {
				return usagef("platform: no command %q: known are list, show, new, check", got[0])
			}
			return cmd.Help()
		},
	}
	list := &cobra.Command{Use: "list", Short: "List the platforms that come with gradsync", Example: "  gradsync platform list --json",
		Args: args(0, 0, "none"), RunE: func(*cobra.Command, []string) error { return a.platformList() }}
	show := &cobra.Command{Use: "show NAME|FILE|RESULT[#KEY]", Short: "Print a platform in words and numbers, or a result's platforms",
		Example: "  gradsync platform show heterogeneous6\n  gradsync platform show experiments/results/dasp/table5.json",
		Args:    args(1, 1, "one name or file"), RunE: func(_ *cobra.Command, got []string) error { return a.platformShow(got[0]) }}
	check := &cobra.Command{Use: "check FILE", Short: "Say what is wrong with a platform file, a line each (exit code 3 if anything is)",
		Example: "  gradsync platform check experiments/platforms/mixed6.json", Args: args(1, 1, "one file"),
		RunE: func(_ *cobra.Command, got []string) error { return a.platformCheck(got[0]) }}
	cmd.AddCommand(list, show, a.platformNewCommand(), check)
	return cmd
}

// platformRow describes a platform for list and show.
type platformRow struct {
	Name    string  `json:"name"`
	Workers int     `json:"workers"`
	Server  bool    `json:"server"`
	Slowest float64 `json:"slowest_factor"` // time of the slowest worker's arithmetic over the fastest's
	Note    string  `json:"note"`
	SHA256  string  `json:"sha256"`
}

// rowOf describes p.
func rowOf(p *cluster.Platform) platformRow {
	least, most := p.Workers[0].FLOPS, p.Workers[0].FLOPS
	for _, w := range p.Workers {
		least, most = min(least, w.FLOPS), max(most, w.FLOPS)
	}
	return platformRow{Name: p.Name, Workers: len(p.Workers), Server: p.Server != nil, Slowest: most / least, Note: p.Note, SHA256: platforms.Sum(p)}
}

func (a *app) platformList() error {
	var rows []platformRow
	for _, name := range platforms.Names() {
		p, err := platforms.Load(name)
		if err != nil {
			return err
		}
		rows = append(rows, rowOf(p))
	}
	if a.json {
		return a.printJSON(map[string]any{"platforms": rows})
	}
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "name\tworkers\tslowest\tserver\tnote")
	for _, r := range rows {
		server := map[bool]string{true: "yes", false: "no"}[r.Server]
		note := []rune(r.Note)
		if len(note) > 70 {
			note = append(note[:69], '…')
		}
		fmt.Fprintf(w, "%s\t%d\t%.3g×\t%s\t%s\n", r.Name, r.Workers, r.Slowest, server, string(note))
	}
	return w.Flush()
}

// platformShow prints a platform; of a result on several it lists them.
func (a *app) platformShow(name string) error {
	p, err := platforms.Load(name)
	if err != nil {
		if all := recordedIn(name); len(all) > 1 {
			return a.platformRecorded(name, all)
		}
		return platformError("platform", err)
	}
	if a.json {
		return a.printJSON(struct {
			platformRow
			Platform rawJSON `json:"platform"`
		}{rowOf(p), rawJSON(cluster.Marshal(p))})
	}
	return a.printPlatform(p)
}

// rawJSON is JSON that is printed as it is.
type rawJSON []byte

func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }

// recordedIn returns the platforms of a result that was named without a key.
func recordedIn(path string) []platforms.Recorded {
	raw, _, key, err := platforms.Read(path)
	if err != nil || key != "" {
		return nil
	}
	all, err := platforms.RecordedIn(raw)
	if err != nil { // show says what is wrong
		return nil
	}
	return all
}

func (a *app) platformRecorded(file string, all []platforms.Recorded) error {
	if a.json {
		return a.printJSON(map[string]any{"result": file, "platforms": all})
	}
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, r := range all {
		fmt.Fprintf(w, "%s#%s\t%s\tsha256 %.12s…\n", file, r.Key, r.Name, r.Sum)
	}
	return w.Flush()
}

// printPlatform prints hosts and links, equal hosts in one row.
func (a *app) printPlatform(p *cluster.Platform) error {
	row := rowOf(p)
	fmt.Fprintf(a.out, "%s: %d workers", p.Name, row.Workers)
	if row.Slowest > 1 {
		fmt.Fprintf(a.out, ", the slowest takes %.3g times as long as the fastest", row.Slowest)
	} else {
		fmt.Fprint(a.out, ", all of one speed")
	}
	if p.Server == nil {
		fmt.Fprint(a.out, "; no server: methods with a server cannot run on it")
	}
	fmt.Fprintln(a.out)
	if p.Note != "" {
		fmt.Fprintf(a.out, "  %s\n", p.Note)
	}
	fmt.Fprintln(a.out)
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "  host\tnumber\tTFLOP/s\ttime\tmemory GB/s\tjitter\tlink Gb/s\tlatency\toverhead\tnode\tchanges of speed")
	fastest := p.Workers[0].FLOPS
	for _, h := range p.Workers {
		fastest = max(fastest, h.FLOPS)
	}
	for i := 0; i < len(p.Workers); {
		n := 1
		for i+n < len(p.Workers) && alike(p.Workers[i], p.Workers[i+n]) {
			n++
		}
		name := p.Workers[i].Name
		if n > 1 {
			name += " … " + p.Workers[i+n-1].Name
		}
		printHost(w, name, fmt.Sprint(n), fmt.Sprintf("%.3g×", fastest/p.Workers[i].FLOPS), p.Workers[i])
		i += n
	}
	if p.Server != nil {
		printHost(w, p.Server.Name+" (server)", "1", "–", *p.Server)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, n := range p.Nodes {
		fmt.Fprintf(a.out, "  node %s: link %.4g Gb/s, latency %v, overhead %v, shared by its workers\n", n.Name, 8*n.Bandwidth/1e9, n.Latency, n.Overhead)
	}
	fmt.Fprintln(a.out)
	to, what := p.Server, "the server"
	if to == nil {
		to, what = &p.Workers[len(p.Workers)-1], p.Workers[len(p.Workers)-1].Name
	}
	fmt.Fprintf(a.out, "  1 MB alone from %s to %s takes %.4g ms\n", p.Workers[0].Name, what, 1e3*messageAlone(outside(p, p.Workers[0]), outside(p, *to), 1e6))
	if p.Decision > 0 {
		fmt.Fprintf(a.out, "  a decision of the server takes %v\n", p.Decision)
	}
	if p.Multicast {
		fmt.Fprintln(a.out, "  multicast: the network copies a broadcast to its receivers")
	}
	if len(p.Codecs) > 0 {
		fmt.Fprintf(a.out, "  %d rates of compression\n", len(p.Codecs))
	}
	fmt.Fprintf(a.out, "  sha256 %s\n", row.SHA256)
	return nil
}

// alike reports whether two hosts differ in their names and reasons alone.
func alike(a, b cluster.Host) bool {
	return a.FLOPS == b.FLOPS && a.Memory == b.Memory && a.Jitter == b.Jitter && a.Bandwidth == b.Bandwidth && a.Latency == b.Latency &&
		a.Overhead == b.Overhead && a.Node == b.Node && slices.Equal(a.Slow, b.Slow)
}

// outside returns a host as another machine sees it, behind its node's NIC (cluster.Node).
func outside(p *cluster.Platform, h cluster.Host) cluster.Host {
	for _, n := range p.Nodes {
		if n.Name == h.Node {
			h.Bandwidth, h.Latency, h.Overhead = min(h.Bandwidth, n.Bandwidth), n.Latency, n.Overhead
		}
	}
	return h
}

// messageAlone returns the seconds of a message between two machines (cluster.Host).
func messageAlone(a, b cluster.Host, bytes float64) float64 {
	return (a.Latency + b.Latency + a.Overhead + b.Overhead).Seconds() + bytes/min(a.Bandwidth, b.Bandwidth)
}

func printHost(w io.Writer, name, number, factor string, h cluster.Host) {
	memory := "–"
	if h.Memory > 0 {
		memory = fmt.Sprintf("%.4g", h.Memory/1e9)
	}
	var changes []string
	for _, s := range h.Slow {
		changes = append(changes, fmt.Sprintf("%g× from %v", s.Factor, s.At))
	}
	dash := func(s string) string {
		if s == "" {
			return "–"
		}
		return s
	}
	fmt.Fprintf(w, "  %s\t%s\t%.4g\t%s\t%s\t%.3g %%\t%.4g\t%v\t%v\t%s\t%s\n", name, number, h.FLOPS/1e12, factor, memory, 100*h.Jitter,
		8*h.Bandwidth/1e9, h.Latency.Round(time.Nanosecond), h.Overhead, dash(h.Node), dash(strings.Join(changes, ", ")))
}

// platformNewCommand makes platform new.
func (a *app) platformNewCommand() *cobra.Command {
	var plan platforms.Plan
	var out string
	cmd := &cobra.Command{
		Use: "new --workers N --out FILE", Short: "Write a platform of N workers, some of them slower",
		Long: `Write a platform for train --platform FILE. Workers are like those of --like, in turn:
like homogeneous6 all are equal, like heterogeneous6 worker 6 is as worker 0 again.
The last --slow of them take --factor times as long for arithmetic and memory. What is
not told stays as there, with its reason; edit the file for more.`,
		Example: "  gradsync platform new --workers 8 --slow 1 --factor 3 --link 1Gb/s --out eight.json\n" +
			"  gradsync platform new --workers 12 --like heterogeneous6 --server-link 40Gb/s --latency 200us --out twelve.json",
		Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := cmd.Flags().Changed
			switch {
			case !given("workers"):
				return usagef("platform: new: --workers is missing: how many")
			case out == "":
				return usagef("platform: new: --out is missing: the file to write")
			case given("factor") && plan.Slow == 0:
				return usagef("platform: new: --factor is for --slow workers: how many")
			}
			p, err := platforms.Make(plan)
			if err != nil {
				return usageError{fmt.Errorf("platform: new: %s", strings.TrimPrefix(err.Error(), "platforms: "))}
			}
			if err := atomic.WriteFile(out, cluster.Marshal(p)); err != nil {
				return fmt.Errorf("platform: new: %w", err)
			}
			if a.json {
				return a.printJSON(struct {
					File string `json:"file"`
					platformRow
				}{out, rowOf(p)})
			}
			fmt.Fprintf(a.out, "%s: %s\n", out, p.Note)
			fmt.Fprintln(a.out, a.asCalled(fmt.Sprintf("`gradsync train --platform %s` runs on it, `gradsync platform show %[1]s` prints it", out)))
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&plan.Workers, "workers", 0, "workers")
	f.IntVar(&plan.Slow, "slow", 0, "slower workers among them, the last")
	f.Float64Var(&plan.Factor, "factor", 2, "how many times as long a slow worker takes")
	f.StringVar(&plan.Link, "link", "", "link of every worker and of the server: 1Gb/s (bits), 125MB/s (bytes)")
	f.StringVar(&plan.ServerLink, "server-link", "", "link of the server (default --link)")
	f.StringVar(&plan.Latency, "latency", "", "one-way latency of a message, half of it at each end: 50us")
	f.StringVar(&plan.Like, "like", "homogeneous6", "platform, file or result whose devices the workers are")
	f.StringVar(&plan.Name, "name", "", "name of the platform (default says what was asked for)")
	f.StringVar(&out, "out", "", "file to write")
	return cmd
}

// platformCheck lists what is wrong with a file.
func (a *app) platformCheck(file string) error {
	if slices.Contains(platforms.Names(), file) {
		return usagef("platform: check: %s comes with gradsync and is in order: want a file", file)
	}
	raw, path, key, err := platforms.Read(file)
	if err != nil {
		return platformError("platform: check", err)
	}
	if key != "" {
		return usagef("platform: check: %s: want a platform file without #%s", path, key)
	}
	problems := platforms.Check(raw)
	if a.json {
		if problems == nil {
			problems = []platforms.Problem{}
		}
		if err := a.printJSON(map[string]any{"file": file, "problems": problems}); err != nil {
			return err
		}
	} else {
		for _, p := range problems {
			fmt.Fprintf(a.out, "%s:%s\n", file, p)
		}
	}
	if len(problems) > 0 {
		return errDiffer
	}
	if a.json {
		return nil
	}
	p, err := cluster.Parse(raw)
	if err != nil {
		return err
	}
	row := rowOf(p)
	fmt.Fprintf(a.out, "%s: in order: %s, %d workers, the slowest takes %.3g times as long as the fastest\n", file, p.Name, row.Workers, row.Slowest)
	if !row.Server {
		fmt.Fprintln(a.out, "  no server: methods with a server cannot run on it")
	}
	return nil
}

// platformError words an error of package platforms for a command: a name that is none and
// workers that are too many are usage errors.
func platformError(command string, err error) error {
	text := fmt.Errorf("%s: %s", command, strings.TrimPrefix(err.Error(), "platforms: "))
	var few *platforms.TooFewError
	if errors.As(err, &few) || strings.Contains(err.Error(), "no platform ") {
		return usageError{text}
	}
	return text
}
