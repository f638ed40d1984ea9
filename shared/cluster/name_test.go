package cluster

import (
	"strings"
	"testing"
)

// A name that would steer a terminal or break a line is refused, with its character.
func TestCheckName(t *testing.T) {
	for _, name := range []string{"", "heterogeneous6", "a b=c", "深度-7", "10.0.0.1", "é"} {
		must(t, CheckName(name))
	}
	for name, want := range map[string]string{"a\nb": "U+000A", "\x1b[2J": "U+001B", "a\x00": "U+0000", "a\u0085": "U+0085", "a\u202eb": "U+202E",
		"a\u2028": "U+2028",
		"a\xff":   "not UTF-8", strings.Repeat("x", 10_000) + "\t": "U+0009"} {
		if err := CheckName(name); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%.20q: %v, want %s", name, err, want)
		}
	}
}
