package gpu_test

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/gpu"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// libraries does faketest.Machine, with cuBLAS and cuDNN beside the driver.
func libraries(t *testing.T, o fake.Options) (cuda, dnn *fake.Library) {
	t.Helper()
	l := faketest.Machine(t, o)
	built, err := fake.BuildLibraries()
	if err == nil {
		_, dnn, err = l.Libraries(built, filepath.Dir(l.Path), 12)
	}
	must(t, err)
	t.Setenv(gpu.EnvLibraries, filepath.Dir(l.Path))
	return l, dnn
}

// table returns the lines of the package comment by what is the matter.
func table(t *testing.T) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "gpu.go", nil, parser.PackageClauseOnly|parser.ParseComments)
	must(t, err)
	rows := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S.*?)  +((?:gpu|cuBLAS|cuDNN): .*)$`).FindAllStringSubmatch(f.Doc.Text(), -1) {
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
		d, err := gpu.Open(gpu.Options{})
		if err == nil {
			d.Close()
		}
		return err
	}
	none := at("/nowhere/libcuda.so.1")
	rows["no driver"] = strings.Replace(rows["no driver"], "libcuda.so.1", "/nowhere/libcuda.so.1", 1)
	says(t, rows, "no driver", none)
	text := filepath.Join(t.TempDir(), "libcuda.so.1")
	must(t, os.WriteFile(text, []byte("no library"), 0o600))
	says(t, rows, "a broken library of that name", at(text))
	says(t, rows, "another library", at("libm.so.6"))
	says(t, rows, "a driver before CUDA 11.0", at(faketest.Machine(t, fake.Options{Version: 10020}).Path))
	says(t, rows, "no device", at(faketest.Machine(t, fake.Options{NoDevices: true}).Path))
	says(t, rows, "a device before capability 7.5", at(faketest.Machine(t, fake.Options{Capability: 70}).Path))
	faketest.Machine(t, fake.Options{})
	_, err := gpu.Open(gpu.Options{Index: 3})
	says(t, rows, "no device of that number", err)
	faketest.Machine(t, fake.Options{Memory: 400_000})
	says(t, rows, "no memory left", train(t, nil))
	l := faketest.Machine(t, fake.Options{})
	says(t, rows, "a device that breaks off", train(t, func() error { return l.FailAt(60, 700) }))
	tf32 := func() error {
		d, err := gpu.Open(gpu.Options{TF32: true})
		if err == nil {
			d.Close()
		}
		return err
	}
	faketest.Machine(t, fake.Options{})
	says(t, rows, "TF32 without libraries", tf32())
	_, dnn := libraries(t, fake.Options{Capability: 75})
	says(t, rows, "TF32 before capability 8.0", tf32())
	missing := func() error { return errors.New(gpu.Libraries()[1]) }
	set := func(key string, v int) { must(t, dnn.Set(key, v)) }
	set("major", 8)
	says(t, rows, "cuDNN of another version", missing())
	set("major", 9)
	set("cuda", 13)
	says(t, rows, "cuDNN for a newer CUDA", missing())
	set("cuda", 12)
	must(t, dnn.FailAt(1, 1001))
	says(t, rows, "a library that does not start", missing())
	saysOfRanks(t, rows)
	if none := gpu.Libraries(); strings.Contains(none[0], "not found") {
		says(t, rows, "no library", errors.New(none[0]))
	} else {
		delete(rows, "no library") // the loader of this machine knows one
	}
	if len(rows) > 0 {
		t.Errorf("nothing was tried of %v", rows)
	}
}

// saysOfRanks does TestTable's rows of ranks that sum on devices.
func saysOfRanks(t *testing.T, rows map[string]string) {
	t.Helper()
	sums := func() error {
		all, err := gpu.OpenRanks([]int{0, 1, 2}, gpu.Options{})
		for _, d := range all {
			d.Close()
		}
		return err
	}
	faketest.Machine(t, fake.Options{Devices: 2})
	says(t, rows, "fewer devices than ranks", sums())
	faketest.Machine(t, fake.Options{Devices: 3})
	t.Setenv(gpu.EnvLibraries, t.TempDir())
	if none := sums(); none != nil && strings.Contains(none.Error(), "not found") {
		says(t, rows, "no NCCL", none)
	} else {
		delete(rows, "no NCCL") // the loader of this machine knows it
	}
}

// train computes gradients of LeNet-5 on the machine's device.
func train(t *testing.T, before func() error) error {
	t.Helper()
	d, err := gpu.Open(gpu.Options{})
	must(t, err)
	defer d.Close()
	e, err := tensor.Lookup(gpu.Name)
	must(t, err)
	m, err := model.New("lenet5")
	must(t, err)
	w := m.NewWorkspace(e, 4, 1)
	defer w.Close()
	if before != nil {
		must(t, before())
	}
	params := make([]float32, m.NumParams())
	for range 2 {
		if _, err = w.Gradient(params, make([]float32, len(params)), make([]float32, 4*28*28), make([]uint8, 4), nil); err != nil {
			return err
		}
	}
	return nil
}

// TestOpen: the device is described, computes under its name, and is given back; then another one takes its place.
func TestOpen(t *testing.T) {
	for range 2 {
		l := faketest.Machine(t, fake.Options{})
		for _, s := range append(gpu.List(), gpu.Probe(0)) {
			if s.Reason != nil || !strings.HasPrefix(s.String(), "gpu: fake GPU on the CPU, ") || !strings.Contains(s.String(), "CUDA 12.9") {
				t.Errorf("%s", s)
			}
		}
		if n, err := l.Count("contexts"); n != 0 || err != nil {
			t.Errorf("a look opened %d contexts, %v", n, err)
		}
		must(t, train(t, nil))
		if n, err := l.Count("cuLaunchKernel"); n == 0 || err != nil {
			t.Errorf("%d kernels, %v", n, err)
		}
		if n, err := l.Count("open"); n != 0 || err != nil {
			t.Errorf("%d things were not given back, %v", n, err)
		}
		if _, err := tensor.Lookup(gpu.Name); err == nil || slices.Contains(tensor.Engines(), gpu.Name) {
			t.Error("the engine is known after its device was given back")
		}
	}
}

// TestOpenLibraries: libraries that are found compute, and the device's line and bit class name
// them; one that does not start is left out.
func TestOpenLibraries(t *testing.T) {
	for _, c := range []struct {
		tf32, broken bool
		line, class  string
	}{
		{false, false, ", CUDA 12.9, cuBLAS 12.4, cuDNN 9.7", "cuda-lib/fake GPU on the CPU/cublas 12.4.2/cudnn 9.7.5"},
		{true, false, ", CUDA 12.9, cuBLAS 12.4, cuDNN 9.7, TF32", "cuda-lib/fake GPU on the CPU/cublas 12.4.2/cudnn 9.7.5/tf32"},
		{false, true, ", CUDA 12.9, cuBLAS 12.4", "cuda-lib/fake GPU on the CPU/cublas 12.4.2"},
	} {
		l, dnn := libraries(t, fake.Options{Capability: 80})
		if c.broken {
			must(t, dnn.FailAt(1, 1001))
		}
		d, err := gpu.Open(gpu.Options{TF32: c.tf32})
		must(t, err)
		e, err := tensor.Lookup(gpu.Name)
		must(t, err)
		if e.Class() != c.class || !strings.HasSuffix(d.String(), c.line) {
			t.Errorf("%s, class %s; want %s, class %s", d, e.Class(), c.line, c.class)
		}
		must(t, d.Close())
		must(t, train(t, nil))
		if n, err := l.Count("library work"); n == 0 || err != nil {
			t.Errorf("the libraries did nothing, %v", err)
		}
		for _, l := range []*fake.Library{l, dnn} {
			if n, err := l.Count("open"); n != 0 || err != nil {
				t.Errorf("%d things were not given back, %v", n, err)
			}
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
