package lib

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Variable names folders to look into first, separated as in PATH.
//
// Source: ours: for libraries in unusual places
const Variable = "GRADSYNC_CUDA_LIBS"

// surroundings holds answers of the machine to a search.
type surroundings struct {
	env    func(string) string
	python string // the path of python3; empty: none
	root   string // of the file system
}

// machine is this one.
func machine() surroundings {
	python, err := exec.LookPath("python3")
	if err != nil {
		python = ""
	}
	return surroundings{os.Getenv, python, "/"}
}

// packages are where a Python's packages lie below its prefix.
var packages = []string{"lib/python3*/site-packages", "lib64/python3*/site-packages", "lib/python3*/dist-packages", "local/lib/python3*/dist-packages"}

// folders returns where libraries may lie, those of the user first; "" stands for the
// loader's path. No program is run to find them.
func (s surroundings) folders(first []string) []string {
	list := append(slices.Clone(first), filepath.SplitList(s.env(Variable))...)
	list = append(list, "")
	add := func(patterns ...string) {
		for _, p := range patterns {
			found, err := filepath.Glob(p)
			if err != nil {
				continue // a prefix with brackets in its name
			}
			slices.SortFunc(found, func(a, b string) int { return -natural(a, b) }) // the newest first
			list = append(list, found...)
		}
	}
	cuda := filepath.Join(s.root, "usr/local")
	for _, dir := range []string{"cuda", "cuda-*"} {
		add(filepath.Join(cuda, dir, "lib64"), filepath.Join(cuda, dir, "targets", "*", "lib"))
	}
	var prefixes []string
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if p := s.env(name); p != "" {
			prefixes = append(prefixes, p)
		}
	}
	if p := s.env("CONDA_PREFIX"); p != "" {
		list = append(list, filepath.Join(p, "lib"))
	}
	prefixes = append(prefixes, s.pythons()...)
	if p := s.env("HOME"); p != "" {
		prefixes = append(prefixes, filepath.Join(p, ".local"))
	}
	for _, prefix := range prefixes {
		for _, p := range packages {
			add(filepath.Join(prefix, p, "nvidia", "*", "lib"))
		}
	}
	var once []string
	for _, f := range list {
		if !slices.Contains(once, f) {
			once = append(once, f)
		}
	}
	return once
}

// pythons returns where python3 may be installed, without running it.
func (s surroundings) pythons() []string {
	if s.python == "" {
		return nil
	}
	folder := filepath.Dir(s.python)
	list := []string{filepath.Dir(folder)}
	if whole, err := filepath.EvalSymlinks(s.python); err == nil {
		list = append(list, filepath.Dir(filepath.Dir(whole)))
	}
	if filepath.Base(folder) == "shims" { // pyenv's: a script that chooses one
		list = append(list, filepath.Join(filepath.Dir(folder), "versions", cmp.Or(s.env("PYENV_VERSION"), "*")))
	}
	return list
}

// natural compares names by their numbers, so that cuda-12.10 comes behind cuda-12.9.
func natural(a, b string) int {
	for a != "" && b != "" {
		if x, y := digits(a), digits(b); x != "" && y != "" {
			m, n := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
				return c
			}
			a, b = a[len(x):], b[len(y):]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

// digits returns the number that s begins with.
func digits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}
