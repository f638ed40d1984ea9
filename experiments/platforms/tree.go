package platforms

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// tree is a JSON value that knows where it stands in its file.
type tree struct {
	at      int // offset of its first byte
	raw     []byte
	members []member // of an object, in order, repeated ones too
	items   []*tree  // of a list
}

type member struct {
	name  string
	at    int // offset of the name
	value *tree
}

// syntaxError says where a text stops to be JSON.
type syntaxError struct {
	at  int
	err error
}

func (e *syntaxError) Error() string { return e.err.Error() }

// parseTree reads one JSON value and nothing behind it.
func parseTree(raw []byte) (*tree, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	t, err := readTree(d, raw)
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = &syntaxError{skip(raw, int(d.InputOffset())), errors.New("text after the object")}
		}
	}
	if err == nil {
		return t, nil
	}
	var at *syntaxError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &at):
		return nil, at
	case errors.As(err, &syntax):
		return nil, &syntaxError{max(int(syntax.Offset)-1, 0), syntax}
	}
	return nil, &syntaxError{len(bytes.TrimRight(raw, " \t\r\n")), errors.New("ends within the object")}
}

// skip returns the offset of the next value at or behind at.
func skip(raw []byte, at int) int {
	for at < len(raw) && bytes.IndexByte([]byte(" \t\r\n,:"), raw[at]) >= 0 {
		at++
	}
	return at
}

func readTree(d *json.Decoder, raw []byte) (*tree, error) {
	t := &tree{at: skip(raw, int(d.InputOffset()))}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if token == json.Delim('{') || token == json.Delim('[') {
		for d.More() {
			m := member{at: skip(raw, int(d.InputOffset()))}
			if token == json.Delim('{') {
				name, err := d.Token()
				if err != nil {
					return nil, err
				}
				m.name = fmt.Sprint(name)
			}
			if m.value, err = readTree(d, raw); err != nil {
				return nil, err
			}
			if token == json.Delim('{') {
				t.members = append(t.members, m)
			} else {
				t.items = append(t.items, m.value)
			}
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
	}
	t.raw = raw[t.at:d.InputOffset()]
	return t, nil
}

// get returns the value of a member, nil where there is none.
func (t *tree) get(name string) *tree {
	for _, m := range t.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// is reports whether the value begins as an object ('{'), a list ('['), a string ('"') ….
func (t *tree) is(first byte) bool { return len(t.raw) > 0 && t.raw[0] == first }

// line returns the number of the line of an offset, from 1.
func line(raw []byte, at int) int { return 1 + bytes.Count(raw[:min(at, len(raw))], []byte("\n")) }
