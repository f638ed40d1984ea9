//go:build cu && cgo

package engine_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/internal/enginetest"
	"gradsync/shared/tensor/model"
)

// onCu runs f on the driver that cu links this program to; on the fake one in both ways.
func onCu(t *testing.T, f func(t *testing.T, d driver.Driver)) {
	for _, lazy := range []bool{false, true} {
		t.Run(fmt.Sprintf("lazy=%t", lazy), func(t *testing.T) {
			_, err := fake.Linked(fake.Options{Lazy: lazy})
			if err != nil && os.Getenv("GRADSYNC_CU") == "fake" {
				t.Fatal(err)
			}
			if err != nil && lazy {
				t.Skip(err)
			}
			f(t, sure(driver.OpenCu(0))(t))
		})
	}
}

// TestCuConformance: the engine passes.
func TestCuConformance(t *testing.T) {
	onCu(t, func(t *testing.T, d driver.Driver) { suite(t, open(t, d), enginetest.Run) })
}

// TestCuTraining: a network gets the bits that it gets without cu.
func TestCuTraining(t *testing.T) {
	m := build(t, model.Spec{Name: "lenet5"})
	want := train(t, m, open(t, openFake(t, fake.Options{})), 3)
	onCu(t, func(t *testing.T, d driver.Driver) {
		got := train(t, m, open(t, d), 3)
		if !slices.Equal(got.losses, want.losses) || !slices.Equal(got.params, want.params) || !slices.Equal(got.evaluated, want.evaluated) {
			t.Errorf("losses %v and parameters %v …, want %v and %v …", got.losses, got.params[:3], want.losses, want.params[:3])
		}
	})
}
