package own

import (
	"reflect"
	"testing"

	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
)

// layout returns what readers of a result rely on: its facts and the columns of its frames.
func layout(r *result.Result) map[string]any {
	out := map[string]any{}
	for _, f := range r.Facts {
		out["fact "+f.Key] = [2]string{f.Enum, f.Unit}
	}
	for _, f := range r.Frames {
		for _, c := range f.Columns {
			out["frame "+f.ID+" "+c.Key] = [3]string{c.Enum, c.Unit, c.Bound}
		}
	}
	return out
}

// Pages and their tests read the committed samples, so these have the layout that is written today.
func TestSamplesHaveTheLayout(t *testing.T) {
	sample := oktest.Must(result.Read("testdata/sample/own/sample.json"))(t)
	p := small(t, func(_ Point, c *train.Config) { c.TargetAccuracy = 0.75 })
	cells := Cells{{"asp", 0}: cellsOf("a", 1, 1), {"bsp", 0}: cellsOf("b", 2, 3), {"ring", 0}: cellsOf("c", 1, 2)}
	for _, own := range cells {
		for i := range own {
			own[i].Accuracy = new(float64)
		}
	}
	p.Options = []Option{{"asp", "rate", 0.1, true}}
	if got, want := layout(p.Result(p.Rows(cells))), layout(sample); !reflect.DeepEqual(got, want) {
		for k := range want {
			if got[k] != want[k] {
				t.Errorf("%s: the sample has %v, today it is %v", k, want[k], got[k])
			}
		}
		for k := range got {
			if want[k] == nil {
				t.Errorf("%s: the sample lacks it", k)
			}
		}
	}
}
