package datasets

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenUnknownName(t *testing.T) {
	_, err := Open("imagenet", Options{})
	wantError(t, err, `"imagenet"`, "mnist, fashion-mnist, cifar-10, synthetic")
}

func TestExplicitPlaceHasToExist(t *testing.T) {
	alone(t)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	missing := filepath.Join(t.TempDir(), "missing")
	for _, name := range []string{"mnist", "fashion-mnist", "cifar-10"} {
		_, err := OpenFor(name, Options{Dir: missing})
		wantError(t, err, missing, "--data-dir "+missing+": no such folder")
		_, err = OpenFor(name, Options{Dir: file})
		wantError(t, err, file, "is a file, want a folder")
		t.Setenv(EnvDir, missing)
		_, err = OpenFor(name, Options{})
		wantError(t, err, missing, "$GRADSYNC_DATA "+missing+": no such folder")
		t.Setenv(EnvDir, "")
	}
}

func TestBrokenSetIsNeverPassedOver(t *testing.T) {
	alone(t)
	broken := write(t, map[string][]byte{
		"mnist/train-images-idx3-ubyte.gz": []byte("<html>"), "fashion-mnist/train-labels-idx1-ubyte": {},
		"cifar-10-batches-bin/test_batch.bin": {1}, "somewhere/else/train-images-idx3-ubyte.gz": {},
	})
	for name, file := range map[string]string{"mnist": "mnist", "fashion-mnist": "fashion-mnist", "cifar-10": "cifar-10-batches-bin"} {
		_, err := OpenFor(name, Options{Dir: broken})
		wantError(t, err, filepath.Join(broken, file), "missing")
		t.Setenv(EnvDir, broken)
		_, err = OpenFor(name, Options{Dir: t.TempDir()})
		wantError(t, err, filepath.Join(broken, file), "missing")
		t.Setenv(EnvDir, "")
		cache := sure(cacheDir())(t)
		must(t, os.MkdirAll(filepath.Dir(cache), 0o755))
		if err := os.Symlink(broken, cache); err != nil {
			t.Skip("needs symbolic links: ", err)
		}
		_, err = OpenFor(name, Options{})
		wantError(t, err, file, "missing")
		os.Remove(cache)
	}
}

func TestNotFoundSaysWhereAndHow(t *testing.T) {
	alone(t)
	flag, env := t.TempDir(), t.TempDir()
	t.Setenv(EnvDir, env)
	for _, name := range []string{"mnist", "cifar-10"} {
		_, err := Open(name, Options{Dir: flag})
		var missing *notFoundError
		if !errors.As(err, &missing) || missing.Name != name || len(missing.Looked) != 3 {
			t.Fatalf("error %#v, want NotFoundError with three places", err)
		}
		wantError(t, err, flag, "`gradsync data fetch "+name+"` downloads it")
		wantError(t, err, env, "cache ")
	}
}

func TestOpenForFallsBackWithANote(t *testing.T) {
	alone(t)
	for name, words := range map[string][]string{
		"mnist":    {"the paper's MNIST was not found", "embedded Fashion-MNIST, 10,000 training and 1,000 test images", "`gradsync data fetch mnist`"},
		"cifar-10": {"the paper's CIFAR-10 was not found", "28×28×1 padded to 32×32 and repeated to 3 channels"},
	} {
		s := sure(OpenFor(name, Options{}))(t)
		if s.Name != "fashion-mnist" || s.Origin != OriginEmbedded {
			t.Errorf("%s: got %s, %s", name, s.Name, s.Origin)
		}
		for _, w := range words {
			if !strings.Contains(s.Note, w) {
				t.Errorf("%s: note %q does not say %q", name, s.Note, w)
			}
		}
		dir := t.TempDir()
		s = sure(OpenFor(name, Options{Dir: dir}))(t)
		if !strings.Contains(s.Note, "(--data-dir: no ") || strings.Contains(s.Note, dir) {
			t.Errorf("%s: note %q, want one that says that --data-dir holds no such set and names no folder", name, s.Note)
		}
	}
}

