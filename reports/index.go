package reports

import "slices"

// indexPage lists the papers, also those of which nothing was run.
type indexPage struct {
	head
	Papers   []indexLine
	Verdicts []verdict
	Software citation
	Command  string
}

type indexLine struct {
	*paper
	Built   bool
	Tally   []tally
	Results int
}

// add appends a paper with what its results found.
func (p *indexPage) add(of *paper, rs []loaded) {
	line := indexLine{paper: of, Built: len(rs) > 0, Results: len(rs)}
	var counts []tally
	for _, v := range verdicts {
		n := 0
		for _, r := range rs {
			for _, c := range r.Claims {
				if c.Verdict == v.Key {
					n++
				}
			}
		}
		if n > 0 {
			counts = append(counts, tally{v, n})
		}
	}
	line.Tally = counts
	// Papers with results come first, each kind in the order of the registry.
	at := len(p.Papers)
	if line.Built {
		at = slices.IndexFunc(p.Papers, func(l indexLine) bool { return !l.Built })
		if at < 0 {
			at = len(p.Papers)
		}
	}
	p.Papers = slices.Insert(p.Papers, at, line)
}
