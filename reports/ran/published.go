package ran

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gradsync/experiments/result"
)

// schema names the format of published.json.
const schema = "gradsync.published/v1"

// published is one committed result: its bytes, what decides them, and its record.
type published struct {
	SHA256   string   `json:"sha256"`
	Config   string   `json:"config_sha256"`
	Seeds    []uint64 `json:"seeds"`
	Engine   string   `json:"engine,omitempty"`
	Data     []string `json:"data,omitempty"` // name and sha256 of each set
	Commit   string   `json:"commit"`
	Platform string   `json:"platform"`
	Go       string   `json:"go"`
	Command  string   `json:"command,omitempty"`
	Run      string   `json:"run_sha256,omitempty"` // of the record, as compact JSON
	Claims   []string `json:"claims,omitempty"`     // their ids
}

// publishedFile is the file; a key is id and profile: "dasp/table5 quick".
type publishedFile struct {
	Schema  string                     `json:"schema"`
	Results map[string]json.RawMessage `json:"results"`
}

func keyOf(r *result.Result) string { return r.ID + " " + r.Profile }

// List writes results as published.json holds them: one line each, in order. Same results
// and sidecars, same bytes.
func List(rs []File) ([]byte, error) {
	all := map[string]published{}
	for _, f := range rs {
		all[keyOf(f.Result)] = factsOf(f)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"schema\": %q,\n  \"results\": {", schema)
	for i, key := range slices.Sorted(maps.Keys(all)) {
		line, err := json.Marshal(all[key])
		if err != nil {
			return nil, fmt.Errorf("reports: published: %s: %w", key, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n    %q: %s", key, line)
	}
	b.WriteString("\n  }\n}\n")
	return b.Bytes(), nil
}

// factsOf returns a result as published.json holds it.
func factsOf(l File) published {
	p := published{SHA256: l.SHA256, Config: l.ConfigSHA256, Seeds: slices.Clone(l.Seeds), Engine: l.Engine}
	if p.Seeds == nil {
		p.Seeds = []uint64{}
	}
	for _, d := range l.Data {
		p.Data = append(p.Data, d.Name+" "+d.SHA256)
	}
	if l.Run != nil {
		p.Commit, p.Platform, p.Go = l.Run.Commit, l.Run.Platform, l.Run.Go
		p.Command, p.Run = l.Run.Command, recordSum(l.Run)
	}
	for _, c := range l.Claims {
		p.Claims = append(p.Claims, c.ID)
	}
	return p
}

// recordSum tells a record from any other, however its file is laid out; "" for none
// that can be written.
func recordSum(run *result.Run) string {
	raw, err := json.Marshal(run)
	if err != nil {
		return ""
	}
	return result.Sum(raw)
}

// read reads what List wrote.
func read(raw []byte) (map[string]published, error) {
	var file publishedFile
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("reports: published.json: %w", err)
	}
	if file.Schema != schema {
		return nil, fmt.Errorf("reports: published.json: schema %q, want %q", file.Schema, schema)
	}
	out := map[string]published{}
	for key, raw := range file.Results {
		var p published
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fmt.Errorf("reports: published.json: %s: %w", key, err)
		}
		out[key] = p
	}
	return out, nil
}
