package kit

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestLists(t *testing.T) {
	list := []int{3, 1, 2}
	if got := Map(list, func(x int) string { return string(rune('a' + x)) }); !slices.Equal(got, []string{"d", "b", "c"}) {
		t.Errorf("mapped to %v", got)
	}
	if lo, hi := Extent(list, func(x int) float64 { return -float64(x) }); lo != -3 || hi != -1 {
		t.Errorf("from %g to %g, want −3 to −1", lo, hi)
	}
	if n := CountIf(list, func(x int) bool { return x > 1 }); n != 2 {
		t.Errorf("%d above 1, want 2", n)
	}
	if x, none := Largest(list, func(x int) int64 { return int64(x) }), Largest(nil, func(int) int64 { return 1 }); x != 3 || none != 0 {
		t.Errorf("the largest is %d, of none %d", x, none)
	}
}

func TestFind(t *testing.T) {
	if x := Find([]int{1, 4, 5}, func(x int) bool { return x > 3 }); x != 4 {
		t.Errorf("found %d, want 4", x)
	}
	defer func() {
		if recover() == nil {
			t.Error("nothing found, and nothing told")
		}
	}()
	Find([]int{1}, func(x int) bool { return x > 3 })
}

func TestNumbersThatAreNone(t *testing.T) {
	if x := ShareOf(1, 4); x != 25 || !math.IsNaN(ShareOf(1, 0)) || OnlyIf(true, 2) != 2 || !math.IsNaN(OnlyIf(false, 2)) {
		t.Errorf("1 of 4 is %g %%", x)
	}
	defer func() {
		if recover() == nil {
			t.Error("an error did not panic")
		}
	}()
	if Must(1, nil) != 1 {
		t.Error("Must changed its value")
	}
	Must(1, errors.New("broken"))
}
