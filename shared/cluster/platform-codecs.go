package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// parseCodecs reads a platform's codecs:
//
//	[{"name": "bitmap", "encode": "2 GB/s", "decode": {"value": "2 GB/s", "why": "…", "confidence": "low"}},
//	 {"name": "count", "encode": "10 GB/s"}]
//
// Rates are bytes of dense float32 per second. "count" and "convert" have no
// decode; every codec has one.
func parseCodecs(raw []byte) ([]CodecRate, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, errors.New("not a list")
	}
	var rates []CodecRate
	for i, item := range list {
		r, err := parseCodec(item)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
		rates = append(rates, r)
	}
	return rates, validCodecs(rates)
}

func parseCodec(raw []byte) (CodecRate, error) {
	var r CodecRate
	fields, err := object(raw)
	if err != nil {
		return r, err
	}
	for _, f := range fields {
		switch f.name {
		case "name":
			err = f.text(&r.Name)
		case "encode":
			err = f.quantity(&r.Encode, byteRate, &r.Assumed)
		case "decode":
			err = f.quantity(&r.Decode, byteRate, &r.Assumed)
		default:
			return r, fmt.Errorf("unknown field %q", f.name)
		}
		if err != nil {
			return r, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return r, nil
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

// codecsJSON writes what parseCodecs reads.
func codecsJSON(rates []CodecRate) []json.RawMessage {
	out := make([]json.RawMessage, len(rates))
	for i, r := range rates {
		var o members
		o.add("name", r.Name)
		o.number("encode", r.Encode, byteRate, r.Assumed)
		if r.Decode != 0 {
			o.number("decode", r.Decode, byteRate, r.Assumed)
		}
		out[i] = o.end()
	}
	return out
}
