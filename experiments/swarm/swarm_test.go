package swarm_test

import (
	"testing"
	"time"

	"gradsync/experiments/method"
	"gradsync/experiments/swarm"
)

// TestSweep: a few seeds of every method keep all promises.
func TestSweep(t *testing.T) {
	for _, name := range method.Names() {
		r, err := swarm.Run(t.Context(), swarm.Config{Methods: []string{name}, Seeds: 20000, For: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", r.Tallies[0])
		if f := r.Failure; f != nil {
			t.Errorf("%+v", *f)
		}
	}
}
