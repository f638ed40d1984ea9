package main

import (
	"slices"
	"testing"
)

func TestChooseTakesTheFirstOfEachClassInOrder(t *testing.T) {
	labels := []byte{3, 3, 1, 3, 0, 1, 1, 0, 12, 2, 0}
	if got, want := choose(labels, 2), []int{0, 1, 2, 4, 5, 7, 9}; !slices.Equal(got, want) {
		t.Errorf("chose %v, want %v", got, want)
	}
}
