package dev

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	render "gradsync/reports"
	"gradsync/reports/page"
)

// Estimate returns the seconds that a run takes of the experiments ids without those of except.
type Estimate func(ids, except []string, profile, seeds string) float64

// Stretch is a run's place in a chore of several: estimated seconds of the runs before it, its own, and
// those of the runs after it. So one bar goes through all of them.
type Stretch struct{ Behind, This, Ahead float64 }

// StretchEnv names the variable that tells a run its stretch.
const StretchEnv = "GRADSYNC_STRETCH"

// within tells a step of run its stretch; the command that is printed needs no such thing.
func (s step) within(at Stretch) step {
	s.env = append(slices.Clone(s.env), fmt.Sprintf("%s=%g,%g,%g", StretchEnv, at.Behind, at.This, at.Ahead))
	return s
}

// ParseStretch reads the value of StretchEnv; ok is false for what is none.
func ParseStretch(text string) (at Stretch, ok bool) {
	n, err := fmt.Sscanf(text, "%g,%g,%g", &at.Behind, &at.This, &at.Ahead)
	return at, err == nil && n == 3 && at.Behind >= 0 && at.This > 0 && at.Ahead >= 0
}

// summed is the last step of a reproduction: what the results in dir, which the user calls out, came to.
func summed(out, dir, profile string, documents []string) step {
	return step{Command: "the bits, what held, what did not, where to look", own: func(_ string, to io.Writer) error {
		results := filepath.Join(dir, "results")
		same, all, others, err := render.Bits(results, profile, documents...)
		if err != nil {
			return err
		}
		_, counts, err := render.Counts(results, profile, documents...)
		if err != nil {
			return err
		}
		pages := filepath.Join(out, "html", "index.html")
		if len(documents) == 1 {
			pages = filepath.Join(out, "html", documents[0]+".html")
			if each := filepath.Join("html", documents[0], "claims.html"); exists(filepath.Join(dir, each)) {
				pages += ", and each claim with its reason: " + filepath.Join(out, each)
			}
		}
		line := func(name, what string) { fmt.Fprintf(to, "%-13s %s\n", name+":", what) }
		line("bits", fmt.Sprintf("%d of %d results have the published bits", same, all))
		for _, o := range others {
			fmt.Fprintf(to, "%-13s %s\n", "", o)
		}
		for _, l := range lastLines {
			if what := listed(counts, l.words...); what != "" {
				line(l.name, what+l.more)
			}
		}
		line("look at", filepath.ToSlash(pages))
		return nil
	}}
}

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lastLines are the lines of a reproduction's end on its claims, with the words that each counts.
var lastLines = []struct {
	name  string
	words []string
	more  string
}{
	{"held", []string{claims.WordHolds, claims.WordDirection}, ""},
	{"did not hold", []string{claims.WordNot}, ""},
	{"depends", []string{claims.WordDepends}, " on what the document leaves open"},
	{"cannot tell", []string{claims.WordCannot}, " with these seeds"},
	{"no finding", []string{claims.WordNoCase, claims.WordInput, claims.WordNotRun}, ""},
}

// listed writes the counts of some words as pages do, "" where there is none.
func listed(counts []page.VerdictCount, words ...string) string {
	var parts []string
	for _, c := range counts {
		if slices.Contains(words, c.Key) {
			parts = append(parts, fmt.Sprintf("%d %s", c.N, c.Words().En()))
		}
	}
	return strings.Join(parts, ", ")
}
