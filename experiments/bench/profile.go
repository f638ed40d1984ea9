package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// topFunctions is how many lines of a profile are kept; the last one is the rest.
const topFunctions = 12

// flatten reads a CPU profile as `go tool pprof -top` would: the share of the
// samples whose innermost function this is, largest first, and what is left as
// "(other)". A profile without a sample has no functions.
func flatten(raw io.Reader) ([]Function, error) {
	p, err := profile.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("bench: profile: %w", err)
	}
	counts, total := map[string]int64{}, int64(0)
	for _, s := range p.Sample {
		name := "(unknown)" // a foreign library's code
		if len(s.Location) > 0 && len(s.Location[0].Line) > 0 && s.Location[0].Line[0].Function != nil {
			name = s.Location[0].Line[0].Function.Name
		}
		counts[strings.TrimPrefix(name, "gradsync/")] += s.Value[0]
		total += s.Value[0]
	}
	var out []Function
	for name, n := range counts {
		out = append(out, Function{name, float64(n) / float64(total)})
	}
	slices.SortFunc(out, func(a, b Function) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Name, b.Name))
	})
	if len(out) > topFunctions {
		rest := 0.0
		for _, f := range out[topFunctions-1:] {
			rest += f.Share
		}
		out = append(out[:topFunctions-1], Function{"(other)", rest})
	}
	return out, nil
}
