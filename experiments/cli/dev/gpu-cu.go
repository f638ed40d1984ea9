package dev

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// wheel is a Python package of which only the headers are wanted.
type wheel struct{ name, version, url, sha256, headers string }

// cudaHeaders are of CUDA 12: gorgonia.org/cu does not compile with those of 13.
var cudaHeaders = wheel{
	name: "nvidia-cuda-runtime-cu12", version: "12.9.79",
	url: "https://files.pythonhosted.org/packages/bc/46/a92db19b8309581092a3add7e6fceb4c301a3fd233969856a8cbf042cd3c/" +
		"nvidia_cuda_runtime_cu12-12.9.79-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
	sha256:  "25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3",
	headers: "nvidia/cuda_runtime/include/",
}

// gpuCu tests the driver of the tag cu, which nothing else compiles.
func gpuCu() *cobra.Command {
	var headers string
	cmd := &cobra.Command{
		Use: "gpu-cu", Short: "Build with gorgonia.org/cu and run its tests on the fake driver (as make gpu-cu)",
		Long: "Build with the tag cu, that is with gorgonia.org/cu instead of a driver found at run time, and run the suites of drivers and of engines\n" +
			"through it on the fake driver. The headers of CUDA 12.9 are fetched once (3.5 MB from PyPI, NVIDIA's licence) into the user's cache folder.\n" +
			"It needs gcc and g++ on Linux and amd64, and no GPU: what it builds is linked to the fake driver.",
		Example: "  gradsync dev gpu-cu --headers /usr/local/cuda/include", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
				return errors.New("gpu-cu: the fake driver runs on linux/amd64 alone")
			}
			for _, compiler := range []string{"gcc", "g++"} {
				if _, err := exec.LookPath(compiler); err != nil {
					return fmt.Errorf("gpu-cu: there is no %s on PATH (Debian: apt-get install g++)", compiler)
				}
			}
			cache, err := os.UserCacheDir()
			if err != nil {
				return fmt.Errorf("gpu-cu: no folder for the headers: %w", err)
			}
			var steps []step
			dir := filepath.Join(cache, "gradsync", "cuda")
			if headers == "" {
				headers = filepath.Join(dir, cudaHeaders.version)
				what := fmt.Sprintf("headers of %s %s in %s", cudaHeaders.name, cudaHeaders.version, headers)
				steps = append(steps, step{Command: what, own: func(string, io.Writer) error { return cudaHeaders.fetch(headers) }})
			}
			if headers, err = filepath.Abs(headers); err != nil { // the compiler runs elsewhere
				return err
			}
			return do(cmd, append(steps, throughCu(headers, filepath.Join(dir, "fake"))...))
		},
	}
	cmd.Flags().StringVar(&headers, "headers", "", "folder of CUDA 12's headers (default: fetched)")
	return cmd
}

// throughCu builds the fake driver, and the tests that are linked to it and to nothing else.
func throughCu(headers, fake string) []step {
	run := program("go", "test", "-tags", "cu", "-count=1", "-run", "^TestCu", "./shared/gpu/driver", "./shared/gpu/engine")
	run = run.with("GRADSYNC_CU=fake").with("LD_LIBRARY_PATH=" + fake)
	run = run.with(`CGO_LDFLAGS="-L` + fake + `"`).with(`CGO_CFLAGS="-I` + headers + `"`).with("CGO_ENABLED=1")
	return []step{program("go", "run", "./shared/gpu/fake/link", "-out", fake), run}
}

// fetch puts the headers into dir, whole or not at all, unless they are there.
func (w wheel) fetch(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	client := http.Client{Timeout: 3 * time.Minute}
	answer, err := client.Get(w.url)
	if err != nil {
		return fmt.Errorf("%s cannot be fetched: %w; --headers names a folder that has them", w.name, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<20))
	switch sum := sha256.Sum256(text); {
	case err != nil:
		return fmt.Errorf("%s cannot be fetched: %w", w.name, err)
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("%s cannot be fetched: %s: %s; --headers names a folder that has them", w.name, w.url, answer.Status)
	case fmt.Sprintf("%x", sum) != w.sha256:
		return fmt.Errorf("%s has sha256 %x, want %s", w.url, sum, w.sha256)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := w.unpack(text, part); err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	if err := os.Rename(part, dir); err != nil {
		if _, other := os.Stat(dir); other != nil { // of another process
			return err
		}
	}
	return os.Chmod(dir, 0o755)
}

// unpack writes the headers of a wheel, which is a zip file, into dir.
func (w wheel) unpack(text []byte, dir string) error {
	all, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	found := false
	for _, f := range all.File {
		name, ok := strings.CutPrefix(f.Name, w.headers)
		if ext := path.Ext(name); !ok || ext != ".h" && ext != ".hpp" || !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		found = found || name == "cuda.h"
		from, err := f.Open()
		if err != nil {
			return err
		}
		header, err := io.ReadAll(from)
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(err, from.Close(), os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, header, 0o644)); err != nil {
			return err
		}
	}
	if !found {
		return errors.New("there is no cuda.h in it")
	}
	return nil
}
