package bench

import (
	"context"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/train"
)

// Every contender opens and makes steps; what no training can do is refused.
func TestPushContenders(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	job := Job{Kind: KindPush, Model: "lenet5", Batch: 4, Threads: 1}
	for _, name := range PushContenders() {
		job.Contender = name
		task, err := Open(job)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, steps := range []int{1, 2, 20} {
			if err := task.Run(steps); err != nil {
				t.Fatal(name, err)
			}
		}
		if task.Close != nil {
			task.Close()
		}
	}
	for _, bad := range []Job{
		{Kind: KindPush, Model: "lenet5", Batch: 4, Contender: "nobody"},
		{Kind: KindPush, Model: "lenet5", Batch: 1 << 20, Contender: "asp"},
		{Kind: KindPush, Model: "lenet6", Batch: 4, Contender: "asp"},
	} {
		if _, err := Open(bad); err == nil {
			t.Errorf("%+v opened", bad)
		}
	}
}

// A step is one push: a training makes as many as it was told to and then stands still.
func TestGate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := &gate{orders: make(chan int64), told: make(chan int64), until: 1, ctx: ctx}
	passed := make(chan int64, 100)
	go func() {
		for n := int64(1); ; n++ {
			g.pass(n, 0)
			if ctx.Err() != nil {
				close(passed)
				return
			}
			passed <- n
		}
	}()
	if n := <-g.told; n != 1 {
		t.Fatalf("stands still after %d pushes, want 1", n)
	}
	for i, steps := range []int64{3, 1} {
		g.orders <- steps
		if n := <-g.told; n != []int64{4, 5}[i] {
			t.Errorf("stands still after %d pushes", n)
		}
	}
	time.Sleep(time.Millisecond)
	if n := len(passed); n != 4 {
		t.Errorf("%d pushes, want 4, and the fifth not over", n)
	}
	cancel()
	for range passed {
	}
}

// A round has whole updates, one at least, and says how many steps that were.
func TestGroups(t *testing.T) {
	for _, c := range [][3]int{{0, 0, 1}, {0, 7, 7}, {6, 1, 6}, {6, 6, 6}, {6, 7, 12}} {
		task := &Task{Group: c[0]}
		if got := task.whole(c[1]); got != c[2] {
			t.Errorf("%d steps in groups of %d: %d, want %d", c[1], c[0], got, c[2])
		}
	}
	pass, got := ticking(t), 0
	replies := serve(t, someJob+`{"steps":7}`+"\n"+`{"stop":true}`+"\n", func(Job) (*Task, error) {
		return &Task{Group: 6, Run: func(steps int) error { got = steps; pass(60 * time.Millisecond); return nil }}, nil
	})
	if len(replies) != 3 || replies[1].Steps != 12 || got != 12 || replies[0].StepSeconds != 0.01 {
		t.Errorf("%d steps, %+v", got, replies)
	}
}

// The method's name reaches the training, the time is of the training's steps, and the backend that computes
// nothing is nobody's before a bench has asked for it.
func TestPushRows(t *testing.T) {
	c := PushCase("resnet18", 64)
	if c.Command() != "gradsync bench push --model resnet18 --batch 64 --threads 2" || len(c.Aims) != 4 {
		t.Errorf("%s, %+v", c.Command(), c.Aims)
	}
	r := &Result{Contender: "asp", Class: "–", Rounds: 3, StepTime: Spread{0.5, 1, 2}, Ratio: &Spread{0.25, 0.5, 1}, CPURatio: &Spread{1, 1, 1}, PeakBytes: 1.3e9}
	o := Outcome{Case: c, Results: []*Result{r}}
	if got := o.Rows()[0].Cost; got == nil || *got != (Spread{1, 2, 4}) {
		t.Errorf("cost %v, want twice the peer's time", got)
	}
	if text := o.Text(); !strings.Contains(text, "2.00× the time of copy+update (1.00–4.00)") {
		t.Error(text)
	}
	if row := strings.Join(pushRow(&o, r), "|"); row != "asp|500 – **1000** – 2000|1 – **2** – 4|1 – **1** – 1|1240|0" {
		t.Error(row)
	}
	held := map[string]bool{}
	for _, v := range o.Judge("asm") {
		held[v.Aim+": "+v.Reached] = v.Held
	}
	for want, h := range map[string]bool{
		"asp ≤ 2.5× the time of copy+update: 1 – **2** – 4×": true, "asp's peak memory ≤ 1.2 GB: 1.3 GB": false,
		"dasp ≤ 2.5× the time of copy+update: not measured": false,
	} {
		if got, ok := held[want]; !ok || got != h {
			t.Errorf("%s: held %v, want %v, of %v", want, got, h, held)
		}
	}
}

func TestIdleComputesNothing(t *testing.T) {
	if names := train.BackendNames(); len(names) > 1 || len(names) == 1 && names[0] != idleBackend {
		t.Errorf("backends %v", names)
	}
	var order []int
	m, err := network(Job{Model: "lenet5"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = idle{m.Layers()}.Gradient(nil, make([]float32, m.NumParams()), nil, nil, func(l int, _ []float32) error {
		order = append(order, l)
		return nil
	})
	if n := len(m.Layers()); err != nil || len(order) != n || order[0] != n-1 || order[n-1] != 0 {
		t.Errorf("layers told %v, %v", order, err)
	}
}
