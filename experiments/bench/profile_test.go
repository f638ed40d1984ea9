package bench

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/google/pprof/profile"
)

// A profile's innermost functions count, the smallest are added up, and shares
// sum to one.
func TestFlatten(t *testing.T) {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}}
	frame := func(name string) *profile.Location {
		f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
		l := &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		return l
	}
	caller := frame("main")
	for i := range 20 { // 1 + 2 + … + 20 = 210 samples
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{frame(fmt.Sprintf("gradsync/f%d", i+1)), caller}, Value: []int64{int64(i + 1)}})
	}
	p.Sample = append(p.Sample, &profile.Sample{Value: []int64{90}}) // nobody's code
	var raw bytes.Buffer
	if err := p.Write(&raw); err != nil {
		t.Fatal(err)
	}
	got, err := flatten(&raw)
	if err != nil || len(got) != topFunctions {
		t.Fatalf("%v, %v", got, err)
	}
	rest := 0.0
	for n := 1; n <= 20-(topFunctions-2); n++ {
		rest += float64(n) / 300
	}
	if got[0] != (Function{"(unknown)", 0.3}) || got[1] != (Function{"f20", 20.0 / 300}) || got[topFunctions-1].Name != "(other)" || math.Abs(got[topFunctions-1].Share-rest) > 1e-12 {
		t.Errorf("%v, want (other) %v", got, rest)
	}
	if _, err := flatten(bytes.NewReader([]byte("no profile"))); err == nil {
		t.Error("flattened what is no profile")
	}
}
