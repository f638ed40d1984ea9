package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
)

// Difference is one place where two results do not agree. A and B are nil where
// the place is missing.
type Difference struct {
	Path string `json:"path"` // claims[3].measured
	A    any    `json:"a"`
	B    any    `json:"b"`
}

// Diff lists where two result files, given as their bytes, differ, in the order of their
// paths. No difference means the same content.
func Diff(a, b []byte) ([]Difference, error) {
	var trees [2]any
	for i, raw := range [][]byte{a, b} {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber() // a seed of 64 bits must not pass through a float
		if err := dec.Decode(&trees[i]); err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
	}
	var out []Difference
	walk("", trees[0], trees[1], &out)
	return out, nil
}

func walk(path string, a, b any, out *[]Difference) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			for _, k := range keys(x, y) {
				walk(strings.TrimPrefix(path+"."+k, "."), x[k], y[k], out)
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := 0; i < max(len(x), len(y)); i++ {
				walk(fmt.Sprintf("%s[%d]", path, i), at(x, i), at(y, i), out)
			}
			return
		}
	}
	if !reflect.DeepEqual(a, b) {
		*out = append(*out, Difference{Path: path, A: a, B: b})
	}
}

func at(s []any, i int) any {
	if i < len(s) {
		return s[i]
	}
	return nil
}

func keys(a, b map[string]any) []string {
	var out []string
	for k := range a {
		out = append(out, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, k)
		}
	}
	sort.Strings(out)
	return out
}
