package reports

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"sync"
	"testing/fstest"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/reports/notebook"
)

// The examples are invented results, plainly invented (multiples of 1.11), with notebooks of their own: they test the
// pages and mean nothing. Their claims are rows of claims.csv, since pages take the words of a claim from there.

// In tests the program has the notebooks of the examples among its words.
func init() {
	openBook = sync.OnceValues(func() (*notebook.Book, error) { return notebook.Open(exampleText()) })
}

// exampleFiles are the notebooks, labels and reasons of the examples.
//
//go:embed testdata/text
var exampleFiles embed.FS

// exampleText returns the program's text with the examples'.
func exampleText() fs.FS {
	out := fstest.MapFS{}
	add := func(files fs.FS, below string) error {
		return fs.WalkDir(files, below, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(files, name)
			name = strings.TrimPrefix(name, below+"/")
			if all, ok := out[name]; ok { // the examples’ own come after the program’s
				text = append(all.Data, strings.TrimPrefix(string(text), "id,text\n")...)
			}
			out[name] = &fstest.MapFile{Data: text}
			return err
		})
	}
	if err := errors.Join(add(wordFiles, "text"), add(exampleFiles, "testdata/text")); err != nil {
		panic(err)
	}
	return out
}

func examples() []*result.Result {
	return []*result.Result{exampleTimes(), exampleCurves(), exampleLines(), exampleStated(), exampleCost(), exampleBytes(), exampleLoad(), exampleCompare()}
}

func newExample(id, source, kind string) *result.Result {
	return &result.Result{
		Schema: result.Schema, ID: id, Source: source, Profile: "quick", Kind: kind, Status: result.Complete,
		Seeds: []uint64{0, 1, 2}, Engine: "portable", Config: map[string]any{"invented": true}, Frames: []result.Frame{},
		Data: []result.Data{{Name: "invented images", Origin: "synthetic", Train: 11111, Test: 1111, SHA256: strings.Repeat("2", 64)}},
	}
}

// bounded returns an interval of a claim that has one number.
func bounded(lo, hi float64) []*[2]float64 { return []*[2]float64{{lo, hi}} }

type exampleTime struct {
	model, method string
	estimate      kit.Estimate
}

func exampleTimes() *result.Result {
	r, because := newExample("dasp/example5", "Example, Table 5", result.TimingOnly), result.Because
	r.Claims = []result.Claim{
		{ID: "D13", Measured: 82.1, Seeds: 3, Verdict: claims.Equal},
		{ID: "D10", Measured: 24.4, CI95: bounded(21.1, 27.7), Seeds: 3, Verdict: claims.Within},
		{ID: "D15", Measured: 55.5, CI95: bounded(51.1, 59.9), Seeds: 3, Verdict: claims.SameSign, Reasons: []result.Reason{because("assumed-platform")},
			Differs: []result.Reason{because("example-data", "images", 11111), because("narrower", "by", 8, "image", 16)}},
		{ID: "D16", Measured: 11.1, CI95: bounded(-2.2, 24.4), Seeds: 3, Verdict: claims.Undecided,
			Reasons: []result.Reason{because("ci-contains-null", "lo", -2.2, "hi", 24.4, "null", 0), because("example-wait")}},
		{ID: "D14", Measured: 4.44, Seeds: 3, Verdict: claims.NotStated, Reasons: []result.Reason{because("no-value-stated")}},
		{ID: "D17", Verdict: claims.NotRun, Reasons: []result.Reason{because("example-left-out", "minutes", 111)}},
		{ID: "D42", Measured: []any{0.819, 0.8, -1.0}, CI95: []*[2]float64{{0.81, 0.83}, nil, {-2, 0}}, Seeds: 3, Verdict: claims.Within,
			Remark: claims.DerivedRemark},
	}
	var rows []exampleTime
	for j, model := range []string{"lenet5", "resnet18", "example"} {
		for i, m := range []string{"bsp", "asp", "ssp", "dssp", "dasp"} {
			x := kit.Estimate{Value: 1.11 * float64(j+1) * (1 + 0.11*float64(5-i)), N: 3}
			x.CI = &[2]float64{x.Value * 0.95, x.Value * 1.07}
			if model == "example" && m == "dssp" {
				x = kit.Estimate{}
			}
			rows = append(rows, exampleTime{model, m, x})
		}
	}
	r.Facts = kit.Facts("workers", 6, "waited/ms.2", 1.11)
	r.Frames = []result.Frame{kit.Rows("times", "model:model method:method seconds~/s.3", rows, func(t exampleTime) []any {
		return []any{t.model, t.method, t.estimate}
	})}
	r.Figures = []result.Figure{{ID: "bars", Form: "bar", Frame: "times", X: "model", Y: []string{"seconds"}, By: []string{"method"}}}
	return r
}

