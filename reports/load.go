package reports

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	result2 "gradsync/experiments/result"
	result "gradsync/experiments/result1"
	"gradsync/reports/notebook"
)

// defaultProfile is the one whose results lie directly in a paper's folder and
// whose anchors carry no suffix.
const defaultProfile = "quick"

// profiles in the order of a page. A ci result is a check, not a finding: it is
// shown only where no other profile of the same id is there.
var profiles = []string{"quick", "standard", "paper", "ci"}

// loaded is one result file with its sidecar and the facts of the file.
type loaded struct {
	*result.Result
	New       *result2.Result     // nil: a result of version 1
	Page      *notebook.Page      // of a result of version 2
	ClaimRows []notebook.ClaimRow // its claims in words
	Run       *result.Run         // nil: no sidecar
	Stem      string              // "table5"
	SHA256    string              // of the result file's bytes
	Stale     bool                // the sidecar belongs to other bytes
}

// Anchor is the section's id on the page.
func (l loaded) Anchor() string {
	if l.Profile == defaultProfile {
		return l.Stem
	}
	return l.Stem + "-" + l.Profile
}

// load reads every result under root, by paper. Folders of no known paper are
// an error: a page that silently drops results would look complete.
func load(root string) (map[string][]loaded, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("reports: no results to read: %w", err)
	}
	all := map[string][]loaded{}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		key := e.Name()
		if findPaper(key) == nil {
			return nil, fmt.Errorf("reports: %s: results of an unknown paper %q", filepath.Join(root, key), key)
		}
		rs, err := loadPaper(root, key)
		if err != nil {
			return nil, err
		}
		if len(rs) > 0 {
			all[key] = rs
		}
	}
	return all, dressAll(all)
}

// loadSome is load where nothing to show is a mistake: pages of no result would look
// as if nothing had ever been run, though only the folder was another.
func loadSome(root string) (map[string][]loaded, error) {
	all, err := load(root)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("reports: no results in %s: name the folder that holds %s and the like with --results, or make some with `gradsync run dasp`", root, papers[0].Key)
	}
	return all, err
}

// loadPaper reads one paper's folder and its profile folders.
func loadPaper(root, key string) ([]loaded, error) {
	var rs []loaded
	for _, profile := range profiles {
		some, err := loadProfile(root, key, profile)
		if err != nil {
			return nil, err
		}
		for _, l := range some {
			if profile == "ci" && slices.ContainsFunc(rs, func(o loaded) bool { return o.ID == l.ID }) {
				continue
			}
			rs = append(rs, l)
		}
	}
	slices.SortStableFunc(rs, func(a, b loaded) int { return compareStems(key, a.Stem, b.Stem) })
	return rs, nil
}

// loadProfile reads one paper's results of one profile, by name; none is no error.
func loadProfile(root, key, profile string) ([]loaded, error) {
	dir := filepath.Dir(result.Path(root, key+"/x", profile))
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	slices.Sort(files)
	var rs []loaded
	for _, f := range files {
		if strings.HasSuffix(f, ".run.json") {
			continue
		}
		l, err := loadFile(f, key, profile)
		if err != nil {
			return nil, err
		}
		rs = append(rs, l)
	}
	return rs, nil
}

// loadFile reads one result and its sidecar and checks what a page relies on.
func loadFile(file, key, profile string) (loaded, error) {
	l, err := readEither(file)
	if err != nil {
		return loaded{}, fmt.Errorf("reports: %w", err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return loaded{}, fmt.Errorf("reports: %w", err)
	}
	l.Stem, l.SHA256 = strings.TrimSuffix(filepath.Base(file), ".json"), result.Sum(b)
	if want := key + "/" + l.Stem; l.ID != want {
		return loaded{}, fmt.Errorf("reports: %s: id %q, the file's place says %q", file, l.ID, want)
	}
	if l.Profile != profile {
		return loaded{}, fmt.Errorf("reports: %s: profile %q, the file's place says %q", file, l.Profile, profile)
	}
	if l.New == nil {
		if err := check(l.Result); err != nil {
			return loaded{}, fmt.Errorf("reports: %s: %w", file, err)
		}
		apart(l.Result)
	}
	l.Run, err = result.ReadRun(file)
	if errors.Is(err, fs.ErrNotExist) {
		l.Run, err = nil, nil
	}
	if err != nil {
		return loaded{}, fmt.Errorf("reports: %w", err)
	}
	l.Stale = l.Run != nil && l.Run.ResultSHA256 != "" && l.Run.ResultSHA256 != l.SHA256
	return l, nil
}

// apart gives a figure that is called as a table of its result a name of its own:
// anchors and data files are made of both.
func apart(r *result.Result) {
	for i, f := range r.Figures {
		if slices.ContainsFunc(r.Tables, func(t result.Table) bool { return slug(t.ID) == slug(f.ID) }) {
			r.Figures[i].ID += "-figure"
		}
	}
}
