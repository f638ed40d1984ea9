package train

import (
	"errors"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/tensor/model"
)

// closing counts how often it is closed.
type closing struct {
	model.Stepper
	closed *int
}

var errClosing = errors.New("closed")

func (c closing) Close() error { *c.closed++; return errClosing }

// TestPoolIsBounded: who asks for one workspace too many waits until another is given back,
// also when one could not be made; close closes what is idle.
func TestPoolIsBounded(t *testing.T) {
	m := oktest.Must(model.New("lenet5"))(t)
	made, closed, broken := 0, 0, true
	p := newPool(m, 1, 2, func(int) (model.Stepper, error) {
		if broken {
			return nil, errClosing
		}
		made++
		return closing{nil, &closed}, nil
	})
	for range 3 {
		if _, err := p.borrow(); !errors.Is(err, errClosing) {
			t.Fatal(err)
		}
	}
	broken = false
	borrow := func() *workspace {
		w, err := p.borrow()
		if err != nil {
			t.Error(err)
		}
		return w
	}
	a, b, third := borrow(), borrow(), make(chan *workspace)
	go func() { third <- borrow() }()
	if a == b || len(p.slots) != 2 {
		t.Fatalf("%d of 2 slots are taken", len(p.slots))
	}
	select {
	case <-third:
		t.Fatal("a third workspace was lent")
	default:
	}
	p.giveBack(a)
	if c := <-third; c != a || made != 2 {
		t.Errorf("%d workspaces were made, want 2, and the first one again", made)
	}
	p.giveBack(a)
	p.giveBack(b)
	if err := p.close(); !errors.Is(err, errClosing) || closed != 2 {
		t.Errorf("%v, %d closed, want 2", err, closed)
	}
}
