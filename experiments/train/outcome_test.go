package train

import (
	"encoding/json"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// What was not observed is null, never 0: a run that ends before any answer has
// no times and no shares, and a timing-only run no engine and no parameters.
func TestNothingIsNull(t *testing.T) {
	oktest.Slow(t)
	decode := func(o *Outcome) (top, times, shares map[string]any) {
		raw, err := json.Marshal(o)
		if err == nil {
			err = json.Unmarshal(raw, &top)
		}
		oktest.Nil(t, err)
		times, _ = top["iteration_seconds"].(map[string]any)
		shares, _ = top["state_share"].(map[string]any)
		return top, times, shares
	}
	c := quick("dasp")
	c.TimingOnly, c.MaxPushes, c.Warmup = true, 36, 1000 // all pushes are warm-up
	none := mustRun(t, c)
	top, times, shares := decode(none)
	if none.Answered != 0 || top["answered"] != 0.0 || len(shares) != 4 || len(times) != 4 {
		t.Fatalf("all is warm-up, but %d pushes count: %v, %v", none.Answered, shares, times)
	}
	for _, v := range []any{top["engine"], top["params_sha256"], times["per_worker"], times["per_push"], times["per_update"],
		times["by_worker"].([]any)[0], shares["QIS"], shares["WSS"], shares["FSS"], shares["held"]} {
		if v != nil {
			t.Errorf("a value of no push is %v: %v %v, engine %v, parameters %v", v, times, shares, top["engine"], top["params_sha256"])
		}
	}
	for _, sync := range []string{"asp", "ring"} {
		c := quick(sync)
		c.Engine = "" // is portable
		o := mustRun(t, c)
		top, times, shares := decode(o)
		if o.Answered < 20 || o.Answered > o.Pushes || top["answered"] != float64(o.Answered) {
			t.Errorf("%s: %d of %d pushes were answered", sync, o.Answered, o.Pushes)
		}
		if top["engine"] != o.Engine || top["params_sha256"] != o.ParamsSHA256 || !strings.HasPrefix(o.Engine, "portable") {
			t.Errorf("%s: engine %v, parameters %v", sync, top["engine"], top["params_sha256"])
		}
		if times["per_worker"] != o.Iteration.PerWorker || times["per_push"] != o.Iteration.PerPush || times["per_update"] != o.Iteration.PerUpdate ||
			times["by_worker"].([]any)[1] != o.Iteration.ByWorker[1] {
			t.Errorf("%s: times %v, want %+v", sync, times, o.Iteration)
		}
		if len(shares) != len(o.StateShare) || sync == "asp" && shares["held"] != o.StateShare["held"] {
			t.Errorf("%s: shares %v, want %v", sync, shares, o.StateShare)
		}
	}
	// Three ranks, twelve steps, the first of each only starts the clock.
	if o := mustRun(t, quick("ring")); o.Answered != 33 {
		t.Errorf("ring: times over %d pushes, want 33", o.Answered)
	}
}
