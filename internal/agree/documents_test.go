package agree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/cli"
	"gradsync/experiments/paper"
	"gradsync/internal/oktest"
	"gradsync/internal/repo"
)

func mustRoot(t *testing.T) string {
	t.Helper()
	return oktest.Must(repo.Root())(t)
}

func readRoot(t *testing.T, name string) string {
	t.Helper()
	text := oktest.Must(os.ReadFile(filepath.Join(mustRoot(t), filepath.FromSlash(name))))(t)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// find returns the first group of the first match of pattern in a root file.
func find(t *testing.T, name, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(readRoot(t, name))
	if m == nil {
		t.Fatalf("%s has no match of %s", name, pattern)
	}
	return m[1]
}

// TestVersion: one version in the changelog, the citation and the binary.
func TestVersion(t *testing.T) {
	top := find(t, "CHANGELOG.md", `(?m)^## \[(\d+\.\d+\.\d+)\]`)
	if cited := find(t, "CITATION.cff", `(?m)^version: "?([^"\n]+)"?$`); cited != top {
		t.Errorf("CITATION.cff has version %s, the top of CHANGELOG.md %s", cited, top)
	}
	if cli.Version != top {
		t.Errorf("gradsync version prints %s, the top of CHANGELOG.md is %s", cli.Version, top)
	}
}

// TestCitesTheSources: ours as the work, the four sources as references, and no
// DOI or publication number but the one that a source itself prints.
func TestCitesTheSources(t *testing.T) {
	text := readRoot(t, "CITATION.cff")
	_, references, ok := strings.Cut(text, "\nreferences:\n")
	if !ok {
		t.Fatal("CITATION.cff has no references")
	}
	if n := len(regexp.MustCompile(`(?m)^  - type: `).FindAllString(references, -1)); n != 4 {
		t.Errorf("CITATION.cff has %d references, want the four sources", n)
	}
	dois := regexp.MustCompile(`(?m)^ *doi: "?([^"\n]+)"?$`).FindAllStringSubmatch(text, -1)
	if len(dois) != 1 || dois[0][1] != "10.19678/j.issn.1000-3428.0057340" {
		t.Errorf("CITATION.cff has the DOIs %v, want only the one of the coded SGD paper", dois)
	}
	if strings.Contains(text, "number: \"CN") {
		t.Error("CITATION.cff: the patent application's text has no publication number")
	}
}

// TestEveryDocumentIsWhole: a document with a descriptor has a target and a command that
// reproduce it, experiments, a story in both languages and, unless it is ours, a
// citation and claims. Chapters and diagram name experiments that there are.
func TestEveryDocumentIsWhole(t *testing.T) {
	makefile := readRoot(t, "Makefile")
	ids := map[string]bool{}
	for _, e := range cli.Experiments() {
		key, _, _ := strings.Cut(e.ID, "/")
		ids[e.ID], ids[key] = true, true
	}
	for i, p := range paper.Indexed() {
		if p.Index != i+1 {
			t.Errorf("%s is number %d on the index, want %d", p.Key, p.Index, i+1)
		}
		if !strings.Contains(makefile, "\nreproduce-"+p.Key+": ") {
			t.Errorf("the Makefile has no target reproduce-%s", p.Key)
		}
		if !ids[p.Key] {
			t.Errorf("%s has no experiments", p.Key)
		}
		for _, text := range []string{".story.en.md", ".story.zh.md", ".assumptions.en.md", ".assumptions.zh.md"} {
			if _, err := os.Stat(filepath.Join(mustRoot(t), "reports", "text", p.Key+text)); err != nil {
				t.Error(err)
			}
		}
		for what, pair := range map[string][2]string{"noun": p.Noun, "short name": p.Short, "title": p.Title, "lede": p.Lede} {
			if pair[0] == "" || pair[1] == "" {
				t.Errorf("%s has no %s in a language", p.Key, what)
			}
		}
		if !p.Ours && (p.Plain == "" || p.BibTeX == "" || p.Original == "" || p.Claims == "" || p.Dated == "" || p.Diagram == "") {
			t.Errorf("%s is a source without citation, claims, title, date or diagram", p.Key)
		}
		for _, name := range strings.Split(strings.Split(p.By[0], " (")[0], ", ") {
			if !p.Ours && (name == "" || p.By[1] == "" || !strings.Contains(p.Plain, name)) {
				t.Errorf("%s: its citation names no author %q, or no Chinese is written of them: %q", p.Key, name, p.By)
			}
		}
		if id, _, _ := strings.Cut(p.Diagram, "#"); id != "" && !ids[id] {
			t.Errorf("%s has its diagram from %s, which is no experiment", p.Key, id)
		}
		for _, c := range p.Chapters {
			for _, stem := range c.Stems {
				if !ids[p.Key+"/"+stem] {
					t.Errorf("%s: chapter %s names %s, which is no experiment", p.Key, c.Title[0], stem)
				}
			}
		}
	}
	for _, c := range claims.All() {
		if _, ok := paper.OfClaim(c.ID); !ok {
			t.Errorf("claim %s is of no document", c.ID)
		}
	}
}

// documents lists the files that a reader meets at the root.
var documents = []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "THIRD_PARTY.md"}

