package before

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Read loads a result file. An unknown field or another schema is an error.
func Read(path string) (*Result, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var r Result
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("result: %s: %w", path, err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("result: %s: schema is %q, want %q", path, r.Schema, Schema)
	}
	if err := checkSets(&r); err != nil {
		return nil, fmt.Errorf("result: %s: %w", path, err)
	}
	return &r, nil
}

// checkSets demands that the list of data sets is absent or has at least two of
// different names, the first being Data.
func checkSets(r *Result) error {
	if r.Datasets == nil {
		return nil
	}
	if len(r.Datasets) < 2 {
		return fmt.Errorf("datasets lists %d sets: one set stands in data", len(r.Datasets))
	}
	if r.Data == nil || *r.Data != r.Datasets[0] {
		return fmt.Errorf("data is not the first of datasets, %s", r.Datasets[0].Name)
	}
	seen := map[string]bool{}
	for _, d := range r.Datasets {
		if seen[d.Name] {
			return fmt.Errorf("datasets lists %s twice", d.Name)
		}
		seen[d.Name] = true
	}
	return nil
}
