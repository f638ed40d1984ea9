package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gradsync/shared/cluster/mpi"
	"gradsync/shared/gpu"
)

// workerEnv makes this test's binary the program.
const workerEnv = "GRADSYNC_TEST_COMMAND"

// TestMain hides this machine's data sets and its GPU: what the commands print must not
// depend on whether MNIST lies somewhere, or who computes.
func TestMain(m *testing.M) {
	if os.Getenv(workerEnv) != "" { // a test started this binary as the program
		mpi.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	if os.Getenv(asMPIRank) != "" { // a rank, which hides what the test hides and never returns
		os.Exit(m.Run())
	}
	empty, err := os.MkdirTemp("", "gradsync-no-data")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := shareFakeGPU(empty); err != nil {
		fmt.Fprintln(os.Stderr, "the fake GPU is built anew:", err)
	}
	os.Unsetenv("GRADSYNC_DATA")
	os.Unsetenv(gpu.EnvRequire)
	os.Setenv(gpu.EnvDriver, "/nowhere/libcuda.so.1")
	os.Setenv(gpu.EnvLibraries, "none")
	for _, cache := range []string{"XDG_CACHE_HOME", "LocalAppData"} { // where os.UserCacheDir looks
		os.Setenv(cache, empty)
	}
	rc := m.Run()
	os.RemoveAll(empty)
	os.Exit(rc)
}

// shareFakeGPU puts the user's built fake GPUs, each of which takes seconds to build, into the folder that stands for his
// cache in these tests.
func shareFakeGPU(cache string) error {
	users, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	built, here := filepath.Join(users, "gradsync", "fake-gpu"), filepath.Join(cache, "gradsync", "fake-gpu")
	if err := errors.Join(os.MkdirAll(built, 0o700), os.MkdirAll(filepath.Dir(here), 0o700)); err != nil {
		return err
	}
	return os.Symlink(built, here)
}
