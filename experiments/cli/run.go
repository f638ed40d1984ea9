package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gradsync/datasets"
	"gradsync/experiments/cli/dev"
	"gradsync/experiments/cli/export"
	"gradsync/experiments/cli/memo"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/reports/page"
)

// defaultOut is the folder of results unless --out says otherwise.
var defaultOut = filepath.Join("out", "results")

// What the flags that write curves and time lines do, of train and of run.
const (
	trainTensorboardUsage = "write the run's curves as a TensorBoard event file to a folder of its name below `DIR`; " +
		"its times are the run's clock from 1970 on, so on virtual the same command writes the same bytes"
	runTensorboardUsage = "write TensorBoard event files below `DIR`: a run folder per experiment, figure, series and seed, of all line figures"
	keptUsage           = "keep finished parts in `DIR`, and read those of further folders too, DIR,DIR… (default: below --out, until the command is through)"
	runTracesUsage      = "write a Chrome trace for Perfetto below `DIR` per experiment with time lines: a process per figure, a row per lane"
)

// runOptions holds the flags of run.
type runOptions struct {
	deviceFlags
	profile, seeds, out, dataDir string
	tensorboard, traces          string // folders; "": none
	kept, except                 []string
	more                         int
	dryRun                       bool
	limit                        time.Duration
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run ID…",
		Short: "Run experiments and write their results",
		Long: `Run experiments and write one result file each below --out.

An ID names an experiment (dasp/table5), a paper (dasp) or all. The exit code is
0 whatever the verdicts: a claim that fails is a result. After Ctrl-C the
results so far are written and marked incomplete, but never in place of complete
ones; the same command goes on from the parts that were finished, and in a long
training from its checkpoint, as long as the binary is the same. --for makes
pieces of a long run: it interrupts after that time, and what is under way (six
gradients, an evaluation) comes to an end first. Repeat the command until its
exit code is 0:

  for piece in $(seq 100); do gradsync run dasp --profile paper --seeds 0 --for 8m && break; done

--kept DIR keeps finished trainings in DIR, a small file each, for later commands, other
builds and other machines: its name is the hash of configuration, data, bit class and the
version of the program's bits, so that no other training is taken for it. Of several folders
all are read and the first is written. So the seeds of a long profile can be made
on several days and machines, and joined:

  gradsync run dasp --profile standard --seeds 0,1,2,3,4 --kept monday
  gradsync run dasp --profile standard --seeds 5,6,7,8,9 --kept tuesday
  gradsync run dasp --profile standard --seeds 0,1,2,3,4,5,6,7,8,9 --kept all,monday,tuesday

--tensorboard writes DIR/dasp/fig3/FIGURE/SERIES/seed-0 (mean for a series of no
one seed). Where x is time, a step is a microsecond and an event's time is x, from
1970 on; elsewhere a step is x, in millionths where x is not whole, as the tag
says. Values are single precision. What earlier runs left in DIR stays.
--traces writes DIR/dasp/fig2.trace.json, for figures along a time.
run compare makes a document's comparisons; gradsync compare makes those of your choice.`,
		Example: "  gradsync run dasp/table5\n  gradsync run dasp --profile quick --seeds 0,1,2 --out out/results\n  gradsync run all --dry-run",
		Args:    args(1, -1, "ids of experiments, names of papers, or all"),
		RunE: func(cmd *cobra.Command, ids []string) error {
			plan, err := a.newPlan(ids, o)
			if err != nil {
				return err
			}
			if o.dryRun {
				return a.printPlan(plan)
			}
			if o.limit < 0 {
				return usagef("run: --for %v, want more than 0, or 0 for no limit", o.limit)
			}
			if o.limit == 0 {
				return a.execute(cmd.Context(), plan, o)
			}
			ctx, stop := context.WithTimeout(cmd.Context(), o.limit)
			defer stop()
			return a.execute(ctx, plan, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.profile, "profile", "quick", "size: "+strings.Join(exp.Profiles, ", "))
	f.StringVar(&o.seeds, "seeds", "", "seeds, separated by commas, or from-to (default: each experiment's own, 0,1,2 for most)")
	f.StringVar(&o.out, "out", defaultOut, "folder of the results")
	f.StringVar(&o.dataDir, "data-dir", "", "folder of data sets (default: embedded in ci, quick; else GRADSYNC_DATA, cache)")
	f.IntVar(&o.more, "more-seeds", 0, "so many seeds beside those each experiment begins with")
	o.define(f, "", deviceUsage+"; default: auto for profile paper, cpu for others")
	f.StringVar(&o.tensorboard, "tensorboard", "", runTensorboardUsage)
	f.StringVar(&o.traces, "traces", "", runTracesUsage)
	f.StringSliceVar(&o.kept, "kept", nil, keptUsage)
	f.DurationVar(&o.limit, "for", 0, "stop after this long, as Ctrl-C does; the same command goes on (0: no limit)")
	f.StringSliceVar(&o.except, "except", nil, "leave out experiments of a paper, by `ID,…`")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the plan with an estimated time and run nothing")
	return cmd
}

// images returns the folder to look for images in first. Profiles ci and quick take the embedded ones, unless somebody
// names a folder.
func (o runOptions) images() string {
	if o.dataDir == "" && (o.profile == "ci" || o.profile == "quick") {
		return datasets.Embedded
	}
	return o.dataDir
}

// plannedRun is one experiment of a plan, with its estimated time.
type plannedRun struct {
	exp.Experiment
	seconds float64
	seeds   []uint64
}

// plan says what a run command will do.
type plan struct {
	profile string
	own     bool // the experiments' own seeds
	runs    []plannedRun
	skipped []string // named through a paper, without the profile
	engine  string   // what trains, if anything does
	note    string   // chooseEngine's
}

// newPlan checks the flags and chooses the experiments.
func (a *app) newPlan(ids []string, o runOptions) (*plan, error) {
	if !slices.Contains(exp.Profiles, o.profile) {
		return nil, usagef("run: no profile %q: known are %s", o.profile, strings.Join(exp.Profiles, ", "))
	}
	var seeds []uint64
	if o.seeds != "" {
		var err error
		if seeds, err = parseSeeds(o.seeds); err != nil {
			return nil, err
		}
	}
	// An engine or a folder that is not there is refused before anything runs,
	// also where no experiment of the plan would ask for it.
	o.device = cmp.Or(o.device, standardDevice(o.profile))
	engine, note, err := a.chooseDevice(o.deviceFlags)
	if err != nil {
		return nil, err
	}
	if o.dataDir != "" {
		if _, err := datasets.List(datasets.Options{Dir: o.dataDir}); err != nil {
			return nil, err
		}
	}
	chosen, err := choose(Experiments(), ids)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(o.except, func(id string) bool {
		return !slices.ContainsFunc(chosen, func(e exp.Experiment) bool { return e.ID == id })
	}); i >= 0 {
		return nil, usagef("run: --except %s: it is none of the experiments that are named", o.except[i])
	}
	if o.more < 0 || o.more > mostSeeds || o.more > 0 && seeds != nil {
		return nil, usagef("run: --more-seeds %d: want 0 to %d, and no --seeds beside it", o.more, mostSeeds)
	}
	p := &plan{profile: o.profile, own: seeds == nil, engine: engine, note: note}
	planned := map[string]bool{}
	for _, e := range chosen {
		if slices.Contains(o.except, e.ID) {
			continue
		}
		if err := profileOf(e, o.profile); err != nil {
			if slices.Contains(ids, e.ID) { // asked for by name: an error
				return nil, usageError{err}
			}
			p.skipped = append(p.skipped, e.ID)
			continue
		}
		these := seeds
		if these == nil {
			these = e.SeedsOf(o.profile)
			for range o.more {
				these = append(these, these[len(these)-1]+1)
			}
		}
		p.runs = append(p.runs, plannedRun{e, alone(e, o.profile, len(these), planned), these})
	}
	return p, nil
}

// alone estimates an experiment without the parts that earlier experiments of the same
// command leave for it, and notes its own parts as planned.
func alone(e exp.Experiment, profile string, seeds int, planned map[string]bool) float64 {
	total := e.Seconds(profile, seeds)
	if e.Shares == nil {
		return total
	}
	for part, seconds := range e.Shares(profile, seeds) {
		if planned[part] {
			total -= seconds
		}
		planned[part] = true
	}
	return max(total, 0)
}

// mostSeeds is how many seeds one command may have.
const mostSeeds = 10_000

// parseSeeds reads seeds between commas, each a number or a range such as 0-4, and each once.
func parseSeeds(list string) ([]uint64, error) {
	var out []uint64
	for _, s := range strings.Split(list, ",") {
		first, last, ranged := strings.Cut(strings.TrimSpace(s), "-")
		from, err := strconv.ParseUint(first, 10, 64)
		to := from
		if err == nil && ranged {
			to, err = strconv.ParseUint(last, 10, 64)
		}
		if err != nil || to < from || to-from >= mostSeeds {
			return nil, usagef("run: --seeds %q: %q is no seed, nor a range such as 0-4", list, s)
		}
		for v := from; v <= to; v++ {
			if slices.Contains(out, v) {
				return nil, usagef("run: --seeds %q: seed %d stands twice", list, v)
			}
			if out = append(out, v); v == to {
				break // to may be the largest number
			}
		}
	}
	return out, nil
}

// plannedObject is a plannedRun for --json.
type plannedObject struct {
	ID      string   `json:"id"`
	Seconds float64  `json:"seconds"`
	Seeds   []uint64 `json:"seeds"`
}

func (a *app) printPlan(p *plan) error {
	var total float64
	runs := []plannedObject{}
	for _, s := range p.runs {
		total += s.seconds
		runs = append(runs, plannedObject{s.ID, s.seconds, s.seeds})
	}
	if a.json {
		return a.printJSON(map[string]any{"profile": p.profile, "experiments": runs, "seconds": total,
			"skipped": append([]string{}, p.skipped...)})
	}
	for _, s := range runs {
		fmt.Fprintf(a.out, "%-20s about %s, seeds %v\n", s.ID, about(s.Seconds), s.Seeds)
	}
	for _, id := range p.skipped {
		fmt.Fprintf(a.out, "%-20s has no profile %s: left out\n", id, p.profile)
	}
	fmt.Fprintf(a.out, "profile %s: about %s on two cores; nothing was run\n", p.profile, about(total))
	return nil
}

// about writes a time in whole seconds.
func about(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// ran reports one finished experiment.
type ran struct {
	ID       string         `json:"id"`
	Status   string         `json:"status"`
	Path     string         `json:"path"`
	Seconds  float64        `json:"wall_seconds"`
	Verdicts map[string]int `json:"verdicts"`
	counts   []page.VerdictCount

	TensorBoard string `json:"tensorboard,omitempty"` // folder of its event files
	Trace       string `json:"trace,omitempty"`       // file of its time lines
}

// execute runs the plan's experiments in order. The first failure or an interruption ends
// it; finished results stay on disk.
func (a *app) execute(ctx context.Context, p *plan, o runOptions) error {
	commit() // before hours of work, in which the folder's HEAD may move
	if err := errors.Join(export.Writable("tensorboard", o.tensorboard), export.Writable("traces", o.traces)); err != nil {
		return err
	}
	parts, err := memo.Open(o.out, o.kept, func(line string) { fmt.Fprintln(a.err, line) })
	if err != nil {
		return err
	}
	defer parts.Close()
	switch n := parts.Parts(); {
	case n == 0:
	case o.kept == nil:
		fmt.Fprintf(a.err, "%d finished parts of an interrupted run are at hand in %s\n", n, parts.Root)
	default:
		fmt.Fprintf(a.err, "%d finished parts are at hand in %s\n", n, strings.Join(o.kept, ", "))
	}
	if n := parts.Strangers(); n > 0 {
		fmt.Fprintf(a.err, "of other builds of gradsync, and of no use to this one, lie %d parts in %s\n", n, parts.Root)
	}
	a.engineNote(p.note)
	done := []ran{}
	at := newPace(p.runs, os.Getenv(dev.StretchEnv))
	for _, s := range p.runs {
		r, err := a.executeOne(ctx, s, p, o, parts, at)
		at.finish(s.seconds)
		if r != nil {
			done = append(done, *r)
			a.printRan(*r)
		}
		if err != nil {
			if a.json {
				_ = a.printJSON(map[string]any{"results": done}) // the caller returns err
			}
			if ctx.Err() != nil {
				return interrupted(s.ID, r, result.Path(o.out, s.ID, p.profile), parts)
			}
			return fmt.Errorf("run: %s: %w", s.ID, err)
		}
	}
	// Without --kept the parts served a resumption that is no longer needed:
	// another run of the same command shall compute, not remember.
	if err := parts.Clear(); err != nil {
		return err
	}
	if o.kept != nil {
		fmt.Fprintf(a.err, "%d parts were read, %d made and written to %s\n", parts.Taken, parts.Made, parts.Root)
	}
	if a.json {
		return a.printJSON(map[string]any{"results": done})
	}
	return nil
}

// interrupted says what an interruption left on disk. r is nil where no result was
// written, for instance because a complete one lies at path.
func interrupted(id string, r *ran, path string, parts *memo.Memo) error {
	kept := ""
	if r == nil && isComplete(path) {
		kept = "kept the complete result " + path + "; "
	}
	left := fmt.Sprintf("%d finished parts are", parts.Parts())
	if parts.Parts() == 1 {
		left = "1 finished part is"
	}
	if parts.UnderWay() {
		left = strings.TrimSuffix(strings.TrimSuffix(left, " are"), " is") + " and the checkpoint of one under way are"
	}
	return fmt.Errorf("run: interrupted in %s: %s%s in %s: repeat the same command to go on", id, kept, left, parts.Root)
}

// isComplete reports whether a complete result lies at path.
func isComplete(path string) bool {
	r, err := result.Read(path)
	return err == nil && r.Status == result.Complete
}

// executeOne runs one experiment and writes its result. A failure writes nothing. An
// interruption writes an incomplete result, but never over a complete one, whatever its
// seeds: the finished parts are in the memo anyway.
func (a *app) executeOne(ctx context.Context, s plannedRun, p *plan, o runOptions, parts *memo.Memo, at *pace) (*ran, error) {
	start := time.Now()
	bar := a.newBarOf(s.ID, false)
	bar.set(at.share(0), 1, at.says(0))
	res, err := s.Run(ctx, exp.Env{Profile: p.profile, Seeds: s.seeds, Own: p.own, DataDir: o.images(), Engine: p.engine,
		Progress: func(done, total float64, what string) {
			if total > 0 {
				now := s.seconds * min(max(done/total, 0), 1)
				bar.set(at.share(now), 1, at.says(now)+", "+what)
			}
		}, Memo: parts})
	bar.finish()
	switch {
	case err == nil && res == nil:
		return nil, errors.New("the experiment returned no result")
	case err != nil && (res == nil || ctx.Err() == nil):
		return nil, err
	case err != nil:
		res.Status = result.Incomplete
		if isComplete(result.Path(o.out, s.ID, p.profile)) {
			return nil, err
		}
	}
	wall := time.Since(start)
	path, werr := result.Write(o.out, res, provenance(start, wall, engineOf(res), a.accelerator(res)))
	if werr != nil {
		return nil, errors.Join(err, werr)
	}
	r := &ran{ID: s.ID, Status: res.Status, Path: path, Seconds: wall.Seconds(), Verdicts: map[string]int{},
		counts: page.Count(res.Claims)}
	for _, c := range res.Claims {
		r.Verdicts[c.Verdict]++
	}
	return r, errors.Join(err, r.export(o))
}

// export writes the files of --tensorboard and --traces. They are made from the
// result file, so the same result has the same files, however it came about.
func (r *ran) export(o runOptions) error {
	if o.tensorboard == "" && o.traces == "" {
		return nil
	}
	res, err := export.Page(r.Path)
	if err != nil {
		return err
	}
	if o.tensorboard != "" {
		if r.TensorBoard, err = export.Events(o.tensorboard, res); err != nil {
			return err
		}
	}
	if o.traces != "" {
		r.Trace, err = export.Traces(o.traces, res)
	}
	return err
}

// engineOf returns the engine as the sidecar names it.
func engineOf(r *result.Result) string {
	switch {
	case r.Engine != "":
		return r.Engine
	case r.Kind == result.TimingOnly:
		return "none (timing-only)"
	}
	return "none"
}

func (a *app) printRan(r ran) {
	if a.json {
		return
	}
	var counts []string
	for _, c := range r.counts {
		counts = append(counts, fmt.Sprintf("%d %s", c.N, c.Words().En()))
	}
	verdicts := cmp.Or(strings.Join(counts, ", "), "no claims")
	fmt.Fprintf(a.out, "%-20s %s: %s  (%.1f s)  %s\n", r.ID, r.Status, verdicts, r.Seconds, r.Path)
}
