package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/internal/atomic"
	"gradsync/internal/repo"
)

// benchFlags holds the flags of bench and of the commands below it.
type benchFlags struct {
	runner bench.Runner
	book   string
}

func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use: "bench [QUESTION…]", Short: "Measure speeds beside PyTorch, OpenBLAS, MPI and copy()",
		Long: `Measure what a table of BENCHMARKS.md answers, each contender in a process of its
own, in turns, and print the tables: ` + strings.Join(questionNames(), ", ") + `.
Ratios are taken round by round; six rounds give an interval of 95 %.

The contenders are Go benchmarks, which go test builds here, and files of
experiments/peers: PyTorch and NumPy for python3 or the interpreter that --python or
GRADSYNC_PYTHON names, and Open MPI and MPICH (Debian: openmpi-bin libopenmpi-dev
mpich libmpich-dev). One that is not here leaves a line that says why.`,
		Example: "  gradsync bench step product\n  gradsync bench messages --rounds 6 --json", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 {
				return cmd.Help()
			}
			b, err := a.measure(cmd.Context(), &f, names, nil)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(b)
			}
			text, err := b.Tables()
			fmt.Fprint(a.out, text)
			return err
		},
	}
	f.register(cmd, 11, 0.25)
	cmd.AddCommand(a.benchReportCommand(), a.benchCheckCommand())
	return cmd
}

// register adds the flags with a command's defaults.
func (f *benchFlags) register(cmd *cobra.Command, rounds int, seconds float64) {
	s := cmd.Flags()
	s.IntVar(&f.runner.Rounds, "rounds", rounds, "rounds of each case")
	s.Float64Var(&f.runner.Seconds, "seconds", seconds, "length of a contender's round, one step at least")
	s.StringVar(&f.runner.Python, "python", "", "interpreter with PyTorch and NumPy (default GRADSYNC_PYTHON or python3)")
	s.StringVar(&f.runner.From, "from", "", "folder with the contenders (go test -c) and the peers, where there is no Go")
}

func (a *app) benchReportCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use: "report [QUESTION…]", Short: "Measure everything, or some tables anew, and write BENCHMARKS.json and, of it, BENCHMARKS.md",
		Example: "  gradsync bench report\n  gradsync bench report codec coded", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			var kept *bench.Book
			if len(names) > 0 {
				var err error
				if kept, err = f.read(names); err != nil {
					return err
				}
			}
			b, err := a.measure(cmd.Context(), &f, names, kept)
			if err != nil {
				return err
			}
			text, err := b.Marshal()
			if err != nil {
				return err
			}
			page, err := b.Markdown()
			if err != nil {
				return err
			}
			beside := strings.TrimSuffix(f.book, ".json") + ".md"
			return errors.Join(atomic.WriteFile(f.book, text), atomic.WriteFile(beside, []byte(page)))
		},
	}
	f.register(cmd, 11, 0.25)
	cmd.Flags().StringVar(&f.book, "book", "BENCHMARKS.json", "where to write the measurements; the page lies beside them")
	return cmd
}

func (a *app) benchCheckCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use: "check [QUESTION…]", Short: "Measure again in short and name the ratios that fell by more than a quarter",
		Long: `Measure again in fewer and shorter rounds and compare the ratios to peers with the
committed ones: only ratios, since another hour has other speeds, and only to peers of
the same version. The exit code is 3 if one fell.`,
		Example: "  gradsync bench check\n  gradsync bench check codec messages --json", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			was, err := f.read(names)
			if err != nil {
				return err
			}
			now, err := a.measure(cmd.Context(), &f, names, nil)
			if err != nil {
				return err
			}
			changes := bench.Compare(was, now)
			if a.json {
				err = a.printJSON(map[string]any{"committed": was.Version, "ratios": changes})
			} else {
				fmt.Fprint(a.out, bench.ChangesText(changes))
			}
			if err == nil && slices.ContainsFunc(changes, func(c bench.Change) bool { return c.Fell }) {
				err = errDiffer
			}
			return err
		},
	}
	f.register(cmd, 3, 0.1)
	cmd.Flags().StringVar(&f.book, "book", "BENCHMARKS.json", "the measurements that are compared")
	return cmd
}

// questionNames lists what can be measured.
func questionNames() (names []string) {
	for _, q := range bench.Questions() {
		names = append(names, strings.ToLower(q.Name))
	}
	return names
}

// questions returns those of these names, without one all, if nothing else is wrong either.
func (f *benchFlags) questions(names []string) (asked []bench.Question, err error) {
	switch {
	case f.runner.Rounds < 1:
		return nil, usagef("bench: --rounds %d: at least 1", f.runner.Rounds)
	case !(f.runner.Seconds > 0 && f.runner.Seconds <= 60):
		return nil, usagef("bench: --seconds %g: more than 0, at most 60", f.runner.Seconds)
	case len(names) == 0:
		return bench.Questions(), nil
	}
	for _, name := range names {
		q := bench.Find(name)
		if q == nil {
			return nil, usagef("bench: no question %q: known are %s", name, strings.Join(questionNames(), ", "))
		}
		asked = append(asked, *q)
	}
	return asked, nil
}

// read returns the book; names are those of questions.
func (f *benchFlags) read(names []string) (*bench.Book, error) {
	if _, err := f.questions(names); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(f.book)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	return bench.ReadBook(text)
}

// measure answers the questions of these names, without one all, and keeps other answers of a book.
func (a *app) measure(ctx context.Context, f *benchFlags, names []string, kept *bench.Book) (b *bench.Book, err error) {
	questions, err := f.questions(names)
	if err != nil {
		return nil, err
	}
	if f.runner.From == "" {
		if f.runner.Root, err = repo.Root(); err != nil {
			return nil, fmt.Errorf("bench: the contenders are built of the source: %w", err)
		}
	}
	if err := f.runner.Open(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.runner.Close()) }()
	revision, dirty := commit()
	revision = revision[:min(len(revision), 12)]
	if dirty {
		revision += " with changes"
	}
	command := fmt.Sprintf("gradsync bench report --rounds %d --seconds %g", f.runner.Rounds, f.runner.Seconds)
	b = bench.NewBook(command, Version+", commit "+revision, time.Now().UTC().Format(time.DateOnly))
	if kept != nil {
		b.Processor, b.Libraries, b.Answers = kept.Processor, kept.Libraries, kept.Answers
	}
	bar := a.newBar("bench")
	defer bar.finish()
	for i, q := range questions {
		said := func(done float64, what string) {
			bar.set(float64(i)+done, float64(len(questions)), strings.ToLower(q.Name)+" "+what)
		}
		if err := f.runner.Measure(ctx, &q, b, said); err != nil {
			return nil, err
		}
	}
	return b, nil
}
