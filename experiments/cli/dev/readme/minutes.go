package readme

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gradsync/experiments/paper"
	"gradsync/experiments/result"
)

const (
	beginMinutes = "<!-- minutes: written by `make reports` from the sidecars of experiments/results -->"
	endMinutes   = "<!-- end of minutes -->"
)

// cost holds the time that the results of one document and profile took.
type cost struct {
	n, dirty int
	wall     float64 // seconds, all together
	peak     int64   // bytes, the highest
	seeds    []string
}

// hosts are the machines of all results, their engines and days.
type hosts struct{ machines, engines, days []string }

// minutes says on what the committed results were made, and has a table of what they
// cost, one row per document and profile: results, seeds, the sum of their wall times,
// the highest peak memory, and how many were made from a changed tree.
func minutes(root string) (string, error) {
	var rows strings.Builder
	var h hosts
	for _, d := range paper.Indexed() {
		for _, profile := range []string{"ci", "quick", "standard", "paper"} {
			c, err := h.add(filepath.Dir(result.Path(root, d.Key+"/x", profile)))
			if err != nil {
				return "", err
			}
			if c.n == 0 {
				continue
			}
			fmt.Fprintf(&rows, "| %s | `%s` | %d | %s | %s | %.2f GiB | %d |\n", d.Name(), profile, c.n, strings.Join(c.seeds, "; "),
				took(c.wall), float64(c.peak)/(1<<30), c.dirty)
		}
	}
	for _, list := range []*[]string{&h.machines, &h.engines, &h.days} {
		slices.Sort(*list)
	}
	return fmt.Sprintf("Machine: %s. Engine: %s. Made on %s.\n\n"+
		"| document | profile | results | seeds | wall time, all together | peak memory | from a changed tree |\n|---|---|---|---|---|---|---|\n%s",
		listed(h.machines), listed(h.engines), listed(h.days), rows.String()), nil
}

func listed(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, "; ")
}

// add sums the sidecars of a folder and notes their hosts; a folder without results
// costs nothing. A result without a sidecar of its own is an error: its time would
// silently count as none.
func (h *hosts) add(dir string) (c cost, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return c, err
	}
	for _, f := range files {
		if strings.HasSuffix(f, ".run.json") {
			continue
		}
		r, err := result.Read(f)
		if err != nil {
			return c, err
		}
		run, err := result.ReadRun(f)
		if err != nil {
			return c, err
		}
		raw, err := os.ReadFile(f)
		if err != nil {
			return c, err
		}
		if run.ResultSHA256 != result.Sum(raw) {
			return c, fmt.Errorf("%s: its sidecar belongs to other bytes", f)
		}
		c.n++
		c.wall += run.WallSeconds
		c.peak = max(c.peak, run.PeakRSSBytes)
		if run.Dirty {
			c.dirty++
		}
		ss := make([]string, len(r.Seeds))
		for i, s := range r.Seeds {
			ss[i] = fmt.Sprint(s)
		}
		once(&c.seeds, strings.Join(ss, ", "))
		once(&h.machines, fmt.Sprintf("%s, %d threads, %s, %s", run.CPU, run.GOMAXPROCS, run.Platform, run.Go))
		once(&h.engines, r.Engine)
		day, _, _ := strings.Cut(run.Started, "T")
		once(&h.days, day)
	}
	slices.Sort(c.seeds)
	return c, nil
}

// once adds s to a list that lacks it.
func once(list *[]string, s string) {
	if s != "" && !slices.Contains(*list, s) {
		*list = append(*list, s)
	}
}

// took prints seconds to a second below two minutes, else to a tenth of a minute.
func took(seconds float64) string {
	if seconds < 120 {
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.1f min", seconds/60)
}
