// Command depguard checks the import rules of .ci/depguard.yaml. It is depguard's
// own analyser, given the import clauses of every file and nothing else: it asks for
// no types, and to load them takes ten times as long. File patterns are relative to
// the current folder, so a clone that happens to lie in ~/papers or ~/experiments is
// judged like any other. It has its own module file, .ci/tools.mod:
//
//	go run -modfile=.ci/tools.mod .ci/depguard/main.go ./...
package main

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/OpenPeeDeeP/depguard/v2"
	"github.com/gobwas/glob"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// configEnv names another rule file, for the negative tests.
const configEnv = "GRADSYNC_DEPGUARD"

func main() {
	found, err := judge(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "depguard:", err)
		os.Exit(2)
	}
	for _, line := range found {
		fmt.Fprintln(os.Stderr, line)
	}
	if len(found) > 0 {
		os.Exit(3)
	}
}

// judge returns a line for each import that the rules forbid in the packages
// that the patterns name, tests included.
func judge(patterns []string) (found []string, err error) {
	settings, err := load()
	if err != nil {
		return nil, err
	}
	analyzer, err := depguard.NewAnalyzer(&settings)
	if err != nil {
		return nil, err
	}
	if len(analyzer.Requires) > 0 {
		return nil, errors.New("the analyser wants more than the import clauses: load packages with their types")
	}
	pass := analysis.Pass{Analyzer: analyzer, Fset: token.NewFileSet()}
	files, err := sources(patterns)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		file, err := parser.ParseFile(pass.Fset, name, nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		pass.Files = append(pass.Files, file)
	}
	pass.Report = func(d analysis.Diagnostic) {
		found = append(found, fmt.Sprintf("%s: %s", pass.Fset.Position(d.Pos), d.Message))
	}
	_, err = analyzer.Run(&pass)
	return found, err
}

// sources returns the Go files of the packages that the patterns name, each once.
func sources(patterns []string) (files []string, err error) {
	all, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles, Tests: true}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		for _, e := range p.Errors {
			return nil, e
		}
		if !strings.HasSuffix(p.ID, ".test") { // the program that go test writes
			files = append(files, p.GoFiles...)
		}
	}
	slices.Sort(files)
	if files = slices.Compact(files); len(files) == 0 {
		return nil, errors.New("no Go file to check")
	}
	return files, nil
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
