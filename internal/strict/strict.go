// Package strict reads JSON that holds what is asked for and nothing else.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// JSON reads one value into v. It refuses a field that v has not and text behind the value.
func JSON(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows its end")
	}
	return nil
}

// Embedded returns what a data file of this program holds. It panics on one that is wrong, so that no test of the package
// that embeds it begins.
func Embedded[T any](raw []byte) (v T) {
	if err := JSON(raw, &v); err != nil {
		panic(fmt.Sprintf("%T: %v", v, err))
	}
	return v
}