func TestLookUpOrder(t *testing.T) {
	alone(t)
	official := sure(lookup(mnist))(t)
	saved := *official
	defer func() { *official = saved }()
	official.Train, official.Test = 20, 10
	first, second, cache := write(t, tinyIDXFiles()), write(t, tinyIDXFiles()), sure(cacheDir())(t)
	must(t, os.MkdirAll(filepath.Dir(cache), 0o755))
	must(t, os.CopyFS(cache, os.DirFS(write(t, tinyIDXFiles()))))
	for _, c := range []struct{ flag, env, path, origin string }{
		{first, second, first, originDirectory}, {"", second, second, originDirectory},
		{t.TempDir(), second, second, originDirectory}, {"", "", cache, originCache},
		{t.TempDir(), t.TempDir(), cache, originCache},
	} {
		t.Setenv(EnvDir, c.env)
		s := sure(OpenFor(mnist, Options{Dir: c.flag}))(t)
		if s.Path != filepath.Join(c.path, "mnist") || s.Origin != c.origin {
			t.Errorf("flag %q, variable %q: read %s (%s), want %s (%s)", c.flag, c.env, s.Path, s.Origin, c.path, c.origin)
		}
		if !strings.Contains(s.Note, "not those of the official MNIST") {
			t.Errorf("note %q does not say that these are other images", s.Note)
		}
	}
}

func TestAnotherSetInPlace(t *testing.T) {
	alone(t)
	m, err := lookup(mnist)
	must(t, err)
	f := sure(lookup(fashionMNIST))(t)
	savedM, savedF := *m, *f
	defer func() { *m, *f = savedM, savedF }()
	m.Train, m.Test, f.Train, f.Test = 20, 10, 20, 10
	named := write(t, tinyIDXFiles())
	s := sure(Open(mnist, Options{Dir: named}))(t)
	f.Content = s.SHA256 // from now on these images are Fashion-MNIST
	_, err = Open(mnist, Options{Dir: named})
	wantError(t, err, filepath.Join(named, "mnist"), "holds Fashion-MNIST, want MNIST")
	_, err = Open(mnist, Options{Dir: filepath.Join(named, "mnist")})
	var missing *notFoundError
	if !errors.As(err, &missing) {
		t.Errorf("files of another set right in the folder: error %v, want NotFoundError", err)
	}
}

// TestOfficialSets reads the real files where the machine has them.
func TestOfficialSets(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	dir := os.Getenv(EnvDir)
	if dir == "" {
		t.Skip("needs $" + EnvDir + " with mnist/ or cifar-10-batches-bin/")
	}
	alone(t)
	// Means and deviations: the constants in wide use with these sets.
	for name, want := range map[string][2][]float32{
		"mnist":    {{0.1307}, {0.3081}},
		"cifar-10": {{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(name, Options{Dir: dir})
			var missing *notFoundError
			if errors.As(err, &missing) {
				t.Skipf("needs %s in $%s", name, EnvDir)
			}
			must(t, err)
			if s.Note != "" {
				t.Errorf("note %q, want none for the official files", s.Note)
			}
			if st, err := Verify(name, Options{Dir: dir}); err != nil || st.State != StateReady {
				t.Errorf("verified %+v, %v", st, err)
			}
			for c := range s.Mean {
				if d := s.Mean[c] - want[0][c]; d > 6e-5 || d < -6e-5 {
					t.Errorf("mean of channel %d is %g, want %g", c, s.Mean[c], want[0][c])
				}
				if d := s.Std[c] - want[1][c]; d > 6e-5 || d < -6e-5 {
					t.Errorf("deviation of channel %d is %g, want %g", c, s.Std[c], want[1][c])
				}
			}
		})
	}
}
