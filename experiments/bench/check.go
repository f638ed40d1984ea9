package bench

import (
	"fmt"
	"slices"
	"strings"
)

// fallen is the share of a committed ratio below which a new one is named.
const fallen = 0.75

// Change is one ratio of a book beside the same one measured again.
type Change struct {
	Chapter   string  `json:"chapter"`
	Case      string  `json:"case"`
	Contender string  `json:"contender"`
	Peer      string  `json:"peer"`
	Was       float64 `json:"was"` // median of the rounds' ratios of speed
	Now       float64 `json:"now"`
	Fell      bool    `json:"fell"`              // by more than a quarter
	Skipped   string  `json:"skipped,omitempty"` // why they are not compared
}

// Compare sets the ratios of a book beside those of one that was measured again: of all cases that
// the second one has. Ratios of contenders that are others now, by their versions and kernels, or
// that are not there, are skipped, and each says why.
func Compare(was, now *Book) (out []Change) {
	for _, c := range Chapters() {
		s := now.Find(c.Name)
		if s == nil {
			continue
		}
		for _, o := range s.Outcomes {
			old := was.Find(c.Name).Case(o.Title)
			for _, pair := range pairs(c.Name, o, was.Engine) {
				change := Change{Chapter: c.Heading, Case: o.Title, Contender: pair[0], Peer: pair[1]}
				if change.Skipped = incomparable(old, o, pair); change.Skipped == "" {
					change.Was, change.Now = old.Against(pair[0], pair[1]).Median, o.Against(pair[0], pair[1]).Median
					change.Fell = change.Now < fallen*change.Was
				}
				out = append(out, change)
			}
		}
	}
	return out
}

// pairs lists whose ratios to whom say how our own code does.
func pairs(chapter string, o *Outcome, engine string) (out [][2]string) {
	switch chapter {
	case ChapterSteps, ChapterGemm:
		return [][2]string{{engine, o.Peer}}
	case ChapterMessages:
		return [][2]string{{VirtualRing, ChannelRing}}
	case ChapterRing:
		return [][2]string{{OurRing, MPIReduce}, {OurRing, MPICHReduce}, {OurRing, MPIRing}}
	case ChapterMPI:
		return [][2]string{{RingOnMPI, OurRing}, {RingOnMPI, MPIRing}, {RingOnMPI, MPIReduce}}
	case ChapterTLS:
		return [][2]string{{TLSRing, OurRing}}
	}
	for _, r := range o.Results {
		if r.Contender != o.Peer {
			out = append(out, [2]string{r.Contender, o.Peer})
		}
	}
	return out
}

// incomparable says why a pair's ratios cannot be compared; "": they can.
func incomparable(was, now *Outcome, pair [2]string) string {
	if was == nil {
		return "the case is not among the committed ones"
	}
	for _, name := range pair {
		a, b := was.Find(name), now.Find(name)
		switch {
		case a == nil || len(a.Speeds) == 0:
			return name + " was not there"
		case b == nil || len(b.Speeds) == 0:
			return name + " is not here"
		case a.Class != b.Class:
			return fmt.Sprintf("%s is another: %s, not %s", name, b.Class, a.Class)
		case name != OurRing && name != TLSRing && name != RingOnMPI && !slices.Equal(a.Facts, b.Facts): // our rings' facts are their settings
			return fmt.Sprintf("%s is another: %s, not %s", name, strings.Join(b.Facts, "; "), strings.Join(a.Facts, "; "))
		}
	}
	return ""
}

// Strange says in a sentence how this machine is of another kind than the book's; "" if it is not.
func (b *Book) Strange(machine [][2]string) string {
	var differ []string
	for _, pair := range machine {
		for _, was := range b.Machine {
			if slices.Contains([]string{"processor", "family, model, stepping", "cores"}, pair[0]) && was[0] == pair[0] && was[1] != pair[1] {
				differ = append(differ, fmt.Sprintf("%s %s, not %s", pair[0], pair[1], was[1]))
			}
		}
	}
	if len(differ) == 0 {
		return ""
	}
	return "this machine is of another kind (" + strings.Join(differ, "; ") + "): ratios say less than on the book's own"
}

// Fell tells whether a case of a chapter has a ratio that fell.
func Fell(changes []Change, heading, title string) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Fell && c.Chapter == heading && c.Case == title })
}

// ChangesText returns the ratios that fell, a line each, then those that were skipped, by reason, then the counts.
func ChangesText(changes []Change) string {
	var b strings.Builder
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
			fmt.Fprintf(&b, "fell: %s: %s: %s × %s: %s → %s (%+.0f %%)\n", c.Chapter, c.Case, c.Contender, c.Peer, figure(c.Was), figure(c.Now), 100*(c.Now/c.Was-1))
		}
		compared++
	}
	for _, why := range reasons {
		fmt.Fprintf(&b, "not compared: %s\n", why)
	}
	fmt.Fprintf(&b, "%d ratios compared, %d fell by more than a quarter, %d not compared\n", compared, fell, len(changes)-compared)
	return b.String()
}
