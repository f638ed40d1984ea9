package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrSchema is wrapped by Read where a file is of another version of the format.
var ErrSchema = errors.New("another schema")

// Read loads a result file. An unknown field or another schema is an error.
func Read(path string) (*Result, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return Decode(path, raw)
}

// Decode reads the bytes of a result file; path is what errors call it.
func Decode(path string, raw []byte) (*Result, error) {
	var version struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(raw, &version); err != nil {
		return nil, fmt.Errorf("result: %s: %w", path, err)
	}
	if version.Schema != Schema {
		return nil, fmt.Errorf("result: %s: schema is %q, want %q: %w", path, version.Schema, Schema, ErrSchema)
	}
	r := new(Result)
	if err := strict(raw, r); err != nil {
		return nil, fmt.Errorf("result: %s: %w", path, err)
	}
	if err := Check(r); err != nil {
		return nil, fmt.Errorf("result: %s: %w", path, err)
	}
	return r, nil
}

// strict decodes one JSON value into v and refuses fields that v has not.
func strict(raw []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("something follows the result")
	}
	return nil
}

// ReadRun loads the sidecar beside the result file at path.
func ReadRun(path string) (*Run, error) {
	raw, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".run.json")
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	var run Run
	if err := json.Unmarshal(raw, &run); err != nil {
		return nil, fmt.Errorf("result: sidecar of %s: %w", path, err)
	}
	return &run, nil
}