func exampleCurves() *result.Result {
	r := newExample("dasp/example-fig4", "Example, Fig. 4", result.Trained)
	s := kit.NewSheet("curves", "method:method seed/ time/s.1 accuracy/% lo/% hi/%")
	s.Columns[4].Bound, s.Columns[5].Bound = result.Low, result.High
	for i, m := range []string{"bsp", "asp", "ssp", "dssp", "dasp"} {
		at := func(k int, wobble float64) (x, y float64) {
			x = 11.1 * float64(k)
			return x, 88.8*(1-math.Exp(-x/(44+11*float64(i)))) + wobble*math.Sin(float64(k)+wobble)
		}
		for k := range 25 {
			x, y := at(k, 0)
			s.Add(m, nil, x, y, y-1.11-0.3*float64(i), y+1.11+0.3*float64(i))
		}
		for seed := range 3 {
			for k := range 25 {
				x, y := at(k, 0.5+0.4*float64(seed))
				s.Add(m, float64(seed), x, y, nil, nil)
			}
		}
	}
	r.Frames = []result.Frame{s.Frame}
	r.Figures = []result.Figure{{ID: "accuracy", Form: "line", Frame: "curves", X: "time", Y: []string{"accuracy"}, By: []string{"method"}, Seed: "seed"}}
	found := result.Because("example-curves", "asp", 1.11, "bsp", 0.22)
	r.Claims = []result.Claim{{ID: "D40", Found: &found, Seeds: 3, Verdict: claims.Holds,
		Differs: []result.Reason{result.Because("example-data", "images", 11111)}}}
	return r
}

func exampleLines() *result.Result {
	r := newExample("dasp/example-fig2", "Example, Fig. 2", result.Trained)
	r.Status = result.Incomplete
	s := kit.NewSheet("bands", "lane:lane from/s.2 to/s.2 state:state label:label")
	for lane := range 6 {
		at, step := 0.0, 1.11*(1+0.33*float64(lane))
		add := func(length float64, state, label string) {
			s.Add(fmt.Sprint("worker", lane+1), at, at+length, state, label)
			at += length
		}
		for k := 0; at < 20; k++ {
			add(step, "compute", "")
			add(0.22, "push", "")
			if lane < 3 && k%2 == 1 {
				add(0.66, map[bool]string{true: "WSS", false: "FSS"}[k%4 != 3], "waits")
			}
		}
	}
	r.Frames = []result.Frame{s.Frame}
	r.Figures = []result.Figure{{ID: "lanes", Form: "gantt", Frame: "bands", X: "from", Y: []string{"to"}, Lane: "lane", State: "state", Label: "label"}}
	return r
}

func exampleStated() *result.Result {
	r := newExample("dasp/example1", "Example, Table 1", result.Stated)
	r.Seeds, r.Engine, r.Data = []uint64{}, "", nil
	s := kit.NewSheet("devices", "item:item rate/Gb/s reason:why sure:sure")
	s.Columns[1] = result.Column{Key: "rate", Unit: "Gb/s"}
	s.Add("link", 11.1, "long", "low")
	s.Add("worker", 1111.25, "other", "medium")
	r.Frames = []result.Frame{s.Frame}
	return r
}

func exampleCost() *result.Result {
	r := newExample("ring/example-cost", "Example, All-reduce communication cost", result.Counted)
	r.Data, r.Engine = nil, ""
	stated := result.Because(claims.AsStated)
	r.Claims = []result.Claim{
		{ID: "B08", Found: &stated, Verdict: claims.Equal, Reasons: []result.Reason{result.Because("example-pairs", "n", 111)}},
		{ID: "B05", Measured: 11.1, Verdict: claims.Differs},
		{ID: "B14", Measured: 666.0, Verdict: claims.Holds, Differs: []result.Reason{result.Because("assumed-platform")}},
	}
	s := kit.NewSheet("bytes", "method:example n/ sent/")
	for i, m := range []string{"ring", "naive", "halving-doubling", "hierarchical", "bound"} {
		for n := 2; n <= 11; n++ {
			s.Add(m, float64(n), 1.11+float64(i*n)/11)
		}
	}
	r.Frames = []result.Frame{s.Frame}
	r.Figures = []result.Figure{{ID: "bytes", Form: "line", Frame: "bytes", X: "n", Y: []string{"sent"}, By: []string{"method"}}}
	return r
}

