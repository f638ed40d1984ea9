package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/dasp"
	"gradsync/experiments/exp"
	"gradsync/internal/oktest"
)

// Profiles ci and quick train on the embedded images, whatever GRADSYNC_DATA and the cache hold; others look there, and
// --data-dir is always obeyed.
func TestWhoTrainsOnTheEmbeddedImages(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	t.Setenv("GRADSYNC_DATA", missing)
	command := []string{"run", "codedsgd/table1", "--quiet", "--out", t.TempDir(), "--profile"}
	for profile, want := range map[string]int{"ci": exitOK, "quick": exitOK, "standard": exitFailed} {
		if rc, _, said := gradsync(append(command, profile)...); rc != want || (want == exitFailed) != strings.Contains(said, "$GRADSYNC_DATA") {
			t.Errorf("%s: %d, %s", profile, rc, said)
		}
		if rc, _, said := gradsync(append(command, profile, "--data-dir", missing)...); rc != exitFailed || !strings.Contains(said, "--data-dir") {
			t.Errorf("%s, --data-dir: %d, %s", profile, rc, said)
		}
	}
}

// A profile made seed by seed in two folders, and joined, has the bytes of one run; no training is
// made again, and another configuration takes none.
func TestPiecesAreJoined(t *testing.T) {
	oktest.Slow(t)
	t.Setenv("GRADSYNC_DATA", filepath.Join(t.TempDir(), "missing")) // ci does not look there
	old := sources
	sources = map[string]func() []exp.Experiment{"dasp": dasp.Experiments}
	t.Cleanup(func() { sources = old })
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	made := func(seeds, out string, kept ...string) (result, said string) {
		t.Helper()
		command := []string{"run", "dasp/versions-vs-clocks", "--profile", "ci", "--quiet", "--seeds", seeds, "--out", at(out)}
		if kept != nil {
			command = append(command, "--kept", strings.Join(kept, ","))
		}
		rc, _, said := gradsync(command...)
		raw, err := os.ReadFile(filepath.Join(at(out), "dasp", "ci", "versions-vs-clocks.json"))
		if rc != exitOK || err != nil {
			t.Fatalf("seeds %s: exit code %d, %s, %v", seeds, rc, said, err)
		}
		return string(raw), said
	}
	want, _ := made("4,5", "whole")
	made("4", "first", at("monday"))
	made("5", "second", at("tuesday"))
	got, said := made("4,5", "joined", at("all"), at("monday"), at("tuesday"))
	if got != want {
		t.Error("two pieces, joined, are not the bytes of one run")
	}
	if !strings.Contains(said, " parts were read, 0 made") {
		t.Errorf("a piece was made again: %s", said)
	}
	if _, said := made("6", "other", at("monday")); !strings.Contains(said, "\n0 parts were read") {
		t.Errorf("seed 6 took a part of seed 4: %s", said)
	}
	// A folder with a damaged part gives the same bytes, with a line that says so.
	parts, _ := filepath.Glob(at("monday") + "/*.json")
	for _, path := range parts {
		oktest.Nil(t, os.WriteFile(path, []byte("{"), 0o644))
	}
	got, said = made("4,5", "again", at("new"), at("monday"), at("tuesday"))
	if got != want || !strings.Contains(said, "is ignored, and its part made again: damaged") {
		t.Errorf("beside damaged parts: same bytes %v, %s", got == want, said)
	}
}
