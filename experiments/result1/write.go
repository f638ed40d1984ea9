package result1

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"gradsync/experiments/result"
)

// SchemaJSON is the JSON Schema (2020-12) of a Result; every file that Write
// writes obeys it.
//
//go:embed schema.json
var SchemaJSON []byte

// Write stores r and its sidecar below root, each by a temporary file and a
// rename, and returns the path of the JSON. It fills Schema and
// ConfigSHA256 of r, and ResultSHA256 of run. A nil run writes no sidecar.
func Write(root string, r *Result, run *Run) (string, error) {
	raw, err := Encode(r)
	if err != nil {
		return "", err
	}
	path := result.Path(root, r.ID, r.Profile)
	return path, result.WriteFiles(path, raw, run)
}

// Encode returns the bytes of r's file: a fixed key order, 9 significant
// digits, rows on one line. Same result, same bytes. It fills Data where only
// Datasets is set, and drops a Datasets that repeats Data.
func Encode(r *Result) ([]byte, error) {
	r.Schema = Schema
	if r.Data == nil && len(r.Datasets) > 0 {
		first := r.Datasets[0]
		r.Data = &first
	}
	if len(r.Datasets) <= 1 && r.Data != nil && (len(r.Datasets) == 0 || r.Datasets[0] == *r.Data) {
		r.Datasets = nil // one way only to write one set
	}
	err := checkSets(r)
	if err != nil {
		return nil, fmt.Errorf("result: %s: %w", r.ID, err)
	}
	if r.Config, err = sorted(r.Config); err != nil {
		return nil, err
	}
	if r.ConfigSHA256, err = result.ConfigHash(r.Config); err != nil {
		return nil, err
	}
	return result.EncodeAny(r.ID, r)
}

// sorted turns a configuration into maps, which encode with their keys in
// order.
func sorted(config any) (any, error) {
	raw, err := result.Canonical(config)
	if err != nil {
		return nil, fmt.Errorf("result: configuration: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out any
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("result: configuration: %w", err)
	}
	return out, nil
}