func exampleBytes() *result.Result {
	r := newExample("ringsparse/example-choice", "Example, S41 and S42", result.Trained)
	stated, found := result.Because(claims.AsStated), result.Because("example-linear", "share", 0.111, "n", 32)
	yes := true
	r.Claims = []result.Claim{
		{ID: "P05", Found: &stated, Verdict: claims.Input},
		{ID: "P09", Found: &found, Verdict: claims.Differs, Reasons: []result.Reason{result.Because("does-not-hold")},
			Parts: []result.Part{{Of: map[string]string{"model": "lenet5"}, Value: 0.111, Holds: &yes}}},
	}
	s := kit.NewSheet("bytes", "method:example network:model mb/MB.2")
	for i, m := range []string{"dense", "ringsparse", "gradients", "weights", "all-gather"} {
		s.Add(m, "lenet5", 11.1/float64(i+1))
		if m != "weights" {
			s.Add(m, "resnet18", 22.2/float64(i+1))
		}
	}
	r.Frames = []result.Frame{s.Frame}
	r.Figures = []result.Figure{{ID: "shares", Form: "bar", Frame: "bytes", X: "network", Y: []string{"mb"}, By: []string{"method"}}}
	return r
}

func exampleLoad() *result.Result {
	r := newExample("codedsgd/example-load", "Example §2.4", result.Modelled)
	r.Data, r.Engine, r.Seeds = nil, "", []uint64{}
	found, stated := result.Because("example-load", "load", "11/111"), result.Because(claims.AsStated)
	r.Claims = []result.Claim{
		{ID: "C18", Found: &found, Verdict: claims.Differs, Reasons: []result.Reason{result.Because("other-words")}},
		{ID: "C28", Found: &stated, Verdict: claims.Equal, Remark: claims.DerivedRemark},
	}
	s := kit.NewSheet("loads", "n r coded/units")
	for n := 2; n <= 11; n++ {
		for k := 1; k <= min(n, 3); k++ {
			s.Add(n, k, 111*n-11*k)
		}
	}
	r.Frames = []result.Frame{s.Frame}
	return r
}

// compared are the methods of the four documents that one figure may hold.
var compared = []string{"BSP", "ASP", "SSP", "DSSP", "DASP", "naive", "ring", "RingSparse", "SSGD", "ASGD", "CSSGD", "compressed"}

// exampleCompare has the shape of the page that compares all methods.
func exampleCompare() *result.Result {
	r := newExample("compare/example-when", "ours: all methods beside one another", result.Trained)
	s := kit.NewSheet("times", "method:example cluster:platform seconds/s.2")
	for i, m := range compared {
		s.Add(strings.ToLower(m), "homogeneous6", 11.1/float64(i+1))
	}
	r.Facts = kit.Facts("share/%.1", 11.1)
	r.Frames = []result.Frame{s.Frame}
	r.Figures = []result.Figure{{ID: "bars", Form: "bar", Frame: "times", X: "cluster", Y: []string{"seconds"}, By: []string{"method"}}}
	return r
}

// twins returns results of profile standard beside the examples: example5 agrees in some claims and not in others,
// example1 is the same but for the profile, example-fig4 was trained on two sets. example-fig2 has no twin.
func twins() []*result.Result {
	times, curves, stated := exampleTimes(), exampleCurves(), exampleStated()
	for _, r := range []*result.Result{times, curves, stated} {
		r.Profile = "standard"
	}
	times.Seeds = []uint64{7}
	change := func(id string, f func(c *result.Claim)) { f(times.Claim(id)) }
	change("D10", func(c *result.Claim) {
		c.Measured, c.CI95, c.Verdict, c.Reasons = -8.88, bounded(-9.99, -7.77), claims.Differs, []result.Reason{result.Because("example-larger")}
	})
	change("D15", func(c *result.Claim) { c.Measured, c.Differs = 44.4, nil })
	change("D17", func(c *result.Claim) { c.Measured, c.Verdict, c.Reasons = 7.88, claims.Within, nil })
	times.Claims = append(times.Claims[1:], result.Claim{ID: "D18", Measured: 8.88, Verdict: claims.SameSign})
	times.Frames[0].Rows[0][2] = 12.345
	mnist := result.Data{Name: "mnist", Origin: "cache", Train: 60000, Test: 10000, SHA256: strings.Repeat("3", 64)}
	cifar := result.Data{Name: "cifar-10", Origin: "directory", Train: 50000, Test: 10000, SHA256: strings.Repeat("4", 64)}
	curves.Data = []result.Data{mnist, cifar}
	curves.Frames[0].Rows[3][3] = curves.Frames[0].Rows[3][3].(float64) + 5.55
	return []*result.Result{times, curves, stated}
}
