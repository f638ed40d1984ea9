package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Run says which run a checkpoint is of, by all that decides its numbers.
type Run struct {
	Bits   int             `json:"bits"`             // version of the numbers that this program computes
	Config json.RawMessage `json:"config"`           // an object
	Engine string          `json:"engine"`           // name and bit class
	Data   string          `json:"data"`             // hash of the data set
	Params string          `json:"params"`           // hash of the first parameters
	Others string          `json:"others,omitempty"` // hash of what else there is: a recorded order, a mask
}

// differs says in what run r, this one, differs from the one of a file; "" if in nothing.
func (r Run) differs(there Run) string {
	var out []string
	note := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("%s is %s there and %s here", what, short(a), short(b)))
		}
	}
	here, was := fields(r.Config), fields(there.Config)
	names := maps.Clone(here)
	maps.Copy(names, was)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		note(name, was[name], here[name])
	}
	note("the engine", there.Engine, r.Engine)
	note("the data set", there.Data, r.Data)
	if len(out) == 0 {
		note("the hash of the first parameters", there.Params, r.Params)
		note("the hash of the recorded order or mask", there.Others, r.Others)
		note("the version of all numbers", fmt.Sprint(there.Bits), fmt.Sprint(r.Bits))
	}
	if n := len(out) - most; n > 0 {
		out = append(out[:most], fmt.Sprintf("%d more differ", n))
	}
	return strings.Join(out, ", ")
}

// most is how many differences are named.
const most = 3

// fields returns the members of an object, each in its shortest form.
func fields(object json.RawMessage) map[string]string {
	raw, out := map[string]json.RawMessage{}, map[string]string{}
	_ = json.Unmarshal(object, &raw) // what is no object has no members
	for name, value := range raw {
		var b bytes.Buffer
		_ = json.Compact(&b, value) // it was valid
		out[name] = b.String()
	}
	return out
}

// short cuts a long text and names a missing one.
func short(s string) string {
	const longest = 40
	if s == "" {
		return "not given"
	}
	if r := []rune(s); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return s
}
