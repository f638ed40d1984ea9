package bench

import (
	"context"
	"fmt"
)

// Runner measures a book. Its functions are the machine's; a test has others.
type Runner struct {
	Play func(ctx context.Context, chapter Chapter, c Case) (*Outcome, error) // one case
	Load func(ctx context.Context) (Load, error)                              // takes a pause
	Now  func() float64                                                       // seconds
	Save func(*Book) error                                                    // after every case
	Tell func(format string, args ...any)                                     // progress
}

// Run measures the chapters that the book lacks, in their order, and then those again whose
// machine was not quiet, until all were, or each was measured as often as the plan says, or its
// time is over. A book that an interrupted run left is gone on with: what is in it stays.
func (r Runner) Run(ctx context.Context, b *Book, chapters []Chapter) error {
	for i, c := range chapters {
		if s := b.Find(c.Name); s != nil && len(s.Tries) > 0 {
			r.Tell("%s: measured before", c.Heading)
			continue
		}
		r.Tell("%d of %d: %s", i+1, len(chapters), c.Heading)
		if err := r.section(ctx, b, c); err != nil {
			return err
		}
	}
	for range b.Plan.Tries - 1 {
		for _, c := range chapters {
			s := b.Find(c.Name)
			best := s.Quietest()
			if best.load() <= b.Plan.MaxLoad || len(s.Tries) >= b.Plan.Tries || b.spent()+best.Seconds > b.Plan.Limit {
				continue
			}
			r.Tell("again: %s: %s processors were in use by other programs", c.Heading, figure(best.load()))
			if err := r.section(ctx, b, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// spent returns how many seconds a book took so far.
func (b *Book) spent() (seconds float64) {
	for _, s := range b.Sections {
		for _, t := range s.Tries {
			seconds += t.Waited + t.Seconds
		}
		if s.Begun != nil {
			seconds += s.Begun.Waited + s.Begun.Seconds
		}
	}
	return seconds
}

// section measures a chapter once, or the rest of it.
func (r Runner) section(ctx context.Context, b *Book, c Chapter) error {
	s := b.Find(c.Name)
	if s == nil {
		s = &Section{Name: c.Name}
		b.Sections = append(b.Sections, s)
	}
	before, waited, err := r.await(ctx, b)
	if err != nil {
		return err
	}
	if s.Begun == nil {
		s.Begun = &Begun{Before: before}
	}
	begun := s.Begun
	begun.Before = begun.Before.worst(before)
	begun.Waited += waited
	for i, want := range c.Cases {
		if i < len(begun.Outcomes) && begun.Outcomes[i].Title == want.Title {
			continue
		}
		begun.Outcomes = begun.Outcomes[:min(i, len(begun.Outcomes))]
		r.Tell("  %s", want.Title)
		from := r.Now()
		o, err := r.Play(ctx, c, want)
		if err != nil {
			return fmt.Errorf("%s: %w", want.Title, err)
		}
		begun.Seconds += r.Now() - from
		begun.Outcomes = append(begun.Outcomes, o)
		if err := r.Save(b); err != nil {
			return err
		}
	}
	after, err := r.Load(ctx)
	if err != nil {
		return err
	}
	try := Try{Before: begun.Before, After: after, Waited: begun.Waited, Seconds: begun.Seconds}
	if best := s.Quietest(); best == nil || try.load() < best.load() {
		s.Outcomes = begun.Outcomes
	}
	s.Tries, s.Begun = append(s.Tries, try), nil
	return r.Save(b)
}

// await waits until other programs leave the machine alone, as long as the plan says and the book
// has time, and returns the last load and how long that took.
func (r Runner) await(ctx context.Context, b *Book) (l Load, waited float64, err error) {
	from := r.Now()
	for {
		if l, err = r.Load(ctx); err != nil {
			return l, 0, err
		}
		waited = r.Now() - from
		if l.Cores <= b.Plan.MaxLoad || waited >= b.Plan.Wait || b.spent()+waited >= b.Plan.Limit {
			return l, waited, nil
		}
	}
}
