package reports

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gradsync/internal/atomic"
)

// outputs are the files of a render by slash-separated name. Nothing is written
// before all of them are made, so a failed render leaves the old pages alone.
type outputs map[string][]byte

func (out outputs) add(name string, b []byte) { out[name] = b }

// assets adds the files that pages share.
func (out outputs) assets() error {
	for _, name := range shared() {
		b, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return fmt.Errorf("reports: %w", err)
		}
		out.add("assets/"+name, b)
	}
	return nil
}

// write puts every file under dir, each through a temporary file and a rename;
// a file that already has the right bytes is left alone.
func (out outputs) write(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(out)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, out[name]) {
			continue
		}
		if err := writeFile(file, out[name]); err != nil {
			return fmt.Errorf("reports: writing %s: %w", file, err)
		}
	}
	return nil
}

func writeFile(file string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return atomic.WriteFile(file, b)
}
