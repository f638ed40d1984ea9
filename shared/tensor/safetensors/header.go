package safetensors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// parseHeader reads the header's entries, ordered by offset. encoding/json
// alone would let repeated keys and unknown fields pass, so the object is
// walked token by token.
func parseHeader(header []byte) ([]named, map[string]string, error) {
	if len(header) == 0 || header[0] != '{' || !utf8.Valid(header) {
		return nil, nil, errors.New("safetensors: header is not a JSON object in UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(header))
	if _, err := dec.Token(); err != nil {
		return nil, nil, fmt.Errorf("safetensors: header: %w", err)
	}
	var entries []named
	var metadata map[string]string
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, nil, fmt.Errorf("safetensors: header: %w", err)
		}
		name, ok := token.(string)
		if !ok || name == "" || seen[name] {
			return nil, nil, fmt.Errorf("safetensors: header: name %v is empty or used twice", token)
		}
		seen[name] = true
		if name == metadataKey {
			if err := dec.Decode(&metadata); err != nil {
				return nil, nil, fmt.Errorf("safetensors: header: metadata: %w", err)
			}
			continue
		}
		e := named{name: name}
		if err := dec.Decode(&e.entry); err != nil {
			return nil, nil, fmt.Errorf("safetensors: header: tensor %q: %w", name, err)
		}
		if width[e.Dtype] == 0 || e.Shape == nil || len(e.Offsets) != 2 {
			return nil, nil, fmt.Errorf("safetensors: header: tensor %q: dtype %q, shape %v, %d offsets; want F32 or U8, a shape, 2 offsets",
				name, e.Dtype, e.Shape, len(e.Offsets))
		}
		entries = append(entries, e)
	}
	if _, err := dec.Token(); err != nil {
		return nil, nil, fmt.Errorf("safetensors: header: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, nil, errors.New("safetensors: header: text after the object")
	}
	slices.SortStableFunc(entries, byOffset)
	return entries, metadata, nil
}

// named is a header entry with its key.
type named struct {
	name string
	entry
}

// byOffset orders entries as their data; empty tensors before what follows them.
func byOffset(a, b named) int {
	return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]))
}

// UnmarshalJSON reads more strictly than encoding/json: exact names, each once.
func (e *entry) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return fmt.Errorf("entry %.20q is not an object", raw)
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if seen[name] {
			return fmt.Errorf("%q is there twice", name)
		}
		seen[name] = true
		switch name {
		case "dtype":
			err = dec.Decode(&e.Dtype)
		case "shape":
			err = dec.Decode(&e.Shape)
		case "data_offsets":
			err = dec.Decode(&e.Offsets)
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
