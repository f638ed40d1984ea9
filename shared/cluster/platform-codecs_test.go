package cluster

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const someCodecs = `[{"name": "bitmap", "encode": "2 GB/s", "decode": {"value": "1500 MB/s", "why": "packing of its time", "confidence": "low"}},
 {"name": "bitmap+zstd", "encode": "0.25 GB/s", "decode": "800 MB/s"}, {"name": "count", "encode": "10 GB/s"}]`

func withCodecs(codecs string) (*Platform, error) {
	const rest = `{"name": "p", "workers": [{"name": "w", "flops": "1 TFLOP/s", "bandwidth": "1 Gb/s"}], "codecs": `
	return Parse([]byte(rest + codecs + "}"))
}

func TestCodecsAreRead(t *testing.T) {
	got, err := withCodecs(someCodecs)
	must(t, err)
	want := []CodecRate{
		{Name: "bitmap", Encode: 2e9, Decode: 1.5e9, Assumed: []Assumption{{"decode", "1500 MB/s", "packing of its time", "low"}}},
		{Name: "bitmap+zstd", Encode: 0.25e9, Decode: 0.8e9},
		{Name: "count", Encode: 10e9},
	}
	if d := cmp.Diff(want, got.Codecs); d != "" {
		t.Fatal(d)
	}
	text := Marshal(got)
	if !strings.Contains(string(text), `"value": "1500 MB/s"`) {
		t.Errorf("a value with a reason is spelt anew: %s", text)
	}
	again, err := Parse(text)
	if d := cmp.Diff(got, again); d != "" || err != nil {
		t.Errorf("%v: %s", err, d)
	}
}

func TestCodecsNameWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ replace, by, want string }{
		{someCodecs, `{}`, "not a list"},
		{someCodecs, `null`, "not a list"},
		{`"encode": "2 GB/s"`, `"speed": "2 GB/s"`, `0: unknown field "speed"`},
		{`"encode": "2 GB/s", `, ``, `"bitmap": encode = 0 B/s, want > 0`},
		{`"2 GB/s"`, `"0 GB/s"`, `"bitmap": encode = 0 B/s, want > 0`},
		{`"2 GB/s"`, `"2 GB"`, `0: encode: "2 GB" has unit "GB"`},
		{`"2 GB/s"`, `2e9`, `0: encode: 2e9 is not a string`},
		{`, "decode": "800 MB/s"`, ``, `"bitmap+zstd": decode = 0 B/s, want > 0`},
		{`"encode": "10 GB/s"`, `"encode": "10 GB/s", "decode": "1 GB/s"`, `"count": decode = 1e+09 B/s, want none`},
		{`"encode": "10 GB/s"`, `"encode": "10 GB/s", "decode": {"value": "0 B/s"}`, `"count": decode = 0 B/s, want none`},
		{`"bitmap+zstd"`, `"bitmap"`, `1: name "bitmap" is taken`},
		{`"bitmap+zstd"`, `"Bitmap"`, `1: name "Bitmap", want a small letter`},
		{`"bitmap+zstd"`, `"a b"`, `1: name "a b"`},
		{`"name": "bitmap+zstd", `, ``, `1: name ""`},
		{`"bitmap+zstd"`, `"` + strings.Repeat("a", 33) + `"`, `32 at most`},
		{`"name": "count"`, `"name": "count", "name": "count"`, `2: field "name" is repeated`},
	} {
		_, err := withCodecs(strings.Replace(someCodecs, c.replace, c.by, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s → %s: %v, want %q", c.replace, c.by, err, c.want)
		}
	}
	if err := validCodecs([]CodecRate{{Name: "rle", Encode: math.Inf(1), Decode: 1}}); err == nil {
		t.Error("an infinite rate is valid")
	}
}
