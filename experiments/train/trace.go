package train

import (
	"fmt"
	"io"

	"gradsync/internal/atomic"
	"gradsync/shared/cluster"
)

// writeTrace writes a run's time line to a file that Perfetto opens.
func writeTrace(path string, t *cluster.Trace) error {
	if err := atomic.Write(path, func(w io.Writer) error { return cluster.WriteChrome(w, t) }); err != nil {
		return fmt.Errorf("train: trace: %w", err)
	}
	return nil
}
