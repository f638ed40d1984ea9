package measure

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gradsync/experiments/bench"
	"gradsync/internal/atomic"
	"gradsync/internal/readfile"
)

// reportFlags adds the flags of `bench report` to those that all matches share.
type reportFlags struct {
	benchFlags
	book, kept string
	only       []string
	plan       bench.Plan
	limit      float64 // minutes
}

func (a *app) benchReportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use: "report", Short: "Measure every section of BENCHMARKS.md in one run and write it",
		Long: `Measure the fixed list of cases, section by section, keep what was measured in
BENCHMARKS.json, and write BENCHMARKS.md, which is made of that file alone: machine,
commands, numbers beside the peers, aims beside what was reached, and where the
time goes. It takes some 25 minutes on two cores; leave the machine alone.

Before a section the program waits up to --wait seconds until other programs leave
the processors alone. A section beside which they used more than --max-load of them
is measured again at the end, --tries times in all and within --limit minutes; if
they never were quiet, the section says so. After Ctrl-C the same command goes on
where it was: --kept has every case that was measured. The section on GPUs is
carried over as it is; gradsync bench gpu --into renews it.`,
		Example: "  gradsync bench report\n  gradsync bench report --only messages,vec --rounds 3 --book out/bench.json",
		Args:    a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.checkReport(); err != nil {
				return err
			}
			// Not after minutes of measuring.
			if info, err := os.Stat(filepath.Dir(f.book)); err != nil || !info.IsDir() {
				return fmt.Errorf("bench: report: no folder %s", filepath.Dir(f.book))
			}
			if err := os.MkdirAll(filepath.Dir(f.kept), 0o777); err != nil {
				return fmt.Errorf("bench: report: --kept: %w", err)
			}
			f.only = slices.Compact(f.only)
			b := &bench.Book{Command: reportCommand(cmd), Version: a.Version(), Engine: a.Engines()[0].Name, Plan: f.plan, Machine: bench.Machine()}
			if old, err := readBook(f.book); err == nil {
				b.GPU = old.GPU
			}
			b = a.resume(b, f.kept)
			if err := a.measureBook(cmd.Context(), &f.benchFlags, b, chapters(f.only, false), func(b *bench.Book) error {
				return keep(b, f.kept)
			}); err != nil {
				return err
			}
			if err := writeBook(b, f.book, document(f.book)); err != nil {
				return err
			}
			if err := os.Remove(f.kept); err != nil {
				return err
			}
			if *a.JSON {
				return a.Print(b)
			}
			fmt.Fprintf(a.Out, "%s: %d sections\n", document(f.book), len(b.Sections))
			return nil
		},
	}
	f.register(cmd, "the contenders")
	s := cmd.Flags()
	s.Lookup("engine").Hidden = true // a report has all
	s.Lookup("profile").DefValue = "2"
	f.profile = 2
	s.StringVar(&f.book, "book", "BENCHMARKS.json", "file to write; the document lies beside it and ends in .md")
	s.StringVar(&f.kept, "kept", filepath.Join("out", "benchmarks.json"), "what an interrupted run had measured")
	s.StringSliceVar(&f.only, "only", nil, "sections: "+strings.Join(bench.ChapterNames(), ", "))
	s.StringVar(&f.python, "python", "", "interpreter with PyTorch, as in bench step")
	s.Float64Var(&f.plan.MaxLoad, "max-load", 0.5, "processors in use by other programs above which a section is measured again")
	s.IntVar(&f.plan.Tries, "tries", 3, "times that a section is measured, at most")
	s.Float64Var(&f.plan.Wait, "wait", 20, "seconds that a section waits for a quiet machine, at most")
	s.Float64Var(&f.plan.Pause, "pause", 3, "seconds of looking on before and after a section")
	s.Float64Var(&f.limit, "limit", 30, "minutes after which no section is measured again")
	return cmd
}

// checkReport names what is wrong, and completes the plan.
func (f *reportFlags) checkReport() error {
	if err := f.check(); err != nil {
		return err
	}
	for _, name := range f.only {
		if !slices.Contains(bench.ChapterNames(), name) {
			return usagef("bench: report: no section %q: known are %s", name, strings.Join(bench.ChapterNames(), ", "))
		}
	}
	switch p := f.plan; {
	case !(p.MaxLoad >= 0):
		return usagef("bench: --max-load %g: at least 0", p.MaxLoad)
	case p.Tries < 1:
		return usagef("bench: --tries %d: at least 1", p.Tries)
	case !(p.Pause >= 0 && p.Pause <= 60):
		return usagef("bench: --pause %g: 0 to 60", p.Pause)
	case !(p.Wait >= 0) || !(f.limit >= 0):
		return usagef("bench: --wait %g, --limit %g: at least 0", p.Wait, f.limit)
	}
	f.plan.Rounds, f.plan.Seconds, f.plan.Budget, f.plan.Profile = f.rounds, f.seconds, f.budget, f.profile
	f.plan.Limit = 60 * f.limit
	return nil
}

// chapters returns those that were asked for, or all; of a short form the cases that bench check has.
func chapters(only []string, short bool) (out []bench.Chapter) {
	for _, c := range bench.Chapters() {
		if len(only) > 0 && !slices.Contains(only, c.Name) {
			continue
		}
		if short {
			c.Cases = slices.DeleteFunc(c.Cases, func(c bench.Case) bool { return !c.Short })
		}
		out = append(out, c)
	}
	return out
}

