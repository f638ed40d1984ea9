package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// machine is one with a clock of its own: a pause takes 3 s, a case 10 s, and the loads come from a list.
type machine struct {
	now    float64
	loads  []float64 // the last one stays
	played []string
	saved  []string // books, as files
	stop   int      // cases after which playing is interrupted; 0: never
}

var errStopped = errors.New("interrupted")

func (m *machine) runner() Runner {
	return Runner{
		Now: func() float64 { return m.now },
		Load: func(context.Context) (Load, error) {
			m.now += 3
			l := m.loads[0]
			if len(m.loads) > 1 {
				m.loads = m.loads[1:]
			}
			return Load{l, l}, nil
		},
		Play: func(_ context.Context, chapter Chapter, c Case) (*Outcome, error) {
			if m.stop > 0 && len(m.played) == m.stop {
				return nil, errStopped
			}
			m.now += 10
			m.played = append(m.played, chapter.Name+" "+c.Title)
			return &Outcome{Case: c, Warning: fmt.Sprint(len(m.played))}, nil
		},
		Save: func(b *Book) error {
			text, err := b.Bytes()
			m.saved = append(m.saved, string(text))
			return err
		},
		Tell: func(string, ...any) {},
	}
}

var twoChapters = []Chapter{{Name: "a", Cases: []Case{{Title: "1"}, {Title: "2"}}}, {Name: "b", Cases: []Case{{Title: "3"}}}}

func newBook() *Book {
	return &Book{Command: "c", Plan: Plan{MaxLoad: 0.5, Tries: 3, Wait: 20, Limit: 1000}}
}

// A quiet machine measures each section once.
func TestRunnerOfAQuietMachine(t *testing.T) {
	m, b := &machine{loads: []float64{0.5}}, newBook()
	if err := m.runner().Run(t.Context(), b, twoChapters); err != nil || strings.Join(m.played, ", ") != "a 1, a 2, b 3" {
		t.Fatalf("%v, %q", err, m.played)
	}
	if s := b.Find("a"); len(s.Tries) != 1 || s.Begun != nil || len(s.Outcomes) != 2 || s.Tries[0] != (Try{Load{0.5, 0.5}, Load{0.5, 0.5}, 3, 20}) {
		t.Errorf("%+v", s)
	}
}

// A section waits for a quiet machine; one that had none before it or after it is measured again at the end, and the
// quietest numbers stay.
func TestRunnerMeasuresAgain(t *testing.T) {
	// a: two loud pauses, then quiet, loud after; b: quiet; a again: quiet twice.
	m, b := &machine{loads: []float64{2, 0.6, 0.1, 0.9, 0.2, 0.3, 0.4, 0}}, newBook()
	if err := m.runner().Run(t.Context(), b, twoChapters); err != nil || strings.Join(m.played, ", ") != "a 1, a 2, b 3, a 1, a 2" {
		t.Fatalf("%v, %q", err, m.played)
	}
	s := b.Find("a")
	if len(s.Tries) != 2 || s.Tries[0].Waited != 9 || s.Tries[0].Before.Cores != 0.1 || s.Tries[0].After.Cores != 0.9 || s.Quietest() != &s.Tries[1] {
		t.Errorf("%+v", s.Tries)
	}
	if s.Outcomes[0].Warning != "4" || b.Find("b").Outcomes[0].Warning != "3" {
		t.Errorf("the numbers are those of case %s, want the fourth", s.Outcomes[0].Warning)
	}
}

// A machine that never is quiet ends: each section was measured three times, waited its time each, and the least loud
// one stays; without time nothing is measured again.
func TestRunnerOfABusyMachine(t *testing.T) {
	m, b := &machine{loads: []float64{3, 3, 3, 3, 3, 3, 3, 3, 1, 2}}, newBook()
	if err := m.runner().Run(t.Context(), b, twoChapters); err != nil || len(m.played) != 9 {
		t.Fatalf("%v, %q", err, m.played)
	}
	for _, s := range b.Sections {
		if len(s.Tries) != 3 || s.Tries[0].Waited != 21 || s.Quietest().load() <= 0.5 {
			t.Errorf("%s: %+v", s.Name, s.Tries)
		}
	}
	if text := markdownOf(t, Load{2, 2}); !strings.Contains(text, "**The machine was not quiet: other programs used 2 processors.") {
		t.Error(text)
	}
	m, b = &machine{loads: []float64{0.6, 0.6, 2}}, newBook() // again, and louder
	b.Plan.Wait, b.Plan.Tries = 0, 2
	if err := m.runner().Run(t.Context(), b, twoChapters[:1]); err != nil || len(m.played) != 4 || b.Find("a").Outcomes[0].Warning != "1" {
		t.Errorf("%v, %q: the louder numbers took the place of the others", err, m.played)
	}
	m, b = &machine{loads: []float64{3}}, newBook()
	b.Plan.Limit = 90 // one time each: 21 + 20 and 21 + 10 s
	if err := m.runner().Run(t.Context(), b, twoChapters); err != nil || len(m.played) != 4 {
		t.Errorf("%v, %q: b alone fits once more", err, m.played)
	}
}

