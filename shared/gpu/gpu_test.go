package gpu_test

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gradsync/shared/gpu"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// machine lets a fake driver be the one of this machine.
func machine(t *testing.T, o fake.Options) *fake.Library {
	t.Helper()
	built, err := fake.Build(kernels.Sources())
	if errors.Is(err, fake.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := fake.New(built, t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(gpu.EnvDriver, l.Path)
	return l
}

// table returns the lines of the package comment by what is the matter.
func table(t *testing.T) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "gpu.go", nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S.*?)  +(gpu: .*)$`).FindAllStringSubmatch(f.Doc.Text(), -1) {
		rows[m[1]] = m[2]
	}
	return rows
}

// says compares an error with its row of the table, where … stands for anything.
func says(t *testing.T, rows map[string]string, matter string, err error) {
	t.Helper()
	row, ok := rows[matter]
	if !ok {
		t.Fatalf("the table has no row %q", matter)
	}
	delete(rows, matter)
	if err == nil {
		t.Errorf("%s: no error", matter)
		return
	}
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(row), "…", ".+") + "$"
	if !regexp.MustCompile(pattern).MatchString(err.Error()) {
		t.Errorf("%s: %q, the table says %q", matter, err, row)
	}
}

// TestTable: each line of the package comment comes on a machine of that kind.
func TestTable(t *testing.T) {
	if _, err := fake.Build(kernels.Sources()); errors.Is(err, fake.ErrMissing) {
		t.Skip(err)
	}
	rows := table(t)
	at := func(path string) error {
		t.Setenv(gpu.EnvDriver, path)
		d, err := gpu.Open(0)
		if err == nil {
			d.Close()
		}
		return err
	}
	none := at("/nowhere/libcuda.so.1")
	rows["no driver"] = strings.Replace(rows["no driver"], "libcuda.so.1", "/nowhere/libcuda.so.1", 1)
	says(t, rows, "no driver", none)
	text := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	says(t, rows, "a broken library of that name", at(text))
	says(t, rows, "another library", at("libm.so.6"))
	says(t, rows, "a driver before CUDA 11.0", at(machine(t, fake.Options{Version: 10020}).Path))
	says(t, rows, "no device", at(machine(t, fake.Options{NoDevices: true}).Path))
	says(t, rows, "a device before capability 7.5", at(machine(t, fake.Options{Capability: 70}).Path))
	machine(t, fake.Options{})
	_, err := gpu.Open(3)
	says(t, rows, "no device of that number", err)
	machine(t, fake.Options{Memory: 400_000})
	says(t, rows, "no memory left", train(t, nil))
	l := machine(t, fake.Options{})
	says(t, rows, "a device that breaks off", train(t, func() error { return l.FailAt(60, 700) }))
	if len(rows) > 0 {
		t.Errorf("nothing was tried of %v", rows)
	}
}

// train computes gradients of LeNet-5 on the machine's device.
func train(t *testing.T, before func() error) error {
	t.Helper()
	d, err := gpu.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	e, err := tensor.Lookup(gpu.Name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New("lenet5")
	if err != nil {
		t.Fatal(err)
	}
	w := m.NewWorkspace(e, 4, 1)
	defer w.Close()
	if before != nil {
		if err := before(); err != nil {
			t.Fatal(err)
		}
	}
	params := make([]float32, m.NumParams())
	for range 2 {
		if _, err = w.Gradient(params, make([]float32, len(params)), make([]float32, 4*28*28), make([]uint8, 4), nil); err != nil {
			return err
		}
	}
	return nil
}

// TestOpen: the device is described, computes under its name, and is given back; then another
// one takes its place.
func TestOpen(t *testing.T) {
	for range 2 {
		l := machine(t, fake.Options{})
		for _, s := range append(gpu.List(), gpu.Probe(0)) {
			if s.Reason != nil || !strings.HasPrefix(s.String(), "gpu: fake GPU on the CPU, ") || !strings.Contains(s.String(), "CUDA 12.9") {
				t.Errorf("%s", s)
			}
		}
		if n, err := l.Count("contexts"); n != 0 || err != nil {
			t.Errorf("a look opened %d contexts, %v", n, err)
		}
		if err := train(t, nil); err != nil {
			t.Error(err)
		}
		if n, err := l.Count("cuLaunchKernel"); n == 0 || err != nil {
			t.Errorf("%d kernels, %v", n, err)
		}
		if n, err := l.Count("open"); n != 0 || err != nil {
			t.Errorf("%d things were not given back, %v", n, err)
		}
	}
}
