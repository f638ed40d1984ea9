package reports

import (
	_ "embed" // published.json
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/cited"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/ran"
)

// profiles in the order of a page. A ci result is a check, not a finding: it is
// shown only where no other profile of the same id is there.
var profiles = []string{"quick", "standard", "paper", "ci"}

// loaded is one result file with its sidecar and its words.
type loaded struct {
	ran.File
	Page      *notebook.Page
	ClaimRows []notebook.ClaimRow // its claims in words
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
		if cited.Find(key) == nil {
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

// loadSome loads as load does, where nothing to show is a mistake: pages of no result would look
// as if nothing had ever been run, though only the folder was another.
func loadSome(root string) (map[string][]loaded, error) {
	var all map[string][]loaded
	var err error
	if _, missing := os.Stat(root); !errors.Is(missing, fs.ErrNotExist) { // else it is what a first run would make
		all, err = load(root)
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("reports: no results in %s: name the folder that holds %s and the like with --results, as --results experiments/results in a clone, "+
			"or make some with `gradsync run dasp`", root, cited.Documents[0].Key)
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
	f, err := ran.Read(file)
	if err != nil {
		return loaded{}, fmt.Errorf("reports: %w", err)
	}
	l := loaded{File: f}
	if want := key + "/" + l.Stem; l.ID != want {
		return loaded{}, fmt.Errorf("reports: %s: id %q, the file's place says %q", file, l.ID, want)
	}
	if l.Profile != profile {
		return loaded{}, fmt.Errorf("reports: %s: profile %q, the file's place says %q", file, l.Profile, profile)
	}
	if err := check(f.Result); err != nil {
		return loaded{}, fmt.Errorf("reports: %s: %w", file, err)
	}
	return l, nil
}

// files returns the files of results without their words.
func files(rs []loaded) []ran.File {
	out := make([]ran.File, len(rs))
	for i, l := range rs {
		out[i] = l.File
	}
	return out
}

// publishedJSON holds the list of the committed results, so that whoever renders a page
// of his own learns whether they have the same bits. `make reports` writes it.
//
//go:embed published.json
var publishedJSON []byte

// Published lists every result below root, checks too, as published.json holds them.
func Published(root string) ([]byte, error) {
	var all []ran.File
	for i := range cited.Documents {
		for _, profile := range profiles {
			rs, err := loadProfile(root, cited.Documents[i].Key, profile)
			if err != nil {
				return nil, err
			}
			all = append(all, files(rs)...)
		}
	}
	return ran.List(all)
}

// check refuses a result that a page would show wrongly.
func check(r *result.Result) error {
	if r.Status != result.Complete && r.Status != result.Incomplete {
		return fmt.Errorf("status %q, want complete or incomplete", r.Status)
	}
	if _, ok := page.Kinds[r.Kind]; !ok {
		return fmt.Errorf("unknown kind %q", r.Kind)
	}
	for _, f := range r.Frames {
		if _, ok := page.Kinds[f.Kind]; !ok && f.Kind != "" {
			return fmt.Errorf("frame %s: unknown kind %q", f.ID, f.Kind)
		}
	}
	for _, c := range r.Claims {
		if _, ok := page.FindVerdict(c.Verdict); !ok {
			return fmt.Errorf("claim %s: unknown verdict %q", c.ID, c.Verdict)
		}
		for _, ci := range c.CI95 {
			if ci != nil && !(ci[0] <= ci[1]) {
				return fmt.Errorf("claim %s: interval from %v to %v", c.ID, ci[0], ci[1])
			}
		}
	}
	return nil
}