// resume returns what an interrupted run of the same program and plan left on this machine, or the new book.
func (a *app) resume(b *bench.Book, kept string) *bench.Book {
	b.Program = program()
	old, err := readBook(kept)
	switch {
	case err != nil:
		return b
	case old.Program != b.Program || old.Command != b.Command || old.Plan != b.Plan || !reflect.DeepEqual(old.Machine, b.Machine):
		a.note(kept + ": another program, plan or machine measured it: measuring all anew")
		return b
	}
	old.GPU = b.GPU
	a.note(kept + ": going on with what was measured")
	return old
}

// program returns the hash of this program's file, "" where it cannot be read.
func program() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// readBook reads a book's file.
func readBook(path string) (*bench.Book, error) {
	text, err := readfile.Limited(path, bench.MaxFile)
	if err != nil {
		return nil, err
	}
	return bench.ReadBook(text)
}

// document returns the path of the document beside a book.
func document(book string) string { return strings.TrimSuffix(book, ".json") + ".md" }

// keep writes a book.
func keep(b *bench.Book, path string) error {
	text, err := b.Bytes()
	if err != nil {
		return err
	}
	return atomic.WriteFile(path, text)
}

// writeBook writes a book and its document.
func writeBook(b *bench.Book, book, document string) error {
	if err := keep(b, book); err != nil {
		return err
	}
	var text strings.Builder
	if err := b.Markdown(&text); err != nil {
		return err
	}
	return atomic.WriteFile(document, []byte(strings.TrimRight(text.String(), "\n")+"\n"))
}

// measureBook measures the chapters that the book lacks.
func (a *app) measureBook(ctx context.Context, f *benchFlags, b *bench.Book, all []bench.Chapter, save func(*bench.Book) error) error {
	var others strangers
	defer others.close()
	begin := time.Now()
	r := bench.Runner{
		Load: func(ctx context.Context) (bench.Load, error) {
			return bench.ReadLoad(ctx, time.Duration(b.Plan.Pause*float64(time.Second)))
		},
		Now: func() float64 { return time.Since(begin).Seconds() }, Save: save,
		Tell: func(format string, args ...any) {
			a.note(fmt.Sprintf("%4.0f s  "+format, append([]any{time.Since(begin).Seconds()}, args...)...))
		},
		Play: func(ctx context.Context, chapter bench.Chapter, c bench.Case) (*bench.Outcome, error) {
			return a.playChapter(ctx, *f, b.Engine, chapter, c, &others)
		},
	}
	return r.Run(ctx, b, all)
}

// playChapter plays one case of a chapter.
func (a *app) playChapter(ctx context.Context, f benchFlags, engine string, chapter bench.Chapter, c bench.Case, others *strangers) (*bench.Outcome, error) {
	f.seconds *= chapter.Pace
	if f.only = engine; chapter.Name != bench.ChapterSteps {
		f.profile = 0
	}
	ring := newRingFlags()
	ring.benchFlags = f
	switch chapter.Name {
	case bench.ChapterRing:
		if others.built == nil {
			if err := others.build(ctx, bench.MPIReduce, bench.MPICHReduce, bench.MPIRing); err != nil {
				return nil, err
			}
		}
		return ring.playRing(ctx, c, others)
	case bench.ChapterTLS:
		ring.tls = true
		return ring.playRing(ctx, c, nil)
	case bench.ChapterMPI:
		return ring.playChapterOnMPI(ctx, c)
	}
	known := map[string][]string{bench.KindStep: stepContenders(), bench.KindGemm: gemmContenders(), bench.KindVec: bench.Kernels(),
		bench.KindCoded: bench.CodedKernels(), bench.KindPush: bench.PushContenders(), bench.KindMessages: bench.MessagesContenders()}[c.Job.Kind]
	names := slices.DeleteFunc(slices.Clone(known), func(name string) bool {
		return slices.Contains(c.Without, name) || f.short && slices.Contains([]string{"portable", "gorgonia", bench.PyTorchCompiled}, name)
	})
	return a.play(ctx, &f, c, names, func() {})
}

// playChapterOnMPI plays a case over Open MPI; without it the outcome says so.
func (f *ringFlags) playChapterOnMPI(ctx context.Context, c bench.Case) (*bench.Outcome, error) {
	mpi := &bench.MPI{Any: true}
	defer mpi.Close()
	var unable *bench.Unable
	switch err := mpi.Build(ctx); {
	case errors.As(err, &unable):
		return &bench.Outcome{Case: c, Notes: []bench.Note{{Contender: bench.RingOnMPI, Why: unable.Why}}}, nil
	case err != nil:
		return nil, err
	}
	return f.playOnMPI(ctx, c, mpi)
}

// reportCommand returns the command line that writes the same report: every flag that decides what is measured
// and is not at its default.
func reportCommand(cmd *cobra.Command) string {
	line := bench.StandardCommand
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.String() != f.DefValue && !slices.Contains([]string{"quiet", "json", "kept", "help"}, f.Name) {
			line += " --" + f.Name + " " + strings.Trim(f.Value.String(), "[]")
		}
	})
	return line
}
