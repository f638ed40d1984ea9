//go:build linux && (amd64 || arm64) && !nodl

package onednn

import (
	"errors"
	"strings"
	"testing"
)

// fake is a dynamic linker with some files and symbols missing.
type fake struct {
	files   map[string]bool
	version version
	lacks   string
}

func (f fake) open(file string) (uintptr, error) {
	if !f.files[file] {
		return 0, errors.New(file + ": cannot open shared object file")
	}
	return 1, nil
}

func (f fake) symbol(_ uintptr, name string) (uintptr, error) {
	if name == f.lacks {
		return 0, errors.New("undefined symbol: " + name)
	}
	return 1, nil
}

func (f fake) versionOf(uintptr) (version, error) { return f.version, nil }

// TestGuard: what cannot be used is refused in one line that says why; what can
// is loaded with all its functions.
func TestGuard(t *testing.T) {
	two, three := map[string]bool{"libdnnl.so.2": true}, map[string]bool{"libdnnl.so.3": true}
	good := version{Major: 2, Minor: 6, Patch: 3, Runtime: runtimeOpenMP}
	for _, c := range []struct {
		what string
		from fake
		want string // part of the error, "" for none
	}{
		{"2.6", fake{files: two, version: good}, ""},
		{"2.7, sequential", fake{files: two, version: version{Major: 2, Minor: 7, Runtime: runtimeSequential}, lacks: "omp_set_num_threads"}, ""},
		{"no file", fake{}, "cannot open oneDNN"},
		{"no file, the linker's reason", fake{}, "libdnnl.so.3: cannot open"},
		{"3.7", fake{files: three, version: version{Major: 3, Minor: 7, Runtime: runtimeOpenMP}}, "version 3.7.0"},
		{"2.5", fake{files: two, version: version{Major: 2, Minor: 5, Patch: 1, Runtime: runtimeOpenMP}}, "version 2.5.1"},
		{"1.9", fake{files: two, version: version{Major: 1, Minor: 9, Runtime: runtimeOpenMP}}, "version 1.9.0"},
		{"threads that cannot be held", fake{files: two, version: version{Major: 2, Minor: 6, Runtime: 4}}, "runtime 4"},
		{"a function missing", fake{files: two, version: good, lacks: "dnnl_matmul_desc_init"}, "undefined symbol: dnnl_matmul_desc_init"},
		{"OpenMP's control missing", fake{files: two, version: good, lacks: "omp_set_num_threads"}, "omp_set_num_threads"},
	} {
		l, err := load(c.from)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: refused: %v", c.what, err)
		case c.want == "":
			for f, at := range l.address {
				if at == 0 {
					t.Errorf("%s: %s was not found", c.what, symbols[f])
				}
			}
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: error %v, want one with %q", c.what, err, c.want)
		case strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: the reason has several lines: %q", c.what, err)
		}
	}
}
