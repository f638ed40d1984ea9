package train

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gradsync/papers/codedsgd"
)

// attacked returns a task of 12 pieces of 5 images, of which some are bad.
func attacked(t *testing.T, a *Attack) *codedTask {
	t.Helper()
	c := inBlocks(codedsgd.SSGDMulticast, 1, 1, 12)
	c.BatchSize, c.Attack = 60, a
	cfg, err := c.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	m, err := cfg.network()
	if err != nil {
		t.Fatal(err)
	}
	x := &runner{cfg: cfg, out: &Outcome{}}
	if err := x.prepare(m); err != nil {
		t.Fatal(err)
	}
	task := &codedTask{Task: x.replicaTask(0), attack: a}
	if a != nil {
		task.bad = a.first(&cfg)
	}
	return task
}

// gradient returns a piece's gradient, and refuses layers that are done in another order.
func gradient(t *testing.T, task *codedTask, step int64, piece int) []float32 {
	t.Helper()
	g := make([]float32, len(task.params))
	var layers []int
	if _, err := task.BlockGrad(step, 5*piece, 5*piece+5, g, func(l int) { layers = append(layers, l) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(layers, []int{2, 1, 0}) {
		t.Errorf("layers done: %v", layers)
	}
	return g
}

// Of each attack exactly f pieces are bad, those of fewer among those of more, and they are
// what the attack says; all others are untouched.
func TestAttacksChangeTheirPiecesAlone(t *testing.T) {
	honest := attacked(t, nil)
	var before []int
	for f := range 6 {
		at := attacked(t, &Attack{"labels", f}).bad
		if len(at) != f || !slices.Equal(at[:len(before)], before) {
			t.Fatalf("%d bad pieces begin at %v, one less at %v", f, at, before)
		}
		before = at
	}
	for _, kind := range Attacks {
		task := attacked(t, &Attack{kind, 3})
		for piece := range 12 {
			want, got := gradient(t, honest, 1, piece), gradient(t, task, 1, piece)
			bad := slices.Contains(task.bad, 5*piece)
			if same := slices.Equal(want, got); same == bad {
				t.Errorf("%s: piece %d is bad: %v, and the honest one: %v", kind, piece, bad, same)
			}
			if !bad {
				continue
			}
			switch kind {
			case "flipped":
				for i, g := range want {
					if got[i] != -FlipScale*g {
						t.Fatalf("flipped: %g for %g", got[i], g)
					}
				}
			case "gaussian":
				sum, squares := 0.0, 0.0
				for _, g := range got {
					sum, squares = sum+float64(g)/5, squares+float64(g)/5*float64(g)/5
				}
				n := float64(len(got))
				if sd := math.Sqrt(squares / n); math.Abs(sd-NoiseDeviation) > 20 || math.Abs(sum/n) > 20 {
					t.Errorf("gaussian: mean %g, deviation %g", sum/n, sd)
				}
				if again := gradient(t, task, 1, piece); !slices.Equal(got, again) {
					t.Error("gaussian: two holders have other noise")
				}
				if slices.Equal(got, gradient(t, task, 2, piece)) {
					t.Error("gaussian: the same noise in every step")
				}
			case "labels":
				// The bias of the last layer: Σ softmax − one-hot; the labels 0, 1, 2 of three classes become 2, 1, 0.
				bias := len(want) - 3
				off := got[bias] - want[bias] // + images of class 0, − images of class 2
				if math.Abs(float64(off+got[bias+2]-want[bias+2])) > 1e-4 || math.Abs(float64(got[bias+1]-want[bias+1])) > 1e-4 ||
					math.Abs(float64(off)-math.Round(float64(off))) > 1e-4 {
					t.Errorf("labels: bias %v, honest %v", got[bias:], want[bias:])
				}
			}
		}
	}
}

// An attacked training has the same bits on any nodes: all holders have the same bad piece.
func TestAttacksReachEveryHolderAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	for _, kind := range Attacks {
		want := ""
		for _, n := range []int{1, 4} {
			for _, r := range []int{1, 3} {
				if r > n {
					continue
				}
				for _, runtime := range []string{"virtual", "local"} {
					c := inBlocks(codedsgd.CSSGD, n, r, 12)
					c.Runtime, c.Attack, c.Coded.Rule = runtime, &Attack{kind, 2}, codedsgd.Rule{Name: codedsgd.Krum, Bad: 4}
					o := mustRun(t, c)
					if want == "" {
						want = o.ParamsSHA256
					}
					if o.ParamsSHA256 != want {
						t.Errorf("%s, n = %d, r = %d, %s: parameters %.12s, want %.12s", kind, n, r, runtime, o.ParamsSHA256, want)
					}
				}
			}
		}
	}
}

// Attacks that cannot be made are an error of the input.
func TestAttacksAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"kind":   func(c *Config) { c.Attack.Kind = "all" },
		"pieces": func(c *Config) { c.Attack.Pieces = 13 },
		"speed":  func(c *Config) { c.SpeedAware = true },
		"method": func(c *Config) { c.Sync, c.Coded = "ring", nil },
	} {
		c := inBlocks(codedsgd.CSSGD, 3, 1, 12)
		c.Attack = &Attack{"labels", 1}
		change(&c)
		var asked *InputError
		if _, err := Run(t.Context(), c); !errors.As(err, &asked) {
			t.Errorf("%s: %v, want an error of the input", name, err)
		}
	}
}
