package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// Book is BENCHMARKS.json: everything that was measured, of which BENCHMARKS.md is made.
type Book struct {
	Command   string            `json:"command"`
	Version   string            `json:"version"` // of gradsync
	Date      string            `json:"date"`
	Processor string            `json:"processor"`
	Cores     int               `json:"cores"`
	System    string            `json:"system"`
	Go        string            `json:"go"`
	Libraries map[string]string `json:"libraries"` // by contender
	Answers   []Answer          `json:"answers"`
}

// Answer has what a question came to.
type Answer struct {
	Question string  `json:"question"`
	Before   string  `json:"load_before"` // averages of a minute
	After    string  `json:"load_after"`
	Cases    []*Case `json:"cases"`
}

// Case has one case's contenders: what each printed, round by round, or why it printed nothing.
type Case struct {
	Name  string            `json:"case"`
	By    map[string]Series `json:"by"`
	Notes map[string]string `json:"notes,omitempty"`
}

// Series is one contender's values of each round, by unit: "sec/op", "B/s", "allocs/op", "peak-B" …
type Series map[string][]float64

// NewBook returns an empty book of this machine.
func NewBook(command, version, date string) *Book {
	return &Book{Command: command, Version: version, Date: date, Cores: runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Libraries: map[string]string{}}
}

// ReadBook reads a book.
func ReadBook(text []byte) (*Book, error) {
	b := &Book{}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	for _, a := range b.Answers {
		if Find(a.Question) == nil {
			return nil, fmt.Errorf("bench: no question %q", a.Question)
		}
	}
	return b, nil
}

// Marshal returns the book as ReadBook reads it.
func (b *Book) Marshal() ([]byte, error) {
	text, err := json.MarshalIndent(b, "", " ")
	return append(text, '\n'), err
}

// put takes an answer in, in the order of the questions, in the place of an older one.
func (b *Book) put(a Answer) {
	b.Answers = slices.DeleteFunc(b.Answers, func(old Answer) bool { return old.Question == a.Question })
	b.Answers = append(b.Answers, a)
	order := func(a Answer) int {
		return slices.IndexFunc(Questions(), func(q Question) bool { return q.Name == a.Question })
	}
	slices.SortFunc(b.Answers, func(x, y Answer) int { return order(x) - order(y) })
}

// learn keeps what a contender said about itself.
func (b *Book) learn(by string, got *benchfmt.Result) {
	if library := got.GetConfig("library"); library != "" {
		b.Libraries[by] = library
	}
	b.Processor = cmp.Or(got.GetConfig("cpu"), b.Processor)
}

// add appends a round, to six digits.
func (c *Case) add(by string, got *benchfmt.Result) {
	if c.By[by] == nil {
		c.By[by] = Series{}
	}
	for _, v := range got.Values {
		x, _ := strconv.ParseFloat(strconv.FormatFloat(v.Value, 'g', 6, 64), 64)
		c.By[by][v.Unit] = append(c.By[by][v.Unit], x)
	}
}

// Find returns a case, nil if it is not there.
func (b *Book) Find(question, name string) *Case {
	for _, a := range b.Answers {
		for _, c := range a.Cases {
			if a.Question == question && c.Name == name {
				return c
			}
		}
	}
	return nil
}

// confidence says how sure intervals are; six rounds or more give it.
const confidence = 0.95

// summary returns median and interval without an assumption on what is distributed how; nil without values.
func summary(values []float64) *benchmath.Summary {
	if len(values) == 0 {
		return nil
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), confidence)
	return &s
}

// speed returns what a contender came to in the question's unit.
func (c *Case) speed(q *Question, by string) *benchmath.Summary { return summary(c.By[by][q.unit()]) }

// ratio returns how many times as fast ours is as a peer: taken round by round, so that what disturbs the machine for
// longer than a round meets both.
func (c *Case) ratio(q *Question, peer string) *benchmath.Summary {
	ours, theirs := c.By[q.Ours][q.unit()], c.By[peer][q.unit()]
	var ratios []float64
	for i := range min(len(ours), len(theirs)) {
		x := ours[i] / theirs[i]
		if !q.Rate {
			x = 1 / x
		}
		ratios = append(ratios, x)
	}
	return summary(ratios)
}

// fallen is the share of a committed ratio below which a new one is named.
const fallen = 0.75

// Change is one ratio of a book beside the same one measured again.
type Change struct {
	Question string  `json:"question"`
	Case     string  `json:"case"`
	Peer     string  `json:"peer"`
	Was      float64 `json:"was"`
	Now      float64 `json:"now"`
	Fell     bool    `json:"fell"`              // by more than a quarter
	Skipped  string  `json:"skipped,omitempty"` // why they are not compared
}

// Compare sets the ratios of a book beside those of one that was measured again, of all cases that the second one has.
func Compare(was, now *Book) (out []Change) {
	for _, a := range now.Answers {
		q := Find(a.Question)
		for _, c := range a.Cases {
			for _, peer := range q.contenders(c.Name) {
				if peer == q.Ours {
					continue
				}
				change := Change{Question: q.Name, Case: c.Name, Peer: peer}
				old := was.Find(q.Name, c.Name)
				switch {
				case old == nil || old.ratio(q, peer) == nil:
					change.Skipped = peer + " was not measured"
				case c.ratio(q, peer) == nil:
					change.Skipped = cmp.Or(c.Notes[peer], c.Notes[q.Ours])
				case was.Libraries[peer] != now.Libraries[peer]:
					change.Skipped = fmt.Sprintf("%s is another: %s, not %s", peer, now.Libraries[peer], was.Libraries[peer])
				default:
					change.Was, change.Now = old.ratio(q, peer).Center, c.ratio(q, peer).Center
					change.Fell = change.Now < fallen*change.Was
				}
				out = append(out, change)
			}
		}
	}
	return out
}

// finite reports whether there were rounds enough for an interval.
func finite(s *benchmath.Summary) bool { return !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) }

// ChangesText returns the ratios that fell, a line each, then why others were not compared, then the counts.
func ChangesText(changes []Change) string {
	var out strings.Builder
	compared, fell := 0, 0
	var reasons []string
	for _, c := range changes {
		switch {
		case c.Skipped != "":
			if !slices.Contains(reasons, c.Skipped) {
				reasons = append(reasons, c.Skipped)
			}
			continue
		case c.Fell:
			fell++
			fmt.Fprintf(&out, "fell: %s: %s × %s: %.3g → %.3g (%+.0f %%)\n",
				c.Question, c.Case, c.Peer, c.Was, c.Now, 100*(c.Now/c.Was-1))
		}
		compared++
	}
	for _, why := range reasons {
		fmt.Fprintf(&out, "not compared: %s\n", why)
	}
	fmt.Fprintf(&out, "%d ratios compared, %d fell by more than a quarter, %d not compared\n",
		compared, fell, len(changes)-compared)
	return out.String()
}
