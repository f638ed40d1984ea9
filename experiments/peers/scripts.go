package peers

import "embed"

// Scripts are the Python files of this folder, so that a binary can run them
// wherever it lies.
//
//go:embed *.py
var Scripts embed.FS
