package platforms

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gradsync/internal/strict"
	"gradsync/shared/cluster"
)

// isResult reports whether raw is a result file: it has a configuration and no workers.
func isResult(raw []byte) bool {
	var head struct {
		Schema  string          `json:"schema"`
		Config  json.RawMessage `json:"config"`
		Workers json.RawMessage `json:"workers"`
	}
	return json.Unmarshal(raw, &head) == nil && strings.HasPrefix(head.Schema, "gradsync.result/") && head.Config != nil && head.Workers == nil
}

// Recorded is a platform that a result's configuration names.
type Recorded struct {
	Key  string `json:"key"` // its place in the configuration: platforms/heterogeneous6
	Name string `json:"name"`
	Sum  string `json:"sha256"`

	platform json.RawMessage // its numbers, where package platforms had no file of them
}

// RecordedIn lists the platforms of a result, in the order of its configuration.
func RecordedIn(raw []byte) ([]Recorded, error) {
	var r struct {
		Config json.RawMessage `json:"config"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("not a result: %w", err)
	}
	var out []Recorded
	t, err := parseTree(r.Config)
	if err == nil {
		t.recorded("", &out)
	}
	return out, err
}

// recorded collects the objects in the form of kit.Platform below t.
func (t *tree) recorded(key string, out *[]Recorded) {
	r := Recorded{Key: strings.TrimPrefix(key, "/")}
	for _, m := range t.members {
		switch m.name {
		case "name":
			_ = json.Unmarshal(m.value.raw, &r.Name) // not a name: no record
		case "sha256":
			_ = json.Unmarshal(m.value.raw, &r.Sum)
		case "platform":
			r.platform = m.value.raw
		}
	}
	rest := slices.ContainsFunc(t.members, func(m member) bool { return m.name != "name" && m.name != "sha256" && m.name != "platform" })
	if r.Name != "" && len(r.Sum) == 64 && !rest {
		*out = append(*out, r)
		return
	}
	for _, m := range t.members {
		m.value.recorded(key+"/"+m.name, out)
	}
	for i, item := range t.items {
		item.recorded(key+"/"+strconv.Itoa(i), out)
	}
}

// inResult returns a platform that a result ran on. key is its name or its key in RecordedIn;
// "" is the only one. Of a platform that this package holds the result has the name and the
// hash, of another one the numbers, to nine significant digits, without the reasons for them.
//
// Errors: no platform of that key, or several; another content of that name than this
// program's.
func inResult(raw []byte, key string) (*cluster.Platform, error) {
	all, err := RecordedIn(raw)
	if err != nil {
		return nil, err
	}
	var found []Recorded
	var keys []string
	for _, r := range all {
		if key == "" || key == r.Name || key == r.Key {
			if !slices.ContainsFunc(found, func(f Recorded) bool { return f.Name == r.Name && f.Sum == r.Sum }) {
				found = append(found, r)
			}
		}
		keys = append(keys, r.Key)
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("a result without a platform in its configuration")
	case len(found) == 0:
		return nil, fmt.Errorf("no platform #%s, want one of #%s", key, strings.Join(keys, ", #"))
	case len(found) > 1:
		return nil, fmt.Errorf("%d platforms, want FILE#KEY with one of #%s", len(found), strings.Join(keys, ", #"))
	}
	return found[0].load()
}

// load returns the platform itself.
func (r Recorded) load() (*cluster.Platform, error) {
	if r.platform == nil {
		p, err := Load(r.Name)
		if err != nil {
			return nil, err
		}
		if sum := Sum(p); sum != r.Sum {
			return nil, fmt.Errorf("ran on a %s of sha256 %.12s…, this program has %.12s…: its numbers are not in the result", r.Name, r.Sum, sum)
		}
		return p, nil
	}
	p := &cluster.Platform{}
	if err := strict.JSON(r.platform, p); err != nil {
		return nil, fmt.Errorf("#%s: %w", r.Key, err)
	}
	return p, p.Validate()
}
