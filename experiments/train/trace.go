package train

import (
	"fmt"
	"os"
	"path/filepath"

	"gradsync/shared/cluster"
)

// writeTrace writes a run's time line to a file that Perfetto opens, by a
// temporary neighbour: the file is whole or not there.
func writeTrace(path string, t *cluster.Trace) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	if err != nil {
		return fmt.Errorf("train: trace: %w", err)
	}
	defer os.Remove(f.Name()) // harmless after the rename
	err = cluster.WriteChrome(f, t)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("train: trace: %w", err)
	}
	return nil
}
