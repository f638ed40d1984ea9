// Package assets holds the files that pages load: scripts, style sheets, fonts and
// their licences.
package assets

import (
	"embed"
	"fmt"
)

//go:embed *.css *.js *.txt *.woff2 *.gz
var files embed.FS

// ReadFile returns a file by name.
func ReadFile(name string) ([]byte, error) {
	b, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("assets: %w", err)
	}
	return b, nil
}