// TestDocumentsNameWhatExists: every `make X` is a target and every relative
// link leads to a file.
func TestDocumentsNameWhatExists(t *testing.T) {
	root := mustRoot(t)
	makefile := readRoot(t, "Makefile")
	command := regexp.MustCompile("(?m)(?:`|^|&& )make ([a-z][a-z-]*)")
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	commands := 0
	for _, doc := range documents {
		text := readRoot(t, doc)
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			commands++
			if !strings.Contains(makefile, "\n"+m[1]+": ") {
				t.Errorf("%s: the Makefile has no target %q", doc, m[1])
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: link to %s: %v", doc, m[1], err)
			}
		}
	}
	if commands < 5 {
		t.Errorf("found %d make commands in the documents, want at least 5", commands)
	}
}

// TestTargetsAreExplained: every target of the Makefile is phony and has the ##
// comment that `make help` prints.
func TestTargetsAreExplained(t *testing.T) {
	makefile := readRoot(t, "Makefile")
	phony := strings.Fields(find(t, "Makefile", `(?m)^\.PHONY: (.*)$`))
	var targets []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):(.*)$`).FindAllStringSubmatch(makefile, -1) {
		targets = append(targets, m[1])
		if !strings.Contains(m[2], "## ") {
			t.Errorf("Makefile: target %s has no ## comment", m[1])
		}
	}
	slices.Sort(targets)
	slices.Sort(phony)
	if !slices.Equal(targets, phony) {
		t.Errorf("Makefile: targets %v, .PHONY %v", targets, phony)
	}
	for _, want := range []string{"help", "check", "test", "test-long", "verify", "reproduce-dasp", "reproduce-ring", "reproduce-ringsparse",
		"reproduce-codedsgd", "reproduce-compare", "reproduce-all", "reports", "serve", "calibrate", "bench", "lint", "race", "clean"} {
		if !slices.Contains(targets, want) {
			t.Errorf("Makefile: no target %s", want)
		}
	}
}

// TestTargetsAreCommands: whoever has no make finds every target as a command of the
// binary, of the same name, a maintainer's below dev, but for `gradsync bench check` and what
// generates or tests alone.
func TestTargetsAreCommands(t *testing.T) {
	targets := strings.Fields(find(t, "Makefile", `(?m)^\.PHONY: (.*)$`))
	for _, name := range targets {
		if slices.Contains([]string{"help", "bench-check", "playground", "gpu-cu", "gpu-mutants"}, name) {
			continue
		}
		found := 0
		for _, path := range []string{name, "dev " + name} {
			var out, errOut bytes.Buffer
			if cli.Main(append(strings.Fields(path), "--help"), &out, &errOut) == 0 && strings.Contains(out.String(), "gradsync "+path) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("make %s is %d commands, want one of gradsync %s and gradsync dev %s", name, found, name, name)
		}
	}
}

// TestThirdParty: THIRD_PARTY.md lists every module that the binary or a test
// links, at its version, and the files of others with their true sha256.
func TestThirdParty(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	root := mustRoot(t)
	text := readRoot(t, "THIRD_PARTY.md")
	cmd := exec.Command("go", "list", "-deps", "-test", "-f", "{{with .Module}}{{if .Version}}{{.Path}} | {{.Version}}{{end}}{{end}}", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	for _, m := range slices.Compact(modules) {
		if !strings.Contains(text, "| "+m+" |") {
			t.Errorf("THIRD_PARTY.md has no row | %s | …", m)
		}
	}
	files := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*\\| ([0-9a-f]{64}) \\|$").FindAllStringSubmatch(text, -1)
	if len(files) == 0 {
		t.Error("THIRD_PARTY.md lists no file with its sha256")
	}
	for _, m := range files {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m[1])))
		if err != nil {
			t.Error(err)
			continue
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != m[2] {
			t.Errorf("%s: sha256 %x, THIRD_PARTY.md says %s", m[1], sum, m[2])
		}
	}
}
