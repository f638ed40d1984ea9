package main

import (
	"archive/tar"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"gradsync/internal/oracle/before"
)

//go:embed testdata/v1.tar.zst
var archive []byte

// frozen returns the results of version 1 by "id profile".
func frozen() (map[string]*before.Result, error) {
	z, err := zstd.NewReader(bytes.NewReader(archive), zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	out, files := map[string]*before.Result{}, tar.NewReader(z)
	for {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("frozen results: %w", err)
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		dec := json.NewDecoder(files)
		dec.DisallowUnknownFields()
		r := new(before.Result)
		if err := dec.Decode(r); err != nil {
			return nil, fmt.Errorf("frozen results: %s: %w", head.Name, err)
		}
		out[r.ID+" "+r.Profile] = r
	}
}
