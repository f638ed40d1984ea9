package train

import (
	"fmt"
	"os"

	"gradsync/shared/cluster"
)

// writeTrace writes a run's time line to a file that Perfetto opens.
func writeTrace(path string, t *cluster.Trace) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("train: trace: %w", err)
	}
	err = cluster.WriteChrome(f, t)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("train: trace: %w", err)
	}
	return nil
}