// markdownOf returns the document of a book with one section, which had that load.
func markdownOf(t *testing.T, l Load) string {
	t.Helper()
	b := newBook()
	b.Sections = []*Section{{Name: ChapterVec, Tries: []Try{{Before: l}}}}
	return markdown(t, b)
}

// An interrupted run loses the case that it was in and no other: whoever goes on has measured each case once, and the
// section's load is the worst of both its parts.
func TestRunnerGoesOn(t *testing.T) {
	for stop := range 3 {
		m, b := &machine{loads: []float64{0.4}, stop: stop + 1}, newBook()
		if err := m.runner().Run(t.Context(), b, twoChapters); stop < 2 && !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
		kept, err := ReadBook([]byte(m.saved[len(m.saved)-1]))
		if err != nil {
			t.Fatal(err)
		}
		m.stop, m.loads = 0, []float64{0.1}
		if err := m.runner().Run(t.Context(), kept, twoChapters); err != nil || strings.Join(m.played, ", ") != "a 1, a 2, b 3" {
			t.Errorf("after %d cases: %v, played %q", stop+1, err, m.played)
		}
		a := kept.Find("a")
		if len(a.Tries) != 1 || a.Tries[0].Before.Cores != 0.4 || a.Tries[0].Seconds != 20 || len(a.Outcomes) != 2 || a.Outcomes[0].Warning != "1" {
			t.Errorf("after %d cases: %+v", stop+1, a)
		}
	}
}

// A ring of goroutines checks what it hears, both contenders make whole rounds, and others are refused.
func TestMessages(t *testing.T) {
	for _, name := range MessagesContenders() {
		task, err := Open(Job{Kind: KindMessages, Contender: name, Ranks: 5, Threads: 1})
		if err != nil || task.Group != 40000 {
			t.Fatal(name, err)
		}
		if err := task.Run(3); err != nil {
			t.Error(name, err)
		}
	}
	for _, bad := range []Job{{Kind: KindMessages, Contender: "pipes", Ranks: 5}, {Kind: KindMessages, Contender: VirtualRing, Ranks: 1}} {
		if _, err := Open(bad); err == nil {
			t.Errorf("%+v opened", bad)
		}
	}
	if c := MessagesCase(10000); c.Command() != "gradsync bench cluster --ranks 10000" {
		t.Error(c.Command())
	}
}

// The system says how busy it was, and its load average.
func TestReadLoad(t *testing.T) {
	busy, all := ticks()
	if all == 0 {
		t.Skip("no /proc/stat here")
	}
	if busy <= 0 || busy >= all {
		t.Errorf("busy %v of %v", busy, all)
	}
	if l, err := ReadLoad(t.Context(), 50*time.Millisecond); err != nil || l.Cores < 0 || l.Average < 0 {
		t.Errorf("%+v, %v", l, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadLoad(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// MPICH is left nothing but TCP, by its environment, and Open MPI by its command line.
func TestMPICommands(t *testing.T) {
	open, mpich := &MPI{Launcher: "a"}, &MPI{Launcher: "b", MPICH: true}
	if got := strings.Join(open.Start(t.Context(), 2, "x").Args, " "); got != "a --mca btl tcp,self --oversubscribe --bind-to none --allow-run-as-root -n 2 x" {
		t.Error(got)
	}
	if got := strings.Join(mpich.Start(t.Context(), 3, "x").Args, " "); got != "b -bind-to none -n 3 x" {
		t.Error(got)
	}
	if !slices.Contains(mpich.environment(), "UCX_TLS=tcp,self") || !slices.Contains(mpich.environment(), "MPIR_CVAR_NOLOCAL=1") || open.environment() != nil {
		t.Errorf("%q, %q", mpich.environment(), open.environment())
	}
	mpich.Compiler = "no-such-compiler"
	var unable *Unable
	if err := mpich.Build(t.Context()); !errors.As(err, &unable) || unable.Why != "no MPICH: no no-such-compiler here (Debian: mpich libmpich-dev)" {
		t.Error(err)
	}
}
