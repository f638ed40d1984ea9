package platforms

import (
	"testing"

	"gradsync/shared/tensor/codec"
	_ "gradsync/shared/tensor/codec/entropy" // its codecs have rates too
)

// Where a platform has rates, every codec but dense has one, count and convert do,
// there is no other, and every rate has its reason.
func TestCodecRates(t *testing.T) {
	found := 0
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil || len(p.Codecs) == 0 {
			continue // TestEveryValueHasAReason reports the error
		}
		found++
		want := map[string]bool{codec.Count: true, codec.Convert: true}
		for _, c := range codec.All() {
			want[c.Name()] = c.Name() != "dense" // sent as it is
		}
		for _, c := range p.Codecs {
			if !want[c.Name] {
				t.Errorf("%s: a rate of %s, which is no codec that codes", name, c.Name)
			}
			delete(want, c.Name)
			reasons(t, name+" "+c.Name, c.Assumed, map[string]bool{"encode": true, "decode": c.Decode != 0})
		}
		delete(want, "dense")
		for c := range want {
			t.Errorf("%s: no rate of %s", name, c)
		}
	}
	if found == 0 {
		t.Error("no platform has rates of codecs")
	}
}

// The break-even of the bitmap on sparse32, by hand: compressing pays while
// (1 − d − 1/32)/B > 1/2e9 + 1/2e9 seconds per byte, so up to d = 0.84375 at
// 1 Gb/s and never at 10 Gb/s, where 1/B is below the right side.
func TestSparse32(t *testing.T) {
	p, err := Load("sparse32")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Workers) != 32 || p.Server != nil || p.Workers[0].FLOPS != p.Workers[31].FLOPS {
		t.Fatalf("%d workers, server %v", len(p.Workers), p.Server)
	}
	b := p.Codecs[0]
	if b.Name != "bitmap" {
		t.Fatalf("the first rate is %s", b.Name)
	}
	breakEven := func(bandwidth float64) float64 { return 1 - 1./32 - bandwidth*(1/b.Encode+1/b.Decode) }
	if d := breakEven(p.Workers[0].Bandwidth); d < 0.8437 || d > 0.8438 {
		t.Errorf("break-even at density %g, want 0.84375", d)
	}
	if d := breakEven(10 * p.Workers[0].Bandwidth); d > 0 {
		t.Errorf("at 10 Gb/s compression pays up to density %g", d)
	}
}
