package engine_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// forgetful is a driver that leaves out one kind of wait.
type forgetful struct {
	driver.Driver
	wait, event, sync bool
}

func (d forgetful) Wait(s driver.Stream, e driver.Event) error {
	if d.wait {
		return nil
	}
	return d.Driver.Wait(s, e)
}

func (d forgetful) SyncEvent(e driver.Event) error {
	if d.event {
		return nil
	}
	return d.Driver.SyncEvent(e)
}

func (d forgetful) Sync(s driver.Stream) error {
	if d.sync {
		return nil
	}
	return d.Driver.Sync(s)
}

// TestForgottenWaits: every kind of wait that the engine does is needed: without it the lazy
// driver gives another loss or gradient.
func TestForgottenWaits(t *testing.T) {
	l := faketest.Library(t, fake.Options{Lazy: true})
	d := sure(driver.Open(l.Path, 0))(t)
	m := build(t, model.Spec{Name: "lenet5"})
	p := make([]float32, m.NumParams())
	m.Init(p, rand.New(rand.NewPCG(3, 4)))
	x, labels := images(m, 2, 5)
	step := func(d driver.Driver) (loss float64, grads []float32) {
		e, err := engine.New(d)
		must(t, err)
		w, g := m.NewWorkspace(e, 2, 1), make([]float32, m.NumParams())
		loss, err = w.Gradient(p, g, x, labels, nil)
		must(t, errors.Join(err, w.Close(), e.Close()))
		return loss, g
	}
	loss, grads := step(d)
	for what, f := range map[string]forgetful{
		"the copies wait for nothing":         {Driver: d, wait: true},
		"nobody waits for a layer's gradient": {Driver: d, event: true},
		"nobody waits for the loss":           {Driver: d, sync: true},
	} {
		if other, g := step(f); other == loss && slices.Equal(g, grads) {
			t.Errorf("%s, and nothing shows it", what)
		}
	}
	if again, g := step(d); again != loss || !slices.Equal(g, grads) {
		t.Error("with all waits the step gives other bits than before")
	}
	must(t, d.Close())
}

// TestFreed: memory that was given back and is used again is an error, which the kernel's
// launch or the wait for it brings.
func TestFreed(t *testing.T) {
	check := func(t *testing.T, d driver.Driver) {
		e := sure(engine.New(d))(t)
		var old, c tensor.Call
		x := e.Make(&old, 100)
		must(t, e.Release(&old))
		e.ReLU(&c, x, e.Make(&c, 100))
		var lost *driver.Error
		if err := e.Settle(&c); !errors.As(err, &lost) || !lost.Lost() || !strings.Contains(err.Error(), "--device cpu") {
			t.Errorf("%v, want a lost device", err)
		}
	}
	t.Run("emulator", func(t *testing.T) { check(t, emulated.New(emulated.Options{})) })
	onFakes(t, check)
}
