package bench

import (
	"encoding/json"
	"strings"
	"testing"

	"gradsync/shared/gpu"
)

// gpuReport is a report of the first and the last case, after a file.
func gpuReport(t *testing.T, ratio float64) *GPUReport {
	t.Helper()
	r := &GPUReport{Command: "gradsync bench gpu", Version: "0", Date: "2026-01-02", Device: "a card"}
	for _, c := range GPUCases() {
		o := &Outcome{Case: c}
		for _, name := range GPUContenders(c) {
			res := &Result{Contender: name, StepTime: Spread{1, 1, 1}, Facts: []string{"a fact"}}
			if name != c.Peer {
				res.Ratio = &Spread{ratio, ratio, ratio}
			}
			o.Results = append(o.Results, res)
		}
		r.Cases = append(r.Cases, o)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	read := &GPUReport{}
	if err := json.Unmarshal(text, read); err != nil {
		t.Fatal(err)
	}
	return read
}

// TestGPUReport: a file has all that the section needs; its aims are those of the cases, held
// at their bound and missed below; what was not measured says so in every row.
func TestGPUReport(t *testing.T) {
	for _, c := range []struct {
		r    *GPUReport
		word string
		n    int
	}{
		{gpuReport(t, 2), "| held |", 3 + len(wireKernels)},
		{gpuReport(t, 0.9), "| held |", 2 + len(wireKernels)},
		{gpuReport(t, 0.5), "| missed |", 3 + len(wireKernels)},
		{&GPUReport{Why: "there was none"}, "| not measured | – |", 3 + len(wireKernels)},
	} {
		var out strings.Builder
		p := &printer{w: &out}
		c.r.markdown(p)
		text := out.String()
		if p.err != nil || strings.Count(text, c.word) != c.n || !strings.HasPrefix(text, "## GPU\n") {
			t.Errorf("%v, %d times %q, want %d:\n%s", p.err, strings.Count(text, c.word), c.word, c.n, text)
		}
		if !strings.Contains(text, "PyTorch may use them") {
			t.Errorf("nothing says that the contenders' algorithms differ:\n%s", text)
		}
		if measured := strings.Contains(text, "### lenet5, batch 64"); measured != (c.r.Device != "") || measured && !strings.Contains(text, "a card") {
			t.Errorf("the cases: %t\n%s", measured, text)
		}
	}
	for _, c := range GPUCases() {
		j := c.Job
		j.Contender = GPUContenders(c)[0]
		if err := j.Check(); err != nil || c.Aims[0].Contender != gpu.Name && j.Kind == KindStep {
			t.Errorf("%+v: %v", j, err)
		}
	}
}
