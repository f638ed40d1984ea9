package lib

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
)

func TestNatural(t *testing.T) {
	want := []string{"cuda", "cuda-11.8", "cuda-12.2", "cuda-12.9", "cuda-12.10", "cuda-013.1", "cudnn"}
	got := slices.Clone(want)
	slices.Sort(got)
	if slices.Equal(got, want) {
		t.Fatal("the list is sorted letter by letter too, so it tests nothing")
	}
	if slices.SortFunc(got, natural); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestFolders: the user's folders come first, then the loader, toolkits from the newest on,
// and wheels of the chosen environment before the system's.
func TestFolders(t *testing.T) {
	root := t.TempDir()
	at := func(path string) string { return filepath.Join(root, path) }
	for _, dir := range []string{
		"usr/local/cuda-12.9/lib64", "usr/local/cuda-12.10/lib64", "usr/local/cuda-12.10/targets/x86_64-linux/lib", "usr/local/other/lib64",
		"venv/lib/python3.12/site-packages/nvidia/cudnn/lib", "venv/lib/python3.12/site-packages/nvidia/cu13/lib", "venv/lib/python3.12/site-packages/torch/lib",
		"conda/lib/python3.11/site-packages/nvidia/nccl/lib", "python/lib/python3.9/dist-packages/nvidia/cublas/lib", "python/bin",
		"pyenv/versions/3.12/lib/python3.12/site-packages/nvidia/cublas/lib", "pyenv/versions/3.11/lib/python3.11/site-packages/nvidia/cublas/lib",
		"home/.local/lib/python3.10/site-packages/nvidia/cublas/lib",
	} {
		must(t, os.MkdirAll(at(dir), 0o755))
	}
	env := map[string]string{Variable: "/a" + string(filepath.ListSeparator) + "/b", "VIRTUAL_ENV": at("venv"), "CONDA_PREFIX": at("conda"), "HOME": at("home")}
	s := surroundings{func(k string) string { return env[k] }, at("python/bin/python3"), root}
	want := []string{"/first", "/a", "/b", "", at("usr/local/cuda-12.10/lib64"), at("usr/local/cuda-12.9/lib64"),
		at("usr/local/cuda-12.10/targets/x86_64-linux/lib"), at("conda/lib"), at("venv/lib/python3.12/site-packages/nvidia/cudnn/lib"),
		at("venv/lib/python3.12/site-packages/nvidia/cu13/lib"), at("conda/lib/python3.11/site-packages/nvidia/nccl/lib"),
		at("python/lib/python3.9/dist-packages/nvidia/cublas/lib"), at("home/.local/lib/python3.10/site-packages/nvidia/cublas/lib")}
	if got := s.folders([]string{"/first", "/a"}); !slices.Equal(got, want) {
		t.Errorf("%v,\nwant %v", got, want)
	}
	clear(env)
	s.python = at("pyenv/shims/python3")
	of := func(version string) string {
		return at("pyenv/versions/" + version + "/lib/python" + version + "/site-packages/nvidia/cublas/lib")
	}
	if got, want := s.folders(nil)[4:], []string{of("3.12"), of("3.11")}; !slices.Equal(got, want) {
		t.Errorf("of pyenv %v, want %v", got, want)
	}
	env["PYENV_VERSION"] = "3.11"
	if got, want := s.folders(nil)[4:], []string{of("3.11")}; !slices.Equal(got, want) {
		t.Errorf("of pyenv's chosen Python %v, want %v", got, want)
	}
}

// nothing is a machine without libraries, but for those that the loader knows.
func nothing(t *testing.T) surroundings {
	return surroundings{func(string) string { return "" }, "", t.TempDir()}
}

// TestMissing: every library that is not used is one plain line with the reason.
func TestMissing(t *testing.T) {
	none := find(nothing(t), nil, [2]int{12, 9})
	if none.BLAS != nil || none.DNN != nil {
		t.Skip("the loader of this machine knows the libraries")
	}
	if none.Versions() != "" {
		t.Errorf("without libraries there are versions %q", none.Versions())
	}
	broken := t.TempDir()
	for _, name := range []string{"libcublas.so.12", "libcudnn.so.9"} {
		must(t, os.WriteFile(filepath.Join(broken, name), []byte("no library"), 0o755))
	}
	for _, c := range []missing{
		{"nothing", none, [2]string{"cuBLAS: none (libcublas.so.12 not found: ", "cuDNN: none (libcudnn.so.9 not found: "}},
		{"any driver", find(nothing(t), nil, [2]int{}), [2]string{"cuBLAS: none (libcublas.so.13 not found: ", "cuDNN: none (libcudnn.so.9 not found: "}},
		{"an old driver", find(nothing(t), nil, [2]int{11, 4}), [2]string{"cuBLAS: none (cuBLAS 12 and 13 need a driver of CUDA 12.0 or newer; this one " +
			"speaks 11.4)", "cuDNN: none ("}},
		{"no libraries", find(nothing(t), []string{broken}, [2]int{13, 0}), [2]string{"cuBLAS: none (" + broken + "/libcublas.so.12 cannot be opened: ",
			"cuDNN: none (" + broken + "/libcudnn.so.9 cannot be opened: "}},
	} {
		c.check(t)
	}
}

type missing struct {
	what string
	set  *Set
	want [2]string
}

// check compares the lines' beginnings.
func (c missing) check(t *testing.T) {
	t.Helper()
	if len(c.set.Missing) != len(c.want) {
		t.Errorf("%s: %q", c.what, c.set.Missing)
		return
	}
	for i, line := range c.set.Missing {
		if !strings.HasPrefix(line, c.want[i]) || strings.Contains(line, "\n") {
			t.Errorf("%s: %q, want a line that begins with %q", c.what, line, c.want[i])
		}
	}
}

// TestVersions: libraries of another major version or for a newer CUDA than the driver's are
// refused with both numbers; what is no such library, with what it lacks.
func TestVersions(t *testing.T) {
	driver := faketest.Library(t, fake.Options{})
	built, err := fake.BuildLibraries()
	must(t, err)
	dir := t.TempDir()
	_, dnn, err := driver.Libraries(built, dir, 12)
	must(t, err)
	whole := find(nothing(t), []string{dir}, [2]int{12, 9})
	if len(whole.Missing) != 0 || whole.Versions() != "cublas 12.4.2/cudnn 9.7.5" || whole.BLAS.Path() != filepath.Join(dir, "libcublas.so.12") ||
		whole.DNN.Path() != filepath.Join(dir, "libcudnn.so.9") {
		t.Fatalf("%q, %+v", whole.Versions(), whole)
	}
	for _, c := range []struct {
		key  string
		v    int
		says string
	}{
		{"major", 8, "is cuDNN 8.9; this program speaks cuDNN 9"}, {"major", 10, "is cuDNN 10.7; this program speaks cuDNN 9"}, {"major", 9, ""},
		{"cuda", 13, "is built for CUDA 13; the driver speaks 12.9"},
	} {
		must(t, dnn.Set(c.key, c.v))
		s := find(nothing(t), []string{dir}, [2]int{12, 9})
		if got := strings.Join(s.Missing, "\n"); s.BLAS == nil || (s.DNN == nil) == (c.says == "") || c.says != "" && !strings.HasSuffix(got, c.says+")") {
			t.Errorf("%s %d: %q, want %q", c.key, c.v, got, c.says)
		}
	}
	text, err := os.ReadFile(driver.Path)
	must(t, err)
	wrong := t.TempDir()
	for _, name := range []string{"libcublas.so.12", "libcudnn.so.9"} {
		must(t, os.WriteFile(filepath.Join(wrong, name), text, 0o755))
	}
	missing{"another library", find(nothing(t), []string{wrong}, [2]int{12, 9}), [2]string{
		"cuBLAS: none (" + wrong + "/libcublas.so.12 lacks cublasGetProperty)", "cuDNN: none (" + wrong + "/libcudnn.so.9 lacks cudnnGetVersion)"}}.check(t)
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]version{91002: {9, 10, 2}, 92801: {9, 28, 1}, 8907: {8, 9, 7}, 7605: {7, 6, 5}} {
		if got := libraryVersion(n); got != want {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
	one, two := &Set{DNN: &DNN{version: libraryVersion(91001)}}, &Set{DNN: &DNN{version: libraryVersion(91002)}}
	if one.Versions() != "cudnn 9.10.1" || two.Versions() == one.Versions() || one.String() != two.String() {
		t.Errorf("%s and %s: bit classes %q and %q", one, two, one.Versions(), two.Versions())
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
