package tensor

import (
	"strings"
	"testing"
)

// named is an engine that can only say its name.
type named struct {
	Engine
	name string
}

func (n named) Name() string { return n.name }

func TestRegistry(t *testing.T) {
	Register("b-test", func() Engine { return named{name: "b-test"} })
	Register("a-test", func() Engine { return named{name: "a-test"} })
	if got := strings.Join(Engines(), " "); got != "a-test b-test" {
		t.Errorf("Engines() = %q, want both, sorted", got)
	}
	if e, err := Lookup("b-test"); err != nil || e.Name() != "b-test" {
		t.Errorf("Lookup(b-test) = %v, %v", e, err)
	}
	if _, err := Lookup("c-test"); err == nil || !strings.Contains(err.Error(), "a-test, b-test") {
		t.Errorf("unknown engine: %v, want an error that lists the known", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a name was registered twice")
		}
	}()
	Register("a-test", func() Engine { return named{name: "other"} })
}

// TestGeometry: output sizes by PyTorch's formula ⌊(h+2p−k)/s⌋+1, by hand.
func TestGeometry(t *testing.T) {
	g := Conv{N: 1, InC: 3, H: 32, W: 31, OutC: 8, KH: 5, KW: 4, Stride: 2, Pad: 1}
	if g.OutH() != 15 || g.OutW() != 15 || g.Taps() != 60 {
		t.Errorf("convolution: %d×%d, %d taps; want 15×15, 60", g.OutH(), g.OutW(), g.Taps())
	}
	p := Pool{H: 9, W: 8, Size: 3, Stride: 2}
	if p.OutH() != 4 || p.OutW() != 3 {
		t.Errorf("pool: %d×%d, want 4×3", p.OutH(), p.OutW())
	}
}
