package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/experiments/cli/dev"
)

func (a *app) benchCheckCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use: "check", Short: "Measure again in short and name the ratios that fell by more than a quarter",
		Long: `Measure part of the cases of BENCHMARKS.json again, in fewer and shorter rounds, some
five minutes on two cores, and set the ratios to peers beside the committed ones. What fell by more
than a quarter is measured once more, with rounds three times as long, and named
if it fell again: the exit code is then 3.

Only ratios are compared, since another hour has other speeds, and only where the
contenders are the same: a peer of another version says so. So does a machine of
another kind.`,
		Example: "  gradsync bench check\n  gradsync bench check --only vec,messages --json",
		Args:    a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.plan.MaxLoad, f.plan.Tries, f.limit = 0.5, 1, 10
			if err := f.checkReport(); err != nil {
				return err
			}
			was, err := readBook(f.book)
			if err != nil {
				return fmt.Errorf("bench: check: %w", err)
			}
			f.short = true
			now, changes, err := a.check(cmd.Context(), &f, was)
			if err != nil {
				return err
			}
			if err := a.printCheck(was, now, changes); err != nil {
				return err
			}
			for _, c := range changes {
				if c.Fell {
					return dev.ErrDiffer
				}
			}
			return nil
		},
	}
	f.register(cmd, "the contenders")
	s := cmd.Flags()
	s.Lookup("engine").Hidden, s.Lookup("profile").Hidden = true, true // as the book's
	f.rounds, f.seconds, f.budget = 5, 0.1, 5
	s.Lookup("rounds").DefValue, s.Lookup("seconds").DefValue, s.Lookup("budget").DefValue = "5", "0.1", "5"
	s.StringVar(&f.book, "book", "BENCHMARKS.json", "the book whose ratios are compared")
	s.StringSliceVar(&f.only, "only", nil, "sections, as in bench report")
	s.Float64Var(&f.plan.Pause, "pause", 3, "as in bench report")
	s.Float64Var(&f.plan.Wait, "wait", 20, "as in bench report")
	s.StringVar(&f.python, "python", "", "interpreter with PyTorch, as in bench step")
	return cmd
}

// check measures the short form, and what fell once more.
func (a *app) check(ctx context.Context, f *reportFlags, was *bench.Book) (*bench.Book, []bench.Change, error) {
	now := &bench.Book{Command: "gradsync bench check", Version: a.Version(), Engine: was.Engine, Plan: f.plan, Machine: bench.Machine()}
	all, begin := chapters(f.only, true), time.Now()
	if err := a.measureBook(ctx, &f.benchFlags, now, all, func(*bench.Book) error { return nil }); err != nil {
		return nil, nil, err
	}
	changes := bench.Compare(was, now)
	longer := f.benchFlags
	longer.seconds *= 3
	var others strangers
	defer others.close()
	for _, c := range all {
		for _, o := range now.Find(c.Name).Outcomes {
			if !bench.Fell(changes, c.Heading, o.Title) {
				continue
			}
			a.note(fmt.Sprintf("%4.0f s  once more: %s: %s", time.Since(begin).Seconds(), c.Heading, o.Title))
			again, err := a.playChapter(ctx, longer, was.Engine, c, o.Case, &others)
			if err != nil {
				return nil, nil, err
			}
			*o = *again
		}
	}
	return now, bench.Compare(was, now), nil
}

// printCheck prints what fell, what was skipped and why.
func (a *app) printCheck(was, now *bench.Book, changes []bench.Change) error {
	strange := was.Strange(now.Machine)
	var loud []string
	for _, s := range now.Sections {
		if t := s.Quietest(); t != nil && max(t.Before.Cores, t.After.Cores) > now.Plan.MaxLoad {
			loud = append(loud, s.Name)
		}
	}
	if *a.JSON {
		return a.Print(map[string]any{"benchmark": "check", "committed": was.Version, "machine": strange, "busy": loud, "ratios": changes})
	}
	fmt.Fprintf(a.Out, "beside %s\n", was.Version)
	if strange != "" {
		fmt.Fprintln(a.Out, strange)
	}
	if len(loud) > 0 {
		fmt.Fprintf(a.Out, "other programs used more than %g processors beside %v\n", now.Plan.MaxLoad, loud)
	}
	fmt.Fprint(a.Out, bench.ChangesText(changes))
	return nil
}
