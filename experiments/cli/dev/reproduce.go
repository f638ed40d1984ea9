package dev

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
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

// summed is the last step of a reproduction: three lines on the verdicts of the results in dir, which the user
// calls out.
func summed(out, dir, profile string, documents []string) step {
	return step{Command: "what held, what did not, where to look", own: func(_ string, to io.Writer) error {
		counts, err := countWords(filepath.Join(dir, "results"), profile, documents)
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
		for _, line := range lastLines(counts, pages) {
			fmt.Fprintln(to, line)
		}
		return nil
	}}
}

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// countWords counts the claims of documents by their plain words; claims that nothing here can judge are in no
// count.
func countWords(results, profile string, documents []string) (map[string]int, error) {
	counts := map[string]int{}
	for _, key := range documents {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(result.Path(results, key+"/x", profile)), "*.json"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if strings.HasSuffix(f, ".run.json") {
				continue
			}
			r, err := result.Read(f)
			if err != nil {
				return nil, err
			}
			for _, c := range claims.InScope(r.Claims) {
				counts[claims.Word(c.Verdict)]++
			}
		}
	}
	return counts, nil
}

// inWords are the plain words as pages write them.
var inWords = map[string]string{claims.WordHolds: "holds", claims.WordDirection: "holds in direction", claims.WordNot: "does not hold",
	claims.WordDepends: "depends", claims.WordCannot: "cannot tell", claims.WordNoCase: "no case", claims.WordInput: "input", claims.WordNotRun: "not run"}

// lastLines words the counts: what held, what did not, and where to look.
func lastLines(counts map[string]int, pages string) []string {
	list := func(words ...string) string {
		var parts []string
		for _, w := range words {
			if n := counts[w]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s %d", inWords[w], n))
			}
		}
		if parts == nil {
			return "no claim"
		}
		return strings.Join(parts, ", ")
	}
	return []string{
		"held:    " + list(claims.WordHolds, claims.WordDirection),
		"did not: " + list(claims.WordNot, claims.WordDepends, claims.WordCannot, claims.WordNoCase, claims.WordInput, claims.WordNotRun),
		"look at: " + filepath.ToSlash(pages),
	}
}
