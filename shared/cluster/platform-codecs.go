package cluster

import (
	"fmt"
	"math"
	"strings"
)

// object returns an entry of a platform's codecs:
//
//	[{"name": "bitmap", "encode": "2 GB/s", "decode": {"value": "2 GB/s", "why": "…", "confidence": "low"}},
//	 {"name": "count", "encode": "10 GB/s"}]
//
// Rates are bytes of dense float32 per second. "count" and "convert" have no
// decode; every codec has one.
func (r *CodecRate) object() object {
	return object{&r.Assumed, []member{{name: "name", to: &r.Name}, {name: "encode", to: &r.Encode, unit: byteRate},
		{name: "decode", to: &r.Decode, unit: byteRate}}}
}

// validCodecs returns an error that names the first rate out of its domain.
// Which codecs there are is not the platform's to know.
func validCodecs(rates []CodecRate) error {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	seen := map[string]bool{}
	for i, r := range rates {
		pass := r.Name == "count" || r.Name == "convert"
		switch {
		case !codecName(r.Name):
			return fmt.Errorf("%d: name %q, want a small letter and then small letters, digits, + and -, 32 at most", i, r.Name)
		case seen[r.Name]:
			return fmt.Errorf("%d: name %q is taken", i, r.Name)
		case !positive(r.Encode):
			return fmt.Errorf("%q: encode = %g B/s, want > 0", r.Name, r.Encode)
		case pass && (r.Decode != 0 || has(r.Assumed, "decode")):
			return fmt.Errorf("%q: decode = %g B/s, want none", r.Name, r.Decode)
		case !pass && !positive(r.Decode):
			return fmt.Errorf("%q: decode = %g B/s, want > 0", r.Name, r.Decode)
		}
		seen[r.Name] = true
	}
	return nil
}

// codecName reports whether name is spelt as a codec's.
func codecName(name string) bool {
	return name != "" && len(name) <= 32 && name[0] >= 'a' && name[0] <= 'z' &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789+-") == ""
}
