package convergence

import (
	"os"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp/rivals"
	"gradsync/reports/notebook"
)

// Each reading is an option of its method that no other has, and the first of a method is the default.
func TestReadings(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range readings {
		o := setup.Options()
		r.set(&o)
		if _, err := rivals.New(r.method, o); err != nil {
			t.Errorf("%s: %v", r.key, err)
		}
		key := r.method + o.ASPWeight + o.GroupWeight + o.Arrivals
		if seen[key] || readingsOf(r.method)[0].key != r.method {
			t.Errorf("%s: as another reading, or before the default", r.key)
		}
		seen[key] = true
	}
	if n := len(readingsOf("dasp")) * len(readingsOf("asp")); n != 8 {
		t.Errorf("%d pairs of DASP and ASP, want 8", n)
	}
}

// A claim that one reading decides as stated and another one the other way has both signs; the page
// says so, in both languages.
func TestWeightsFlip(t *testing.T) {
	study, cells := weights(), map[point][]setup.Summary{}
	times := map[string]float64{"bsp": 4, "asp": 1.5, "asp-weight-1": 3, "ssp": 2.5, "dssp": 2,
		"dasp": 2.2, "dasp-group-1-n": 1.8, "dasp-join": 2.2, "dasp-join-group-1-n": 1.8}
	for _, p := range study.Points("standard") {
		for i := range 6 {
			c := curve(times[p.Method]*(1+0.001*float64(i%3)), 0.2, setup.SizeOf("standard", p.Model).Target)
			c.Digest, c.Data = p.Method, &result.Data{Name: "cifar-10"}
			cells[p] = append(cells[p], c)
		}
	}
	same := point{weightsOn, "vgg19_bn", "dssp"} // does what DASP does
	for i := range cells[same] {
		cells[same][i] = cells[same.as("dasp")][i]
	}
	v := kit.NewView(kit.Start(study.ID, study.Source, study.Kind, exp.Env{Profile: "standard", Seeds: []uint64{0, 1, 2, 3, 4, 5}}, nil), cells)
	study.Show(v)
	r := v.Result
	kittest.WantCells(t, r, "flips", "claim", "D27", "D28", "D29", "D30", "D31", "D32", "D33", "D34")
	kittest.WantCells(t, r, "flips", "readings", 4, 8, 4, 4, 4, 8, 4, 4)
	kittest.WantCells(t, r, "flips", "as_stated", 4, 4, 4, 2, 4, 4, 4, 2)
	kittest.WantCells(t, r, "flips", "opposite", 0, 4, 0, 2, 0, 4, 0, 0)
	kittest.WantCells(t, r, "flips", "no_case", 0, 0, 0, 0, 0, 0, 0, 1)
	kittest.WantCells(t, r, "flips", "flips", false, true, false, true, false, true, false, false)
	if got := kittest.Fact(t, r.Facts, "flip"); got != 3 {
		t.Errorf("%v claims have both signs, want 3", got)
	}
	raw := oktest.Must(result.Encode(r))(t)
	r = oktest.Must(result.Decode(r.ID, raw))(t)
	book := oktest.Must(notebook.Open(os.DirFS("../../../reports/text")))(t)
	oktest.Must(book.Page(r, nil))(t)
}
