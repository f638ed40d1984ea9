package kit

import (
	"context"
	"errors"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// An inquiry keeps what it had finished when it was stopped, is complete only if it was
// not, and has the seeds in its configuration unless it draws nothing at random.
func TestInquiry(t *testing.T) {
	q := Inquiry{ID: "x/y", Source: "X, 1", Kind: result.Counted, Profiles: []string{"ci"}, Seconds: func(string, int) float64 { return 2 },
		Config: func(profile string) map[string]any { return map[string]any{"profile": profile} },
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			r.Facts = append(r.Facts, Facts("first", 1)...)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.Facts = append(r.Facts, Facts("second", 2)...)
			return nil
		}}
	e, env := q.Experiment(), exp.Env{Profile: "ci", Seeds: []uint64{4, 5}}
	r, err := e.Run(t.Context(), env)
	if err != nil || r.Status != result.Complete || len(r.Facts) != 2 || r.ID != "x/y" || r.Profile != "ci" ||
		r.Kind != result.Counted || len(r.Seeds) != 2 || e.Seconds("ci", 1) != 2 {
		t.Errorf("%v: %+v", err, r)
	}
	if config := r.Config.(map[string]any); config["profile"] != "ci" || config["seeds"] == nil {
		t.Errorf("configuration %v", config)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if r, err = e.Run(ctx, env); !errors.Is(err, context.Canceled) || r.Status != result.Incomplete || len(r.Facts) != 1 {
		t.Errorf("stopped: %v %+v", err, r)
	}
	q.Seedless = true
	if r, err = q.Experiment().Run(t.Context(), env); err != nil || r.Config.(map[string]any)["seeds"] != nil {
		t.Errorf("without seeds: %v, configuration %v", err, r.Config)
	}
}

// Parts are kept by their content and type: the same key finds them, another key or type
// makes them anew, what failed is not kept, and no memo keeps nothing.
func TestKeep(t *testing.T) {
	made, memo := 0, store{}
	part := func(ctx context.Context, m exp.Memo, key any) (int, error) {
		return Keep(ctx, exp.Env{Memo: m}, key, func(string) (int, error) { made++; return made, nil })
	}
	want := func(what string, got int, err error, value int) {
		t.Helper()
		if got != value || err != nil {
			t.Errorf("%s: %d (%v), want %d", what, got, err, value)
		}
	}
	x, err := part(t.Context(), memo, map[string]int{"a": 1})
	want("first", x, err, 1)
	x, err = part(t.Context(), memo, map[string]int{"a": 1})
	want("again", x, err, 1)
	x, err = part(t.Context(), memo, map[string]int{"a": 2})
	want("another key", x, err, 2)
	x, err = part(t.Context(), nil, map[string]int{"a": 1})
	want("no memo", x, err, 3)
	y, err := Keep(t.Context(), exp.Env{Memo: memo}, map[string]int{"a": 1}, func(string) (float64, error) { return 0.5, nil })
	if y != 0.5 || err != nil {
		t.Errorf("another type: %g (%v), want 0.5", y, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	x, err = part(ctx, memo, map[string]int{"a": 2})
	want("kept, after the end", x, err, 2)
	if _, err := part(ctx, memo, "new"); !errors.Is(err, context.Canceled) || made != 3 {
		t.Errorf("a part was begun after the end: %v, %d made", err, made)
	}
	broken := errors.New("broken")
	if _, err := Keep(t.Context(), exp.Env{Memo: memo}, "bad", func(string) (int, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("a failure gives %v", err)
	}
	if x, err = part(t.Context(), memo, "bad"); x != 4 || err != nil {
		t.Errorf("what failed was kept: %d, %v", x, err)
	}
	if _, err := part(t.Context(), memo, func() {}); err == nil {
		t.Error("a key that no file can hold was taken")
	}
}
