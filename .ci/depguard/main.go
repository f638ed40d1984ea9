// Command depguard checks the import rules of .ci/depguard.yaml. It is depguard's
// own analyser; what it adds is that file patterns are relative to the current
// folder, so a clone that happens to lie in ~/papers or ~/experiments is judged
// like any other. It has its own module file, .ci/tools.mod:
//
//	go run -modfile=.ci/tools.mod .ci/depguard/main.go ./...
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/OpenPeeDeeP/depguard/v2"
	"github.com/gobwas/glob"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/go/analysis/singlechecker"
)

// configEnv names another rule file, for the negative tests.
const configEnv = "GRADSYNC_DEPGUARD"

func main() {
	settings, err := load()
	if err != nil {
		fmt.Fprintln(os.Stderr, "depguard:", err)
		os.Exit(2)
	}
	analyzer, err := depguard.NewAnalyzer(&settings)
	if err != nil {
		fmt.Fprintln(os.Stderr, "depguard:", err)
		os.Exit(2)
	}
	singlechecker.Main(analyzer)
}

// load reads the rules and anchors their file patterns at the current folder.
func load() (depguard.LinterSettings, error) {
	path := os.Getenv(configEnv)
	if path == "" {
		path = filepath.Join(".ci", "depguard.yaml")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rules := yaml.NewDecoder(file)
	rules.KnownFields(true) // a mistyped key would switch a rule off
	var settings depguard.LinterSettings
	if err := rules.Decode(&settings); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	// The loader reports real paths, so a root reached by a link must be one too.
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	prefix := glob.QuoteMeta(filepath.ToSlash(root)) + "/"
	for _, list := range settings {
		for i, pattern := range list.Files {
			negated := strings.HasPrefix(pattern, "!")
			pattern = strings.TrimPrefix(pattern, "!")
			if !strings.HasPrefix(pattern, "$") {
				pattern = prefix + pattern
			}
			if negated {
				pattern = "!" + pattern
			}
			list.Files[i] = pattern
		}
	}
	return settings, nil
}
