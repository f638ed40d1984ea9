package dev

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packed makes a wheel.
func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range files {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// deaf returns an address that nobody listens at and nobody can take: a connection has it.
func deaf(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}

// Of a wheel the headers are unpacked, once; what is not the pinned file leaves nothing behind.
func TestHeadersAreFetchedOnceAndChecked(t *testing.T) {
	good := packed(t, map[string]string{"inc/cuda.h": "c", "inc/deep/x.hpp": "x", "inc/../../out.h": "", "lib/libcudart.so": "", "inc/notes.txt": ""})
	empty := packed(t, map[string]string{"inc/other.h": ""})
	asked := 0
	serve := func(body []byte, status int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.WriteHeader(status)
			_, _ = w.Write(body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	sum := func(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }
	above := t.TempDir()
	for name, c := range map[string]struct{ url, sha256, says string }{
		"another file": {serve(good, 200), sum(empty), "sha256"},
		"not there":    {serve(good, 404), sum(good), "404"},
		"no header":    {serve(empty, 200), sum(empty), "no cuda.h"},
		"no network":   {"http://" + deaf(t), sum(good), "--headers"},
	} {
		err := wheel{name, "1", c.url, c.sha256, "inc/"}.fetch(filepath.Join(above, "headers"))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q in one line", name, err, c.says)
		}
	}
	if left, err := os.ReadDir(above); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	asked = 0
	w := wheel{"good", "1", serve(good, 200), sum(good), "inc/"}
	dir := filepath.Join(above, "headers")
	for range 2 {
		if err := w.fetch(dir); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, pattern := range []string{"*", "*/*", "*/*/*"} {
		found, err := filepath.Glob(filepath.Join(above, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			rel, err := filepath.Rel(above, f)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(rel))
		}
	}
	if want := []string{"headers", "headers/cuda.h", "headers/deep", "headers/deep/x.hpp"}; asked != 1 || !slices.Equal(names, want) {
		t.Errorf("asked %d times, unpacked %v, want once and %v", asked, names, want)
	}
}

// What is linked to cu finds the fake driver and no other, and says so if it does not.
func TestCuIsLinkedToTheFakeDriver(t *testing.T) {
	steps := throughCu("/headers", "/fake")
	for _, want := range []string{"CGO_ENABLED=1", `CGO_CFLAGS="-I/headers"`, `CGO_LDFLAGS="-L/fake"`, "LD_LIBRARY_PATH=/fake", "GRADSYNC_CU=fake"} {
		if last := steps[len(steps)-1]; !slices.Contains(last.env, want) {
			t.Errorf("%q has no %s", last.Command, want)
		}
	}
}

func TestCuNeedsACompilerAndSaysSo(t *testing.T) {
	clone(t)
	t.Setenv("PATH", t.TempDir())
	_, _, err := call(gpuCu())
	if err == nil || !strings.HasPrefix(err.Error(), "gpu-cu: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want one line", err)
	}
}
