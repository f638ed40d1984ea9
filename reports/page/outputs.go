package page

import (
	"bytes"
	"fmt"
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gradsync/internal/atomic"
	"gradsync/reports/assets"
)

// Outputs holds the files of a render by slash-separated name. Nothing is written before all are
// made, so a failed render leaves the old pages alone.
type Outputs map[string][]byte

func (out Outputs) Add(name string, b []byte) { out[name] = b }

// Shared adds the files that pages share.
func (out Outputs) Shared() error {
	for _, name := range sharedFiles() {
		b, err := assets.ReadFile(name)
		if err != nil {
			return fmt.Errorf("page: %w", err)
		}
		out.Add("assets/"+name, b)
	}
	return nil
}

// Write puts every file under dir, each through a temporary file and a rename;
// a file that already has the right bytes is left alone.
func (out Outputs) Write(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(out)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, out[name]) {
			continue
		}
		if err := WriteFile(file, out[name]); err != nil {
			return fmt.Errorf("page: writing %s: %w", file, err)
		}
	}
	return nil
}

func WriteFile(file string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return atomic.WriteFile(file, b)
}

// Page adds the output of a template.
func (out Outputs) Page(t *template.Template, name, file string, data any) error {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("page: %s: %w", file, err)
	}
	out.Add(file, b.Bytes())
	return nil
}
