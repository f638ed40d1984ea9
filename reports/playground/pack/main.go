// Command pack compiles package playground to WebAssembly and writes it compressed,
// as the page holds it. The same toolchain writes the same bytes on every machine;
// the gzip header's comment names it.
//
//	go generate ./reports/playground
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

func main() {
	out := flag.String("o", "reports/assets/playground.wasm.gz", "file to write")
	flag.Parse()
	if err := pack(*out); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack(out string) error {
	dir, err := os.MkdirTemp("", "playground-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	module := filepath.Join(dir, "playground.wasm")
	// Names and line tables of a debugger, paths and the commit would differ between
	// checkouts, or be of no use in a page.
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w -buildid=", "-o", module,
		"gradsync/reports/playground/wasm")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWASM=", "GOEXPERIMENT=")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building WebAssembly: %w", err)
	}
	raw, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	z.Comment = runtime.Version()
	if _, err := z.Write(raw); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(out+".writing", packed.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(out+".writing", out)
}
