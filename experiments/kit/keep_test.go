package kit

import (
	"runtime"
	"testing"

	"gradsync/experiments/exp"
)

// A part's name says what its value looks like and not what Go calls it: a renamed type finds its
// parts again, and another field, key or version of the bits does not.
func TestPartNames(t *testing.T) {
	type curve struct {
		At   []float64 `json:"at"`
		Left *int
		own  int
	}
	type renamed struct {
		At   []float64 `json:"at"`
		Left *int
	}
	type longer struct {
		curve
		Seeds map[string]int
		Skip  bool `json:"-"`
	}
	type tree struct{ Below []tree }
	name := func(bits int, value, key any) string {
		s, err := PartName(bits, value, key)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	key := map[string]int{"seed": 1}
	if got, want := name(3, curve{own: 1}, key), `{"bits":3,"shape":"{at []float64,Left *int}","key":{"seed":1}}`; got != want {
		t.Errorf("the name is %s, want %s", got, want)
	}
	if name(3, curve{}, key) != name(3, renamed{}, key) {
		t.Error("the name of a type decides which part is found")
	}
	if got, want := name(3, longer{}, nil), `{"bits":3,"shape":"{ {at []float64,Left *int},Seeds {string:int}}","key":null}`; got != want {
		t.Errorf("the name is %s, want %s", got, want)
	}
	if got, want := name(3, tree{}, nil), `{"bits":3,"shape":"{Below []…}","key":null}`; got != want {
		t.Errorf("the name is %s, want %s", got, want)
	}
	seen := map[string]bool{}
	for _, s := range []string{name(3, curve{}, key), name(4, curve{}, key), name(3, longer{}, key), name(3, curve{}, map[string]int{"seed": 2})} {
		if seen[s] {
			t.Errorf("two parts are called %s", s)
		}
		seen[s] = true
	}
}

// A part that several ask for at the same time is made once: who comes later waits for it.
func TestKeepMakesOnce(t *testing.T) {
	env, made := exp.Env{Memo: store{}}, 0
	err := AtOnce(8, func(int) error {
		x, err := Keep(t.Context(), env, "one", func(string) (int, error) {
			made++
			for range 1000 {
				runtime.Gosched() // who does not wait begins meanwhile
			}
			return 7, nil
		})
		if x != 7 {
			t.Errorf("got %d", x)
		}
		return err
	})
	if err != nil || made != 1 {
		t.Errorf("made %d times, %v", made, err)
	}
}
